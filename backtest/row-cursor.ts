// A place in a tape's rows: goes through block after block of a line.
// The hot path: nothing is allocated for a row. Must never look at a row that it has not come to.
import { NOT_TOLD, RowKind } from '../src/tape/baked/rows.ts';
import type { Levels } from '../src/domain/event.ts';
import type { Price, Qty } from '../src/domain/units.ts';
import { type LineBlock, NO_ROWS, type RowLine } from './row-line.ts';

/** The bids and asks of a snapshot. */
export interface SnapshotLevels {
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A cursor over the rows of a line. */
export class RowCursor {
  readonly #line: RowLine;
  /** The block it is in, its columns, and the row of it that is next. Columns of its own, because each is read for each row. */
  block: LineBlock;
  kind = NO_ROWS.kind;
  at = NO_ROWS.at;
  venueAt = NO_ROWS.venueAt;
  market = NO_ROWS.market;
  price = NO_ROWS.price;
  qty = NO_ROWS.qty;
  time = NO_ROWS.time;
  count = 0;
  isTold = false;
  row = 0;
  #lateBefore = -1;
  /** How many rows lie behind. */
  passed = 0;
  /** When the next row happened at the venue; infinite at the end. */
  venueTime = Number.NEGATIVE_INFINITY;
  /** When the next row was learned of; infinite at the end. */
  learnedAt = Number.NEGATIVE_INFINITY;

  constructor(line: RowLine) {
    this.#line = line;
    this.block = line.begin;
    this.#nextBlock();
  }

  /** Whether every row lies behind. */
  get isOver(): boolean {
    return this.learnedAt === Number.POSITIVE_INFINITY;
  }

  /** Goes on to the next row. */
  next(): void {
    this.goTo(this.row + 1);
  }

  /** Goes on to a later row of this block, or behind its last one, which is the first of the next. */
  goTo(row: number): void {
    this.passed += row - this.row;
    this.row = row;
    if (row >= this.count) return this.#nextBlock();
    this.learnedAt = this.at[row] ?? 0;
    this.venueTime = this.time[row] ?? 0;
  }

  /** The first row of this block, so many rows on at the most, that happened after a time. */
  rowAfter(time: number, most: number): number {
    // Times are whole.
    return firstFrom(this.time, this.#range(most), time + 1);
  }

  /** The first row of this block, so many rows on at the most, that happened, or was learned of, at a time or later. */
  rowFrom(column: 'time' | 'at', time: number, most: number): number {
    return firstFrom(this[column], this.#range(most), time);
  }

  #range(most: number): Range {
    return { low: this.row, high: Math.min(this.count, this.row + most) };
  }

  /** How late the recorder learned of the last row behind of which the venue told the time; below 0 when there is none. */
  get late(): number {
    for (let row = this.isTold ? this.row - 1 : -1; row >= 0; row--)
      if (this.venueAt[row] !== NOT_TOLD) return (this.at[row] ?? 0) - (this.time[row] ?? 0);
    return this.#lateBefore;
  }

  #nextBlock(): void {
    this.#lateBefore = this.late;
    const block = this.#line.leave(this.block);
    if (block === null) return this.#beyond();
    this.#enter(block);
    this.learnedAt = this.at[0] ?? 0;
    this.venueTime = this.time[0] ?? 0;
  }

  #enter(block: LineBlock): void {
    this.block = block;
    this.kind = block.kind;
    this.at = block.at;
    this.venueAt = block.venueAt;
    this.market = block.market;
    this.price = block.price;
    this.qty = block.qty;
    this.time = block.time;
    this.count = block.count;
    this.isTold = block.isTold;
    this.row = 0;
  }

  /** What the next row tells. */
  get rowKind(): RowKind {
    // tidy: as (whoever writes rows writes no other kinds)
    return (this.kind[this.row] ?? RowKind.other) as RowKind;
  }

  /** Leaves out what is left, for every reader: none goes beyond where the first has been. */
  end(): void {
    this.#line.end();
    this.#lateBefore = this.late;
    this.#beyond();
  }

  #beyond(): void {
    this.#enter(NO_ROWS);
    this.venueTime = Number.POSITIVE_INFINITY;
    this.learnedAt = Number.POSITIVE_INFINITY;
  }

  /** Takes the snapshot that the cursor stands at: its levels are read, and the cursor stands after them. */
  takeSnapshot(): SnapshotLevels {
    let left = this.qty[this.row] ?? 0;
    const bids: [Price, Qty][] = [];
    const asks: [Price, Qty][] = [];
    for (this.next(); left > 0 && !this.isOver; left--, this.next()) {
      const { price, qty, row, rowKind } = this;
      if (rowKind !== RowKind.bidLevel && rowKind !== RowKind.askLevel) break;
      (rowKind === RowKind.bidLevel ? bids : asks).push([price[row] as Price, qty[row] as Qty]);
    }
    return { bids, asks };
  }
}

/** Rows of a block. Named unlike a range of times, or compiled code would keep these as it keeps those: as fractions. */
interface Range {
  readonly low: number;
  readonly high: number;
}

/** The first place in a range of a column that never goes down whose figure is no less than another; the end if none is. */
function firstFrom(column: Float64Array, range: Range, figure: number): number {
  let { low, high } = range;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle] ?? 0) >= figure) high = middle;
    else low = middle + 1;
  }
  return low;
}
