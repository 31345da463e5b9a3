// Capital locked over time by market: the cost of its position, and the collateral of its unfinished orders. The sum over
// markets is the account's `lockedDollarDays`. Must never be summed in anything but dollar-days: it is a measure.
import type { MarketIndex } from '../../domain/ids.ts';
import { costIn } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';

/** One dollar-day, in millionths of a dollar times microseconds. */
export const DOLLAR_DAY = 1e6 * 86_400e6;

interface Locked {
  /** Capital locked since the last sample. */
  now: number;
  /** Millionths of a dollar times microseconds. */
  sum: number;
}

/** Locked capital of each market, from samples of the account. */
export class LockedTime {
  readonly #state: State;
  readonly #byTicker = new Map<string, Locked>();
  #at = Number.NEGATIVE_INFINITY;

  constructor(state: State) {
    this.#state = state;
  }

  /** Adds a sample: the capital stays locked until the next one. */
  addSample(sampledAt: number): void {
    const at = Math.max(this.#at, sampledAt);
    for (const locked of this.#byTicker.values()) {
      if (locked.now !== 0) locked.sum += locked.now * (at - this.#at);
      locked.now = 0;
    }
    this.#at = at;
    const { orders, portfolio } = this.#state;
    for (const [market, { cost }] of portfolio.positions()) if (cost !== 0) this.#lock(market);
    for (const market of orders.marketsWithOpenOrders()) this.#lock(market);
  }

  #lock(market: MarketIndex): void {
    const ticker = this.#state.tickers.tickerOf(market);
    const known = this.#byTicker.get(ticker);
    const now = costIn(this.#state, market);
    if (known) known.now = now;
    else this.#byTicker.set(ticker, { now, sum: 0 });
  }

  /** True when nothing was locked in the market at the last sample. */
  isFree(ticker: string): boolean {
    return (this.#byTicker.get(ticker)?.now ?? 0) === 0;
  }

  /** Dollar-days locked by a market until the last sample. */
  dollarDaysOf(ticker: string): number {
    return (this.#byTicker.get(ticker)?.sum ?? 0) / DOLLAR_DAY;
  }
}
