// How much there was within the last so many microseconds: orders, messages, fills. Pure: times are handed in.
import type { Micros } from '../domain/units.ts';

/** The amounts of a window that ends now; what is exactly a window old has left it. */
export class RollingSum {
  readonly #window: number;
  #times: number[] = [];
  #amounts: number[] = [];
  /** Where the oldest that still counts is. */
  #first = 0;
  #total = 0;

  /** `window` in microseconds. */
  constructor(window: number) {
    this.#window = window;
  }

  add(at: Micros, amount = 1): void {
    this.#forget(at);
    this.#times.push(at);
    this.#amounts.push(amount);
    this.#total += amount;
  }

  total(now: Micros): number {
    this.#forget(now);
    return this.#total;
  }

  clear(): void {
    this.#times = [];
    this.#amounts = [];
    this.#first = 0;
    this.#total = 0;
  }

  #forget(now: Micros): void {
    const past = now - this.#window;
    for (; this.#first < this.#times.length && (this.#times[this.#first] ?? 0) <= past; this.#first++)
      this.#total -= this.#amounts[this.#first] ?? 0;
    // In one go once half is over, so that each entry is moved once at the most.
    if (this.#first < 64 || this.#first * 2 < this.#times.length) return;
    this.#times = this.#times.slice(this.#first);
    this.#amounts = this.#amounts.slice(this.#first);
    this.#first = 0;
  }
}
