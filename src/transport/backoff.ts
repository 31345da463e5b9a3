// How long to wait before trying again: exponential, capped, with jitter from a source handed in.
// Pure: reads no clock, draws no randomness of its own, sets no timer.
import { assert } from '../domain/assert.ts';

/** The shape of a backoff. Durations in milliseconds. */
export interface BackoffOptions {
  /** The wait after the first failure, before jitter. */
  readonly firstMs: number;
  /** No wait is longer than this. */
  readonly capMs: number;
  /** Each failure multiplies the wait by this; 2 unless told. */
  readonly factor?: number;
  /** `full` draws from 0 to the wait, `equal` from half of it up: never at once. */
  readonly jitter: 'full' | 'equal';
}

/** Counts failures and says how long to wait after each. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: () => number;
  #failures = 0;

  /**
   * @param random a number from 0 up to but not including 1, each time it is called.
   * @throws {AssertionFault} when a wait would be negative, or shrink.
   */
  constructor(options: BackoffOptions, random: () => number) {
    assert(options.firstMs >= 0 && options.capMs >= options.firstMs, 'backoff needs 0 <= firstMs <= capMs');
    assert((options.factor ?? 2) >= 1, 'backoff factor is below one');
    this.#options = options;
    this.#random = random;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** Notes a failure and gives the wait after it, in whole milliseconds. */
  next(): number {
    const { firstMs, capMs, factor = 2, jitter } = this.#options;
    const wait = Math.min(capMs, firstMs * factor ** this.#failures);
    this.#failures += 1;
    const least = jitter === 'equal' ? wait / 2 : 0;
    return Math.round(least + this.#random() * (wait - least));
  }

  /** Notes a success: the next failure waits as the first did. */
  reset(): void {
    this.#failures = 0;
  }
}
