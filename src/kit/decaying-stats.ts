// Figures in which what is past counts ever less, half as much each half-life; nothing of it is kept but the figures.
// Must never depend on how often a series tells: time decays, not the number of values.
// Source: D. West 1979 for the variance of weighted values, taken one at a time.
import { z } from 'zod';
import { assert } from '../domain/assert.ts';
import { type Micros, fromMillis, micros } from '../domain/units.ts';

/** How soon what is past counts half. */
export interface DecayOptions {
  readonly halfLifeMs: number;
}

/** What a strategy keeps of an `Ewma` over a restart. */
export const ewmaState = z.strictObject({
  at: z.number().int().nullable(),
  weight: z.number().min(0),
  mean: z.number(),
  squares: z.number().min(0),
});
export type EwmaState = z.output<typeof ewmaState>;

/** What a strategy keeps of an `EwmaVariance` over a restart. */
export const ewmaVarianceState = z.strictObject({
  at: z.number().int().nullable(),
  last: z.number().nullable(),
  squares: z.number().min(0),
  time: z.number().min(0),
});
export type EwmaVarianceState = z.output<typeof ewmaVarianceState>;

/** What is left of a weight after the time since it was last asked. */
class Decay {
  readonly #halfLife: Micros;
  #at: Micros | null = null;

  constructor({ halfLifeMs }: DecayOptions, at: number | null) {
    assert(halfLifeMs > 0 && Number.isFinite(halfLifeMs), `a half-life of ${halfLifeMs} ms is none`);
    this.#halfLife = fromMillis(halfLifeMs);
    if (at !== null) this.#at = micros(at);
  }

  get at(): Micros | null {
    return this.#at;
  }

  /** Microseconds since the last time; 0 for the first. */
  since(at: Micros): number {
    return this.#at === null ? 0 : at - this.#at;
  }

  /**
   * The share of a weight that is left, from 1 down to 0.
   * @throws {AssertionFault} when the value is not finite, or the time before the last one's.
   */
  moveTo(at: Micros, value: number): number {
    const since = this.since(at);
    if (!Number.isFinite(value) || since < 0)
      assert(false, `a value ${value} of time ${at}, after one of ${this.#at ?? at}, cannot be taken`);
    this.#at = at;
    return 0.5 ** (since / this.#halfLife);
  }
}

/** Mean and deviation of a series, each value weighed by its age. `null` until there is a value. */
export class Ewma {
  readonly #decay: Decay;
  #weight: number;
  #mean: number;
  #squares: number;

  /**
   * Begins without a value, or where another was left.
   * @throws {AssertionFault} unless the half-life is positive.
   */
  constructor(options: DecayOptions, left: EwmaState = { at: null, weight: 0, mean: 0, squares: 0 }) {
    this.#decay = new Decay(options, left.at);
    this.#weight = left.weight;
    this.#mean = left.mean;
    this.#squares = left.squares;
  }

  /** All there is to it: another that begins with this goes on the same. */
  get state(): EwmaState {
    return { at: this.#decay.at, weight: this.#weight, mean: this.#mean, squares: this.#squares };
  }

  /**
   * Takes a value of a time. Values of one time count alike.
   * @throws {AssertionFault} when the value is not finite, or the time before the last one's.
   */
  add(at: Micros, value: number): void {
    const left = this.#decay.moveTo(at, value);
    this.#weight = this.#weight * left + 1;
    const distance = value - this.#mean;
    this.#mean += distance / this.#weight;
    this.#squares = this.#squares * left + distance * (value - this.#mean);
  }

  /** How many values of now the figures rest on, as of the last one: each counts 1 when it comes, half a half-life later. */
  get weight(): number {
    return this.#weight;
  }

  get mean(): number | null {
    return this.#weight === 0 ? null : this.#mean;
  }

  /** The mean of squared distances from the mean. */
  get variance(): number | null {
    return this.#weight === 0 ? null : this.#squares / this.#weight;
  }

  /** The root of the variance: in the unit of the values. */
  get deviation(): number | null {
    return this.#weight === 0 ? null : Math.sqrt(this.#squares / this.#weight);
  }
}

/**
 * How much a series moves: the sum of its squared steps by the time they took, each step weighed by its age. Of a series
 * that wanders at random it is the variance of where it will be a second from now.
 */
export class EwmaVariance {
  readonly #decay: Decay;
  #last: number | null;
  #squares: number;
  #time: number;

  /**
   * Begins without a value, or where another was left.
   * @throws {AssertionFault} unless the half-life is positive.
   */
  constructor(options: DecayOptions, left: EwmaVarianceState = { at: null, last: null, squares: 0, time: 0 }) {
    this.#decay = new Decay(options, left.at);
    this.#last = left.last;
    this.#squares = left.squares;
    this.#time = left.time;
  }

  /** All there is to it: another that begins with this goes on the same. */
  get state(): EwmaVarianceState {
    return { at: this.#decay.at, last: this.#last, squares: this.#squares, time: this.#time };
  }

  /**
   * Takes where the series is at a time.
   * @throws {AssertionFault} when the value is not finite, or the time before the last one's.
   */
  add(at: Micros, value: number): void {
    const since = this.#decay.since(at);
    const left = this.#decay.moveTo(at, value);
    const step = this.#last === null ? 0 : value - this.#last;
    this.#squares = this.#squares * left + step * step;
    this.#time = this.#time * left + since;
    // What is kept as JSON knows no negative zero.
    this.#last = value + 0;
  }

  /** Squared units of the values per second; `null` until time has passed. */
  get perSecond(): number | null {
    return this.#time === 0 ? null : this.#squares / (this.#time / 1_000_000);
  }
}
