// Market numbers that are never reused, for a simulated venue. A tape's rows, or the venue, still name a market by its
// number after the engine has dropped it, so no number is given to another market.
import { type MarketIndex, TickerTable } from '../../../domain/ids.ts';

/** A ticker table that takes no number back. */
export class PermanentTickers extends TickerTable {
  /** @param given the numbers that exist already. */
  constructor(given: TickerTable = new TickerTable()) {
    super();
    for (const name of given.tickersByIndex()) if (name !== undefined) this.internTicker(name);
  }

  /** Does nothing: the market keeps its number. */
  override releaseIndex(_index: MarketIndex): void {}

  /** Zero: no name may be removed as unused. */
  override get count(): number {
    return 0;
  }
}
