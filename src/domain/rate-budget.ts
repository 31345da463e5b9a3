// A rate budget as a pure function of time. The same budgets apply live, on paper and in a backtest. Must never read a
// clock.
import { assert } from '../base/assert.ts';
import { EPOCH, type Micros } from './units.ts';

/** One rate limit: a number of units in any window of fixed length, or a bucket refilled at a constant rate. */
export type RateLimit =
  | { readonly model: 'rolling-window'; readonly count: number; readonly windowMs: number }
  | { readonly model: 'token-bucket'; readonly refillPerSecond: number; readonly capacity: number };

/** The most units that a limit ever allows at once. */
export const capacityOf = (limit: RateLimit): number =>
  limit.model === 'rolling-window' ? limit.count : limit.capacity;

/** Counts units taken under one model of limit. */
interface Meter {
  /** Units that could be taken now. Also drops what no longer counts. */
  available(now: Micros): number;
  /** Units that could be taken now. Changes nothing. */
  peekAvailable(now: Micros): number;
  takeUnits(cost: number, now: Micros): void;
  holdUnits(cost: number, now: Micros): void;
  spendHeld(cost: number, now: Micros): void;
  availableAt(units: number, now: Micros): Micros;
}

/** Options of one budget. */
export interface BudgetOptions {
  readonly limit: RateLimit;
  /** Added to the length of a rolling window, against differences between the clocks. Milliseconds. */
  readonly guardMs: number;
}

/** A rate allowance, with the pause that the venue imposed. */
export class RateBudget {
  readonly limit: RateLimit;
  readonly #meter: Meter;
  #pausedUntil: Micros = EPOCH;
  #used = 0;

  constructor({ limit, guardMs }: BudgetOptions) {
    this.limit = limit;
    this.#meter = limit.model === 'rolling-window' ? new RollingWindow(limit, guardMs) : new TokenBucket(limit);
  }

  /** The most units that can ever be taken at once. */
  get capacity(): number {
    return capacityOf(this.limit);
  }

  /** Units taken so far, requests that the venue refused included. */
  get used(): number {
    return this.#used;
  }

  /** Units that could be taken now; 0 while paused. */
  available(now: Micros): number {
    return now < this.#pausedUntil ? 0 : this.#meter.available(now);
  }

  /** Units that could be taken at a time. Changes nothing. */
  peekAvailable(now: Micros): number {
    return now < this.#pausedUntil ? 0 : this.#meter.peekAvailable(now);
  }

  canTake(cost: number, now: Micros, reserve = 0): boolean {
    return this.available(now) >= cost + reserve;
  }

  /**
   * Takes a cost.
   * @throws {AssertionFault} when fewer units are free.
   */
  takeUnits(cost: number, now: Micros): void {
    assert(this.canTake(cost, now), 'a rate budget was overdrawn');
    this.#used += cost;
    this.#meter.takeUnits(cost, now);
  }

  /**
   * Takes a cost for a request in flight. The venue counts the request at an unknown moment before its answer. So the
   * cost counts until `spendHeld`, and for one window after it.
   * @throws {AssertionFault} when fewer units are free.
   */
  holdUnits(cost: number, now: Micros): void {
    assert(this.canTake(cost, now), 'a rate budget was overdrawn');
    this.#used += cost;
    this.#meter.holdUnits(cost, now);
  }

  /** Counts a held cost as taken, because its request was answered. */
  spendHeld(cost: number, now: Micros): void {
    this.#meter.spendHeld(cost, now);
  }

  /**
   * The earliest time at which a cost can be taken and the reserve stays untouched. Infinite while the cost must wait
   * for requests in flight.
   */
  availableAt(cost: number, now: Micros, reserve = 0): Micros {
    const at = this.#meter.availableAt(Math.min(cost + reserve, this.capacity), now);
    return at > this.#pausedUntil ? at : this.#pausedUntil;
  }

  pauseUntil(at: Micros): void {
    if (at > this.#pausedUntil) this.#pausedUntil = at;
  }
}

interface Expense {
  readonly at: Micros;
  readonly cost: number;
}

class RollingWindow implements Meter {
  readonly #count: number;
  readonly #window: number;
  readonly #expenses: Expense[] = [];
  #sum = 0;
  #held = 0;

  constructor(limit: Extract<RateLimit, { model: 'rolling-window' }>, guardMs: number) {
    this.#count = limit.count;
    this.#window = (limit.windowMs + guardMs) * 1000;
  }

  available(now: Micros): number {
    this.#dropBefore(now - this.#window);
    return this.#count - this.#sum - this.#held;
  }

  peekAvailable(now: Micros): number {
    const inWindow = this.#expenses.filter(({ at }) => at >= now - this.#window);
    return inWindow.reduce((left, { cost }) => left - cost, this.#count - this.#held);
  }

  takeUnits(cost: number, now: Micros): void {
    this.#expenses.push({ at: now, cost });
    this.#sum += cost;
  }

  holdUnits(cost: number): void {
    this.#held += cost;
  }

  spendHeld(cost: number, now: Micros): void {
    this.#held -= cost;
    this.takeUnits(cost, now);
  }

  availableAt(units: number, now: Micros): Micros {
    let available = this.available(now);
    if (available >= units) return now;
    for (const { at, cost } of this.#expenses) {
      available += cost;
      if (available >= units) return (at + this.#window + 1) as Micros;
    }
    return Number.POSITIVE_INFINITY as Micros;
  }

  #dropBefore(time: number): void {
    let old = 0;
    for (; old < this.#expenses.length; old++) {
      const oldest = this.#expenses[old];
      if (oldest === undefined || oldest.at >= time) break;
      this.#sum -= oldest.cost;
    }
    if (old > 0) this.#expenses.splice(0, old);
  }
}

/** A token bucket. Levels are in millionths of a unit, so that every microsecond refills a whole number. */
class TokenBucket implements Meter {
  readonly #perMicro: number;
  readonly #capacity: number;
  #level: number;
  #held = 0;
  #refilledAt: number | null = null;

  constructor(limit: Extract<RateLimit, { model: 'token-bucket' }>) {
    this.#perMicro = limit.refillPerSecond;
    this.#capacity = limit.capacity * 1_000_000;
    this.#level = this.#capacity;
  }

  available(now: Micros): number {
    const since = this.#refilledAt ?? now;
    // A clock that steps back refills nothing, and no span is refilled twice. While a request is in flight, the venue's
    // bucket may be full and refill no further. So our bucket stays below full by the held units.
    const full = this.#capacity - this.#held;
    if (now > since) this.#level = Math.min(full, this.#level + (now - since) * this.#perMicro);
    this.#refilledAt = Math.max(since, now);
    return Math.floor(this.#level / 1_000_000);
  }

  peekAvailable(now: Micros): number {
    const refilled = Math.max(0, now - (this.#refilledAt ?? now)) * this.#perMicro;
    return Math.floor(Math.max(this.#level, Math.min(this.#capacity - this.#held, this.#level + refilled)) / 1_000_000);
  }

  takeUnits(cost: number): void {
    this.#level -= cost * 1_000_000;
  }

  holdUnits(cost: number): void {
    this.takeUnits(cost);
    this.#held += cost * 1_000_000;
  }

  spendHeld(cost: number, now: Micros): void {
    this.available(now);
    this.#held -= cost * 1_000_000;
  }

  availableAt(units: number, now: Micros): Micros {
    if (units * 1_000_000 > this.#capacity - this.#held) return Number.POSITIVE_INFINITY as Micros;
    const missing = units * 1_000_000 - (this.available(now) >= units ? units * 1_000_000 : this.#level);
    return missing <= 0 ? now : ((now + Math.ceil(missing / this.#perMicro)) as Micros);
  }
}

/** Most reads that a config may allow in flight. */
export const READS_IN_FLIGHT_MAX = 64;
/** Most orders and cancels that a config may allow in flight. */
export const TRADES_IN_FLIGHT_MAX = 256;
