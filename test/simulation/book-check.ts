// I5: an independent reader of the stream as it reached the bot. It knows from sequence numbers alone whose continuity is
// broken, and builds the books anew. Must never share code with the normalizer or the state.
import type { Engine } from '../../src/engine.ts';
import type { MarketIndex } from '../../src/domain/ids.ts';
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

/** A message of the stream, as far as books go. Prices are in cents, quantities in contracts. */
interface Message {
  readonly type?: unknown;
  readonly sid?: number;
  readonly seq?: number;
  readonly msg?: {
    readonly market_ticker?: string;
    readonly yes?: readonly (readonly [number, number])[] | null;
    readonly no?: readonly (readonly [number, number])[] | null;
    readonly side?: string;
    readonly price?: number;
    readonly delta?: number;
  };
}

/** Reads along. */
export class BookCheck implements FeedWatcher {
  readonly #verdict: Verdict;
  readonly #books = new Map<string, Mirror>();
  readonly #sequences = new Map<number, Sequence>();
  #connection: FeedConnection | null = null;
  /** Continuity breaks that the stream showed. */
  breaks = 0;

  constructor(verdict: Verdict) {
    this.#verdict = verdict;
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
    const ticker = msg?.market_ticker;
    if (msg === undefined || ticker === undefined) return;
    if (type === 'orderbook_snapshot') {
      this.#sequences.get(sid)?.tickers.add(ticker);
      this.#books.set(ticker, { isWhole: true, levels: levelsOf(msg) });
    }
    if (type === 'orderbook_delta') this.#change(ticker, msg);
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

  #change(ticker: string, msg: NonNullable<Message['msg']>): void {
    const book = this.#books.get(ticker);
    if (book === undefined || !book.isWhole) return;
    const key = `${msg.side} ${msg.price}`;
    const qty = (book.levels.get(key) ?? 0) + (msg.delta ?? 0);
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
      const theirs = [...mirror.levels]
        .map(([key, qty]) => `${key} ${qty}`)
        .sort()
        .join();
      const ours = bookOf(engine, index).sort().join();
      this.#verdict.require(ours === theirs, 'BOOKS', () => `${ticker} is ${ours}; the stream says ${theirs}`);
    }
  }
}

/** The bot's book as the stream would spell it. */
export function bookOf({ state }: Engine, market: MarketIndex): string[] {
  const bids = state.books.levels(market, 'bid').map(([price, qty]) => `yes ${price / 100} ${qty / 100}`);
  const asks = state.books.levels(market, 'ask').map(([price, qty]) => `no ${(10_000 - price) / 100} ${qty / 100}`);
  return [...bids, ...asks];
}

function levelsOf(msg: NonNullable<Message['msg']>): Map<string, number> {
  const levels = new Map<string, number>();
  for (const [price, qty] of msg.yes ?? []) levels.set(`yes ${price}`, qty);
  for (const [price, qty] of msg.no ?? []) levels.set(`no ${price}`, qty);
  return levels;
}

function parsed(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    // Every member of a message is optional, and read as such.
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
