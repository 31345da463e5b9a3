// A table of probabilities over time, looked up by market and time. Must never return a row of a later time: a backtest
// would then use information from the future.
import type { Micros, Probability } from '../domain/units.ts';

/** The probability of a market from a time on. */
export interface ProbabilityRow {
  /** Time from which the row applies: 0, the epoch, when the row has none. */
  readonly at: Micros;
  /** Probability of YES, 0 to 1. */
  readonly probability: Probability;
}

/** Probabilities of YES by ticker and time, as `probabilityFile` reads them. */
export class ProbabilityTable {
  readonly #rows: ReadonlyMap<string, readonly ProbabilityRow[]>;

  /** @internal `probabilityFile` makes it: the rows of each ticker, earliest first. */
  constructor(rows: ReadonlyMap<string, readonly ProbabilityRow[]>) {
    this.#rows = rows;
  }

  /** The latest row of a ticker at or before `now`; `null` when there is none. */
  lookup(ticker: string, now: Micros): ProbabilityRow | null {
    const rows = this.#rows.get(ticker) ?? [];
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((rows[middle]?.at ?? now) <= now) low = middle + 1;
      else high = middle;
    }
    return rows[low - 1] ?? null;
  }

  /** The tickers of the table. */
  get tickers(): readonly string[] {
    return [...this.#rows.keys()];
  }
}
