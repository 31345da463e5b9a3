// Statistics over a time window of a series: mean, deviation, extremes, quantiles. Memory is bounded. Must never
// subtract a value that leaves the window: rounding errors would accumulate.
import { quantile } from 'simple-statistics';
import { z } from 'zod';
import { assert } from '../base/assert.ts';
import { type Micros, fromMillis, micros } from '../domain/units.ts';
import { type Moments, clearMoments, joinMoments, noMoments, addValue } from './moments.ts';

/** Options of a window. */
export interface WindowOptions {
  /** Length of the window in milliseconds, above 0. A longer window follows changes more slowly. */
  readonly windowMs: number;
  /**
   * Most values to hold, a positive whole number. When the window is full, a new value removes the oldest. A capacity
   * that is too small therefore shortens the window.
   */
  readonly capacity: number;
}

/** Schema of a window's saved state: times and values, oldest first, and the number of values in its older part. */
export const windowState = z.strictObject({ told: z.array(z.tuple([z.int(), z.number()])), older: z.int().min(0) });
/** Saved state of a `RollingStats`, as `windowState` parses it. */
export type WindowState = z.output<typeof windowState>;

/** Initial room of a window. It grows up to the capacity. */
const ROOM_MIN = 16;

const COLUMNS = ['at', 'value', 'mean', 'squares', 'min', 'max'] as const;

/**
 * Arrays with the time and value of each entry. In the older part of the window, an entry also has figures of values:
 * those from this entry to the end of that part.
 */
const columns = (length: number) => ({
  at: new Float64Array(length),
  value: new Float64Array(length),
  mean: new Float64Array(length),
  squares: new Float64Array(length),
  min: new Float64Array(length),
  max: new Float64Array(length),
});

/**
 * A window over a series of values with their times. A figure is `null` when there are too few values.
 *
 * The older part of the window stores, for each value, the figures from that value to the end of the part. The newer
 * part stores one set of figures. So the oldest value can be removed at no cost. When the older part is empty, the
 * newer part takes its place.
 * @example
 * import { RollingStats, fromSeconds, later, micros } from 'presage-trading';
 *
 * const start = micros(0);
 * const mids = new RollingStats({ windowMs: 60_000, capacity: 1000 });
 * mids.add(start, 4000);
 * mids.add(later(start, fromSeconds(1)), 4200);
 * mids.mean; // 4100
 * mids.deviation; // 141.42
 * mids.quantile(0.5); // 4100
 * mids.expire(later(start, fromSeconds(61)));
 * mids.count; // 1
 */
export class RollingStats {
  readonly #window: Micros;
  readonly #capacity: number;
  #ring = columns(0);
  #room = 0;
  #head = 0;
  #count = 0;
  #olderCount = 0;
  readonly #newer: Moments = noMoments();
  readonly #allFigures: Moments = noMoments();
  /** True: `#allFigures` holds the figures of the present values. */
  #isAllCurrent = true;

  /**
   * Starts empty, or from a saved state.
   * @throws {AssertionFault} unless the window is longer than 0 and the capacity is a positive whole number.
   */
  constructor({ windowMs, capacity }: WindowOptions, restored: WindowState = { told: [], older: 0 }) {
    assert(windowMs > 0, `a window of ${windowMs} ms is not positive`);
    assert(Number.isSafeInteger(capacity) && capacity > 0, `a window cannot hold ${capacity} values`);
    this.#window = fromMillis(windowMs);
    this.#capacity = capacity;
    restored.told.forEach(([at, value], i) => {
      if (i === restored.older) this.#closeNewer();
      this.add(micros(at), value);
    });
    if (restored.told.length === restored.older) this.#closeNewer();
  }

  /** The whole state, for `save`. A new window made from it continues exactly. */
  get state(): WindowState {
    const { at } = this.#ring;
    const entries = this.values().map((value, i): [number, number] => [at[this.#indexOf(i)] ?? 0, value]);
    return { told: entries, older: this.#olderCount };
  }

  /**
   * Adds a value at a time, and removes values older than the window.
   * @throws {AssertionFault} when the value is not finite, or the time goes back.
   */
  add(at: Micros, value: number): void {
    if (!Number.isFinite(value) || at < (this.lastAt ?? at)) refuse(at, value);
    this.expire(at);
    if (this.#count === this.#capacity) this.#dropOldest();
    if (this.#count === this.#room) this.#grow();
    const index = this.#indexOf(this.#count);
    // Turns a negative zero into zero, because JSON has no negative zero.
    const normalized = value + 0;
    this.#ring.at[index] = at;
    this.#ring.value[index] = normalized;
    this.#count += 1;
    addValue(this.#newer, normalized);
    this.#isAllCurrent = false;
  }

  /**
   * Removes the values that are older than the window at `now`. `add` does the same; call this while no value arrives.
   */
  expire(now: Micros): void {
    const since = now - this.#window;
    while (this.#count > 0 && (this.#ring.at[this.#head] ?? 0) < since) this.#dropOldest();
  }

  /** Number of values in the window. */
  get count(): number {
    return this.#count;
  }

  /** Mean of the values; `null` while the window is empty. */
  get mean(): number | null {
    return this.#count === 0 ? null : this.#figures().mean;
  }

  /** Sample variance: divided by the count minus one. `null` for fewer than two values. */
  get variance(): number | null {
    return this.#count < 2 ? null : this.#figures().squares / (this.#count - 1);
  }

  /** Square root of the variance, in the unit of the values. */
  get deviation(): number | null {
    const { variance } = this;
    return variance === null ? null : Math.sqrt(variance);
  }

  /** Smallest value; `null` while the window is empty. */
  get min(): number | null {
    return this.#count === 0 ? null : this.#figures().min;
  }

  /** Largest value; `null` while the window is empty. */
  get max(): number | null {
    return this.#count === 0 ? null : this.#figures().max;
  }

  /** The oldest value of the window; `null` while it is empty. */
  get first(): number | null {
    return this.#count === 0 ? null : (this.#ring.value[this.#head] ?? null);
  }

  /** The newest value of the window; `null` while it is empty. */
  get last(): number | null {
    return this.#count === 0 ? null : (this.#ring.value[this.#indexOf(this.#count - 1)] ?? null);
  }

  /** The time of the newest value; `null` while the window is empty. */
  get lastAt(): Micros | null {
    return this.#count === 0 ? null : ((this.#ring.at[this.#indexOf(this.#count - 1)] ?? 0) as Micros);
  }

  /**
   * The value below which a share of the window lies, interpolated between two values. A share of 0.5 gives the median.
   * `null` while the window is empty. Copies the values.
   * @throws {AssertionFault} unless the share is between 0 and 1.
   */
  quantile(share: number): number | null {
    assert(share >= 0 && share <= 1, `a quantile of ${share} is not within 0..1`);
    return this.#count === 0 ? null : quantile(this.values(), share);
  }

  /** The values, oldest first, as a copy. */
  values(): number[] {
    return Array.from({ length: this.#count }, (_, i) => this.#ring.value[this.#indexOf(i)] ?? 0);
  }

  #indexOf(i: number): number {
    return (this.#head + i) % this.#room;
  }

  #dropOldest(): void {
    if (this.#olderCount === 0) this.#closeNewer();
    this.#head = this.#indexOf(1);
    this.#count -= 1;
    this.#olderCount -= 1;
    this.#isAllCurrent = false;
  }

  /**
   * Makes the newer part the older part. From the last value back, computes the figures of each value and all values
   * after it.
   */
  #closeNewer(): void {
    const { value, mean, squares, min, max } = this.#ring;
    const figures = this.#newer;
    clearMoments(figures);
    for (let i = this.#count - 1; i >= 0; i--) {
      const index = this.#indexOf(i);
      addValue(figures, value[index] ?? 0);
      mean[index] = figures.mean;
      squares[index] = figures.squares;
      min[index] = figures.min;
      max[index] = figures.max;
    }
    this.#olderCount = this.#count;
    clearMoments(figures);
  }

  #grow(): void {
    const grown = columns(Math.min(this.#capacity, Math.max(ROOM_MIN, this.#room * 2)));
    for (const name of COLUMNS)
      for (let i = 0; i < this.#count; i++) grown[name][i] = this.#ring[name][this.#indexOf(i)] ?? 0;
    this.#ring = grown;
    this.#room = grown.at.length;
    this.#head = 0;
  }

  #figures(): Moments {
    const figures = this.#allFigures;
    if (this.#isAllCurrent) return figures;
    const { mean, squares, min, max } = this.#ring;
    clearMoments(figures);
    if (this.#olderCount > 0) {
      figures.count = this.#olderCount;
      figures.mean = mean[this.#head] ?? 0;
      figures.squares = squares[this.#head] ?? 0;
      figures.min = min[this.#head] ?? 0;
      figures.max = max[this.#head] ?? 0;
    }
    joinMoments(figures, figures, this.#newer);
    this.#isAllCurrent = true;
    return figures;
  }
}

/** A separate function, so that `add` builds no message for a valid value. */
function refuse(at: Micros, value: number): never {
  const fault = Number.isFinite(value) ? 'comes after a value of a later time' : 'is not finite';
  assert(false, `a value ${value} at time ${at} ${fault}`);
}
