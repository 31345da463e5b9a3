// Reads the figures of several bots over their control sockets. Must never wait long for one bot: Prometheus would give
// up and lose the figures of the others.
import { sendControlRequest } from '../runtime/operator/control-client.ts';
import type { ControlPath } from '../runtime/operator/control-path.ts';
import { type BotFigures, parseBotFigures } from './bot-figures.ts';
import type { ScrapedBot } from './render-metrics.ts';

/** A bot to read. */
export interface ScrapeTarget {
  /** The name of the bot's data folder, with a mark for a paper session. */
  readonly bot: string;
  readonly path: ControlPath;
}

const ANSWER_MS_MAX = 2000;

/** Reads all bots at once. A bot that does not answer has no figures. */
export const scrapeBots = (targets: readonly ScrapeTarget[]): Promise<ScrapedBot[]> =>
  Promise.all(targets.map(async ({ bot, path }) => ({ bot, figures: await readFigures(path) })));

async function readFigures(path: ControlPath): Promise<BotFigures | null> {
  const within = { acknowledgedWithinMs: ANSWER_MS_MAX, doneWithinMs: ANSWER_MS_MAX };
  const result = await sendControlRequest(path, { type: 'metrics' }, within);
  return result.type === 'answered' && result.reply.type === 'metrics' ? parseBotFigures(result.reply.figures) : null;
}
