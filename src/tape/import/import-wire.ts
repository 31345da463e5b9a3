// The port through which an import interprets a venue's formats: `tape` must not depend on any venue.
// `venues/trade-api/captures/capture-dialects.ts` implements it.
import type { Levels } from '../../domain/event.ts';
import type { EventGroup, Market, Series } from '../../domain/market.ts';
import type { Side } from '../../domain/orders/order.ts';
import type { Ticker, TickerTable } from '../../domain/ids.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';
import type { ByteSpan, Normalizer, ScannedDelta } from '../../venue.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
/** Receives a note on skipped content. Notes are counted by `kind`. */
export type NoteListener = (kind: string, detail: string) => void;

/** Reason why a message does not belong on a tape. */
export type Exclusion = 'private' | 'off-book';

/**
 * Reads a message of a public trade from its bytes. Returns the message without its content, or `null` for any message
 * that must be parsed.
 */
export type TradeReader = (span: ByteSpan) => JsonObject | null;

/** A delta, and the position after its message in the buffer of the span. */
export interface PlacedDelta extends ScannedDelta {
  readonly end: number;
}

/**
 * Reads the message with which the bytes begin, if it changes one level. Returns `null` for any message that the
 * normalizer must read. The delta is valid until the next call.
 */
export type DeltaReader = (span: ByteSpan) => PlacedDelta | null;

/** One dialect of the messages of a feed. */
export interface FeedDialect {
  readonly name: string;
  /** Type of the message that changes one level, the most frequent message. */
  readonly deltaType: string;
  /** Type of the message that holds a whole book. */
  readonly snapshotType: string;
  /** True: sequence numbers are checked, and a missing number makes books unknown. False: they are ignored. */
  readonly checksNumbers: boolean;
  /** Name of the same dialect without the check of numbers; `null` when this dialect does not check them. */
  readonly unnumbered: string | null;
  /** Decides whether a message certainly has this dialect. */
  reads(message: JsonObject): boolean;
  /** Decides whether a message may have this dialect; asked when no message is certain. */
  mayRead(message: JsonObject): boolean;
  /** Reason why a message stays off the tape; `null` when it belongs there. */
  exclusionOf(message: JsonObject): Exclusion | null;
  /** The market of a message with public trades or a ticker, or `null`. */
  tickerOf(message: JsonObject): Ticker | null;
  /** The subscription that a message confirms; `null` for any other message. */
  confirmedSubscription(message: JsonObject): number | null;
  /**
   * Makes a reader for the trades of one capture, which need no parsing: trades on the book in markets of the table, in
   * the usual form.
   */
  makeTradeReader(tickers: TickerTable): TradeReader;
  /** Makes a reader for the delta messages of one capture, in markets of the table. It reads them as the normalizer does. */
  makeDeltaReader(tickers: TickerTable): DeltaReader;
  /** Program of a thread that reads the delta messages of a capture ahead. It calls `serveScans`. */
  readonly scanProgram: URL;
  /** Makes a normalizer for the frames of one capture, the same as for the live feed. */
  makeNormalizer(tickers: TickerTable): Normalizer;
}

/** A market as a list of definitions describes it, perhaps long after its end. */
export interface ListedMarket extends Omit<Market, 'index'> {
  /**
   * Time when its result was known, or `null`. Then it is taken to be `settlementDelay` before `settledAt`. If
   * `settledAt` is `null` too, it is taken to be the close.
   */
  readonly determinedAt: Micros | null;
  /** Time of the venue's payment, or `null`. Then it is taken to be `settlementDelay` after the result. */
  readonly settledAt: Micros | null;
  /** Least time from result to payment, in microseconds. */
  readonly settlementDelay: Micros;
}

/** Markets, event groups and series from a list. */
export interface Definitions {
  readonly markets: readonly ListedMarket[];
  readonly groups: readonly EventGroup[];
  readonly series: readonly Series[];
}

/** One candle: prices at its end, and the trade volume within it. */
export interface ListedCandle {
  readonly ticker: Ticker | null;
  /** End of its period, included, in whole seconds. */
  readonly endAt: Micros;
  /** Best prices at its end; `null` for an empty or missing side. */
  readonly bid: Price | null;
  readonly ask: Price | null;
  /** Last price traded at or before its end; `null` before any trade. */
  readonly lastPrice: Price | null;
  readonly volume: Qty;
  readonly openInterest: Qty;
}

/** A public trade in an answer. */
export interface ListedTrade {
  readonly ticker: Ticker;
  /** Time of the trade, or `null`. */
  readonly at: Micros | null;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly tradeId: string;
  /** True: the trade was agreed off the book. */
  readonly isOffBook: boolean;
}

/** A whole book in an answer, on the YES scale. */
export interface ListedBook {
  /** `null` when the answer does not name the market. */
  readonly ticker: Ticker | null;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A venue's formats. */
export interface ImportWire {
  readonly feeds: readonly FeedDialect[];
  /** Reads definitions from one or several answers of the venue. Unreadable parts are noted. */
  readDefinitions(json: unknown, note: NoteListener): Definitions;
  /** Reads candles from an answer of the venue. Unreadable parts are noted. */
  readCandles(json: unknown, note: NoteListener): readonly ListedCandle[];
  /** Reads public trades from an answer of the venue, in the answer's sequence. Unreadable parts are noted. */
  readTrades(json: unknown, note: NoteListener): readonly ListedTrade[];
  /** Reads books from an answer of the venue. Unreadable parts are noted. */
  readBooks(json: unknown, note: NoteListener): readonly ListedBook[];
}
