// Market numbers that are never reused, for a simulated venue. The tape's rows still name a market by its number after
// the engine has dropped the market.
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

  /** Zero, so that no ticker is removed as unused. */
  override get count(): number {
    return 0;
  }
}
