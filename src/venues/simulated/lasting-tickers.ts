// The numbers of markets where a simulated venue goes by them too: for good. A tape's rows, or the venue, go on to name a
// market by its number after the engine has forgotten it, so none is ever given to another one.
import { type MarketIndex, TickerTable } from '../../domain/ids.ts';

/** A table that takes no number back. */
export class LastingTickers extends TickerTable {
  /** @param given the numbers that are given already. */
  constructor(given: TickerTable = new TickerTable()) {
    super();
    for (const name of given.names()) if (name !== undefined) this.intern(name);
  }

  /** The number stays the market's. */
  override release(_index: MarketIndex): void {}

  /** None of the tape's names is a stray that could be taken back. */
  override get count(): number {
    return 0;
  }
}
