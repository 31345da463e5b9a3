// Capital locked over time by market: the cost of its position, and the collateral of its unfinished orders. The sum over
// markets is the account's `lockedDollarDays`. Must never be summed in anything but dollar-days: it is a measure.
import { assert } from '../../base/assert.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { costIn, reservedCash } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';

/** One dollar-day, in millionths of a dollar times microseconds. */
export const DOLLAR_DAY = 1e6 * 86_400e6;

interface Locked {
  readonly ticker: string;
  /** The number of the market. A later market may reuse it. */
  market: MarketIndex;
  /** Capital locked since `since`. Millionths of a dollar. */
  now: number;
  since: number;
  /** Locked until `since`. Millionths of a dollar times microseconds. */
  sum: number;
}

/** Number of samples between two audits, which compare the running total with the sum of all markets. */
const AUDIT_EVERY = 1000;

/** Locked capital of each market, from samples of the account. */
export class LockedTime {
  readonly #state: State;
  readonly #byTicker = new Map<string, Locked>();
  /** The same by market number: the last market that had capital locked under the number. */
  readonly #byIndex: (Locked | undefined)[] = [];
  /** Markets whose position or unfinished orders have changed since the last sample. */
  readonly #changed: Set<MarketIndex>;
  #total = 0;
  #samples = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(state: State) {
    this.#state = state;
    this.#changed = new Set([...state.portfolio.positions().keys(), ...state.orders.marketsWithOpenOrders()]);
    state.portfolio.changedMarkets.addConsumer(this.#changed);
    state.orders.changedMarkets.addConsumer(this.#changed);
  }

  /** Capital locked in all markets at the last sample. Millionths of a dollar. */
  get total(): number {
    return this.#total;
  }

  /** Adds a sample: the capital stays locked until the next one. */
  addSample(sampledAt: number): void {
    this.#at = Math.max(this.#at, sampledAt);
    for (const market of this.#changed) this.#updateMarket(market);
    this.#changed.clear();
    this.#samples += 1;
    if (this.#samples % AUDIT_EVERY === 0)
      assert(this.#total === this.#sumOfAll(), 'the capital locked in all markets must be the sum of the markets');
  }

  #sumOfAll(): number {
    let total: number = reservedCash(this.#state);
    for (const { cost } of this.#state.portfolio.positions().values()) total += cost;
    return total;
  }

  #updateMarket(market: MarketIndex): void {
    const now = costIn(this.#state, market);
    const last = this.#byIndex[market];
    const ticker = now === 0 ? undefined : this.#state.tickers.tickerOf(market);
    if (last?.market === market && last.ticker !== ticker) this.#setLocked(last, 0);
    if (ticker !== undefined) this.#setLocked(this.#lockedOf(ticker, market), now);
  }

  #lockedOf(ticker: string, market: MarketIndex): Locked {
    const locked = this.#byTicker.get(ticker) ?? { ticker, market, now: 0, since: this.#at, sum: 0 };
    locked.market = market;
    this.#byTicker.set(ticker, locked);
    this.#byIndex[market] = locked;
    return locked;
  }

  #setLocked(locked: Locked, now: number): void {
    if (locked.now === now) return;
    this.#total += now - locked.now;
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
