// Invariant I5: reads the stream independently, as it reached the bot. It detects broken continuity from sequence
// numbers alone, and builds its own books; the dialect gives the message format. Must never share code with the
// normalizer or the state.
import type { Engine } from '../../../src/engine.ts';
import type { BookSide } from '../../../src/domain/event.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import type { FeedProfile } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { type Codec, codecOf } from '../../../src/venues/trade-api/wire/codec.ts';
import type { DeltaRecord, SnapshotRecord } from '../../../src/venues/trade-api/wire/wire-feed-records.ts';
import { onYesScale } from '../../../src/venues/trade-api/wire/yes-scale.ts';
import type { FeedConnection, FeedWatcher } from '../network/feed-link.ts';
import type { Verdict } from './verdict.ts';

/** One book built from the stream; `isContinuous` is false while its continuity is broken. */
interface StreamBook {
  isContinuous: boolean;
  levels: Map<string, number>;
}

/** The last sequence number of a subscription, and the books it carries. */
interface Sequence {
  seq: number;
  readonly tickers: Set<string>;
}

/** The common members of all stream messages. */
interface Message {
  readonly type?: unknown;
  readonly sid?: number;
  readonly seq?: number;
  readonly msg?: unknown;
}

/** Builds books from the bot's frames, and compares them with the bot's own. */
export class BookCheck implements FeedWatcher {
  readonly #verdict: Verdict;
  readonly #feed: FeedProfile;
  readonly #snapshots: Codec<SnapshotRecord>;
  readonly #deltas: Codec<DeltaRecord>;
  readonly #books = new Map<string, StreamBook>();
  readonly #sequences = new Map<number, Sequence>();
  #connection: FeedConnection | null = null;
  /** Number of continuity breaks in the stream. */
  breaks = 0;
  /** Number of books compared. */
  compared = 0;

  constructor(verdict: Verdict, feed: FeedProfile) {
    const { snapshot, delta } = feed.messages;
    const isOnYesScale = feed.onYesScale === true;
    this.#verdict = verdict;
    this.#feed = feed;
    this.#snapshots = codecOf(isOnYesScale ? onYesScale(snapshot.record) : snapshot.record);
    this.#deltas = codecOf(isOnYesScale ? onYesScale(delta.record) : delta.record);
  }

  onUp(connection: FeedConnection): void {
    this.#connection = connection;
    this.#sequences.clear();
    this.#breakAllBooks();
  }

  onDown(connection: FeedConnection): void {
    if (connection === this.#connection) this.#breakAllBooks();
  }

  onFrame(connection: FeedConnection, text: string): void {
    if (connection !== this.#connection) return;
    const message = parsed(text);
    if (message === null) return this.#breakAllBooks();
    const { sid, seq, type, msg } = message;
    if (sid === undefined || seq === undefined || !this.#isNewMessage(sid, seq)) return;
    const { snapshot, delta } = this.#feed.messages;
    if (type === snapshot.type) this.#applySnapshot(sid, this.#snapshots.decode(msg));
    if (type === delta.type) this.#applyDelta(this.#deltas.decode(msg));
  }

  #applySnapshot(sid: number, { ticker, bids, asks }: SnapshotRecord): void {
    this.#sequences.get(sid)?.tickers.add(ticker);
    const levels = new Map<string, number>();
    for (const [price, qty] of bids) levels.set(keyOf('bid', price), qty);
    for (const [price, qty] of asks) levels.set(keyOf('ask', price), qty);
    this.#books.set(ticker, { isContinuous: true, levels });
  }

  /** True when a message is new. A skipped sequence number breaks every book of the subscription. */
  #isNewMessage(sid: number, seq: number): boolean {
    const known = this.#sequences.get(sid);
    if (known === undefined) {
      this.#sequences.set(sid, { seq, tickers: new Set() });
      return true;
    }
    if (seq <= known.seq) return false;
    if (seq !== known.seq + 1) for (const ticker of known.tickers) this.#breakBook(this.#books.get(ticker));
    known.seq = seq;
    return true;
  }

  #applyDelta({ ticker, side, price, change }: DeltaRecord): void {
    const book = this.#books.get(ticker);
    if (book === undefined || !book.isContinuous) return;
    const key = keyOf(side, price);
    const qty = (book.levels.get(key) ?? 0) + change;
    if (qty < 0) book.isContinuous = false;
    if (qty === 0) book.levels.delete(key);
    else book.levels.set(key, qty);
  }

  #breakAllBooks(): void {
    for (const book of this.#books.values()) this.#breakBook(book);
  }

  #breakBook(book: StreamBook | undefined): void {
    if (book?.isContinuous !== true) return;
    this.breaks += 1;
    book.isContinuous = false;
  }

  /** Checks the book of a market in which an order is being released. */
  checkOrder(engine: Engine, market: MarketIndex): void {
    const ticker = engine.state.tickers.tickerOf(market);
    this.#verdict.require(
      engine.state.books.isLive(market),
      'I5',
      () => `an order in ${ticker}, whose book is not live`,
    );
    this.#verdict.require(
      this.#books.get(ticker)?.isContinuous === true,
      'I5',
      () => `an order in ${ticker}, whose continuity is broken`,
    );
  }

  /** Checks that every live book of the bot equals the stream. */
  compare(engine: Engine): void {
    for (const { index, ticker } of engine.state.markets.allMarkets()) {
      if (!engine.state.books.isOpen(index) || !engine.state.books.isLive(index)) continue;
      const streamBook = this.#books.get(ticker);
      this.#verdict.require(
        streamBook?.isContinuous === true,
        'BOOKS',
        () => `${ticker} is live, but its continuity is broken`,
      );
      if (streamBook?.isContinuous !== true) continue;
      this.compared += 1;
      const theirs = [...streamBook.levels]
        .map(([key, qty]) => `${key} ${qty}`)
        .sort()
        .join();
      const ours = bookOf(engine, index).sort().join();
      this.#verdict.require(ours === theirs, 'BOOKS', () => `${ticker} is ${ours}; the stream has ${theirs}`);
    }
  }
}

const SIDES: readonly BookSide[] = ['bid', 'ask'];

const keyOf = (side: BookSide, price: number): string => `${side} ${price}`;

/** The bot's book in the notation of this file. */
const bookOf = ({ state }: Engine, market: MarketIndex): string[] =>
  SIDES.flatMap((side) => state.books.levels(market, side).map(([price, qty]) => `${keyOf(side, price)} ${qty}`));

function parsed(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    // Every member of a message is optional, and treated as such.
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
