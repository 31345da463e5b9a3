// Computes the delay before a retry: exponential, capped, with jitter from a given source. Reads no clock, has no
// randomness of its own, and sets no timer.
import { assert } from '../base/assert.ts';

/** The parameters of a backoff. Durations in milliseconds. */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly capMs: number;
  /** Factor by which each failure multiplies the delay. Default: 2. */
  readonly factor?: number;
  /**
   * `full` draws a wait from 0 to the delay. `equal` draws from half of the delay upward: a retry is never immediate.
   */
  readonly jitter: 'full' | 'equal';
}

/** Counts failures and computes the delay after each. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: () => number;
  #failures = 0;

  /**
   * @param random returns a number from 0 up to but not including 1.
   * @throws {AssertionFault} when `firstMs` is negative, `capMs` is below it, or the factor is below 1.
   */
  constructor(options: BackoffOptions, random: () => number) {
    assert(options.firstMs >= 0 && options.capMs >= options.firstMs, 'backoff needs 0 <= firstMs <= capMs');
    assert((options.factor ?? 2) >= 1, 'backoff factor is below one');
    this.#options = options;
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Counts a failure and returns the delay after it, in whole milliseconds. */
  nextDelayMs(): number {
    const { firstMs, capMs, factor = 2, jitter } = this.#options;
    const wait = Math.min(capMs, firstMs * factor ** this.#failures);
    this.#failures += 1;
    const least = jitter === 'equal' ? wait / 2 : 0;
    return Math.round(least + this.#random() * (wait - least));
  }

  /** Records a success: the next failure is treated as the first. */
  recordSuccess(): void {
    this.#failures = 0;
  }
}
