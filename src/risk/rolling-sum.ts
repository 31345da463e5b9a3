// The sum of amounts within a time window: orders, messages, fills.
import type { Micros } from '../domain/units.ts';

/** Amounts within a window that ends now. An amount exactly as old as the window no longer counts. */
export class RollingSum {
  readonly #window: number;
  #times: number[] = [];
  #amounts: number[] = [];
  #first = 0;
  #total = 0;

  /** @param window in microseconds. */
  constructor(window: number) {
    this.#window = window;
  }

  addAmount(at: Micros, amount = 1): void {
    this.#dropExpired(at);
    this.#times.push(at);
    this.#amounts.push(amount);
    this.#total += amount;
  }

  totalAt(now: Micros): number {
    this.#dropExpired(now);
    return this.#total;
  }

  clear(): void {
    this.#times = [];
    this.#amounts = [];
    this.#first = 0;
    this.#total = 0;
  }

  #dropExpired(now: Micros): void {
    const expiredAt = now - this.#window;
    for (; this.#first < this.#times.length && (this.#times[this.#first] ?? 0) <= expiredAt; this.#first++)
      this.#total -= this.#amounts[this.#first] ?? 0;
    // Copying waits until half of the entries have expired: each entry then costs about one move.
    if (this.#first < 64 || this.#first * 2 < this.#times.length) return;
    this.#times = this.#times.slice(this.#first);
    this.#amounts = this.#amounts.slice(this.#first);
    this.#first = 0;
  }
}
