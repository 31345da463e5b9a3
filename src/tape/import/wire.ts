// What an import must be given to know what a venue's words mean: this room may not know any venue.
// Nothing here does anything; `venues/trade-api/captures.ts` is one, the command line puts it in.
import type { Levels } from '../../domain/event.ts';
import type { EventGroup, Market, Series } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import type { Ticker, TickerTable } from '../../domain/ids.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';
import type { Normalizer } from '../../venue.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;
/** Hears of what was read over: `kind` is what to count it under. */
export type Note = (kind: string, detail: string) => void;

/** Why a message does not belong on a tape. */
export type Aside = 'private' | 'off-book';

/** One way of spelling the messages of a feed. */
export interface FeedDialect {
  readonly name: string;
  /** The type of the message that comes all the time: one level changed. */
  readonly changeType: string;
  /** The type of the message that holds a whole book. */
  readonly snapshotType: string;
  /** Whether the numbers of messages are followed: a missing one voids books. They are passed over otherwise. */
  readonly followsNumbers: boolean;
  /** The name of the dialect that is the same without following numbers; `null` where this one does not follow them. */
  readonly unnumbered: string | null;
  /** Whether a message can be of this dialect alone. */
  reads(message: JsonRecord): boolean;
  /** Whether a message can be of this dialect, where none tells for certain. */
  mayRead(message: JsonRecord): boolean;
  /** Whether a message stays off the tape. */
  aside(message: JsonRecord): Aside | null;
  /** The market that a message of public trades or of the ticker is about. */
  tickerOf(message: JsonRecord): Ticker | null;
  /** The subscription that a message announces, or `null`. */
  announces(message: JsonRecord): number | null;
  /** Reads the frames of one capture; the very one that reads the live feed. */
  normalizer(tickers: TickerTable): Normalizer;
}

/** A market as a list of definitions tells it, perhaps long after it was over. */
export interface ListedMarket extends Omit<Market, 'index'> {
  /**
   * When its result was known; `null` where nothing says so: then `settlementDelay` before `settledAt`, or at its close
   * where that is `null` too.
   */
  readonly determinedAt: Micros | null;
  /** When the venue paid it out; `null` where nothing says so: then `settlementDelay` after the result. */
  readonly settledAt: Micros | null;
  /** The settlement timer: from the result to the payment at the least, in microseconds. */
  readonly settlementDelay: Micros;
}

/** Markets, event groups and series as somebody listed them. */
export interface Definitions {
  readonly markets: readonly ListedMarket[];
  readonly groups: readonly EventGroup[];
  readonly series: readonly Series[];
}

/** One candle: what stood at its end, and what traded in it. */
export interface Candle {
  readonly ticker: Ticker | null;
  /** Where its period ends, included, in whole seconds. */
  readonly endAt: Micros;
  /** The best prices at its end; `null` where a side was empty or nothing was told. */
  readonly bid: Price | null;
  readonly ask: Price | null;
  /** The last price traded at or before its end; `null` where nothing ever was. */
  readonly lastPrice: Price | null;
  /** What traded in it. */
  readonly volume: Qty;
  readonly openInterest: Qty;
}

/** A public trade in an answer. */
export interface ListedTrade {
  readonly ticker: Ticker;
  /** When it happened; `null` where that is not said. */
  readonly at: Micros | null;
  /** The taker's. */
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly tradeId: string;
  /** Whether it was agreed on beside the book. */
  readonly isOffBook: boolean;
}

/** A whole book in an answer, on the YES scale. */
export interface ListedBook {
  /** `null` where the answer does not name the market. */
  readonly ticker: Ticker | null;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** What a venue's words mean. */
export interface ImportWire {
  readonly feeds: readonly FeedDialect[];
  /** Definitions in an answer of the venue, or in several; what cannot be read is noted. */
  definitions(json: unknown, note: Note): Definitions;
  /** Candles in an answer of the venue; what cannot be read is noted. */
  candles(json: unknown, note: Note): readonly Candle[];
  /** Public trades in an answer of the venue, in its order; what cannot be read is noted. */
  trades(json: unknown, note: Note): readonly ListedTrade[];
  /** Books in an answer of the venue; what cannot be read is noted. */
  books(json: unknown, note: Note): readonly ListedBook[];
}
