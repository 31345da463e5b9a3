// As of when each market's book is known to be right: by what the stream told of it, by its sequence going on unbroken,
// or by an equal book read over REST. Must never take a mere sign of life for a word on a book.
import { grownCopy } from '../domain/columns.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { EPOCH, type Micros } from '../domain/units.ts';

const GROWTH = 1.5;
/** Sequences beyond this number confirm only the market that a message is about. */
const STREAMS_MAX = 65_536;

// What every change of a book reads of a market stands side by side: how often the stream told of its book, and the sequence
// that the book follows.
const PAIR = 2;
const COUNT = 0;
const STREAM = 1;

/** The last confirmations, by market. Times are ours. */
export class Confirmations {
  /** When the stream last told of each book, and when an equal book was last asked for. */
  #told = new Float64Array(0);
  #read = new Float64Array(0);
  #pairs = new Uint32Array(0);
  /** When each sequence last went on. */
  #streamAt = new Float64Array(16);

  /** Makes room for a market: nothing may be told of it before. */
  open(market: MarketIndex): void {
    if (market >= this.#told.length) this.#growMarkets(market + 1);
  }

  /** The stream told of a book, in a sequence; 0 where there is none. */
  told(market: MarketIndex, stream: number, at: Micros): void {
    const pairs = this.#pairs;
    const pair = market * PAIR;
    const number = stream < STREAMS_MAX ? stream : 0;
    if (pairs[pair + STREAM] !== number) this.#follow(market, number);
    pairs[pair + COUNT] = (pairs[pair + COUNT] ?? 0) + 1;
    this.#told[market] = at;
    this.#streamAt[number] = at;
  }

  #follow(market: MarketIndex, stream: number): void {
    this.#pairs[market * PAIR + STREAM] = stream;
    if (stream >= this.#streamAt.length) this.#growStreams(stream + 1);
  }

  #streamOf(market: MarketIndex): number {
    return this.#pairs[market * PAIR + STREAM] ?? 0;
  }

  /** Whether a sequence is another one than the book follows: what it tells, the book's own tells as well. */
  isForeign(market: MarketIndex, stream: number): boolean {
    const own = this.#streamOf(market);
    return own !== stream && own !== 0 && stream !== 0 && stream < STREAMS_MAX;
  }

  /** A book read over REST was equal: as of when it was asked for. */
  read(market: MarketIndex, askedAt: Micros): void {
    this.#read[market] = Math.max(this.#read[market] ?? 0, askedAt);
  }

  /** When the stream last proved a book right; the messages that did may have been late. */
  streamedAt(market: MarketIndex): Micros {
    const stream = this.#streamOf(market);
    const told = this.toldAt(market);
    return (stream === 0 ? told : Math.max(told, this.#streamAt[stream] ?? EPOCH)) as Micros;
  }

  /** When the stream last told of a book itself. */
  toldAt(market: MarketIndex): Micros {
    return (this.#told[market] ?? EPOCH) as Micros;
  }

  /** How often the stream has told of a book. */
  countOf(market: MarketIndex): number {
    return this.#pairs[market * PAIR + COUNT] ?? 0;
  }

  /** When an equal book was last asked for over REST. */
  readAt(market: MarketIndex): Micros {
    return (this.#read[market] ?? EPOCH) as Micros;
  }

  /** The connection is another one: its sequences are numbered anew. */
  restart(): void {
    for (let pair = 0; pair < this.#pairs.length; pair += PAIR) this.#pairs[pair + STREAM] = 0;
    this.#streamAt.fill(0);
  }

  /** Nothing is known of a market any more. */
  forget(market: MarketIndex): void {
    for (const column of [this.#told, this.#read]) column.fill(0, market, market + 1);
    this.#pairs.fill(0, market * PAIR, (market + 1) * PAIR);
  }

  #growStreams(needed: number): void {
    const length = Math.max(needed, Math.ceil(this.#streamAt.length * GROWTH));
    this.#streamAt = grownCopy(this.#streamAt, new Float64Array(length));
  }

  #growMarkets(needed: number): void {
    const length = Math.max(Math.ceil(needed * GROWTH), 16);
    this.#told = grownCopy(this.#told, new Float64Array(length));
    this.#read = grownCopy(this.#read, new Float64Array(length));
    this.#pairs = grownCopy(this.#pairs, new Uint32Array(length * PAIR));
  }
}
