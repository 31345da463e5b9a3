// Capital locked over time by market: the cost of its position, and the collateral of its unfinished orders. The sum over
// markets is the account's `lockedDollarDays`. Must never be summed in anything but dollar-days: it is a measure.
import type { MarketIndex } from '../../domain/ids.ts';
import { costIn } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';

/** One dollar-day, in millionths of a dollar times microseconds. */
export const DOLLAR_DAY = 1e6 * 86_400e6;

interface Locked {
  readonly ticker: string;
  /** Capital locked since `since`. Millionths of a dollar. */
  now: number;
  since: number;
  /** Locked until `since`. Millionths of a dollar times microseconds. */
  sum: number;
  /** Number of the last sample in which the market had a position or an unfinished order. */
  sampleNumber: number;
}

/** Locked capital of each market, from samples of the account. */
export class LockedTime {
  readonly #state: State;
  readonly #byTicker = new Map<string, Locked>();
  /** The same by market number, which a later market may reuse. A sample of many markets needs no look-up by name. */
  readonly #byIndex: (Locked | undefined)[] = [];
  /** Markets with locked capital. Added by the first sample that finds some; removed by the first that finds none. */
  #active: Locked[] = [];
  #sampleNumber = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(state: State) {
    this.#state = state;
  }

  /** Adds a sample: the capital stays locked until the next one. */
  addSample(sampledAt: number): void {
    this.#at = Math.max(this.#at, sampledAt);
    this.#sampleNumber += 1;
    const { orders, portfolio } = this.#state;
    for (const [market, { cost }] of portfolio.positions()) if (cost !== 0) this.#lock(market);
    for (const market of orders.marketsWithOpenOrders()) this.#lock(market);
    for (const locked of this.#active) if (locked.sampleNumber !== this.#sampleNumber) this.#setLocked(locked, 0);
    this.#active = this.#active.filter(({ now }) => now !== 0);
  }

  #lock(market: MarketIndex): void {
    const locked = this.#lockedOf(market);
    const now = costIn(this.#state, market);
    locked.sampleNumber = this.#sampleNumber;
    if (locked.now === now) return;
    if (locked.now === 0) this.#active.push(locked);
    this.#setLocked(locked, now);
  }

  #lockedOf(market: MarketIndex): Locked {
    const ticker = this.#state.tickers.tickerOf(market);
    const known = this.#byIndex[market];
    if (known?.ticker === ticker) return known;
    const locked = this.#byTicker.get(ticker) ?? { ticker, now: 0, since: this.#at, sum: 0, sampleNumber: 0 };
    this.#byTicker.set(ticker, locked);
    this.#byIndex[market] = locked;
    return locked;
  }

  #setLocked(locked: Locked, now: number): void {
    locked.sum += this.#pendingOf(locked);
    locked.since = this.#at;
    locked.now = now;
  }

  /** Locked from `since` until the last sample. */
  #pendingOf({ now, since }: Locked): number {
    return now === 0 ? 0 : now * (this.#at - since);
  }

  /** True when nothing was locked in the market at the last sample. */
  isFree(ticker: string): boolean {
    return (this.#byTicker.get(ticker)?.now ?? 0) === 0;
  }

  /** Dollar-days locked by a market until the last sample. */
  dollarDaysOf(ticker: string): number {
    const locked = this.#byTicker.get(ticker);
    return locked === undefined ? 0 : (locked.sum + this.#pendingOf(locked)) / DOLLAR_DAY;
  }
}
