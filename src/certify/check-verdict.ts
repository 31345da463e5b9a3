// The result of a check: a pass, or a fault with the smallest stream (generated markets with their events) that shows
// it.
import type { Stream } from './streams/stream.ts';

/** A fault, seen while a stream ran. */
export interface Finding {
  readonly words: string;
  /** Milliseconds from the start of the stream. */
  readonly atMs: number;
  /**
   * Advice for this very fault.
   * @default none: the advice of the check applies
   */
  readonly remedy?: string;
}

/** Every check, in running order. */
export const CHECK_NAMES = [
  'loads',
  'isolation',
  'writes',
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
  /** The smallest stream found on which the check fails, or `null`. */
  readonly stream: Stream | null;
}

/** Amount of testing: `quick` for every build, or `full`. */
export interface Effort {
  readonly name: 'quick' | 'full';
  /** Number of generated streams. `seconds`: the length of each. */
  readonly streams: number;
  readonly seconds: number;
  /** Repetitions of the checks for determinism, blindness and restart. */
  readonly repetitions: number;
  /** Maximum number of runs, and of milliseconds, for the search for the smallest stream. */
  readonly shrinkRuns: number;
  readonly shrinkMs: number;
  /** Number of markets that join and leave in the check `markets`. */
  readonly markets: number;
  /** Unit of length for the streams of the memory check. Seconds. */
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
