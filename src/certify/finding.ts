// What a check says of a strategy: that it holds, or what does not, when, and the smallest stream that shows it.
import type { Stream } from './stream.ts';

/** Something that does not hold, seen while a stream was run. */
export interface Finding {
  readonly words: string;
  /** When it was seen, milliseconds of the stream. */
  readonly atMs: number;
}

/** Every check, in the order in which they are made. */
export const CHECK_NAMES = [
  'loads',
  'isolation',
  'throws',
  'numbers',
  'limits',
  'denials',
  'gaps',
  'settlement',
  'determinism',
  'blindness',
  'restart',
  'markets',
  'time',
  'memory',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** What a check found. */
export interface Verdict {
  readonly check: CheckName;
  readonly isPassed: boolean;
  /** What was seen to hold, with its figures; or what does not. */
  readonly words: string;
  /** What would help; `null` when nothing is wrong. */
  readonly remedy: string | null;
  /** The smallest stream found that shows it; `null` where none is needed. */
  readonly stream: Stream | null;
}

/** How much is done: so little that a build can wait for it, or all. */
export interface Effort {
  readonly name: 'quick' | 'full';
  /** Streams of each kind. */
  readonly streams: number;
  /** Runs that may be spent on making one stream smaller, and milliseconds. */
  readonly shrinkRuns: number;
  readonly shrinkMs: number;
  /** How many markets join and leave. */
  readonly markets: number;
  /** How much longer the long stream is than the short one, seconds of the shorter. */
  readonly memorySeconds: number;
}

export const EFFORTS: Readonly<Record<Effort['name'], Effort>> = {
  quick: { name: 'quick', streams: 2, shrinkRuns: 120, shrinkMs: 1500, markets: 1000, memorySeconds: 300 },
  full: { name: 'full', streams: 12, shrinkRuns: 1500, shrinkMs: 20_000, markets: 10_000, memorySeconds: 1200 },
};
