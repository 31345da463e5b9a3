// Counts by strategy and one more label, for metrics. Must never hold more series than its bound: what exceeds the
// bound is counted under the strategy `other`, and a count never moves from one series to another.

/** The strategy under which everything beyond the bound is counted. */
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
  /** By strategy, then by label. Added with the first count; never removed. */
  readonly #counts = new Map<string, Map<string, number>>();
  #size = 0;

  /** @param seriesMax number of pairs that are counted apart, those of `other` not included. */
  constructor(seriesMax: number) {
    this.#seriesMax = seriesMax;
  }

  /** Adds to the count of a pair. */
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

  /** Returns every count. */
  list(): StrategyCount[] {
    return [...this.#counts].flatMap(([strategy, counts]) =>
      [...counts].map(([label, count]) => ({ strategy, label, count })),
    );
  }
}
