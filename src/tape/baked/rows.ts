// What a baked tape is made of: rows of equal width in columns, in the order in which the recorder learned of them.
// The two things that happen all the time, a level that changed and a print, are numbers alone; everything else is an
// event as JSON beside them. Must never hold what a strategy may not know before its time: see `tape/baked/outcome.ts`.
import type { EventOf } from '../../domain/event-kinds.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';

/** What a row tells. A level's quantity is signed where it changed, and whole where a snapshot told it. */
export const RowKind = {
  /** Any other event: `text` is its JSON; market and figures are 0. */
  other: 0,
  /** A bid level changed by `qty`. */
  bid: 1,
  /** An ask level changed by `qty`. */
  ask: 2,
  /** A public trade whose taker bought YES; `text` is the trade's id. */
  buy: 3,
  /** A public trade whose taker sold YES; `text` is the trade's id. */
  sell: 4,
  /** The book of the market is replaced by the `qty` rows of levels that follow at once, in the same or the next block. */
  snapshot: 5,
  /** A bid level of the snapshot before. */
  bidLevel: 6,
  /** An ask level of the snapshot before. */
  askLevel: 7,
} as const;
export type RowKind = (typeof RowKind)[keyof typeof RowKind];

/** `venueAt` of a row whose time at the venue nobody told. */
export const NOT_TOLD = 0;

/** Rows of a block: two of them, for the venue and for the bot, and the books of a thousand markets fit into a megabyte of cache. */
export const BLOCK_ROWS = 4096;

/** Rows that are read in one go, as columns of the same length. Borrowed, as the memory they are in: see `BlockRoom`. */
export interface RowBlock {
  readonly count: number;
  readonly kind: Uint8Array;
  /** When the recorder learned of it. Microseconds since the epoch; never goes back within a tape. */
  readonly at: Float64Array;
  /** When the venue says it happened, by the venue's clock; `NOT_TOLD` where it did not say. May go back. */
  readonly venueAt: Float64Array;
  /** The market's number in the tape's own table of tickers. */
  readonly market: Int32Array;
  /** Ten-thousandths of a dollar, on the YES scale. */
  readonly price: Int32Array;
  /** Hundredths of a contract. */
  readonly qty: Float64Array;
  /** Text of a row, read only when asked for: it is slow. Empty where the row has none. */
  text(row: number): string;
}

/**
 * The memory that blocks are read into: asked at most once for each block. Who goes through rows says by it how long a block
 * is left as it is: until its memory is given for another one.
 */
export interface BlockRoom {
  /** So many bytes, or more, whatever is in them. */
  take(bytes: number): ArrayBuffer;
}

/** The same memory for every block: each is gone with the next. */
export class OneBlockRoom implements BlockRoom {
  #memory = new ArrayBuffer(0);

  take(bytes: number): ArrayBuffer {
    if (this.#memory.byteLength < bytes) this.#memory = new ArrayBuffer(bytes);
    return this.#memory;
  }
}

/** Which rows are wanted, and where to put them: all, and each block in the memory of the one before, unless told otherwise. */
export interface RowRange {
  readonly from?: Micros;
  readonly to?: Micros;
  readonly room?: BlockRoom;
}

/** Rows to be replayed, a block at a time. */
export interface RowSource {
  readonly facts: TapeFacts;
  /** Names of the market numbers in the rows, in order. */
  readonly tickers: TickerTable;
  /** The blocks, from the first row at or after `from` to the last before `to`; whole blocks may be skipped by their times. */
  blocks(range?: RowRange): Iterable<RowBlock>;
  close(): void;
}

/** A stretch in which nothing, or not everything, was recorded: books are suspect until the next snapshot. */
export interface TapeGap {
  readonly from: Micros;
  readonly to: Micros;
  readonly reason: string;
  /** The tickers that it concerns; empty means all. */
  readonly tickers: readonly string[];
}

/** What is known of a tape as a whole. */
export interface TapeFacts {
  /** Where it comes from: a recording's or journal's profile, or the format that was imported. */
  readonly source: string;
  /** The venue's name. */
  readonly venue: string;
  readonly from: Micros;
  readonly to: Micros;
  readonly rows: number;
  /** Rows by what they tell: `delta`, `print`, `snapshot`, `level`, or the kind of any other event. */
  readonly counts: Readonly<Record<string, number>>;
  readonly gaps: readonly TapeGap[];
  /** What the source does not say and was taken for granted, in whole sentences. */
  readonly assumptions: readonly string[];
  /** SHA-256 of what was baked, and the version of the code that baked it: another of either makes it stale. */
  readonly sourceHash: string;
  readonly bakerVersion: number;
}

/** What the venue tells everybody, beside books and trades: a row's text holds it with its time and the tape's market numbers. */
export type OtherEvent = EventOf<'fact'>;
