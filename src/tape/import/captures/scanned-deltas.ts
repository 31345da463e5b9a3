// The delta messages that a thread has read from a chunk of lines, in memory that both threads see. The members are those
// of the message the reader stands at. Must never be read while the thread writes.
import type { BookSide } from '../../../domain/event.ts';
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Micros, Price, Qty } from '../../../domain/units.ts';
import type { ScannedDelta } from '../../../venue.ts';

/** Places of a message's numbers. `NaN` stands for `null`. */
const LINE_START = 0;
const LINE_END = 1;
const START = 2;
const END = 3;
const RECEIVED = 4;
const SID = 5;
const SEQ = 6;
const MARKET = 7;
const EXCHANGE_AT = 8;
const PRICE = 9;
/** 1 for a bid, 0 for an ask. */
const IS_BID = 10;
const CHANGE = 11;
const NUMBERS = 12;
/** The first number is the count of messages. */
const HEAD = 1;
/** A delta message has more bytes than this. */
const MESSAGE_BYTES_MIN = 96;

/** Offsets in the buffer of a chunk: of the line without its newline, and of the message in it. */
export interface ScannedPlace {
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly start: number;
  readonly end: number;
  /** The time of receipt in the recorder's wrapper, or `null`. */
  readonly received: Micros | null;
}

/** The delta messages of a chunk, in the sequence of their lines. */
export class ScannedDeltas implements ScannedDelta, ScannedPlace {
  lineStart = 0;
  lineEnd = 0;
  start = 0;
  end = 0;
  received: Micros | null = null;
  sid = 0;
  seq: number | null = null;
  market = 0 as MarketIndex;
  exchangeAt: Micros | null = null;
  side: BookSide = 'bid';
  price = 0 as Price;
  change = 0 as Qty;
  readonly memory: SharedArrayBuffer;
  readonly #numbers: Float64Array;
  /** Place of the next message's numbers. */
  #at = HEAD;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#numbers = new Float64Array(memory);
  }

  /** Makes memory for the messages of a chunk. */
  static forChunk(bytes: number): ScannedDeltas {
    const messages = Math.ceil(bytes / MESSAGE_BYTES_MIN);
    return new ScannedDeltas(new SharedArrayBuffer((HEAD + messages * NUMBERS) * Float64Array.BYTES_PER_ELEMENT));
  }

  /** Forgets all messages, and moves to the first. */
  clear(): void {
    this.#numbers[0] = 0;
    this.rewind();
  }

  rewind(): void {
    this.#at = HEAD;
  }

  /** Adds a message at the end. Returns false when there is no room. */
  addDelta(place: ScannedPlace, delta: ScannedDelta): boolean {
    const numbers = this.#numbers;
    const at = this.#at;
    if (at + NUMBERS > numbers.length) return false;
    numbers[at + LINE_START] = place.lineStart;
    numbers[at + LINE_END] = place.lineEnd;
    numbers[at + START] = place.start;
    numbers[at + END] = place.end;
    numbers[at + RECEIVED] = place.received ?? NaN;
    numbers[at + SID] = delta.sid;
    numbers[at + SEQ] = delta.seq ?? NaN;
    numbers[at + MARKET] = delta.market;
    numbers[at + EXCHANGE_AT] = delta.exchangeAt ?? NaN;
    numbers[at + PRICE] = delta.price;
    numbers[at + IS_BID] = delta.side === 'bid' ? 1 : 0;
    numbers[at + CHANGE] = delta.change;
    this.#at = at + NUMBERS;
    numbers[0] = (numbers[0] ?? 0) + 1;
    return true;
  }

  /** Moves to the next message. Returns false after the last one. */
  moveNext(): boolean {
    const numbers = this.#numbers;
    const at = this.#at;
    if (at >= HEAD + (numbers[0] ?? 0) * NUMBERS) return false;
    this.lineStart = numbers[at + LINE_START] ?? 0;
    this.lineEnd = numbers[at + LINE_END] ?? 0;
    this.start = numbers[at + START] ?? 0;
    this.end = numbers[at + END] ?? 0;
    this.received = orNull(numbers[at + RECEIVED] ?? NaN) as Micros | null;
    this.sid = numbers[at + SID] ?? 0;
    this.seq = orNull(numbers[at + SEQ] ?? NaN);
    this.market = (numbers[at + MARKET] ?? 0) as MarketIndex;
    this.exchangeAt = orNull(numbers[at + EXCHANGE_AT] ?? NaN) as Micros | null;
    this.price = (numbers[at + PRICE] ?? 0) as Price;
    this.side = numbers[at + IS_BID] === 1 ? 'bid' : 'ask';
    this.change = (numbers[at + CHANGE] ?? 0) as Qty;
    this.#at = at + NUMBERS;
    return true;
  }
}

const orNull = (number: number): number | null => (number === number ? number : null);
