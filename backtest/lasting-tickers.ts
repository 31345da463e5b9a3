// The numbers of markets in a run over a tape: the tape's own, for good. The rows go on to name a market by its number
// after the engine has forgotten it, so none is ever given to another one.
import { type MarketIndex, TickerTable } from '../src/domain/ids.ts';

/** A table that takes no number back. */
export class LastingTickers extends TickerTable {
  /** @param tape the numbers that are given already. */
  constructor(tape: TickerTable) {
    super();
    for (const name of tape.names()) if (name !== undefined) this.intern(name);
  }

  /** The number stays the market's. */
  override release(_index: MarketIndex): void {}

  /** None of the tape's names is a stray that could be taken back. */
  override get count(): number {
    return 0;
  }
}
