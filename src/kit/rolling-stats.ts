// Figures over the last so many milliseconds of a series: mean, deviation, extremes, quantiles; memory is bounded.
// Must never subtract what leaves the window: figures of parts are joined instead, so nothing drifts however long it runs.
import { quantile } from 'simple-statistics';
import { z } from 'zod';
import { assert } from '../domain/assert.ts';
import { type Micros, fromMillis, micros } from '../domain/units.ts';
import { type Moments, clear, join, noMoments, take } from './moments.ts';

/** How far back a window reaches, and how many values it holds at the most. */
export interface WindowOptions {
  readonly windowMs: number;
  /** When full, the oldest makes room. */
  readonly capacity: number;
}

/** What a strategy keeps of a window over a restart: times and values, oldest first, and how many are its older part. */
export const windowState = z.strictObject({ told: z.array(z.tuple([z.int(), z.number()])), older: z.int().min(0) });
export type WindowState = z.output<typeof windowState>;

/** Room that a window begins with; it grows to its capacity as it is needed. */
const ROOM_MIN = 16;

const COLUMNS = ['at', 'value', 'mean', 'squares', 'min', 'max'] as const;

/** What is kept of each value; for those of the older part, the figures of all from there to the part's end. */
const columns = (length: number) => ({
  at: new Float64Array(length),
  value: new Float64Array(length),
  mean: new Float64Array(length),
  squares: new Float64Array(length),
  min: new Float64Array(length),
  max: new Float64Array(length),
});

/**
 * A window over a series of values with their times. Its figures are `null` where there are too few values for them.
 *
 * Of the older part of the window the figures are known from each value on, of the newer part as a whole: a value that
 * leaves costs nothing, and when the older part is used up, the newer one becomes it.
 */
export class RollingStats {
  readonly #window: Micros;
  readonly #capacity: number;
  /** A ring. */
  #ring = columns(0);
  #room = 0;
  #head = 0;
  #count = 0;
  #olderCount = 0;
  readonly #newer: Moments = noMoments();
  readonly #all: Moments = noMoments();
  /** Whether `#all` is of what is held now. */
  #isJoined = true;

  /**
   * Begins without a value, or where another was left.
   * @throws {AssertionFault} unless the window is longer than nothing and the capacity a positive whole number.
   */
  constructor({ windowMs, capacity }: WindowOptions, left: WindowState = { told: [], older: 0 }) {
    assert(windowMs > 0, `a window of ${windowMs} ms is none`);
    assert(Number.isSafeInteger(capacity) && capacity > 0, `a window cannot hold ${capacity} values`);
    this.#window = fromMillis(windowMs);
    this.#capacity = capacity;
    left.told.forEach(([at, value], i) => {
      if (i === left.older) this.#age();
      this.add(micros(at), value);
    });
    if (left.told.length === left.older) this.#age();
  }

  /** All there is to it: another that begins with this goes on the same, to the last digit. */
  get state(): WindowState {
    const { at } = this.#ring;
    const told = this.values().map((value, i): [number, number] => [at[this.#place(i)] ?? 0, value]);
    return { told, older: this.#olderCount };
  }

  /**
   * Takes a value of a time, and lets go of those older than the window by then.
   * @throws {AssertionFault} when the value is not finite, or the time before the last one's.
   */
  add(at: Micros, value: number): void {
    if (!Number.isFinite(value) || at < (this.lastAt ?? at)) refuse(at, value);
    this.expire(at);
    if (this.#count === this.#capacity) this.#drop();
    if (this.#count === this.#room) this.#grow();
    const place = this.#place(this.#count);
    // What is kept as JSON knows no negative zero.
    const plain = value + 0;
    this.#ring.at[place] = at;
    this.#ring.value[place] = plain;
    this.#count += 1;
    take(this.#newer, plain);
    this.#isJoined = false;
  }

  /** Lets go of what is older than the window at a time, as `add` does: a series that is silent does not by itself. */
  expire(now: Micros): void {
    const since = now - this.#window;
    while (this.#count > 0 && (this.#ring.at[this.#head] ?? 0) < since) this.#drop();
  }

  get count(): number {
    return this.#count;
  }

  get mean(): number | null {
    return this.#count === 0 ? null : this.#joined().mean;
  }

  /** Of a sample: over one less than the count. `null` for fewer than two values. */
  get variance(): number | null {
    return this.#count < 2 ? null : this.#joined().squares / (this.#count - 1);
  }

  /** The root of the variance: in the unit of the values. */
  get deviation(): number | null {
    const { variance } = this;
    return variance === null ? null : Math.sqrt(variance);
  }

  get min(): number | null {
    return this.#count === 0 ? null : this.#joined().min;
  }

  get max(): number | null {
    return this.#count === 0 ? null : this.#joined().max;
  }

  /** The oldest value of the window. */
  get first(): number | null {
    return this.#count === 0 ? null : (this.#ring.value[this.#head] ?? null);
  }

  /** The newest value. */
  get last(): number | null {
    return this.#count === 0 ? null : (this.#ring.value[this.#place(this.#count - 1)] ?? null);
  }

  /** When the newest value was taken; `null` while the window is empty. */
  get lastAt(): Micros | null {
    return this.#count === 0 ? null : ((this.#ring.at[this.#place(this.#count - 1)] ?? 0) as Micros);
  }

  /**
   * The value below which a share of the window lies, between two of them in proportion; 0.5 is the median. Costs a copy.
   * @throws {AssertionFault} unless the share is within 0 and 1.
   */
  quantile(share: number): number | null {
    assert(share >= 0 && share <= 1, `a quantile of ${share} is not within 0..1`);
    return this.#count === 0 ? null : quantile(this.values(), share);
  }

  /** The values, oldest first: a copy. */
  values(): number[] {
    return Array.from({ length: this.#count }, (_, i) => this.#ring.value[this.#place(i)] ?? 0);
  }

  #place(i: number): number {
    return (this.#head + i) % this.#room;
  }

  #drop(): void {
    if (this.#olderCount === 0) this.#age();
    this.#head = this.#place(1);
    this.#count -= 1;
    this.#olderCount -= 1;
    this.#isJoined = false;
  }

  /** Makes the newer part the older one: from its end, each value's figures are those behind it and itself. */
  #age(): void {
    const { value, mean, squares, min, max } = this.#ring;
    const from = this.#newer;
    clear(from);
    for (let i = this.#count - 1; i >= 0; i--) {
      const place = this.#place(i);
      take(from, value[place] ?? 0);
      mean[place] = from.mean;
      squares[place] = from.squares;
      min[place] = from.min;
      max[place] = from.max;
    }
    this.#olderCount = this.#count;
    clear(from);
  }

  #grow(): void {
    const grown = columns(Math.min(this.#capacity, Math.max(ROOM_MIN, this.#room * 2)));
    for (const name of COLUMNS)
      for (let i = 0; i < this.#count; i++) grown[name][i] = this.#ring[name][this.#place(i)] ?? 0;
    this.#ring = grown;
    this.#room = grown.at.length;
    this.#head = 0;
  }

  #joined(): Moments {
    const all = this.#all;
    if (this.#isJoined) return all;
    const { mean, squares, min, max } = this.#ring;
    clear(all);
    if (this.#olderCount > 0) {
      all.count = this.#olderCount;
      all.mean = mean[this.#head] ?? 0;
      all.squares = squares[this.#head] ?? 0;
      all.min = min[this.#head] ?? 0;
      all.max = max[this.#head] ?? 0;
    }
    join(all, all, this.#newer);
    this.#isJoined = true;
    return all;
  }
}

/** Apart from its caller, which builds no message. */
function refuse(at: Micros, value: number): never {
  const fault = Number.isFinite(value) ? 'comes after one of a later time' : 'is not finite';
  assert(false, `a value ${value} of time ${at} ${fault}`);
}
