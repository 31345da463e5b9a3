// Statistics in which a value counts half as much after each half-life. Only the figures are stored, not the values.
// Must never let the number of values decay a weight: only time does. Source: D. West 1979 for the variance of weighted
// values, added one at a time.
import { z } from 'zod';
import { assert } from '../base/assert.ts';
import { type Micros, fromMillis, micros } from '../domain/units.ts';

/** The half-life of decaying statistics. */
export interface DecayOptions {
  /**
   * Milliseconds after which a value counts half, above 0. A shorter half-life follows changes sooner and is noisier.
   */
  readonly halfLifeMs: number;
}

/** Schema of the saved state of an `Ewma`, for a strategy's `saved`. */
export const ewmaState = z.strictObject({
  at: z.number().int().nullable(),
  weight: z.number().min(0),
  mean: z.number(),
  squares: z.number().min(0),
});
/** Saved state of an `Ewma`, as `ewmaState` parses it. */
export type EwmaState = z.output<typeof ewmaState>;

/** Schema of the saved state of an `EwmaVariance`, for a strategy's `saved`. */
export const ewmaVarianceState = z.strictObject({
  at: z.number().int().nullable(),
  last: z.number().nullable(),
  squares: z.number().min(0),
  time: z.number().min(0),
});
/** Saved state of an `EwmaVariance`, as `ewmaVarianceState` parses it. */
export type EwmaVarianceState = z.output<typeof ewmaVarianceState>;

/** The decay of a weight over the time since the last value. */
class Decay {
  readonly #halfLife: Micros;
  #at: Micros | null = null;

  constructor({ halfLifeMs }: DecayOptions, at: number | null) {
    assert(halfLifeMs > 0 && Number.isFinite(halfLifeMs), `a half-life of ${halfLifeMs} ms is not positive`);
    this.#halfLife = fromMillis(halfLifeMs);
    if (at !== null) this.#at = micros(at);
  }

  get at(): Micros | null {
    return this.#at;
  }

  since(at: Micros): number {
    return this.#at === null ? 0 : at - this.#at;
  }

  /**
   * Moves to a later time and returns the share of a weight that is left, from 1 down to 0.
   * @throws {AssertionFault} when the value is not finite, or the time goes back.
   */
  moveTo(at: Micros, value: number): number {
    const since = this.since(at);
    if (!Number.isFinite(value) || since < 0)
      assert(false, `a value ${value} at time ${at}, after one at ${this.#at ?? at}, is refused`);
    this.#at = at;
    return 0.5 ** (since / this.#halfLife);
  }
}

/**
 * Mean and deviation of a series, each value weighted by its age. Both are `null` until there is a value.
 * @example
 * import { Ewma, fromMillis, later, micros } from 'presage-trading';
 *
 * const mid = new Ewma({ halfLifeMs: 1000 });
 * mid.add(micros(0), 4000);
 * mid.add(later(micros(0), fromMillis(1000)), 4300);
 * mid.mean; // 4200 (the older value counts half)
 */
export class Ewma {
  readonly #decay: Decay;
  #weight: number;
  #mean: number;
  #squares: number;

  /**
   * Starts empty, or from a saved state.
   * @throws {AssertionFault} unless the half-life is positive.
   */
  constructor(options: DecayOptions, restored: EwmaState = { at: null, weight: 0, mean: 0, squares: 0 }) {
    this.#decay = new Decay(options, restored.at);
    this.#weight = restored.weight;
    this.#mean = restored.mean;
    this.#squares = restored.squares;
  }

  /** The whole state, for `save`. A new `Ewma` made from it continues unchanged. */
  get state(): EwmaState {
    return { at: this.#decay.at, weight: this.#weight, mean: this.#mean, squares: this.#squares };
  }

  /**
   * Adds a value at a time. Values at the same time count equally.
   * @throws {AssertionFault} when the value is not finite, or the time goes back.
   */
  add(at: Micros, value: number): void {
    const remaining = this.#decay.moveTo(at, value);
    this.#weight = this.#weight * remaining + 1;
    const distance = value - this.#mean;
    this.#mean += distance / this.#weight;
    this.#squares = this.#squares * remaining + distance * (value - this.#mean);
  }

  /**
   * Sum of all weights at the time of the last value. A value counts 1 when it is added, and half after a half-life.
   */
  get weight(): number {
    return this.#weight;
  }

  /** Weighted mean of the values, in their unit. */
  get mean(): number | null {
    return this.#weight === 0 ? null : this.#mean;
  }

  /** Mean of the squared distances from the mean. */
  get variance(): number | null {
    return this.#weight === 0 ? null : this.#squares / this.#weight;
  }

  /** Square root of the variance, in the unit of the values. */
  get deviation(): number | null {
    return this.#weight === 0 ? null : Math.sqrt(this.#squares / this.#weight);
  }
}

/**
 * Variance of a series per second: the sum of the squared changes, divided by the time between them. Changes and times
 * are weighted by their age. For a random walk, it is the variance of the change over the next second.
 * @example
 * import { EwmaVariance, fromSeconds, later, micros } from 'presage-trading';
 *
 * const mid = new EwmaVariance({ halfLifeMs: 60_000 });
 * mid.add(micros(0), 4000);
 * mid.add(later(micros(0), fromSeconds(4)), 4200);
 * mid.perSecond; // 10000
 */
export class EwmaVariance {
  readonly #decay: Decay;
  #last: number | null;
  #squares: number;
  #time: number;

  /**
   * Starts empty, or from a saved state.
   * @throws {AssertionFault} unless the half-life is positive.
   */
  constructor(options: DecayOptions, restored: EwmaVarianceState = { at: null, last: null, squares: 0, time: 0 }) {
    this.#decay = new Decay(options, restored.at);
    this.#last = restored.last;
    this.#squares = restored.squares;
    this.#time = restored.time;
  }

  /** The whole state, for `save`. A new `EwmaVariance` made from it continues unchanged. */
  get state(): EwmaVarianceState {
    return { at: this.#decay.at, last: this.#last, squares: this.#squares, time: this.#time };
  }

  /**
   * Adds the value of the series at a time.
   * @throws {AssertionFault} when the value is not finite, or the time goes back.
   */
  add(at: Micros, value: number): void {
    const since = this.#decay.since(at);
    const remaining = this.#decay.moveTo(at, value);
    const step = this.#last === null ? 0 : value - this.#last;
    this.#squares = this.#squares * remaining + step * step;
    this.#time = this.#time * remaining + since;
    // Turns a negative zero into zero, because JSON has no negative zero.
    this.#last = value + 0;
  }

  /** Variance per second, in squared units of the values; `null` until time has passed. */
  get perSecond(): number | null {
    return this.#time === 0 ? null : this.#squares / (this.#time / 1_000_000);
  }
}
