// A rate budget as a pure function of time: what may be sent now, and when the next thing may.
// The same budgets hold live, on paper and in a backtest. Must never read a clock.
import { assert } from '../domain/assert.ts';
import { EPOCH, type Micros } from '../domain/units.ts';

/** One rate limit: so many units in any window of so long, or a bucket refilled at a rate. */
export type RateLimit =
  | { readonly model: 'rolling-window'; readonly count: number; readonly windowMs: number }
  | { readonly model: 'token-bucket'; readonly refillPerSecond: number; readonly capacity: number };

/** Counts what has been taken, one model each. */
interface Meter {
  /** Units that could be taken now. */
  available(now: Micros): number;
  /** The same, changing nothing. */
  peek(now: Micros): number;
  take(cost: number, now: Micros): void;
  /** Takes for a request that is under way, so that nobody knows yet when the venue counts it. */
  hold(cost: number, now: Micros): void;
  /** What was held is counted by the venue, now at the latest. */
  spend(cost: number, now: Micros): void;
  /** When so many units could be taken, if nothing else is taken before; infinite while what is held must end first. */
  availableAt(units: number, now: Micros): Micros;
}

/** What one budget is made of. */
export interface BudgetOptions {
  readonly limit: RateLimit;
  /**
   * Added to a rolling window's length, for what the clocks disagree on.
   * Milliseconds.
   */
  readonly guardMs: number;
}

/** A rate allowance, and how long the venue has told us to wait. */
export class RateBudget {
  readonly limit: RateLimit;
  readonly #meter: Meter;
  #pausedUntil: Micros = EPOCH;
  #used = 0;

  constructor({ limit, guardMs }: BudgetOptions) {
    this.limit = limit;
    this.#meter = limit.model === 'rolling-window' ? new RollingWindow(limit, guardMs) : new TokenBucket(limit);
  }

  /** The most that can ever be taken at once. */
  get capacity(): number {
    return this.limit.model === 'rolling-window' ? this.limit.count : this.limit.capacity;
  }

  /** Units taken so far, requests that the venue refused included. */
  get used(): number {
    return this.#used;
  }

  /** Units that could be taken now; none while paused. */
  available(now: Micros): number {
    return now < this.#pausedUntil ? 0 : this.#meter.available(now);
  }

  /** The same at any time, for who only looks: it changes nothing of what the budget will answer. */
  peek(now: Micros): number {
    return now < this.#pausedUntil ? 0 : this.#meter.peek(now);
  }

  /** Whether a cost can be taken now, leaving a reserve untouched. */
  canTake(cost: number, now: Micros, reserve = 0): boolean {
    return this.available(now) >= cost + reserve;
  }

  /**
   * Takes a cost.
   * @throws {AssertionFault} when it is not there to take.
   */
  take(cost: number, now: Micros): void {
    assert(this.canTake(cost, now), 'a rate budget was overdrawn');
    this.#used += cost;
    this.#meter.take(cost, now);
  }

  /**
   * Takes a cost for a request that is under way. The venue counts it at some moment before its answer is here, so it
   * stays counted until `spend`, and a window longer: however late it arrives, no window of the venue's holds too many.
   * @throws {AssertionFault} when it is not there to take.
   */
  hold(cost: number, now: Micros): void {
    assert(this.canTake(cost, now), 'a rate budget was overdrawn');
    this.#used += cost;
    this.#meter.hold(cost, now);
  }

  /** The answer to what was held is here. */
  spend(cost: number, now: Micros): void {
    this.#meter.spend(cost, now);
  }

  /**
   * When a cost could be taken, leaving a reserve untouched, if nothing else is taken before; infinite while it waits
   * for what is held.
   */
  availableAt(cost: number, now: Micros, reserve = 0): Micros {
    const at = this.#meter.availableAt(Math.min(cost + reserve, this.capacity), now);
    return at > this.#pausedUntil ? at : this.#pausedUntil;
  }

  /** Takes nothing until a time, as the venue said. */
  pauseUntil(at: Micros): void {
    if (at > this.#pausedUntil) this.#pausedUntil = at;
  }
}

interface Taken {
  readonly at: Micros;
  readonly cost: number;
}

class RollingWindow implements Meter {
  readonly #count: number;
  readonly #window: number;
  readonly #taken: Taken[] = [];
  #sum = 0;
  #held = 0;

  constructor(limit: Extract<RateLimit, { model: 'rolling-window' }>, guardMs: number) {
    this.#count = limit.count;
    this.#window = (limit.windowMs + guardMs) * 1000;
  }

  available(now: Micros): number {
    this.#forgetBefore(now - this.#window);
    return this.#count - this.#sum - this.#held;
  }

  peek(now: Micros): number {
    const counted = this.#taken.filter(({ at }) => at >= now - this.#window);
    return counted.reduce((left, { cost }) => left - cost, this.#count - this.#held);
  }

  take(cost: number, now: Micros): void {
    this.#taken.push({ at: now, cost });
    this.#sum += cost;
  }

  hold(cost: number): void {
    this.#held += cost;
  }

  spend(cost: number, now: Micros): void {
    this.#held -= cost;
    this.take(cost, now);
  }

  availableAt(units: number, now: Micros): Micros {
    let available = this.available(now);
    if (available >= units) return now;
    for (const { at, cost } of this.#taken) {
      available += cost;
      if (available >= units) return (at + this.#window + 1) as Micros;
    }
    return Number.POSITIVE_INFINITY as Micros;
  }

  #forgetBefore(time: number): void {
    let old = 0;
    for (; old < this.#taken.length; old++) {
      const oldest = this.#taken[old];
      if (oldest === undefined || oldest.at >= time) break;
      this.#sum -= oldest.cost;
    }
    if (old > 0) this.#taken.splice(0, old);
  }
}

/** Levels are kept in millionths of a unit, which a microsecond refills in whole numbers. */
class TokenBucket implements Meter {
  readonly #perMicro: number;
  readonly #capacity: number;
  #level: number;
  #held = 0;
  #at: number | null = null;

  constructor(limit: Extract<RateLimit, { model: 'token-bucket' }>) {
    this.#perMicro = limit.refillPerSecond;
    this.#capacity = limit.capacity * 1_000_000;
    this.#level = this.#capacity;
  }

  available(now: Micros): number {
    const since = this.#at ?? now;
    // A time that steps back refills nothing, and must not be refilled for a second time when it comes again.
    // While a request is under way the venue's bucket may still be full, and refill no further.
    const full = this.#capacity - this.#held;
    if (now > since) this.#level = Math.min(full, this.#level + (now - since) * this.#perMicro);
    this.#at = Math.max(since, now);
    return Math.floor(this.#level / 1_000_000);
  }

  peek(now: Micros): number {
    const refilled = Math.max(0, now - (this.#at ?? now)) * this.#perMicro;
    return Math.floor(Math.max(this.#level, Math.min(this.#capacity - this.#held, this.#level + refilled)) / 1_000_000);
  }

  take(cost: number): void {
    this.#level -= cost * 1_000_000;
  }

  hold(cost: number): void {
    this.take(cost);
    this.#held += cost * 1_000_000;
  }

  spend(cost: number, now: Micros): void {
    this.available(now);
    this.#held -= cost * 1_000_000;
  }

  availableAt(units: number, now: Micros): Micros {
    if (units * 1_000_000 > this.#capacity - this.#held) return Number.POSITIVE_INFINITY as Micros;
    const missing = units * 1_000_000 - (this.available(now) >= units ? units * 1_000_000 : this.#level);
    return missing <= 0 ? now : ((now + Math.ceil(missing / this.#perMicro)) as Micros);
  }
}
