// All events that can happen. An event is a fact with the time we learned it (`at`); many also carry the time at which
// the venue says it happened (`exchangeAt`). Market-data events are valid only during the step.
import type { AccountEvent, OrderEvent } from './account-event.ts';
import type { BudgetKind } from './venue-command.ts';
import type { Denial } from './denial.ts';
import type { ClientOrderId, EventTicker, MarketIndex, SeriesTicker, StrategyName, Ticker, TradeId } from './ids.ts';
import type { Intent } from './intent.ts';
import type { EventGroup, FeeChange, FeeTerms, Market, MarketResult, MarketStatus, Series } from './market.ts';
import type { RestoredState, OperatorOrder } from './operator-order.ts';
import type { Order, Side } from './orders/order.ts';
import type { PriceGrid } from './price-grid.ts';
import type { Micros, Price, Qty } from './units.ts';

export type * from './account-event.ts';

/**
 * Side of the YES book: `bid` for bids to buy YES, `ask` for offers of YES, which are bids to buy NO at the complement.
 */
export type BookSide = 'bid' | 'ask';

/** (price, qty) pairs, not necessarily best first. Prices on the YES scale. */
export type Levels = readonly (readonly [Price, Qty])[];

/** Replaces a book. */
export interface BookSnapshot {
  kind: 'book-snapshot';
  at: Micros;
  exchangeAt: Micros | null;
  market: MarketIndex;
  bids: Levels;
  asks: Levels;
  stream?: number;
}

/** Changes one level by a signed quantity. */
export interface BookDelta {
  kind: 'book-delta';
  at: Micros;
  exchangeAt: Micros | null;
  market: MarketIndex;
  side: BookSide;
  price: Price;
  /** Signed change of the level's quantity. */
  change: Qty;
  /**
   * Number of the venue's subscription that carried the delta, from 1 on each connection. Absent or 0 where the feed
   * does not number its subscriptions.
   */
  stream?: number;
}

/** A book read over REST, which the streamed book is compared with. Deltas are never applied to it. */
export interface BookPoll {
  readonly kind: 'book-poll';
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly market: MarketIndex;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A public trade by anyone, also between others. */
export interface Print {
  readonly kind: 'print';
  /** Time at which we received it, by our clock. */
  readonly at: Micros;
  /** Time of the trade by the venue's clock; `null` when it gives none. */
  readonly exchangeAt: Micros | null;
  readonly market: MarketIndex;
  readonly tradeId: TradeId;
  /** The taker's side on the YES book. */
  readonly side: Side;
  /** Price on the YES scale, in ten-thousandths of a dollar. */
  readonly price: Price;
  /** Quantity in hundredths of a contract. */
  readonly qty: Qty;
}

/** The venue's own summary of a market: last price, touch, volume. */
export interface TickerUpdate {
  readonly kind: 'ticker';
  readonly at: Micros;
  readonly exchangeAt: Micros | null;
  readonly market: MarketIndex;
  readonly lastPrice: Price | null;
  readonly bestBid: Price | null;
  readonly bestAsk: Price | null;
  readonly volume: Qty;
  readonly openInterest: Qty;
}

/** A market as the venue describes it. */
export interface MarketDefined {
  readonly kind: 'market';
  readonly at: Micros;
  /** Time at which the list that contains the market was requested: anything learned since is newer. */
  readonly askedAt?: Micros;
  readonly market: Market;
}

/** A change of a market; absent members did not change. */
export interface MarketChanged {
  readonly kind: 'market-changed';
  readonly at: Micros;
  readonly exchangeAt: Micros | null;
  readonly market: MarketIndex;
  readonly status?: MarketStatus;
  readonly closeAt?: Micros;
  readonly result?: MarketResult | null;
  readonly settlementValue?: Price | null;
  readonly grid?: PriceGrid;
}

export interface EventGroupDefined {
  readonly kind: 'event-group';
  readonly at: Micros;
  readonly group: EventGroup;
}

/** An event group's own fees change now. `fees` is `null` where the fees of its series apply again. */
export interface FeesChanged {
  readonly kind: 'fees-changed';
  readonly at: Micros;
  readonly eventTicker: EventTicker;
  readonly fees: Partial<FeeTerms> | null;
}

/** All scheduled fee changes of a series, earliest first. They replace any earlier schedule of the series. */
export interface FeesScheduled {
  readonly kind: 'fees-scheduled';
  readonly at: Micros;
  readonly seriesTicker: SeriesTicker;
  readonly changes: readonly FeeChange[];
}

export interface SeriesDefined {
  readonly kind: 'series';
  readonly at: Micros;
  readonly series: Series;
}

/** A whole page of a list was received: markets, or event groups with their markets. */
export interface MarketsListed {
  readonly kind: 'markets-listed';
  readonly at: Micros;
  readonly commandId: number;
  /** Cursor of the next page; `null` on the last page. */
  readonly cursor: string | null;
}

/** The venue listed something new. Names that it does not give are `null`. */
export interface MarketsAppeared {
  readonly kind: 'markets-appeared';
  readonly at: Micros;
  readonly ticker: Ticker | null;
  readonly eventTicker: EventTicker | null;
  readonly seriesTicker: SeriesTicker | null;
}

/** The feed is connected and signed in; anything received before is out of date. */
export interface FeedUp {
  readonly kind: 'feed-up';
  readonly at: Micros;
  /** Number of the connection within the session, from 1. */
  readonly connection: number;
}

export interface FeedDown {
  readonly kind: 'feed-down';
  readonly at: Micros;
  readonly reason: string;
}

/** Channels of the feed, by subject; fills, orders and positions are private to the account. */
export type FeedChannelName = 'book' | 'ticker' | 'prints' | 'fills' | 'orders' | 'positions' | 'lifecycle';

/** A channel that covers all markets was granted, refused, or has ended. */
export interface FeedChannelChanged {
  readonly kind: 'feed-channel';
  readonly at: Micros;
  readonly channel: FeedChannelName;
  readonly isUp: boolean;
  readonly reason: string;
}

/** The feed sent a heartbeat that carries no fact: a ping, an acknowledgment. */
export interface FeedHeartbeat {
  readonly kind: 'feed-heard';
  readonly at: Micros;
}

/**
 * Messages were lost, or a frame could not be read: the books of these markets may be wrong. An empty `markets` means
 * all markets.
 */
export interface FeedGap {
  readonly kind: 'feed-gap';
  readonly at: Micros;
  readonly markets: readonly MarketIndex[];
  readonly reason: string;
}

/**
 * The feed cannot send the books of these markets yet. It sends each book as soon as the book is known; a request does
 * not speed that up. The simulated venue emits this event where its tape lacks a book.
 */
export interface FeedBooksPending {
  readonly kind: 'feed-untold';
  readonly at: Micros;
  readonly markets: readonly MarketIndex[];
}

/** A request is over: it was answered, its answer was lost, or it was never sent. The first event of its outcome. */
export interface RequestAnswered {
  readonly kind: 'answered';
  readonly at: Micros;
  readonly commandId: number;
  readonly ok: boolean;
  /** Our clock less the venue's, in microseconds, from the date of the answer; `null` when it carries none. */
  readonly clockOffset: number | null;
  readonly askedAt?: Micros;
}

/**
 * News of a difference between the machine's wall clock and the session's clock. This event does not set the session's
 * clock: `ClockStepped` does.
 */
export interface ClockLeapt {
  readonly kind: 'clock-leapt';
  readonly at: Micros;
  /** Lead of the machine's clock over the session's clock, in microseconds. */
  readonly by: number;
  /**
   * `unknown`: the venue's answers have not decided yet. `ours`: they have confirmed the session's clock. `over`: the
   * difference is gone.
   */
  readonly verdict: 'unknown' | 'ours' | 'over';
}

/** The session's clock was set forward: times before and after cannot be compared. */
export interface ClockStepped {
  readonly kind: 'clock-stepped';
  readonly at: Micros;
  /** Size of the step, in microseconds. */
  readonly by: number;
}

/** The venue refused a command because of its rate limit: the command had no effect. */
export interface RateLimited {
  readonly kind: 'rate-limited';
  readonly at: Micros;
  readonly commandId: number;
  readonly budget: BudgetKind;
  /** Wait that the venue asks for, in microseconds; `null` when it gives none. */
  readonly retryAfter: Micros | null;
}

/** A read returned nothing usable. */
export interface ReadFailed {
  readonly kind: 'read-failed';
  readonly at: Micros;
  readonly commandId: number;
  readonly reason: string;
  /** True when the venue understood the request and refused it: a repeat will not help. */
  readonly isRefused: boolean;
}

/** State of the venue as a whole: open, and trading. */
export interface ExchangeStatus {
  readonly kind: 'exchange-status';
  readonly at: Micros;
  readonly isActive: boolean;
  readonly isTrading: boolean;
}

/** Something arrived that we could not read or did not expect. Such arrivals are counted, and logged once per kind. */
export interface Unrecognized {
  readonly kind: 'unrecognized';
  readonly at: Micros;
  readonly what: string;
  readonly detail: string;
}

/** The session starts. `session` is the first part of its client order ids. */
export interface SessionStarted {
  readonly kind: 'start';
  readonly at: Micros;
  readonly session: string;
  readonly carried: RestoredState;
}

/**
 * The operator gives an instruction. The operator is a person, the watchdog, or a part of the bot outside the engine.
 */
export interface OperatorOrdered {
  readonly kind: 'operator';
  readonly at: Micros;
  readonly order: OperatorOrder;
}

/** The time for which the engine set its timer has come. */
export interface TimerFired {
  readonly kind: 'timer';
  readonly at: Micros;
}

/** The session stops trading: it cancels resting orders and places no new ones. */
export interface SessionStopping {
  readonly kind: 'stop';
  readonly at: Micros;
  readonly reason: string;
}

/** Members of every outcome of an intent. */
export interface OutcomeOf<Kind extends string> {
  readonly kind: Kind;
  readonly at: Micros;
  readonly strategy: StrategyName;
  /** The intent as the strategy gave it; for a quote, the `place` intent that resulted from it. */
  readonly intent: Intent;
}

/** Outcome of an intent that risk approved. */
export interface OrderOutcome<Kind extends string> extends OutcomeOf<Kind> {
  /** The order of the intent, in its present state. */
  readonly order: Order;
  /** Reason of the outcome; in the venue's own words where the venue refused. */
  readonly why: string;
}

/**
 * Outcome of an intent. The engine passes it to the strategy that issued the intent.
 *
 * - Denied: risk refused the intent; the denial holds the figures compared.
 * - Approved: the order has an id, and waits to be sent. One of the following outcomes comes next.
 * - Accepted, or rejected: by the venue.
 * - Not sent: the order or its change never left, or never reached the venue.
 * - Unknown: the order may be at the venue, until the venue reports what happened to it.
 * - Expired: at the venue.
 *
 * A later outcome may correct an earlier one: an unknown, rejected or unsent order may still appear at the venue. A cancel is accepted
 * when the order is gone. It is rejected when the order filled or expired first. A cancel that had not left by then is
 * not sent. A decrease is accepted when at most the requested quantity remains.
 */
export type IntentOutcome =
  | (OutcomeOf<'denied'> & { readonly denial: Denial })
  | (OutcomeOf<'approved'> & { readonly clientOrderId: ClientOrderId })
  | OrderOutcome<'accepted'>
  | OrderOutcome<'rejected'>
  | OrderOutcome<'not-sent'>
  | OrderOutcome<'unknown'>
  | OrderOutcome<'expired'>;

export type MarketDataEvent = BookSnapshot | BookDelta | BookPoll | Print | TickerUpdate;
export type MarketEvent =
  | MarketDefined
  | MarketChanged
  | EventGroupDefined
  | SeriesDefined
  | FeesChanged
  | FeesScheduled
  | MarketsListed
  | MarketsAppeared;
export type FeedEvent = FeedUp | FeedDown | FeedHeartbeat | FeedChannelChanged | FeedGap | FeedBooksPending;
export type AnswerEvent = RequestAnswered | RateLimited | ReadFailed;
export type SessionEvent =
  | SessionStarted
  | TimerFired
  | ClockLeapt
  | ClockStepped
  | SessionStopping
  | OperatorOrdered
  | ExchangeStatus
  | Unrecognized;

/** All events that enter the engine. */
export type EngineEvent =
  | MarketDataEvent
  | MarketEvent
  | FeedEvent
  | OrderEvent
  | AccountEvent
  | AnswerEvent
  | SessionEvent;
export type EventKind = EngineEvent['kind'];
