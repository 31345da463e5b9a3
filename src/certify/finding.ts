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
  /** Streams of each kind, and how long each is. */
  readonly streams: number;
  readonly seconds: number;
  /** So often a strategy is restarted, run twice, and has the outcomes turned over. */
  readonly turns: number;
  /** Runs that may be spent on making one stream smaller, and milliseconds. */
  readonly shrinkRuns: number;
  readonly shrinkMs: number;
  /** How many markets join and leave. */
  readonly markets: number;
  /** How long the shortest of the streams is after which memory is looked at. */
  readonly memorySeconds: number;
}

export const EFFORTS: Readonly<Record<Effort['name'], Effort>> = {
  quick: {
    name: 'quick',
    streams: 2,
    seconds: 100,
    turns: 1,
    shrinkRuns: 120,
    shrinkMs: 1500,
    markets: 500,
    memorySeconds: 60,
  },
  full: {
    name: 'full',
    streams: 8,
    seconds: 240,
    turns: 4,
    shrinkRuns: 1500,
    shrinkMs: 15_000,
    markets: 10_000,
    memorySeconds: 400,
  },
};
