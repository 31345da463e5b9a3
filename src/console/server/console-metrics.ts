// The text that Prometheus scrapes from the console: the figures of all its bots, and the console's own. Must never wait
// long for a bot that does not answer.
import { renderMetrics } from '../../metrics/render-metrics.ts';
import { scrapeBots } from '../../metrics/scrape-bots.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import type { LiveClients } from '../live/live-response.ts';

/** Reads every bot over its control socket, and returns the text of one scrape. */
export async function consoleMetricsText(bots: readonly ConsoleBot[], clients: LiveClients): Promise<string> {
  const targets = bots.map(({ name, dataFolder }) => ({ bot: name, path: controlPath(dataFolder, 'control') }));
  const { size, dropped } = clients;
  return renderMetrics({ bots: await scrapeBots(targets), console: { clients: size, dropped } });
}
