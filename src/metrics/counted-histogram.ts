// A histogram of prom-client with given counts. The buckets of prom-client can only be filled by single observations.
// Must never be observed.
import { Histogram } from 'prom-client';
import type { LatencySample } from './metric-table.ts';

export interface CountedHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds of the buckets, microseconds. */
  readonly bounds: readonly number[];
  readonly samples: readonly LatencySample[];
}

type Exported = Awaited<ReturnType<Histogram['get']>>;

const MICROS = 1e6;

/** A histogram with given counts. */
export class CountedHistogram extends Histogram {
  readonly #options: CountedHistogramOptions;
  /** The registry writes name, help and type of this empty histogram. */
  readonly #empty: Histogram;

  constructor(options: CountedHistogramOptions) {
    const { name, help, labelNames, bounds } = options;
    const config = { name, help, labelNames: [...labelNames], buckets: bounds.map(secondsOf), registers: [] };
    super(config);
    this.#options = options;
    this.#empty = new Histogram(config);
  }

  override async get(): Promise<Exported> {
    const { samples } = this.#options;
    return { ...(await this.#empty.get()), values: samples.flatMap((sample) => this.#valuesOf(sample)) };
  }

  /** The registry calls this method in place of `get` when it writes text. */
  getForPromString(): Promise<Exported> {
    return this.get();
  }

  #valuesOf({ labels, counts: { counts, sum } }: LatencySample): Exported['values'] {
    const { name, bounds } = this.#options;
    let total = 0;
    const buckets = counts.map((count, bucket) => {
      total += count;
      const bound = bounds[bucket];
      const le = bound === undefined ? '+Inf' : String(secondsOf(bound));
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum / MICROS },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }
}

const secondsOf = (micros: number): number => micros / MICROS;
