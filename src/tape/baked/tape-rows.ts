// The rows of a baked tape, in columns of fixed width, in the sequence in which the recorder received them. Book
// changes, snapshots and prints are numbers. A print's id is text, and every other event is JSON in the text column.
// Must never hold anything that a strategy could not know at its time.
import type { EventOf } from '../../domain/event-kinds.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';

/** Kind of a row. A level's quantity is signed in a delta, and absolute in a snapshot. */
export const RowKind = {
  /** Any other event: `text` is its JSON; market, price and quantity are 0. */
  other: 0,
  /** A bid level changed by `qty`. */
  bid: 1,
  /** An ask level changed by `qty`. */
  ask: 2,
  /** A print whose taker bought YES; `text` is the trade's id. */
  buy: 3,
  /** A print whose taker sold YES; `text` is the trade's id. */
  sell: 4,
  /** The market's book is replaced by the next `qty` rows of levels, in the same or the following blocks. */
  snapshot: 5,
  /** A bid level of the preceding snapshot. */
  bidLevel: 6,
  /** An ask level of the preceding snapshot. */
  askLevel: 7,
} as const;
export type RowKind = (typeof RowKind)[keyof typeof RowKind];

/** `venueAt` of a row without a venue time. */
export const NO_VENUE_TIME = 0;

/** Most rows of a block. Two such blocks (venue and bot) fit in a megabyte of cache beside the books. */
export const BLOCK_ROWS = 4096;

/** Rows that are read together, as columns of the same length. They are valid until their memory is used again. */
export interface RowBlock {
  readonly count: number;
  readonly kind: Uint8Array;
  /** Time of receipt. Microseconds since the epoch; never decreases within a tape. */
  readonly at: Float64Array;
  /** Time of the event by the venue's clock, or `NO_VENUE_TIME`. May decrease. */
  readonly venueAt: Float64Array;
  /** Market number in the tape's own table of tickers. */
  readonly market: Int32Array;
  /** Ten-thousandths of a dollar, on the YES scale. */
  readonly price: Int32Array;
  /** Hundredths of a contract. */
  readonly qty: Float64Array;
  /** Text of a row, or an empty text. Read from disk on demand, which is slow. */
  text(row: number): string;
}

/**
 * Provides the memory for blocks; called at most once for each block. A block stays valid until its memory is given to
 * another block.
 */
export interface BlockMemory {
  /** A buffer of at least this size, with any content. */
  bufferOf(bytes: number): ArrayBuffer;
}

/** Uses the same memory for every block: each block is valid until the next. */
export class ReusedBlockMemory implements BlockMemory {
  #memory = new ArrayBuffer(0);

  bufferOf(bytes: number): ArrayBuffer {
    if (this.#memory.byteLength < bytes) this.#memory = new ArrayBuffer(bytes);
    return this.#memory;
  }
}

/** Times of the rows to read, and the memory for their blocks. Default: all rows, with one buffer for all blocks. */
export interface RowRange {
  readonly from?: Micros;
  readonly to?: Micros;
  readonly memory?: BlockMemory;
}

/** Rows to replay, a block at a time. */
export interface RowSource {
  readonly facts: TapeFacts;
  /** Tickers by the market numbers in the rows. */
  readonly tickers: TickerTable;
  /** Reads the blocks with rows from `from` until before `to`. */
  readBlocks(range?: RowRange): Iterable<RowBlock>;
  close(): void;
}

/** A stretch in which the recording was missing or incomplete. Books are suspect until the next snapshot. */
export interface TapeGap {
  readonly from: Micros;
  readonly to: Micros;
  readonly reason: string;
  /** The tickers of the suspect books; an empty list means all books. */
  readonly tickers: readonly string[];
}

/** Summary of a tape. */
export interface TapeFacts {
  /** Origin: the profile of a recording or journal, or the imported format. */
  readonly source: string;
  readonly venue: string;
  readonly from: Micros;
  readonly to: Micros;
  readonly rows: number;
  /** Counts of rows by kind: `delta`, `print`, `snapshot`, `level`, or the kind of any other event. */
  readonly counts: Readonly<Record<string, number>>;
  readonly gaps: readonly TapeGap[];
  /** Assumptions about missing information in the source, in whole sentences. */
  readonly assumptions: readonly string[];
  /** SHA-256 of the baked source. When it or the baker's version changes, the file is out of date. */
  readonly sourceHash: string;
  readonly bakerVersion: number;
}

/**
 * Public events other than books and prints. A row's text holds the event with its time and the tape's market numbers.
 */
export type OtherEvent = EventOf<'fact'>;
