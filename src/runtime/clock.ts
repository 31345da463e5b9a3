// The only clock of a live session: wall time that never goes back while the process lives.
import { type Micros, micros } from '../domain/units.ts';

/** Tells the time. */
export interface Clock {
  /** Now, in microseconds since the Unix epoch. Never less than it said before. */
  now(): Micros;
}

/** The machine's wall clock, read once, and its monotonic clock since. */
export class SystemClock implements Clock {
  readonly #origin = performance.timeOrigin;

  now(): Micros {
    return micros(Math.round((this.#origin + performance.now()) * 1000));
  }
}

/** Timers longer than this fire at once: Node counts their milliseconds in 31 bits. */
export const TIMER_MS_MAX = 2_147_483_647;
