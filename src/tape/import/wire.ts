// The port through which an import interprets a venue's formats: `tape` must not depend on any venue. No code here.
// `venues/trade-api/captures.ts` implements it; the command line passes it in.
import type { Levels } from '../../domain/event.ts';
import type { EventGroup, Market, Series } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import type { Ticker, TickerTable } from '../../domain/ids.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';
import type { Normalizer } from '../../venue.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;
/** Receives a note on skipped content: `kind` is the kind to count it under. */
export type Note = (kind: string, detail: string) => void;

/** Reason why a message does not belong on a tape. */
export type Aside = 'private' | 'off-book';

/** One dialect of the messages of a feed. */
export interface FeedDialect {
  readonly name: string;
  /** Type of the most frequent message: a change of one level. */
  readonly changeType: string;
  /** Type of the message that holds a whole book. */
  readonly snapshotType: string;
  /** True when sequence numbers are checked: a missing one makes books unknown. Otherwise they are ignored. */
  readonly followsNumbers: boolean;
  /** Name of the same dialect without the check of numbers; `null` where this one does not check them. */
  readonly unnumbered: string | null;
  /** True when a message can only be of this dialect. */
  reads(message: JsonRecord): boolean;
  /** True when a message may be of this dialect; asked when no message is certain. */
  mayRead(message: JsonRecord): boolean;
  /** Reason why a message stays off the tape; `null` when it belongs there. */
  aside(message: JsonRecord): Aside | null;
  /** The market of a message of public trades or of the ticker. */
  tickerOf(message: JsonRecord): Ticker | null;
  /** The subscription that a message confirms; `null` for any other message. */
  announces(message: JsonRecord): number | null;
  /** Makes a normalizer for the frames of one capture, the same as for the live feed. */
  normalizer(tickers: TickerTable): Normalizer;
}

/** A market as a list of definitions describes it, perhaps long after its end. */
export interface ListedMarket extends Omit<Market, 'index'> {
  /**
   * Time when its result was known; `null` where it is not given. Then it is `settlementDelay` before `settledAt`, or
   * the close where `settledAt` is `null` too.
   */
  readonly determinedAt: Micros | null;
  /** Time of the venue's payment; `null` where it is not given. Then it is `settlementDelay` after the result. */
  readonly settledAt: Micros | null;
  /** The settlement timer: the minimum time from result to payment, in microseconds. */
  readonly settlementDelay: Micros;
}

/** Markets, event groups and series from a list. */
export interface Definitions {
  readonly markets: readonly ListedMarket[];
  readonly groups: readonly EventGroup[];
  readonly series: readonly Series[];
}

/** One candle: prices at its end, and the trade volume within it. */
export interface Candle {
  readonly ticker: Ticker | null;
  /** End of its period, included, in whole seconds. */
  readonly endAt: Micros;
  /** Best prices at its end; `null` where a side was empty or not given. */
  readonly bid: Price | null;
  readonly ask: Price | null;
  /** Last price traded at or before its end; `null` before any trade. */
  readonly lastPrice: Price | null;
  /** Quantity traded within it. */
  readonly volume: Qty;
  readonly openInterest: Qty;
}

/** A public trade in an answer. */
export interface ListedTrade {
  readonly ticker: Ticker;
  /** Time of the trade; `null` where it is not given. */
  readonly at: Micros | null;
  /** The taker's side. */
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly tradeId: string;
  /** True when it was agreed off the book. */
  readonly isOffBook: boolean;
}

/** A whole book in an answer, on the YES scale. */
export interface ListedBook {
  /** `null` where the answer does not name the market. */
  readonly ticker: Ticker | null;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A venue's formats. */
export interface ImportWire {
  readonly feeds: readonly FeedDialect[];
  /** Definitions in one or several answers of the venue; unreadable parts are noted. */
  definitions(json: unknown, note: Note): Definitions;
  /** Candles in an answer of the venue; unreadable parts are noted. */
  candles(json: unknown, note: Note): readonly Candle[];
  /** Public trades in an answer of the venue, in its order; unreadable parts are noted. */
  trades(json: unknown, note: Note): readonly ListedTrade[];
  /** Books in an answer of the venue; unreadable parts are noted. */
  books(json: unknown, note: Note): readonly ListedBook[];
}
