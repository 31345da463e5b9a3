// Counts durations by size. Must never allocate while it counts.

/** Upper bounds of the buckets of a latency. Microseconds; the last bucket has no bound. */
export const LATENCY_BOUNDS: readonly number[] = [
  50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
  10_000_000,
];

/** The counts of a histogram as plain numbers. */
export interface LatencyCounts {
  /** Number of durations in each bucket alone. The last bucket is above every bound. */
  readonly counts: readonly number[];
  /** Sum of the durations. Microseconds. */
  readonly sum: number;
}

/** Counts durations by size. */
export class LatencyHistogram {
  readonly #bounds: readonly number[];
  readonly #counts: Uint32Array;
  #sum = 0;

  /** @param bounds upper bounds of the buckets, ascending. Microseconds. */
  constructor(bounds: readonly number[] = LATENCY_BOUNDS) {
    this.#bounds = bounds;
    this.#counts = new Uint32Array(bounds.length + 1);
  }

  /** Counts a duration in microseconds. A negative duration counts as 0: it may come from two different clocks. */
  addDuration(duration: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && duration > (bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    if (duration > 0) this.#sum += duration;
  }

  read(): LatencyCounts {
    return { counts: [...this.#counts], sum: this.#sum };
  }
}
