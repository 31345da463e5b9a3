// As of when each market's book is known to be right: by what the stream told of it, by its sequence going on unbroken,
// or by an equal book read over REST. Must never take a mere sign of life for a word on a book.
import type { MarketIndex } from '../domain/ids.ts';
import { EPOCH, type Micros } from '../domain/units.ts';

const GROWTH = 1.5;
/** Sequences beyond this number confirm only the market that a message is about. */
const STREAMS_MAX = 65_536;
/** Figures kept of a market, side by side, so that one line of the cache holds them. */
const STRIDE = 4;
/** When the stream last told of its book, and when an equal one was last asked for. */
const TOLD = 0;
const READ = 1;
/** The sequence that its book follows, and how often it was told of. */
const STREAM = 2;
const COUNT = 3;

/** The last confirmations, by market. Times are ours. */
export class Confirmations {
  #markets = new Float64Array(0);
  /** When each sequence last went on. */
  #streamAt = new Float64Array(0);

  /** The stream told of a book, in a sequence; 0 where there is none. */
  told(market: MarketIndex, stream: number, at: Micros): void {
    const place = market * STRIDE;
    if (place >= this.#markets.length) this.#growMarkets(market + 1);
    const number = stream < STREAMS_MAX ? stream : 0;
    const markets = this.#markets;
    markets[place + TOLD] = at;
    markets[place + STREAM] = number;
    markets[place + COUNT] = (markets[place + COUNT] ?? 0) + 1;
    if (number >= this.#streamAt.length) this.#growStreams(number + 1);
    this.#streamAt[number] = at;
  }

  /** Whether a sequence is another one than the book follows: what it tells, the book's own tells as well. */
  isForeign(market: MarketIndex, stream: number): boolean {
    const own = this.#markets[market * STRIDE + STREAM] ?? 0;
    return own !== stream && own !== 0 && stream !== 0 && stream < STREAMS_MAX;
  }

  /** A book read over REST was equal: as of when it was asked for. */
  read(market: MarketIndex, askedAt: Micros): void {
    const place = market * STRIDE;
    if (place >= this.#markets.length) this.#growMarkets(market + 1);
    this.#markets[place + READ] = Math.max(this.#markets[place + READ] ?? 0, askedAt);
  }

  /** When the stream last proved a book right; the messages that did may have been late. */
  streamedAt(market: MarketIndex): Micros {
    const stream = this.#of(market, STREAM);
    const told = this.toldAt(market);
    return (stream === 0 ? told : Math.max(told, this.#streamAt[stream] ?? EPOCH)) as Micros;
  }

  /** When the stream last told of a book itself. */
  toldAt(market: MarketIndex): Micros {
    return this.#of(market, TOLD) as Micros;
  }

  /** How often the stream has told of a book. */
  countOf(market: MarketIndex): number {
    return this.#of(market, COUNT);
  }

  /** When an equal book was last asked for over REST. */
  readAt(market: MarketIndex): Micros {
    return this.#of(market, READ) as Micros;
  }

  #of(market: MarketIndex, which: number): number {
    return this.#markets[market * STRIDE + which] ?? 0;
  }

  /** The connection is another one: its sequences are numbered anew. */
  restart(): void {
    for (let place = STREAM; place < this.#markets.length; place += STRIDE) this.#markets[place] = 0;
    this.#streamAt.fill(0);
  }

  /** Nothing is known of a market any more. */
  forget(market: MarketIndex): void {
    this.#markets.fill(0, market * STRIDE, (market + 1) * STRIDE);
  }

  #growStreams(needed: number): void {
    this.#streamAt = grown(this.#streamAt, Math.max(needed, Math.ceil(this.#streamAt.length * GROWTH), 16));
  }

  #growMarkets(needed: number): void {
    this.#markets = grown(this.#markets, STRIDE * Math.max(Math.ceil(needed * GROWTH), 16));
  }
}

function grown(from: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const to = new Float64Array(length);
  to.set(from);
  return to;
}
