// The text for Prometheus, with figures of all bots and of the console. Must never wait long for a silent bot.
import { botOfFolder } from '../../app/session/paper-folder.ts';
import { renderMetrics } from '../../metrics/render-metrics.ts';
import { scrapeBots } from '../../metrics/scrape-bots.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import type { LiveClients } from '../live/live-response.ts';

/** Returns the text of one scrape, from the control socket of every bot. */
export async function consoleMetricsText(bots: readonly ConsoleBot[], clients: LiveClients): Promise<string> {
  const targets = bots.map((bot) => ({ bot: labelOf(bot), path: controlPath(bot.dataFolder, 'control') }));
  const { size, dropped } = clients;
  return renderMetrics({ bots: await scrapeBots(targets), console: { clients: size, dropped } });
}

/**
 * The alert rules know a paper session by its mark. The name of one with a config has it; one of which only the folder is
 * known has the label of its own port.
 */
const labelOf = ({ name, config, dataFolder, isPaper }: LabeledBot): string =>
  isPaper && config?.isPaper !== true ? botOfFolder(dataFolder, true) : name;

type LabeledBot = Pick<ConsoleBot, 'name' | 'config' | 'dataFolder' | 'isPaper'>;
