// A place in a tape's rows: reads block after block, and says when each row happened at the venue.
// The hot path: nothing is allocated for a row. Must never look at a row that it has not come to.
import { type RowBlock, type RowSource, NOT_TOLD, RowKind } from '../src/tape/baked/rows.ts';
import type { Levels } from '../src/domain/event.ts';
import type { Micros, Price, Qty } from '../src/domain/units.ts';

/** A time at the venue that lies further back than this is not when the row happened. Microseconds. */
const LATE_MAX = 60_000_000;
/** Of this file: what is imported is looked up at every use, which a hot loop feels. */
const UNTOLD: number = NOT_TOLD;

const NO_ROWS: RowBlock = {
  count: 0,
  kind: new Uint8Array(0),
  at: new Float64Array(0),
  venueAt: new Float64Array(0),
  market: new Int32Array(0),
  price: new Int32Array(0),
  qty: new Float64Array(0),
  text: () => '',
};

/** The bids and asks of a snapshot. */
export interface SnapshotLevels {
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A cursor over the rows of a source. */
export class RowCursor {
  readonly #blocks: Iterator<RowBlock>;
  /** The block it is in, its columns, and the row of it that is next. Columns of its own, because each is read for each row. */
  block: RowBlock = NO_ROWS;
  kind = NO_ROWS.kind;
  at = NO_ROWS.at;
  venueAt = NO_ROWS.venueAt;
  market = NO_ROWS.market;
  price = NO_ROWS.price;
  qty = NO_ROWS.qty;
  row = 0;
  /** When each row of the block happened at the venue: never goes back, never later than it was learned. */
  time = NO_ROWS.at;
  /** How many rows the block has, and whether the venue told of any of them when it happened. */
  count = 0;
  isTold = false;
  /** Room for such times where rows were told theirs. */
  #times = new Float64Array(0);
  #lateBefore = -1;
  /** When the last row of the block happened. */
  #latest = Number.NEGATIVE_INFINITY;
  /** How many rows lie behind. */
  passed = 0;
  /** When the next row happened at the venue; infinite at the end. */
  venueTime = Number.NEGATIVE_INFINITY;
  /** When the next row was learned of; infinite at the end. */
  learnedAt = Number.NEGATIVE_INFINITY;

  constructor(source: RowSource, range: { readonly from?: Micros; readonly to?: Micros } = {}) {
    this.#blocks = source.blocks(range)[Symbol.iterator]();
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
    return { from: this.row, to: Math.min(this.count, this.row + most) };
  }

  /** How late the recorder learned of the last row behind of which the venue told the time; below 0 when there is none. */
  get late(): number {
    for (let row = this.isTold ? this.row - 1 : -1; row >= 0; row--)
      if (this.venueAt[row] !== NOT_TOLD) return (this.at[row] ?? 0) - (this.time[row] ?? 0);
    return this.#lateBefore;
  }

  #nextBlock(): void {
    for (;;) {
      const read = this.#blocks.next();
      if (read.done === true) return this.end();
      this.#enter(read.value);
      if (read.value.count === 0) continue;
      this.learnedAt = this.at[0] ?? 0;
      this.venueTime = this.time[0] ?? 0;
      return;
    }
  }

  #enter(block: RowBlock): void {
    this.#lateBefore = this.late;
    this.block = block;
    this.kind = block.kind;
    this.at = block.at;
    this.venueAt = block.venueAt;
    this.market = block.market;
    this.price = block.price;
    this.qty = block.qty;
    this.row = 0;
    this.count = block.count;
    this.#reckonTimes();
  }

  /** Reckons when each row of the block happened, once for all that ask: when it was learned of, where nobody told more. */
  #reckonTimes(): void {
    const { at, venueAt, count } = this;
    this.time = at;
    this.isTold = hasTold(venueAt, count);
    if (this.isTold) this.#reckonTold();
    else if (count > 0) this.#latest = at[count - 1] ?? 0;
  }

  #reckonTold(): void {
    const { at, venueAt, count } = this;
    if (this.#times.length < count) this.#times = new Float64Array(count);
    const times = this.#times;
    let latest = this.#latest;
    for (let row = 0; row < count; row++) {
      const learned = at[row] ?? 0;
      const told = venueAt[row] ?? 0;
      const isBelieved = told !== UNTOLD && told <= learned && told >= learned - LATE_MAX;
      latest = Math.max(latest, isBelieved ? told : learned);
      times[row] = latest;
    }
    this.#latest = latest;
    this.time = times;
  }

  /** What the next row tells. */
  get rowKind(): RowKind {
    // tidy: as (whoever writes rows writes no other kinds)
    return (this.kind[this.row] ?? RowKind.other) as RowKind;
  }

  /** Leaves out what is left. */
  end(): void {
    this.#enter(NO_ROWS);
    this.venueTime = Number.POSITIVE_INFINITY;
    this.learnedAt = Number.POSITIVE_INFINITY;
    this.#blocks.return?.();
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

interface Range {
  readonly from: number;
  readonly to: number;
}

function hasTold(venueAt: Float64Array, count: number): boolean {
  for (let row = 0; row < count; row++) if (venueAt[row] !== UNTOLD) return true;
  return false;
}

/** The first place in a range of a column that never goes down whose figure is no less than another; the end if none is. */
function firstFrom(column: Float64Array, { from, to }: Range, figure: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((column[middle] ?? 0) >= figure) high = middle;
    else low = middle + 1;
  }
  return low;
}
