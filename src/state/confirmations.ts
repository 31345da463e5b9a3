// As of when each market's book is known to be right: by what the stream told of it, by its sequence going on unbroken,
// or by an equal book read over REST. Must never take a mere sign of life for a word on a book.
import { ByMarket, grownCopy } from '../domain/columns.ts';
import type { BookDelta } from '../domain/event.ts';
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

/** What was told of a book: taken whole, because a time that is handed on by itself may be allocated. */
type Told = Pick<BookDelta, 'market' | 'stream' | 'at'>;

/** The last confirmations, by market. Times are ours. */
export class Confirmations extends ByMarket {
  /** When the stream last told of each book, and when an equal book was last asked for. */
  #told = new Float64Array(this.room);
  #read = new Float64Array(this.room);
  #pairs = new Uint32Array(this.room * PAIR);
  /** When each sequence last went on. */
  #streamAt = new Float64Array(16);

  /** Makes room for a market: nothing may be told of it before. */
  open(market: MarketIndex): void {
    if (market >= this.#told.length) this.#growMarkets(market + 1);
  }

  /** The stream told of a book, in a sequence if there is one: the book follows that one from now on. */
  told(what: Told): void {
    const { market, stream = 0 } = what;
    const number = stream < STREAMS_MAX ? stream : 0;
    if (this.#streamOf(market) !== number) this.#follow(market, number);
    this.#note(market, what.at, number);
  }

  /** Whether what is told is of the very sequence that its book follows: so are nearly all changes, and `note` notes them. */
  isFollowed({ market, stream }: Told): boolean {
    return this.#pairs[market * PAIR + STREAM] === stream;
  }

  /** Notes what was told of a book in the sequence that the book follows. */
  note({ market, at, stream = 0 }: Told): void {
    this.#note(market, at, stream);
  }

  #note(market: MarketIndex, at: Micros, stream: number): void {
    const count = market * PAIR + COUNT;
    this.#pairs[count] = (this.#pairs[count] ?? 0) + 1;
    this.#told[market] = at;
    this.#streamAt[stream] = at;
  }

  /**
   * The stream told of a change of a book, in whatever sequence. `false`, with nothing noted, when that was in another one
   * than the book follows: what such a one tells, the book's own tells as well.
   */
  toldChange(what: Told): boolean {
    const { market, stream = 0 } = what;
    const isForeign = !this.isFollowed(what) && this.#streamOf(market) !== 0 && stream !== 0 && stream < STREAMS_MAX;
    if (!isForeign) this.told(what);
    return !isForeign;
  }

  #follow(market: MarketIndex, stream: number): void {
    this.#pairs[market * PAIR + STREAM] = stream;
    if (stream >= this.#streamAt.length) this.#growStreams(stream + 1);
  }

  #streamOf(market: MarketIndex): number {
    return this.#pairs[market * PAIR + STREAM] ?? 0;
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
