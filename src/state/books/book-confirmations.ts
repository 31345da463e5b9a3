// The time as of which each market's book is known to be right. A streamed message or an equal book read over REST
// proves it. Must never take a heartbeat as proof.
import { assert } from '../../base/assert.ts';
import { PresizedColumns, grownCopy } from '../../base/typed-columns.ts';
import type { BookDelta } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';

const GROWTH = 1.5;
/** Bound on stream numbers. A message in a stream beyond it confirms its own market only. */
const STREAMS_MAX = 65_536;

// Two figures of a market stand side by side, because every level change reads both: the number of messages about its
// book, and the number of its stream.
const PAIR = 2;
const COUNT = 0;
const STREAM = 1;

/** A message about a book. Functions take it whole, because passing a time alone may allocate. */
type BookMessage = Pick<BookDelta, 'market' | 'stream' | 'at'>;

/** The last confirmations of each book, by our clock. */
export class BookConfirmations extends PresizedColumns {
  /** Time of the stream's last message about each book, and of the last REST request that returned an equal book. */
  #messageAt = new Float64Array(this.capacity);
  #readAt = new Float64Array(this.capacity);
  #pairs = new Uint32Array(this.capacity * PAIR);
  #streamAt = new Float64Array(16);
  /**
   * Books with a message since the last `takeChangedBooks`, and the time of that call. Before the first call, nothing is
   * collected. Added at the first such message of a book; removed when taken.
   */
  #changedBooks = new Set<MarketIndex>();
  #takenAt = Number.NEGATIVE_INFINITY;

  /** Makes room for a market. Must be called before any message about it. */
  openMarket(market: MarketIndex): void {
    if (market >= this.#messageAt.length) this.#growMarkets(market + 1);
    assert(market < this.#readAt.length, 'an open market must have room for its confirmations');
  }

  /** Records a message about a book. The book follows the message's stream from now on. */
  followStream(message: BookMessage): void {
    const { market, stream = 0 } = message;
    const number = stream < STREAMS_MAX ? stream : 0;
    if (this.streamOf(market) !== number) this.#setStream(market, number);
    this.#recordMessage(market, message.at, number);
  }

  /** True when the book follows the message's stream. */
  isOnFollowedStream({ market, stream }: BookMessage): boolean {
    return this.#pairs[market * PAIR + STREAM] === stream;
  }

  recordMessage({ market, at, stream = 0 }: BookMessage): void {
    this.#recordMessage(market, at, stream);
  }

  #recordMessage(market: MarketIndex, at: Micros, stream: number): void {
    const count = market * PAIR + COUNT;
    this.#pairs[count] = (this.#pairs[count] ?? 0) + 1;
    if ((this.#messageAt[market] ?? 0) <= this.#takenAt) this.#changedBooks.add(market);
    this.#messageAt[market] = at;
    this.#streamAt[stream] = at;
  }

  /** Returns the books with a message since the last call, in any sequence. The first call returns none. */
  takeChangedBooks(now: Micros): Iterable<MarketIndex> {
    const changed = this.#changedBooks;
    this.#changedBooks = new Set();
    this.#takenAt = now;
    return changed;
  }

  /**
   * Records a level change. Returns `false`, and records nothing, when the book follows another stream: that stream
   * carries the change as well.
   */
  recordChange(message: BookMessage): boolean {
    const { market, stream = 0 } = message;
    const isOtherStream =
      !this.isOnFollowedStream(message) && this.streamOf(market) !== 0 && stream !== 0 && stream < STREAMS_MAX;
    if (!isOtherStream) this.followStream(message);
    return !isOtherStream;
  }

  #setStream(market: MarketIndex, stream: number): void {
    this.#pairs[market * PAIR + STREAM] = stream;
    if (stream >= this.#streamAt.length) this.#growStreams(stream + 1);
    assert(stream < this.#streamAt.length, 'a followed stream must have room for its time');
  }

  /** Number of the stream that a book follows; 0 while none is known. */
  streamOf(market: MarketIndex): number {
    return this.#pairs[market * PAIR + STREAM] ?? 0;
  }

  /** Time of the last message in a stream. */
  streamMessageAt(stream: number): Micros {
    return (this.#streamAt[stream] ?? EPOCH) as Micros;
  }

  recordEqualRead(market: MarketIndex, askedAt: Micros): void {
    this.#readAt[market] = Math.max(this.#readAt[market] ?? 0, askedAt);
  }

  /**
   * Time at which the stream last proved a book right. Any message in a stream proves that nothing before it was lost.
   */
  streamedAt(market: MarketIndex): Micros {
    const stream = this.streamOf(market);
    const messageAt = this.messageAt(market);
    return (stream === 0 ? messageAt : Math.max(messageAt, this.#streamAt[stream] ?? EPOCH)) as Micros;
  }

  messageAt(market: MarketIndex): Micros {
    return (this.#messageAt[market] ?? EPOCH) as Micros;
  }

  /** Number of snapshots and level changes of a book. */
  messageCount(market: MarketIndex): number {
    return this.#pairs[market * PAIR + COUNT] ?? 0;
  }

  readAt(market: MarketIndex): Micros {
    return (this.#readAt[market] ?? EPOCH) as Micros;
  }

  /** Forgets the streams, because a new connection numbers them from 1 again. */
  forgetStreams(): void {
    for (let pair = 0; pair < this.#pairs.length; pair += PAIR) this.#pairs[pair + STREAM] = 0;
    this.#streamAt.fill(0);
  }

  forgetMarket(market: MarketIndex): void {
    for (const column of [this.#messageAt, this.#readAt]) column.fill(0, market, market + 1);
    this.#pairs.fill(0, market * PAIR, (market + 1) * PAIR);
  }

  #growStreams(needed: number): void {
    const length = Math.max(needed, Math.ceil(this.#streamAt.length * GROWTH));
    this.#streamAt = grownCopy(this.#streamAt, new Float64Array(length));
  }

  #growMarkets(needed: number): void {
    const length = Math.max(Math.ceil(needed * GROWTH), 16);
    this.#messageAt = grownCopy(this.#messageAt, new Float64Array(length));
    this.#readAt = grownCopy(this.#readAt, new Float64Array(length));
    this.#pairs = grownCopy(this.#pairs, new Uint32Array(length * PAIR));
  }
}
