// Counts and limits the time in which the process runs. Must never count a stop of the process, as by Ctrl-Z or while a virtual machine
// is paused: its threads stand still, too.

/** A timer is checked at most this often. Milliseconds. */
const TICK_MS_MAX = 1000;
/** A stop adds one tick at most, so a limit has several. */
const TICKS_MIN = 10;

/**
 * Calls `onOver` once the process has run for a time. A process that was stopped gets one tick of a timer when it goes on, however
 * long the stop.
 * @returns a function that ends the count.
 */
export function afterRunning(limitMs: number, onOver: () => void): () => void {
  const ticks = Math.max(TICKS_MIN, Math.ceil(limitMs / TICK_MS_MAX));
  let left = ticks;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    onOver();
  }, limitMs / ticks);
  return () => clearInterval(timer);
}

/** A clock that counts no stop of the process. A stop adds two ticks at most. */
export class RunningClock {
  readonly #timer: NodeJS.Timeout;
  #countedMs = 0;
  #lastAt = performance.now();

  constructor() {
    this.#timer = setInterval(() => this.readMs(), TICK_MS_MAX);
    this.#timer.unref();
  }

  /** Milliseconds since the clock was made. */
  readMs(): number {
    const now = performance.now();
    this.#countedMs += Math.min(now - this.#lastAt, 2 * TICK_MS_MAX);
    this.#lastAt = now;
    return this.#countedMs;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
