// Follows a bot over its control socket. Must never wait for the bot, and never mix figures of two sessions.
import { FollowClient } from '../../runtime/follow/follow-client.ts';
import type { FollowFrame, MarketDetail } from '../../runtime/follow/follow-messages.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import type { BotSource, BotState, LinkState } from './bot-source.ts';

/** Follows the bot of one data folder. */
export class FollowClientSource implements BotSource {
  lastFrameUs: number | null = null;
  readonly #client: FollowClient;
  readonly #listeners: ((frame: FollowFrame | null) => void)[] = [];
  /** Details of the watched markets, by ticker. Replaced when new details arrive. */
  readonly #details = new Map<string, { readonly atUs: number; readonly value: MarketDetail }>();

  /** @throws {ControlFault} when the folder's path is too long for a socket. */
  constructor(dataFolder: string) {
    this.#client = new FollowClient({
      path: controlPath(dataFolder, 'control'),
      scheduler: systemScheduler,
      random: Math.random,
      onFrame: (frame) => this.#onFrame(frame),
      onPresence: () => this.#notify(null),
    });
    this.#client.start();
  }

  get link(): LinkState {
    return this.#client.presence;
  }

  get state(): BotState | null {
    const { hello, session, sessionAtUs, facts, rows, orders, events } = this.#client.bot;
    if (hello === null) return null;
    const timed = session === null || sessionAtUs === null ? null : { atUs: sessionAtUs, value: session };
    const details = this.#details;
    return { hello, session: timed, facts, cells: rows, cellsAtUs: this.#cellsAtUs, orders, events, details };
  }

  #cellsAtUs: number | null = null;

  watchMarkets(tickers: readonly string[]): void {
    this.#client.watchMarkets(tickers);
    for (const ticker of this.#details.keys()) if (!tickers.includes(ticker)) this.#details.delete(ticker);
  }

  onFrame(listener: (frame: FollowFrame | null) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#listeners.length = 0;
    this.#client.stop();
  }

  #onFrame(frame: FollowFrame): void {
    this.lastFrameUs = Date.now() * 1000;
    if (frame.type === 'hello') {
      this.#details.clear();
      this.#cellsAtUs = null;
    }
    if (frame.type === 'markets') this.#cellsAtUs = frame.atUs;
    if (frame.type === 'detail') this.#details.set(frame.market.ticker, { atUs: frame.atUs, value: frame.market });
    this.#notify(frame);
  }

  #notify(frame: FollowFrame | null): void {
    for (const listener of this.#listeners) listener(frame);
  }
}
