// A place in a tape's rows: reads block after block, and says when each row happened at the venue.
// The hot path: nothing is allocated for a row. Must never look at a row that it has not come to.
import { type RowBlock, type RowSource, NOT_TOLD, RowKind } from '../src/tape/baked/rows.ts';
import type { Levels } from '../src/domain/event.ts';
import type { Micros, Price, Qty } from '../src/domain/units.ts';

/** A time at the venue that lies further back than this is not when the row happened. Microseconds. */
const LATE_MAX = 60_000_000;

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
  #count = 0;
  /** How many rows lie behind. */
  passed = 0;
  /** When the next row happened at the venue: never goes back, never later than it was learned; infinite at the end. */
  venueTime = Number.NEGATIVE_INFINITY;
  /** When the next row was learned of; infinite at the end. */
  learnedAt = Number.NEGATIVE_INFINITY;
  /** How late the recorder learned of the last skipped row of which the venue told the time; below 0 when none did. */
  skippedLate = -1;

  constructor(source: RowSource, range: { readonly from?: Micros; readonly to?: Micros } = {}) {
    this.#blocks = source.blocks(range)[Symbol.iterator]();
    this.row = -1;
    this.passed = -1;
    this.next();
  }

  /** Whether every row lies behind. */
  get isOver(): boolean {
    return this.learnedAt === Number.POSITIVE_INFINITY;
  }

  /** Goes on to the next row. */
  next(): void {
    this.row += 1;
    this.passed += 1;
    if (this.row >= this.#count && !this.#nextBlock()) return;
    const time = this.#timeOf(this.row);
    this.learnedAt = this.at[this.row] ?? 0;
    if (time > this.venueTime) this.venueTime = time;
  }

  /**
   * The first row of this block, so many rows on at the most, that happened after a time. What happened at the venue was
   * learned of no earlier: where the last of them was learned of in time, all of them happened in time.
   */
  rowAfter(time: number, most: number): number {
    const end = Math.min(this.#count, this.row + most);
    if (end > this.row && (this.at[end - 1] ?? 0) <= time) return end;
    let row = this.row;
    for (let latest = this.venueTime; row < end; row++) {
      latest = Math.max(latest, this.#timeOf(row));
      if (latest > time) break;
    }
    return row;
  }

  /** Goes on to a later row of this block, the one before which is the last that lies behind, until `next`. */
  skipTo(row: number): void {
    this.skippedLate = -1;
    for (let one = this.row; one < row; one++) {
      const time = this.#timeOf(one);
      if (time > this.venueTime) this.venueTime = time;
      if (this.venueAt[one] !== NOT_TOLD) this.skippedLate = (this.at[one] ?? 0) - this.venueTime;
    }
    this.passed += row - 1 - this.row;
    this.row = row - 1;
  }

  #timeOf(row: number): number {
    const at = this.at[row] ?? 0;
    const told = this.venueAt[row] ?? NOT_TOLD;
    return told === NOT_TOLD || told > at || told < at - LATE_MAX ? at : told;
  }

  #nextBlock(): boolean {
    for (;;) {
      const read = this.#blocks.next();
      if (read.done === true) break;
      this.#enter(read.value);
      if (read.value.count > 0) return true;
    }
    this.end();
    return false;
  }

  #enter(block: RowBlock): void {
    this.block = block;
    this.kind = block.kind;
    this.at = block.at;
    this.venueAt = block.venueAt;
    this.market = block.market;
    this.price = block.price;
    this.qty = block.qty;
    this.row = 0;
    this.#count = block.count;
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
