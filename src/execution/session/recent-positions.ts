// Records the positions held a short while ago: the venue's lists may still report them. Must never be asked about a
// time whose records have been dropped: `wasHeld` might wrongly return false.
import { assert } from '../../base/assert.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros, Qty } from '../../domain/units.ts';

/** A position that was held until a time. */
interface HeldPosition {
  readonly until: Micros;
  readonly qty: Qty;
}

const PER_MARKET_MAX = 500;

/** Records the position before each of the latest changes, at most `PER_MARKET_MAX` in each market. */
export class RecentPositions {
  /** By market, oldest first. Added at each change of a position; removed when too old, or with the market. */
  readonly #byMarket = new Map<MarketIndex, HeldPosition[]>();

  /** Records a change: the quantity `held` was the position until the time `until`. */
  recordChange(market: MarketIndex, held: Qty, until: Micros): void {
    const past = this.#byMarket.get(market) ?? [];
    assert((past.at(-1)?.until ?? 0) <= until, 'changes of a position must be recorded in order of time');
    past.push({ until, qty: held });
    if (past.length > PER_MARKET_MAX) past.shift();
    assert(past.length <= PER_MARKET_MAX, 'the recorded positions must stay within their bound');
    this.#byMarket.set(market, past);
  }

  /** True when a quantity was the position before some change since a time. */
  wasHeld(market: MarketIndex, qty: Qty, since: number): boolean {
    return this.#byMarket.get(market)?.some((held) => held.qty === qty && held.until >= since) ?? false;
  }

  /** Time at which a market's position last changed; 0 when no change is remembered. */
  changedAt(market: MarketIndex): number {
    return this.#byMarket.get(market)?.at(-1)?.until ?? 0;
  }

  /** Forgets a market. Its index will be reused. */
  forgetMarket(market: MarketIndex): void {
    this.#byMarket.delete(market);
  }

  dropBefore(time: number): void {
    for (const [market, past] of this.#byMarket) {
      const remaining = past.filter(({ until }) => until >= time);
      if (remaining.length === 0) this.#byMarket.delete(market);
      else if (remaining.length < past.length) this.#byMarket.set(market, remaining);
    }
  }
}
