// Measures the process and its machine: event loop, memory, garbage collection and free disk. Must never block the
// event loop. The event loop is measured from the first scrape on.
import { statfs } from 'node:fs/promises';
import {
  type EventLoopUtilization,
  type IntervalHistogram,
  PerformanceObserver,
  constants,
  monitorEventLoopDelay,
  performance,
} from 'node:perf_hooks';
import { type LatencyCounts, LatencyHistogram } from '../runtime/session/latency-histogram.ts';

/** Upper bounds of the buckets of a garbage collection. Microseconds. */
export const GC_BOUNDS: readonly number[] = [500, 1000, 5000, 10_000, 50_000, 100_000, 500_000];

/** Kinds of garbage collection. */
export const GC_KINDS = ['minor', 'major', 'incremental', 'weakcb'] as const;
export type GcKind = (typeof GC_KINDS)[number];

/** Figures of the process and its machine. */
export interface MachineFigures {
  /** Lateness of the event loop since the last scrape, seconds; `null` at the first scrape. */
  readonly loopLag: { readonly p50: number; readonly p99: number; readonly max: number } | null;
  /** Busy share of the event loop since the last scrape, 0 to 1; `null` at the first scrape. */
  readonly loopUse: number | null;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Free bytes for this user on the disk of the data folder, or `null`. */
  readonly diskFreeBytes: number | null;
  /** `null` where garbage collections are not measured. */
  readonly gc: Readonly<Record<GcKind, LatencyCounts>> | null;
}

export interface MachineMeterOptions {
  readonly folder: string;
  /** Measures garbage collections, at some cost in time. Default false. */
  readonly gc?: boolean;
}

const RESOLUTION_MS = 10;
const NANOS = 1e9;
/** Longest wait for the free space of a disk: a network disk may never answer. Milliseconds. */
const DISK_MS_MAX = 500;

/** Measures one process. */
export class MachineMeter {
  readonly #options: MachineMeterOptions;
  readonly #gc: GcWatch | null;
  #delay: IntervalHistogram | null = null;
  #use: EventLoopUtilization | null = null;

  constructor(options: MachineMeterOptions) {
    this.#options = options;
    this.#gc = options.gc === true ? new GcWatch() : null;
  }

  /** The figures of the event loop begin again. */
  async read(): Promise<MachineFigures> {
    const { rss, heapUsed } = process.memoryUsage();
    return {
      loopLag: this.#readLag(),
      loopUse: this.#readUse(),
      residentBytes: rss,
      heapBytes: heapUsed,
      diskFreeBytes: await freeBytes(this.#options.folder),
      gc: this.#gc?.read() ?? null,
    };
  }

  /** The timer adds its own resolution to every measured delay. The rest is lateness. */
  #readLag(): MachineFigures['loopLag'] {
    const delay = this.#delay;
    if (delay === null) {
      this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#delay.enable();
      return null;
    }
    if (delay.count === 0) return null;
    const seconds = (nanos: number): number => Math.max(0, nanos - RESOLUTION_MS * 1e6) / NANOS;
    const lag = { p50: seconds(delay.percentile(50)), p99: seconds(delay.percentile(99)), max: seconds(delay.max) };
    delay.reset();
    return lag;
  }

  #readUse(): number | null {
    const before = this.#use;
    this.#use = performance.eventLoopUtilization();
    return before === null ? null : performance.eventLoopUtilization(this.#use, before).utilization;
  }

  close(): void {
    this.#delay?.disable();
    this.#gc?.close();
  }
}

async function freeBytes(folder: string): Promise<number | null> {
  const late = new Promise<null>((resolve) => void setTimeout(() => resolve(null), DISK_MS_MAX).unref());
  const read = statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  );
  return Promise.race([read, late]);
}

const KIND_OF: ReadonlyMap<unknown, GcKind> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

function kindOf(entry: object): GcKind | undefined {
  const detail: unknown = 'detail' in entry ? entry.detail : null;
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? KIND_OF.get(detail.kind) : undefined;
}

class GcWatch {
  readonly #byKind: Readonly<Record<GcKind, LatencyHistogram>> = {
    minor: new LatencyHistogram(GC_BOUNDS),
    major: new LatencyHistogram(GC_BOUNDS),
    incremental: new LatencyHistogram(GC_BOUNDS),
    weakcb: new LatencyHistogram(GC_BOUNDS),
  };
  readonly #observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = kindOf(entry);
      if (kind !== undefined) this.#byKind[kind].addDuration(entry.duration * 1000);
    }
  });

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  read(): Record<GcKind, LatencyCounts> {
    const { minor, major, incremental, weakcb } = this.#byKind;
    return {
      minor: minor.read(),
      major: major.read(),
      incremental: incremental.read(),
      weakcb: weakcb.read(),
    };
  }

  close(): void {
    this.#observer.disconnect();
  }
}
