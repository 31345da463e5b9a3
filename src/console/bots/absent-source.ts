// A source without a connection: the console then shows only what the bot's data folder says. Must never look alive.
import type { BotSource } from './bot-source.ts';

/** Creates the source. */
export const absentSource = (): BotSource => ({
  link: 'absent',
  lastFrameUs: null,
  state: null,
  watchMarkets: () => undefined,
  onFrame: () => undefined,
  close: () => undefined,
});
