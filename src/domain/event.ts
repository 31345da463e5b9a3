// Everything that can happen, as one union. An event is a fact with the time we learned it (`at`); many also carry
// when the venue says it happened (`exchangeAt`). Market-data events are borrowed: valid only during the step.
import type { BudgetKind } from './command.ts';
import type { Denial } from './denial.ts';
import type { ClientOrderId, MarketIndex, StrategyName, TradeId, VenueOrderId } from './ids.ts';
import type { Intent } from './intent.ts';
import type { EventGroup, Market, MarketResult, MarketStatus, Series } from './market.ts';
import type { Liquidity, Side } from './order.ts';
import type { PriceGrid } from './price-grid.ts';
import type { Micros, Money, Price, Qty } from './units.ts';

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

export interface SeriesDefined {
  readonly kind: 'series';
  readonly at: Micros;
  readonly series: Series;
}

/** The last page of a market listing has come. */
export interface MarketsListed {
  readonly kind: 'markets-listed';
  readonly at: Micros;
  readonly commandId: number;
  /** Where the next page begins; `null` when this was the last. */
  readonly cursor: string | null;
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

/** A request has come back, whatever it said. Always the first event of an answer. */
export interface Answered {
  readonly kind: 'answered';
  readonly at: Micros;
  readonly commandId: number;
  readonly ok: boolean;
  /** Our clock less the venue's, in microseconds, as the answer's date tells; `null` when it told none. */
  readonly clockOffset: number | null;
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
}

export interface OrderAccepted {
  readonly kind: 'order-accepted';
  readonly at: Micros;
  readonly exchangeAt: Micros | null;
  readonly clientOrderId: ClientOrderId;
  readonly venueOrderId: VenueOrderId;
  /** Where the answer says. The fills themselves come as fills. */
  readonly filledQty: Qty;
  readonly leavesQty: Qty;
  /** Whether the venue says the order is over: nothing rests. */
  readonly isFinished: boolean;
}

/** The venue refused a new order. */
export interface OrderRejected {
  readonly kind: 'order-rejected';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly code: string;
  readonly message: string;
}

/** A new order certainly never arrived. */
export interface OrderNotSent {
  readonly kind: 'order-not-sent';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly reason: string;
}

/** A new order may have arrived. */
export interface OrderUnknown {
  readonly kind: 'order-unknown';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly reason: string;
}

export interface CancelAccepted {
  readonly kind: 'cancel-accepted';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  /** What was withdrawn. */
  readonly reducedBy: Qty;
}

/** The venue refused a cancel: the order is filled, canceled or was never there. */
export interface CancelRefused {
  readonly kind: 'cancel-refused';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly code: string;
}

/** A cancel may not have arrived; it can be sent again. */
export interface CancelLost {
  readonly kind: 'cancel-lost';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly reason: string;
}

/** An amend or decrease took effect. */
export interface AmendAccepted {
  readonly kind: 'amend-accepted';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly price: Price | null;
  readonly leavesQty: Qty;
}

export interface AmendRefused {
  readonly kind: 'amend-refused';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly code: string;
}

/** An amend may or may not have taken effect. */
export interface AmendLost {
  readonly kind: 'amend-lost';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly reason: string;
}

/** How the venue describes one of our orders, in an answer or on the feed. */
export interface OrderReport {
  readonly venueOrderId: VenueOrderId;
  readonly clientOrderId: ClientOrderId | null;
  readonly market: MarketIndex;
  readonly side: Side;
  readonly price: Price;
  readonly status: 'working' | 'filled' | 'canceled';
  readonly filledQty: Qty;
  readonly leavesQty: Qty;
  readonly createdAt: Micros | null;
  readonly updatedAt: Micros | null;
  /** Why the venue changed it, in its own word; `null` when it does not say. */
  readonly reason: string | null;
}

/** The feed told of an order of ours. */
export interface OrderUpdated {
  readonly kind: 'order-updated';
  readonly at: Micros;
  readonly order: OrderReport;
}

/** One of our trades. Named by trade and order together: never counted twice. */
export interface FillReport {
  readonly tradeId: TradeId;
  readonly venueOrderId: VenueOrderId;
  readonly clientOrderId: ClientOrderId | null;
  readonly market: MarketIndex;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly fee: Money;
  readonly liquidity: Liquidity;
  readonly exchangeAt: Micros | null;
}

export interface Filled {
  readonly kind: 'fill';
  readonly at: Micros;
  readonly fill: FillReport;
}

/** The venue's word on one position. */
export interface PositionReport {
  readonly market: MarketIndex;
  readonly qty: Qty;
  readonly realized: Money;
  readonly fees: Money;
  /** What the open quantity cost. */
  readonly cost: Money;
}

export interface PositionUpdated {
  readonly kind: 'position-updated';
  readonly at: Micros;
  readonly position: PositionReport;
}

/** Cash the venue says may be spent: what is pledged to resting orders is already off it. */
export interface BalanceRead {
  readonly kind: 'balance';
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly commandId: number;
  readonly available: Money;
}

/** A page of a list of ours. `cursor` is `null` on the last page; only then is the list complete. */
interface Page<Kind extends string, Row> {
  readonly kind: Kind;
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly commandId: number;
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

export type PositionsPage = Page<'positions', PositionReport>;
export type OrdersPage = Page<'orders', OrderReport>;
export type FillsPage = Page<'fills', FillReport>;

/** A market of ours was paid out. */
export interface SettlementReport {
  readonly market: MarketIndex;
  readonly result: MarketResult;
  /** What each YES was paid. */
  readonly settlementValue: Price;
  /** What came in. */
  readonly revenue: Money;
  readonly settledAt: Micros;
}
export type SettlementsPage = Page<'settlements', SettlementReport>;

/** An order looked up by its id; `null` when the venue knows none. */
export interface OrderFound {
  readonly kind: 'order-found';
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly commandId: number;
  readonly order: OrderReport | null;
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

/** What becomes of an intent, told to the strategy that had it. Made by the engine itself. */
export type IntentOutcome =
  | {
      readonly kind: 'denied';
      readonly at: Micros;
      readonly strategy: StrategyName;
      readonly intent: Intent;
      readonly denial: Denial;
    }
  | {
      readonly kind: 'approved';
      readonly at: Micros;
      readonly strategy: StrategyName;
      readonly intent: Intent;
      readonly clientOrderId: ClientOrderId;
    };

export type MarketDataEvent = BookSnapshot | BookDelta | BookPoll | Print | TickerUpdate;
export type MarketEvent = MarketDefined | MarketChanged | EventGroupDefined | SeriesDefined | MarketsListed;
export type FeedEvent = FeedUp | FeedDown | FeedHeard | FeedGap;
export type OrderEvent =
  | OrderAccepted
  | OrderRejected
  | OrderNotSent
  | OrderUnknown
  | CancelAccepted
  | CancelRefused
  | CancelLost
  | AmendAccepted
  | AmendRefused
  | AmendLost
  | OrderUpdated
  | OrderFound
  | Filled;
export type AccountEvent = PositionUpdated | BalanceRead | PositionsPage | OrdersPage | FillsPage | SettlementsPage;
export type AnswerEvent = Answered | RateLimited | ReadFailed;
export type SessionEvent = Start | TimePassed | Stop | ExchangeStatus | Unrecognized;

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
