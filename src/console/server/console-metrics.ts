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

/** A paper session has the label of its own port: the alert rules know paper by its mark. */
const labelOf = ({ name, dataFolder, isPaper }: Pick<ConsoleBot, 'name' | 'dataFolder' | 'isPaper'>): string =>
  isPaper ? botOfFolder(dataFolder, true) : name;
