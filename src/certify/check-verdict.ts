// The result of a check: that it passed, or what is wrong, when, and the smallest stream (generated markets with their
// events) that shows it.
import type { Stream } from './streams/stream.ts';

/** Something wrong, seen while a stream ran. */
export interface Finding {
  readonly words: string;
  /** Time at which it was seen, in milliseconds of the stream. */
  readonly atMs: number;
}

/** Every check, in running order. */
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

/** The result of a check. */
export interface CheckVerdict {
  readonly check: CheckName;
  readonly isPassed: boolean;
  /** The verified fact with its figures, or the fault. */
  readonly words: string;
  /** Advice for a fix; `null` when nothing is wrong. */
  readonly remedy: string | null;
  /** The smallest stream found on which the check fails; `null` when there is none. */
  readonly stream: Stream | null;
}

/** Amount of testing: `quick` for every build, or `full`. */
export interface Effort {
  readonly name: 'quick' | 'full';
  /** Number of streams on which all judges watch the strategy, and the length of each in seconds. */
  readonly streams: number;
  readonly seconds: number;
  /** Number of repetitions of the checks for determinism, blindness and restart. */
  readonly repetitions: number;
  /** Maximum number of runs, and of milliseconds, to spend on shrinking one stream. */
  readonly shrinkRuns: number;
  readonly shrinkMs: number;
  /** Number of markets that join and leave in the check `markets`. */
  readonly markets: number;
  /** Unit of the memory check, in seconds: memory is measured after streams of several multiples of this length. */
  readonly memorySeconds: number;
}

export const EFFORTS: Readonly<Record<Effort['name'], Effort>> = {
  quick: {
    name: 'quick',
    streams: 2,
    seconds: 100,
    repetitions: 1,
    shrinkRuns: 120,
    shrinkMs: 1500,
    markets: 500,
    memorySeconds: 60,
  },
  full: {
    name: 'full',
    streams: 8,
    seconds: 240,
    repetitions: 4,
    shrinkRuns: 1500,
    shrinkMs: 15_000,
    markets: 10_000,
    memorySeconds: 400,
  },
};
