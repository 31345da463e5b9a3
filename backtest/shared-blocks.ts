// A tape's rows for several readers. Every block is read once and kept until all readers have left it. Must never read
// ahead of the first reader, nor keep a block that the last reader has left.
import { type RowBlock, type RowRange, type RowSource, NO_VENUE_TIME } from '../src/tape/baked/tape-rows.ts';

/** Maximum age of a venue time when it is learned. An older time does not count. Microseconds. */
const LATE_MAX = 60_000_000;
/** A local copy: V8 does not constant-fold imported bindings. */
const NO_TIME: number = NO_VENUE_TIME;

export interface SharedBlock extends RowBlock {
  /** When each row happened at the venue. Never decreases, and is never later than when the row was learned. */
  readonly time: Float64Array;
  /** True when any row of the block has a venue time. */
  readonly hasVenueTimes: boolean;
  /** The next block, once a reader has reached it. */
  next: SharedBlock | null;
  /** Number of readers that have yet to leave the block. `memory` is then reused. */
  readers: number;
  readonly memory: ArrayBuffer | null;
}

const NOTHING = new Float64Array(0);

const emptyBlock = (readers: number): SharedBlock => ({
  count: 0,
  kind: new Uint8Array(0),
  at: NOTHING,
  venueAt: NOTHING,
  market: new Int32Array(0),
  price: new Int32Array(0),
  qty: NOTHING,
  text: () => '',
  time: NOTHING,
  hasVenueTimes: false,
  next: null,
  readers,
  memory: null,
});

/** The block of a cursor that is past all rows. */
export const NO_ROWS: SharedBlock = emptyBlock(0);

/** The rows of a source within a range, for a number of readers. */
export class SharedBlocks {
  /** The empty block at which every reader starts. */
  readonly firstBlock: SharedBlock;
  readonly #blocks: Iterator<RowBlock>;
  readonly #readers: number;
  #isOver = false;
  readonly #free: ArrayBuffer[] = [];
  readonly #freeTimes: Float64Array[] = [];
  #inUse: ArrayBuffer | null = null;
  /** When the last row read so far happened. */
  #latest = Number.NEGATIVE_INFINITY;

  constructor(source: RowSource, range: RowRange, readers: number) {
    const memory = { bufferOf: (bytes: number) => this.#allocate(bytes) };
    this.#blocks = source.readBlocks({ ...range, memory })[Symbol.iterator]();
    this.#readers = readers;
    this.firstBlock = emptyBlock(readers);
  }

  nextBlock(block: SharedBlock): SharedBlock | null {
    if (block.next === null && !this.#isOver) block.next = this.#read();
    const { next } = block;
    block.readers -= 1;
    if (block.readers === 0) this.#release(block);
    return next;
  }

  endTape(): void {
    this.#isOver = true;
    this.#blocks.return?.();
  }

  #read(): SharedBlock | null {
    for (;;) {
      this.#inUse = null;
      const read = this.#blocks.next();
      if (read.done === true) break;
      if (read.value.count > 0) return this.#linkBlock(read.value);
      if (this.#inUse !== null) this.#free.push(this.#inUse);
    }
    this.#isOver = true;
    return null;
  }

  #allocate(bytes: number): ArrayBuffer {
    const spare = this.#free.pop();
    this.#inUse = spare !== undefined && spare.byteLength >= bytes ? spare : new ArrayBuffer(bytes);
    return this.#inUse;
  }

  /** No reader can reach this block again. */
  #release(block: SharedBlock): void {
    const { memory, time, at } = block;
    block.next = null;
    if (memory !== null) this.#free.push(memory);
    if (time !== at) this.#freeTimes.push(time);
  }

  #linkBlock(block: RowBlock): SharedBlock {
    const { count, kind, at, venueAt, market, price, qty } = block;
    const isTold = hasVenueTimes(venueAt, count);
    const time = isTold ? this.#venueTimesOf(block) : at;
    this.#latest = time[count - 1] ?? this.#latest;
    const text = (row: number): string => block.text(row);
    const [readers, memory] = [this.#readers, this.#inUse];
    return {
      count,
      kind,
      at,
      venueAt,
      market,
      price,
      qty,
      text,
      time,
      hasVenueTimes: isTold,
      next: null,
      readers,
      memory,
    };
  }

  /** A row without a credible venue time happened when it was learned. */
  #venueTimesOf({ at, venueAt, count }: RowBlock): Float64Array {
    const spare = this.#freeTimes.pop();
    const times = spare !== undefined && spare.length >= count ? spare : new Float64Array(count);
    let latest = this.#latest;
    for (let row = 0; row < count; row++) {
      const learned = at[row] ?? 0;
      const venueTime = venueAt[row] ?? 0;
      const isCredible = venueTime !== NO_TIME && venueTime <= learned && venueTime >= learned - LATE_MAX;
      latest = Math.max(latest, isCredible ? venueTime : learned);
      times[row] = latest;
    }
    return times;
  }
}

/**
 * The first row may have no venue time. A comparison of the memory with itself, shifted by one row, then shows if all
 * rows are equal.
 */
function hasVenueTimes(venueAt: Float64Array, count: number): boolean {
  const each = Float64Array.BYTES_PER_ELEMENT;
  const bytes = Buffer.from(venueAt.buffer, venueAt.byteOffset, count * each);
  return venueAt[0] !== NO_TIME || !bytes.subarray(each).equals(bytes.subarray(0, -each));
}
