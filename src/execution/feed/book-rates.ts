// The usual rate of each book's messages, as an exponential average over time. A book without messages costs nothing:
// its rate is brought up to date when it is next needed. Must never depend on how often a rate is read.
import { grownCopy } from '../../base/typed-columns.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';

/** Time constant of the average: messages this long ago count about a third. Milliseconds. */
const MEMORY_MS = 60_000;

// Rates are rows of one numeric array, for speed. These are indices within a row.
/** Number of messages counted; `NOT_MEASURED` for a book that is not measured. */
const COUNT = 0;
/** Messages per millisecond, as of a time. */
const RATE = 1;
/** The time of the rate. Microseconds. */
const AS_OF = 2;
const ROW_LENGTH = 3;
const NOT_MEASURED = -1;

/** A check, and the one before it. Microseconds. */
export interface CheckTimes {
  readonly now: Micros;
  readonly before: Micros;
}

/** The rates of all measured books. */
export class BookRates {
  #rows = new Float64Array(0);
  #measured = 0;

  /** Number of books measured. */
  get size(): number {
    return this.#measured;
  }

  isMeasured(market: MarketIndex): boolean {
    return (this.#rows[market * ROW_LENGTH + COUNT] ?? NOT_MEASURED) !== NOT_MEASURED;
  }

  /** Begins to measure a book. Its rate is 0 until the next count. */
  startBook(market: MarketIndex, count: number, now: Micros): void {
    const row = market * ROW_LENGTH;
    if (row >= this.#rows.length) this.#grow(row + ROW_LENGTH);
    if (!this.isMeasured(market)) this.#measured += 1;
    this.#rows[row + COUNT] = count;
    this.#rows[row + RATE] = 0;
    this.#rows[row + AS_OF] = now;
  }

  /** Counts the messages since the check before. There must be no other check in between. */
  countMessages(market: MarketIndex, count: number, { now, before }: CheckTimes): void {
    const elapsedMs = (now - before) / 1000;
    const row = market * ROW_LENGTH;
    // A lower count belongs to another market under the same index.
    const recent = Math.max(0, count - (this.#rows[row + COUNT] ?? 0)) / elapsedMs;
    const rate = this.rateAt(market, before);
    this.#rows[row + COUNT] = count;
    this.#rows[row + RATE] = rate + (1 - Math.exp(-elapsedMs / MEMORY_MS)) * (recent - rate);
    this.#rows[row + AS_OF] = now;
  }

  /** Messages per millisecond, if none has come since the last count. */
  rateAt(market: MarketIndex, now: Micros): number {
    const row = market * ROW_LENGTH;
    const rate = this.#rows[row + RATE] ?? 0;
    return rate === 0 ? 0 : rate * Math.exp(((this.#rows[row + AS_OF] ?? 0) - now) / (MEMORY_MS * 1000));
  }

  /** Forgets every measured book that is not to be kept. */
  forgetBooks(isKept: (market: MarketIndex) => boolean): void {
    for (let row = 0; row < this.#rows.length; row += ROW_LENGTH) {
      if (this.#rows[row + COUNT] === NOT_MEASURED || isKept((row / ROW_LENGTH) as MarketIndex)) continue;
      this.#rows[row + COUNT] = NOT_MEASURED;
      this.#rows[row + RATE] = 0;
      this.#measured -= 1;
    }
  }

  #grow(needed: number): void {
    const length = Math.max(needed, this.#rows.length * 2);
    const grown = grownCopy(this.#rows, new Float64Array(length));
    for (let row = this.#rows.length; row < length; row += ROW_LENGTH) grown[row + COUNT] = NOT_MEASURED;
    this.#rows = grown;
  }
}
