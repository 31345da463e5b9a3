// Counts by strategy and a second label, for metrics. Must never hold more series than its bound: further pairs are
// counted under the strategy `other`. A count never moves to another series.

/** Counts beyond the bound go under this strategy. */
export const OTHER_STRATEGIES = 'other';

/** One count. */
export interface StrategyCount {
  readonly strategy: string;
  /** The second label: a state, a code, or maker or taker. */
  readonly label: string;
  readonly count: number;
}

/** A table of counts with a bound. */
export class StrategyCounts {
  readonly #seriesMax: number;
  /** Added with the first count; never removed. */
  readonly #counts = new Map<string, Map<string, number>>();
  #size = 0;

  /** @param seriesMax number of pairs that are counted apart, without those of `other`. */
  constructor(seriesMax: number) {
    this.#seriesMax = seriesMax;
  }

  addCount(strategy: string, label: string, count: number): void {
    const counts = this.#counts.get(strategy);
    const isKnown = counts?.has(label) === true;
    if (!isKnown && strategy !== OTHER_STRATEGIES) {
      if (this.#size >= this.#seriesMax) return this.addCount(OTHER_STRATEGIES, label, count);
      this.#size += 1;
    }
    const table = counts ?? new Map<string, number>();
    table.set(label, (table.get(label) ?? 0) + count);
    this.#counts.set(strategy, table);
  }

  list(): StrategyCount[] {
    return [...this.#counts].flatMap(([strategy, counts]) =>
      [...counts].map(([label, count]) => ({ strategy, label, count })),
    );
  }
}
