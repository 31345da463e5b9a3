// I5: an independent reader of the stream as it reached the bot. It knows from sequence numbers alone whose continuity is
// broken, and builds the books anew; how a message is spelled is the dialect's. Must never share code with the normalizer or
// the state.
import type { Engine } from '../../src/engine.ts';
import type { BookSide } from '../../src/domain/event.ts';
import type { MarketIndex } from '../../src/domain/ids.ts';
import type { FeedProfile } from '../../src/venues/trade-api/profile.ts';
import { type Codec, codecOf } from '../../src/venues/trade-api/wire/codec.ts';
import type { DeltaRecord, SnapshotRecord } from '../../src/venues/trade-api/wire/feed-records.ts';
import { onYesScale } from '../../src/venues/trade-api/wire/yes-scale.ts';
import type { FeedConnection, FeedWatcher } from './feed-link.ts';
import type { Verdict } from './verdict.ts';

/** One book as the stream tells it; `null` levels while its continuity is broken. */
interface Mirror {
  isWhole: boolean;
  levels: Map<string, number>;
}

/** What a subscription was last numbered, and the books that came by it. */
interface Sequence {
  seq: number;
  readonly tickers: Set<string>;
}

/** A message of the stream: what all have in common. */
interface Message {
  readonly type?: unknown;
  readonly sid?: number;
  readonly seq?: number;
  readonly msg?: unknown;
}

/** Reads along. */
export class BookCheck implements FeedWatcher {
  readonly #verdict: Verdict;
  readonly #feed: FeedProfile;
  readonly #snapshots: Codec<SnapshotRecord>;
  readonly #deltas: Codec<DeltaRecord>;
  readonly #books = new Map<string, Mirror>();
  readonly #sequences = new Map<number, Sequence>();
  #connection: FeedConnection | null = null;
  /** Continuity breaks that the stream showed. */
  breaks = 0;
  /** Books that were compared. */
  compared = 0;

  constructor(verdict: Verdict, feed: FeedProfile) {
    const { snapshot, delta } = feed.messages;
    const isTurned = feed.onYesScale === true;
    this.#verdict = verdict;
    this.#feed = feed;
    this.#snapshots = codecOf(isTurned ? onYesScale(snapshot.record) : snapshot.record);
    this.#deltas = codecOf(isTurned ? onYesScale(delta.record) : delta.record);
  }

  onUp(connection: FeedConnection): void {
    this.#connection = connection;
    this.#sequences.clear();
    this.#breakAll();
  }

  onDown(connection: FeedConnection): void {
    if (connection === this.#connection) this.#breakAll();
  }

  onFrame(connection: FeedConnection, text: string): void {
    if (connection !== this.#connection) return;
    const message = parsed(text);
    if (message === null) return this.#breakAll();
    const { sid, seq, type, msg } = message;
    if (sid === undefined || seq === undefined || !this.#follows(sid, seq)) return;
    const { snapshot, delta } = this.#feed.messages;
    if (type === snapshot.type) this.#show(sid, this.#snapshots.decode(msg));
    if (type === delta.type) this.#change(this.#deltas.decode(msg));
  }

  #show(sid: number, { ticker, bids, asks }: SnapshotRecord): void {
    this.#sequences.get(sid)?.tickers.add(ticker);
    const levels = new Map<string, number>();
    for (const [price, qty] of bids) levels.set(keyOf('bid', price), qty);
    for (const [price, qty] of asks) levels.set(keyOf('ask', price), qty);
    this.#books.set(ticker, { isWhole: true, levels });
  }

  /** Whether a message is new; the books of a subscription whose numbers leave one out are all in doubt. */
  #follows(sid: number, seq: number): boolean {
    const known = this.#sequences.get(sid);
    if (known === undefined) {
      this.#sequences.set(sid, { seq, tickers: new Set() });
      return true;
    }
    if (seq <= known.seq) return false;
    if (seq !== known.seq + 1) for (const ticker of known.tickers) this.#break(this.#books.get(ticker));
    known.seq = seq;
    return true;
  }

  #change({ ticker, side, price, change }: DeltaRecord): void {
    const book = this.#books.get(ticker);
    if (book === undefined || !book.isWhole) return;
    const key = keyOf(side, price);
    const qty = (book.levels.get(key) ?? 0) + change;
    if (qty < 0) book.isWhole = false;
    if (qty === 0) book.levels.delete(key);
    else book.levels.set(key, qty);
  }

  #breakAll(): void {
    for (const book of this.#books.values()) this.#break(book);
  }

  #break(book: Mirror | undefined): void {
    if (book?.isWhole !== true) return;
    this.breaks += 1;
    book.isWhole = false;
  }

  /** An order in this market is being let out. */
  checkOrder(engine: Engine, market: MarketIndex): void {
    const ticker = engine.state.tickers.tickerOf(market);
    this.#verdict.require(
      engine.state.books.isLive(market),
      'I5',
      () => `an order in ${ticker}, whose book is not live`,
    );
    this.#verdict.require(
      this.#books.get(ticker)?.isWhole === true,
      'I5',
      () => `an order in ${ticker}, whose continuity is broken`,
    );
  }

  /** Every book that the bot believes in equals the stream. */
  compare(engine: Engine): void {
    for (const { index, ticker } of engine.state.markets.all()) {
      if (!engine.state.books.isOpen(index) || !engine.state.books.isLive(index)) continue;
      const mirror = this.#books.get(ticker);
      this.#verdict.require(mirror?.isWhole === true, 'BOOKS', () => `${ticker} is believed, its continuity is broken`);
      if (mirror?.isWhole !== true) continue;
      this.compared += 1;
      const theirs = [...mirror.levels]
        .map(([key, qty]) => `${key} ${qty}`)
        .sort()
        .join();
      const ours = bookOf(engine, index).sort().join();
      this.#verdict.require(ours === theirs, 'BOOKS', () => `${ticker} is ${ours}; the stream says ${theirs}`);
    }
  }
}

const SIDES: readonly BookSide[] = ['bid', 'ask'];

const keyOf = (side: BookSide, price: number): string => `${side} ${price}`;

/** The bot's book, spelled as the stream's is here. */
const bookOf = ({ state }: Engine, market: MarketIndex): string[] =>
  SIDES.flatMap((side) => state.books.levels(market, side).map(([price, qty]) => `${keyOf(side, price)} ${qty}`));

function parsed(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    // Every member of a message is optional, and read as such.
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
