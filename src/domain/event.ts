// Everything that can happen, as one union. An event is a fact with the time we learned it (`at`); many also carry
// when the venue says it happened (`exchangeAt`). Market-data events are borrowed: valid only during the step.
import type { AccountEvent, OrderEvent } from './account-event.ts';
import type { BudgetKind } from './command.ts';
import type { Denial } from './denial.ts';
import type { ClientOrderId, EventTicker, MarketIndex, SeriesTicker, StrategyName, Ticker, TradeId } from './ids.ts';
import type { Intent } from './intent.ts';
import type { EventGroup, FeeChange, FeeTerms, Market, MarketResult, MarketStatus, Series } from './market.ts';
import type { CarriedOver, OperatorOrder } from './operator.ts';
import type { Order, Side } from './order.ts';
import type { PriceGrid } from './price-grid.ts';
import type { Micros, Price, Qty } from './units.ts';

export type * from './account-event.ts';

/** Which side of the YES book: bids to buy YES, or asks, which are bids to buy NO at the complement. */
export type BookSide = 'bid' | 'ask';

/** (price, qty) pairs, best first not promised. Prices on the YES scale. */
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
   * The numbered sequence it came in, from 1, within its connection: nothing of that sequence before it was lost, for
   * any of its markets. Absent or 0 where the feed has none.
   */
  stream?: number;
}

/** A book read over REST: it audits the streamed one and is never spliced under its deltas. */
export interface BookPoll {
  readonly kind: 'book-poll';
  readonly at: Micros;
  /** When the read was asked for. */
  readonly askedAt: Micros;
  readonly market: MarketIndex;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A public trade by anyone. */
export interface Print {
  readonly kind: 'print';
  readonly at: Micros;
  readonly exchangeAt: Micros | null;
  readonly market: MarketIndex;
  readonly tradeId: TradeId;
  /** The taker's side on the YES book. */
  readonly side: Side;
  readonly price: Price;
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
  /** When the list was asked for that tells it: what we learned since is newer. */
  readonly askedAt?: Micros;
  readonly market: Market;
}

/** What changed in a market's life; members that are absent did not. */
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

/** An event group is charged otherwise than its series from now on; `null` where it is no more. */
export interface FeesChanged {
  readonly kind: 'fees-changed';
  readonly at: Micros;
  readonly eventTicker: EventTicker;
  readonly fees: Partial<FeeTerms> | null;
}

/** All that is planned for a series' fees, in the order of time: what was told before of it holds no more. */
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

/** A page of a list of markets, or of event groups with their markets, has been told. */
export interface MarketsListed {
  readonly kind: 'markets-listed';
  readonly at: Micros;
  readonly commandId: number;
  /** Where the next page begins; `null` when this was the last. */
  readonly cursor: string | null;
}

/** The venue has listed something new, of which only the name is known. What it does not say is `null`. */
export interface MarketsAppeared {
  readonly kind: 'markets-appeared';
  readonly at: Micros;
  readonly ticker: Ticker | null;
  readonly eventTicker: EventTicker | null;
  readonly seriesTicker: SeriesTicker | null;
}

/** The feed is connected and signed in; nothing before this holds any more. */
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

/** What the feed tells, by what it is about; fills, orders and positions are the account's own. */
export type FeedChannelName = 'book' | 'ticker' | 'prints' | 'fills' | 'orders' | 'positions' | 'lifecycle';

/** A channel that follows all markets at once was granted, refused, or is over. */
export interface FeedChannelChanged {
  readonly kind: 'feed-channel';
  readonly at: Micros;
  readonly channel: FeedChannelName;
  readonly isUp: boolean;
  readonly reason: string;
}

/** The feed gave a sign of life that carries no fact: a ping, an acknowledgment. */
export interface FeedHeard {
  readonly kind: 'feed-heard';
  readonly at: Micros;
}

/** Continuity was lost, or a frame could not be read: the books named may be wrong. Empty means all. */
export interface FeedGap {
  readonly kind: 'feed-gap';
  readonly at: Micros;
  readonly markets: readonly MarketIndex[];
  readonly reason: string;
}

/**
 * The feed follows markets of which it cannot tell the books yet: they come by themselves once they are known, and asking
 * brings none sooner. Said by the simulated venue where its tape does not know a book; an exchange always knows.
 */
export interface FeedUntold {
  readonly kind: 'feed-untold';
  readonly at: Micros;
  readonly markets: readonly MarketIndex[];
}

/** A request has come back, whatever it said. Always the first event of an answer. */
export interface Answered {
  readonly kind: 'answered';
  readonly at: Micros;
  readonly commandId: number;
  readonly ok: boolean;
  /** Our clock less the venue's, in microseconds, as the answer's date tells; `null` when it told none. */
  readonly clockOffset: number | null;
  /** When it was asked; with the offset it bounds what the venue's clock can be. */
  readonly askedAt?: Micros;
}

/** The machine's clock leapt ahead of ours, or that is decided or over. Ours leaps along only with `ClockStepped`. */
export interface ClockLeapt {
  readonly kind: 'clock-leapt';
  readonly at: Micros;
  /** How far the machine's clock is ahead of ours, in microseconds. */
  readonly by: number;
  /** Which of both the venue's answers agree with: not known yet, with ours, or the machine's clock is back. */
  readonly verdict: 'unknown' | 'ours' | 'over';
}

/** Our own clock was set forward: times before and after do not compare. */
export interface ClockStepped {
  readonly kind: 'clock-stepped';
  readonly at: Micros;
  /** How far, in microseconds. */
  readonly by: number;
}

/** The venue refused for rate: the command had no effect. */
export interface RateLimited {
  readonly kind: 'rate-limited';
  readonly at: Micros;
  readonly commandId: number;
  readonly budget: BudgetKind;
  /** How long the venue says to wait, in microseconds; `null` when it does not say. */
  readonly retryAfter: Micros | null;
}

/** A read gave nothing usable. */
export interface ReadFailed {
  readonly kind: 'read-failed';
  readonly at: Micros;
  readonly commandId: number;
  readonly reason: string;
  /** Whether the venue understood and refused: asking again will not help. */
  readonly isRefused: boolean;
}

/** Whether the venue as a whole is open and trading. */
export interface ExchangeStatus {
  readonly kind: 'exchange-status';
  readonly at: Micros;
  readonly isActive: boolean;
  readonly isTrading: boolean;
}

/** Something arrived that we could not read or did not expect. Counted; logged once a kind. */
export interface Unrecognized {
  readonly kind: 'unrecognized';
  readonly at: Micros;
  /** What kind of surprise: the key it is counted under. */
  readonly what: string;
  readonly detail: string;
}

/** The session begins. `session` makes this run's client order ids differ from any other's. */
export interface Start {
  readonly kind: 'start';
  readonly at: Micros;
  readonly session: string;
  readonly carried: CarriedOver;
}

/** The operator orders something: a person, a rule that outlives the session, or the watchdog. */
export interface Ordered {
  readonly kind: 'operator';
  readonly at: Micros;
  readonly order: OperatorOrder;
}

/** Time has passed; the engine asked to be told. */
export interface TimePassed {
  readonly kind: 'timer';
  readonly at: Micros;
}

/** Stop trading: withdraw what rests, send nothing new. */
export interface Stop {
  readonly kind: 'stop';
  readonly at: Micros;
  readonly reason: string;
}

/** What every outcome of an intent tells. */
export interface OutcomeOf<Kind extends string> {
  readonly kind: Kind;
  readonly at: Micros;
  readonly strategy: StrategyName;
  /** As the strategy gave it; of a quote, the order that it came to. */
  readonly intent: Intent;
}

/** What the venue, or the wait for it, made of an intent that risk let pass. */
export interface OrderOutcome<Kind extends string> extends OutcomeOf<Kind> {
  /** The order that the intent came to, or is about, as it is now. */
  readonly order: Order;
  /** In the venue's own words where it refused. */
  readonly why: string;
}

/**
 * What becomes of an intent, told to the strategy that had it. Made by the engine itself. Denied: risk refused, with the
 * figures compared. Approved: it has an id, and waits to be sent. Then one of: accepted by the venue; rejected by it; not
 * sent, because it could not leave in time; unknown, until the venue tells what became of it; expired, at the venue.
 *
 * Of an order each is told once, and again only after it was unknown, or lapsed. A cancel is accepted when the order is
 * gone, and rejected when it traded or lapsed first; a decrease is accepted when no more than it asked for remains.
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
export type FeedEvent = FeedUp | FeedDown | FeedHeard | FeedChannelChanged | FeedGap | FeedUntold;
export type AnswerEvent = Answered | RateLimited | ReadFailed;
export type SessionEvent =
  | Start
  | TimePassed
  | ClockLeapt
  | ClockStepped
  | Stop
  | Ordered
  | ExchangeStatus
  | Unrecognized;

/** All that enters the engine. */
export type EngineEvent =
  | MarketDataEvent
  | MarketEvent
  | FeedEvent
  | OrderEvent
  | AccountEvent
  | AnswerEvent
  | SessionEvent;
export type EventKind = EngineEvent['kind'];
