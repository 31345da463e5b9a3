// A place in a tape's rows, moving from block to block. Must never look at a row before reaching it, except at the
// times of later rows in its block. The hot path: nothing is allocated for a row.
import { NO_VENUE_TIME, RowKind } from '../src/tape/baked/tape-rows.ts';
import type { Levels } from '../src/domain/event.ts';
import type { Price, Qty } from '../src/domain/units.ts';
import { type SharedBlock, NO_ROWS, type SharedBlocks } from './shared-blocks.ts';

/** The bids and asks of a snapshot. */
export interface SnapshotLevels {
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A cursor over shared blocks of rows. */
export class RowCursor {
  readonly #line: SharedBlocks;
  /**
   * The current block, with its columns copied to fields, because every row reads them. `row` is the next row in the
   * block.
   */
  block: SharedBlock;
  kind = NO_ROWS.kind;
  at = NO_ROWS.at;
  venueAt = NO_ROWS.venueAt;
  market = NO_ROWS.market;
  price = NO_ROWS.price;
  qty = NO_ROWS.qty;
  time = NO_ROWS.time;
  count = 0;
  hasVenueTimes = false;
  row = 0;
  #delayBefore = -1;
  passed = 0;
  /** When the next row happened at the venue; infinite at the end. */
  venueTime = Number.NEGATIVE_INFINITY;
  /** When the recorder learned of the next row; infinite at the end. */
  learnedAt = Number.NEGATIVE_INFINITY;

  constructor(line: SharedBlocks) {
    this.#line = line;
    this.block = line.firstBlock;
    this.#nextBlock();
  }

  get isOver(): boolean {
    return this.learnedAt === Number.POSITIVE_INFINITY;
  }

  nextRow(): void {
    this.moveTo(this.row + 1);
  }

  /** Moves to a later row of this block, or to the first row of the next block. */
  moveTo(row: number): void {
    this.passed += row - this.row;
    this.row = row;
    if (row >= this.count) return this.#nextBlock();
    this.learnedAt = this.at[row] ?? 0;
    this.venueTime = this.time[row] ?? 0;
  }

  /**
   * Searches the next `most` rows of this block for one after a time. Without such a row, returns the end of that
   * range.
   */
  rowAfter(time: number, most: number): number {
    // Times are whole numbers, so the next later time is `time + 1`.
    return firstFrom(this.time, this.#span(most), time + 1);
  }

  /**
   * Searches the next `most` rows of this block for one with at least `time` in `column`. Without such a row, returns
   * the end of that range.
   */
  rowFrom(column: 'time' | 'at', time: number, most: number): number {
    return firstFrom(this[column], this.#span(most), time);
  }

  #span(most: number): RowSpan {
    return { low: this.row, high: Math.min(this.count, this.row + most) };
  }

  /** The recorder's delay of the last passed row with a venue time, or a negative number. */
  get recorderDelay(): number {
    for (let row = this.hasVenueTimes ? this.row - 1 : -1; row >= 0; row--)
      if (this.venueAt[row] !== NO_VENUE_TIME) return (this.at[row] ?? 0) - (this.time[row] ?? 0);
    return this.#delayBefore;
  }

  #nextBlock(): void {
    this.#delayBefore = this.recorderDelay;
    const block = this.#line.nextBlock(this.block);
    if (block === null) return this.#enterEnd();
    this.#enter(block);
    this.learnedAt = this.at[0] ?? 0;
    this.venueTime = this.time[0] ?? 0;
  }

  #enter(block: SharedBlock): void {
    this.block = block;
    this.kind = block.kind;
    this.at = block.at;
    this.venueAt = block.venueAt;
    this.market = block.market;
    this.price = block.price;
    this.qty = block.qty;
    this.time = block.time;
    this.count = block.count;
    this.hasVenueTimes = block.hasVenueTimes;
    this.row = 0;
  }

  get rowKind(): RowKind {
    // tidy: as (no writer writes other kinds)
    return (this.kind[this.row] ?? RowKind.other) as RowKind;
  }

  /** Ends the tape for every reader. Other readers end with the last block that has been read. */
  endTape(): void {
    this.#line.endTape();
    this.#delayBefore = this.recorderDelay;
    this.#enterEnd();
  }

  #enterEnd(): void {
    this.#enter(NO_ROWS);
    this.venueTime = Number.POSITIVE_INFINITY;
    this.learnedAt = Number.POSITIVE_INFINITY;
  }

  readSnapshot(): SnapshotLevels {
    let left = this.qty[this.row] ?? 0;
    const bids: [Price, Qty][] = [];
    const asks: [Price, Qty][] = [];
    for (this.nextRow(); left > 0 && !this.isOver; left--, this.nextRow()) {
      const { price, qty, row, rowKind } = this;
      if (rowKind !== RowKind.bidLevel && rowKind !== RowKind.askLevel) break;
      (rowKind === RowKind.bidLevel ? bids : asks).push([price[row] as Price, qty[row] as Qty]);
    }
    return { bids, asks };
  }
}

/**
 * A range of rows. Its members have other names than those of a range of times: with equal names, compiled code would give
 * both one type, and store row numbers as floating-point numbers.
 */
interface RowSpan {
  readonly low: number;
  readonly high: number;
}

/**
 * Binary search in an ascending column for the first value of at least `figure`. Without one, returns the end of the
 * range.
 */
function firstFrom(column: Float64Array, range: RowSpan, figure: number): number {
  let { low, high } = range;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle] ?? 0) >= figure) high = middle;
    else low = middle + 1;
  }
  return low;
}
