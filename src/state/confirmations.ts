// As of when each market's book is known to be right: by what the stream told of it, by its sequence going on unbroken,
// or by an equal book read over REST. Must never take a mere sign of life for a word on a book.
import type { MarketIndex } from '../domain/ids.ts';
import { EPOCH, type Micros } from '../domain/units.ts';

const GROWTH = 1.5;
/** Sequences beyond this number confirm only the market that a message is about. */
const STREAMS_MAX = 65_536;

/** The last confirmations, by market. Times are ours. */
export class Confirmations {
  #told = new Float64Array(0);
  #read = new Float64Array(0);
  #stream = new Uint16Array(0);
  #count = new Uint32Array(0);
  /** When each sequence last went on. */
  #streamAt = new Float64Array(0);

  /** The stream told of a book, in a sequence; 0 where there is none. */
  told(market: MarketIndex, stream: number, at: Micros): void {
    if (market >= this.#told.length) this.#growMarkets(market + 1);
    this.#told[market] = at;
    this.#count[market] = (this.#count[market] ?? 0) + 1;
    const number = stream < STREAMS_MAX ? stream : 0;
    this.#stream[market] = number;
    if (number >= this.#streamAt.length) this.#growStreams(number + 1);
    this.#streamAt[number] = at;
  }

  /** Whether a sequence is another one than the book follows: what it tells, the book's own tells as well. */
  isForeign(market: MarketIndex, stream: number): boolean {
    const own = this.#stream[market] ?? 0;
    return own !== 0 && stream !== 0 && own !== stream && stream < STREAMS_MAX;
  }

  /** A book read over REST was equal: as of when it was asked for. */
  read(market: MarketIndex, askedAt: Micros): void {
    if (market >= this.#told.length) this.#growMarkets(market + 1);
    this.#read[market] = Math.max(this.#read[market] ?? 0, askedAt);
  }

  /** When the stream last proved a book right; the messages that did may have been late. */
  streamedAt(market: MarketIndex): Micros {
    const stream = this.#stream[market] ?? 0;
    const told = this.#told[market] ?? EPOCH;
    return (stream === 0 ? told : Math.max(told, this.#streamAt[stream] ?? EPOCH)) as Micros;
  }

  /** When the stream last told of a book itself. */
  toldAt(market: MarketIndex): Micros {
    return (this.#told[market] ?? EPOCH) as Micros;
  }

  /** How often the stream has told of a book. */
  countOf(market: MarketIndex): number {
    return this.#count[market] ?? 0;
  }

  /** When an equal book was last asked for over REST. */
  readAt(market: MarketIndex): Micros {
    return (this.#read[market] ?? EPOCH) as Micros;
  }

  /** The connection is another one: its sequences are numbered anew. */
  restart(): void {
    this.#stream.fill(0);
    this.#streamAt.fill(0);
  }

  /** Nothing is known of a market any more. */
  forget(market: MarketIndex): void {
    if (market >= this.#told.length) return;
    this.#told[market] = 0;
    this.#read[market] = 0;
    this.#count[market] = 0;
    this.#stream[market] = 0;
  }

  #growStreams(needed: number): void {
    const length = Math.max(needed, Math.ceil(this.#streamAt.length * GROWTH), 16);
    this.#streamAt = grownInto(new Float64Array(length), this.#streamAt);
  }

  #growMarkets(needed: number): void {
    const length = Math.max(needed, Math.ceil(this.#told.length * GROWTH), 16);
    this.#told = grownInto(new Float64Array(length), this.#told);
    this.#read = grownInto(new Float64Array(length), this.#read);
    this.#stream = grownInto(new Uint16Array(length), this.#stream);
    this.#count = grownInto(new Uint32Array(length), this.#count);
  }
}

type Column = Float64Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

function grownInto<To extends Column>(to: To, from: To): To {
  to.set(from);
  return to;
}
