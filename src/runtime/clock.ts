// The only clock of a live session: wall time that never goes back while the process lives.
// Must never stay behind either: a machine that slept, or whose clock was set forward, takes this clock along.
import { type Micros, micros } from '../domain/units.ts';

/** Tells the time. */
export interface Clock {
  /** Now, in microseconds since the Unix epoch. Never less than it said before. */
  now(): Micros;
  /** Has a listener told whenever the clock leaps forward, and by how many microseconds. */
  onStep?(listener: (by: number) => void): void;
}

/** What the clock reads, in milliseconds: the wall's time since the epoch, and a monotonic one. */
export interface TimeSources {
  readonly wall: () => number;
  readonly monotonic: () => number;
}

const MACHINE: TimeSources = { wall: () => Date.now(), monotonic: () => performance.now() };

/** The wall is looked at no more often than this. */
const LOOK_EVERY_MS = 100;
/** A wall this far ahead was set, or the machine slept while the monotonic clock stood still. */
const STEP_MS_MIN = 1000;

/** The machine's wall clock, read once, and its monotonic clock since; the wall again when it has leapt ahead. */
export class SystemClock implements Clock {
  readonly #sources: TimeSources;
  #origin: number;
  #lookedAt: number;
  #listener: ((by: number) => void) | null = null;

  constructor(sources: TimeSources = MACHINE) {
    this.#sources = sources;
    this.#lookedAt = sources.monotonic();
    this.#origin = sources.wall() - this.#lookedAt;
  }

  onStep(listener: (by: number) => void): void {
    this.#listener = listener;
  }

  now(): Micros {
    const monotonic = this.#sources.monotonic();
    if (monotonic - this.#lookedAt >= LOOK_EVERY_MS) this.#look(monotonic);
    return micros(Math.round((this.#origin + monotonic) * 1000));
  }

  #look(monotonic: number): void {
    this.#lookedAt = monotonic;
    const aheadMs = this.#sources.wall() - (this.#origin + monotonic);
    if (aheadMs < STEP_MS_MIN) return;
    this.#origin += aheadMs;
    // Afterwards: whoever asks for the time is in the midst of something.
    queueMicrotask(() => this.#listener?.(Math.round(aheadMs * 1000)));
  }
}

/** Timers longer than this fire at once: Node counts their milliseconds in 31 bits. */
export const TIMER_MS_MAX = 2_147_483_647;
