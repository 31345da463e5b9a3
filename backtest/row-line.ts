// A tape's rows for several who go through them, each at its own place: every block is read once, and stays until all have
// left it. Says when each row happened at the venue. Must never read ahead of the first, nor keep what the last has left.
import { type RowBlock, type RowRange, type RowSource, NOT_TOLD } from '../src/tape/baked/rows.ts';

/** A time at the venue that lies further back than this is not when the row happened. Microseconds. */
const LATE_MAX = 60_000_000;
/** Of this file: what is imported is looked up at every use, which a hot loop feels. */
const UNTOLD: number = NOT_TOLD;

/** A block of the line. */
export interface LineBlock extends RowBlock {
  /** When each row happened at the venue: never goes back, never later than it was learned. */
  readonly time: Float64Array;
  /** Whether the venue told of any of them when it happened. */
  readonly isTold: boolean;
  /** The block behind it, where anybody has come to that. */
  next: LineBlock | null;
  /** How many have yet to leave it, and the memory it is in. */
  readers: number;
  readonly memory: ArrayBuffer | null;
}

const NOTHING = new Float64Array(0);

/** A block without rows: what comes before the first block of a line, and after the last. */
const emptyBlock = (readers: number): LineBlock => ({
  count: 0,
  kind: new Uint8Array(0),
  at: NOTHING,
  venueAt: NOTHING,
  market: new Int32Array(0),
  price: new Int32Array(0),
  qty: NOTHING,
  text: () => '',
  time: NOTHING,
  isTold: false,
  next: null,
  readers,
  memory: null,
});

/** What a place beyond all rows is in. */
export const NO_ROWS: LineBlock = emptyBlock(0);

/** The rows of a source within a range, for so many readers. */
export class RowLine {
  /** Where every reader begins. */
  readonly begin: LineBlock;
  readonly #blocks: Iterator<RowBlock>;
  readonly #readers: number;
  #isOver = false;
  /** Memory that nobody needs any more: for blocks, and for times. */
  readonly #free: ArrayBuffer[] = [];
  readonly #freeTimes: Float64Array[] = [];
  /** The memory of the block that is being read. */
  #taken: ArrayBuffer | null = null;
  /** When the last row that was read happened. */
  #latest = Number.NEGATIVE_INFINITY;

  constructor(source: RowSource, range: RowRange, readers: number) {
    const room = { take: (bytes: number) => this.#take(bytes) };
    this.#blocks = source.blocks({ ...range, room })[Symbol.iterator]();
    this.#readers = readers;
    this.begin = emptyBlock(readers);
  }

  /** A reader leaves a block for the one behind it; `null` when there is none. */
  leave(block: LineBlock): LineBlock | null {
    if (block.next === null && !this.#isOver) block.next = this.#read();
    const { next } = block;
    block.readers -= 1;
    if (block.readers === 0) this.#release(block);
    return next;
  }

  /** A reader wants nothing more. */
  end(): void {
    this.#isOver = true;
    this.#blocks.return?.();
  }

  #read(): LineBlock | null {
    for (;;) {
      this.#taken = null;
      const read = this.#blocks.next();
      if (read.done === true) break;
      if (read.value.count > 0) return this.#linked(read.value);
      if (this.#taken !== null) this.#free.push(this.#taken);
    }
    this.#isOver = true;
    return null;
  }

  #take(bytes: number): ArrayBuffer {
    const spare = this.#free.pop();
    this.#taken = spare !== undefined && spare.byteLength >= bytes ? spare : new ArrayBuffer(bytes);
    return this.#taken;
  }

  /** Nobody comes to a block from one that all have left. */
  #release(block: LineBlock): void {
    const { memory, time, at } = block;
    block.next = null;
    if (memory !== null) this.#free.push(memory);
    if (time !== at) this.#freeTimes.push(time);
  }

  #linked(block: RowBlock): LineBlock {
    const { count, kind, at, venueAt, market, price, qty } = block;
    const isTold = hasTold(venueAt, count);
    const time = isTold ? this.#timesOf(block) : at;
    this.#latest = time[count - 1] ?? this.#latest;
    const text = (row: number): string => block.text(row);
    const [readers, memory] = [this.#readers, this.#taken];
    return { count, kind, at, venueAt, market, price, qty, text, time, isTold, next: null, readers, memory };
  }

  /** When each row of a block happened: when it was learned of, where nobody told more. */
  #timesOf({ at, venueAt, count }: RowBlock): Float64Array {
    const spare = this.#freeTimes.pop();
    const times = spare !== undefined && spare.length >= count ? spare : new Float64Array(count);
    let latest = this.#latest;
    for (let row = 0; row < count; row++) {
      const learned = at[row] ?? 0;
      const told = venueAt[row] ?? 0;
      const isBelieved = told !== UNTOLD && told <= learned && told >= learned - LATE_MAX;
      latest = Math.max(latest, isBelieved ? told : learned);
      times[row] = latest;
    }
    return times;
  }
}

/** Whether any is told: not where the first is not, and all are as it is, which memory is compared for at once. */
function hasTold(venueAt: Float64Array, count: number): boolean {
  const each = Float64Array.BYTES_PER_ELEMENT;
  const bytes = Buffer.from(venueAt.buffer, venueAt.byteOffset, count * each);
  return venueAt[0] !== UNTOLD || !bytes.subarray(each).equals(bytes.subarray(0, -each));
}
