// What the wire can say, as typed values in our units on the YES scale: the meaning that every dialect shares.
// A member that is `null` was not said. Nothing here knows how any of it is spelled.
import type { EventTicker, SeriesTicker, Ticker, TradeId, VenueOrderId } from '../../../domain/ids.ts';
import type { Levels } from '../../../domain/event.ts';
import type { MarketResult, MarketStatus } from '../../../domain/market.ts';
import type { Side } from '../../../domain/order.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';

/** A range of a market's price grid. The step is a difference of prices. */
export interface RangeRecord {
  readonly start: Price;
  readonly end: Price;
  readonly step: Price;
}

/** A market. An empty side's touch may come as zero or as a whole dollar. */
export interface MarketRecord {
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker;
  readonly title: string | null;
  readonly subtitle: string | null;
  readonly yesSubtitle: string | null;
  readonly noSubtitle: string | null;
  readonly status: MarketStatus;
  readonly createdAt: Micros | null;
  readonly openAt: Micros;
  readonly closeAt: Micros;
  readonly expirationAt: Micros | null;
  /** From determination to payment, in microseconds. */
  readonly settlementDelay: Micros | null;
  readonly bestBid: Price | null;
  readonly bestBidQty: Qty | null;
  readonly bestAsk: Price | null;
  readonly bestAskQty: Qty | null;
  readonly lastPrice: Price | null;
  readonly previousPrice: Price | null;
  readonly previousBid: Price | null;
  readonly previousAsk: Price | null;
  readonly volume: Qty | null;
  readonly volume24h: Qty | null;
  readonly openInterest: Qty | null;
  readonly liquidity: Money | null;
  readonly result: MarketResult | null;
  readonly settlementValue: Price | null;
  readonly canCloseEarly: boolean | null;
  readonly rules: string | null;
  readonly gridName: string | null;
  readonly ranges: readonly RangeRecord[] | null;
}

/** An event group; `markets` only where they were asked for with it. */
export interface EventRecord {
  readonly eventTicker: EventTicker;
  readonly seriesTicker: SeriesTicker;
  readonly title: string;
  readonly subtitle: string | null;
  readonly category: string | null;
  readonly isExclusive: boolean;
  readonly markets: readonly MarketRecord[] | null;
}

export interface SeriesRecord {
  readonly ticker: SeriesTicker;
  readonly title: string;
  readonly category: string | null;
  readonly frequency: string | null;
  readonly feeType: string;
  /** The multiplier of the fee formula, in hundredths: 100 is 1. */
  readonly feeMultiplierPercent: number;
}

/** A book on the YES scale; the asks are the bids to buy NO. */
export interface BookRecord {
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A public trade; `side` is the taker's. */
export interface PrintRecord {
  readonly tradeId: TradeId;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly at: Micros | null;
}

/** Prices over a period; `null` where there was none. */
export interface SpanRecord {
  readonly open: Price | null;
  readonly low: Price | null;
  readonly high: Price | null;
  readonly close: Price | null;
}

/** Prices of trades over a period; `previous` is the last before it. */
export interface TradedSpanRecord extends SpanRecord {
  readonly mean: Price | null;
  readonly previous: Price | null;
}

export interface CandleRecord {
  /** Where the period ends, included. */
  readonly endAt: Micros;
  readonly bid: SpanRecord;
  readonly ask: SpanRecord;
  readonly price: TradedSpanRecord;
  readonly volume: Qty;
  readonly openInterest: Qty;
}

export interface BalanceRecord {
  /** What may be spent. */
  readonly available: Money;
  /** What the positions are worth. */
  readonly positionsValue: Money | null;
  readonly updatedAt: Micros | null;
}

/** What an account holds in a market. Signed: + YES, − NO. */
export interface PositionRecord {
  readonly ticker: Ticker;
  readonly qty: Qty;
  /** What the open quantity cost. */
  readonly cost: Money;
  readonly realized: Money;
  readonly fees: Money;
  /** What was traded in all. */
  readonly traded: Money | null;
  readonly restingOrders: number | null;
  readonly updatedAt: Micros | null;
}

export type OrderStatus = 'working' | 'filled' | 'canceled';
/** Time in force as the wire knows it: an expiry stands beside it. */
export type WireTimeInForce = 'gtc' | 'ioc' | 'fok';
/** Who yields when an account would trade with itself: the incoming order, or the resting one. */
export type SelfTrade = 'taker_at_cross' | 'maker';

/** An order as its owner sees it. */
export interface OrderRecord {
  readonly orderId: VenueOrderId;
  readonly clientOrderId: string | null;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly status: OrderStatus;
  readonly initialQty: Qty | null;
  readonly filledQty: Qty;
  readonly leavesQty: Qty;
  readonly takerCost: Money | null;
  readonly makerCost: Money | null;
  readonly takerFees: Money | null;
  readonly makerFees: Money | null;
  readonly timeInForce: WireTimeInForce | null;
  readonly postOnly: boolean | null;
  readonly reduceOnly: boolean | null;
  readonly selfTrade: SelfTrade | null;
  readonly expiresAt: Micros | null;
  readonly createdAt: Micros | null;
  readonly updatedAt: Micros | null;
  /** Why the venue last changed it, in its own word. */
  readonly reason: string | null;
}

/** An order as an answer to a write tells it: some dialects tell little more than its id. */
export type OrderAnswerRecord = {
  readonly [Key in keyof OrderRecord]: Key extends 'orderId' ? OrderRecord[Key] : OrderRecord[Key] | null;
};

/** One account's side of a trade. */
export interface FillRecord {
  readonly tradeId: TradeId;
  readonly orderId: VenueOrderId;
  readonly clientOrderId: string | null;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly isTaker: boolean;
  readonly fee: Money;
  /** The account's signed position after it. */
  readonly positionAfter: Qty | null;
  readonly at: Micros | null;
}

/** One market of one account paid out. */
export interface SettlementRecord {
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker | null;
  readonly result: MarketResult;
  /** What each YES was paid. */
  readonly settlementValue: Price | null;
  readonly yesQty: Qty;
  readonly yesCost: Money;
  readonly noQty: Qty;
  readonly noCost: Money;
  readonly revenue: Money;
  readonly fees: Money;
  readonly at: Micros;
}

export interface StatusRecord {
  readonly isActive: boolean;
  readonly isTrading: boolean;
}

/** One limit, as one of the two models. */
export interface LimitRecord {
  readonly count: number | null;
  readonly windowMs: number | null;
  readonly refillPerSecond: number | null;
  readonly capacity: number | null;
}

export interface LimitsRecord {
  readonly tier: string | null;
  readonly read: LimitRecord;
  readonly trade: LimitRecord;
}

/** Why the venue refused. */
export interface ErrorRecord {
  readonly code: string;
  readonly message: string | null;
  readonly details: string | null;
}

// Requests and answers.

export interface CreateOrderRecord {
  readonly ticker: Ticker;
  readonly clientOrderId: string | null;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  /** Not said: until canceled. */
  readonly timeInForce: WireTimeInForce | null;
  readonly postOnly: boolean | null;
  readonly reduceOnly: boolean | null;
  readonly selfTrade: SelfTrade | null;
  readonly cancelOnPause: boolean | null;
  readonly expiresAt: Micros | null;
}

/** An order written: created, amended or decreased. */
export interface OrderWritten {
  readonly order: OrderAnswerRecord;
}

export interface OrderCanceled {
  readonly order: OrderAnswerRecord;
  /** What was withdrawn. */
  readonly reducedBy: Qty;
}

export interface AmendOrderRecord {
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  /** Total: what has filled plus what should remain. */
  readonly qty: Qty;
  readonly clientOrderId: string | null;
  readonly newClientOrderId: string | null;
}

/** Exactly one of the two. */
export interface DecreaseOrderRecord {
  readonly reduceBy: Qty | null;
  readonly reduceTo: Qty | null;
}

export interface CreateBatch {
  readonly orders: readonly CreateOrderRecord[];
}
/** One item of a batch of new orders: an order, or why there is none. */
export interface CreateBatchItem {
  readonly clientOrderId: string | null;
  readonly order: OrderAnswerRecord | null;
  readonly error: ErrorRecord | null;
}
export interface CreateBatchAnswer {
  readonly orders: readonly CreateBatchItem[];
}

export interface OrderName {
  readonly orderId: VenueOrderId;
}
export interface CancelBatch {
  readonly orders: readonly OrderName[];
}
export interface CancelBatchItem {
  readonly orderId: VenueOrderId | null;
  readonly order: OrderAnswerRecord | null;
  readonly reducedBy: Qty | null;
  readonly error: ErrorRecord | null;
}
export interface CancelBatchAnswer {
  readonly orders: readonly CancelBatchItem[];
}

export interface MarketAnswer {
  readonly market: MarketRecord;
}
export interface EventAnswer {
  readonly event: EventRecord;
  readonly markets: readonly MarketRecord[] | null;
}
export interface SeriesAnswer {
  readonly series: SeriesRecord;
}
export interface SeriesList {
  readonly series: readonly SeriesRecord[];
}
export interface BookAnswer {
  readonly book: BookRecord;
}
export interface OrderAnswer {
  readonly order: OrderRecord;
}
export interface CandlesAnswer {
  readonly ticker: Ticker | null;
  readonly candles: readonly CandleRecord[];
}
/** A page of a list; no cursor on the last one. */
export interface PageRecord<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/** What a list may be asked by. Every dialect knows a few of these at each endpoint. */
export interface QueryRecord {
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
  readonly eventTicker: EventTicker | null;
  readonly seriesTicker: SeriesTicker | null;
  readonly orderId: VenueOrderId | null;
  /** Of orders. */
  readonly orderStatus: OrderStatus | null;
  /** Of markets, in the wire's own word. */
  readonly marketStatus: string | null;
  readonly minAt: Micros | null;
  readonly maxAt: Micros | null;
  readonly limit: number | null;
  readonly cursor: string | null;
  readonly depth: number | null;
  readonly withMarkets: boolean | null;
  readonly periodMinutes: number | null;
}

// The feed.

/** Which list a subscription follows. */
export type Channel = 'book' | 'ticker' | 'prints' | 'fills' | 'orders' | 'positions' | 'lifecycle';

export interface SnapshotRecord extends BookRecord {
  readonly ticker: Ticker;
}

export interface DeltaRecord {
  readonly ticker: Ticker;
  readonly side: 'bid' | 'ask';
  readonly price: Price;
  /** Signed change of the level. */
  readonly change: Qty;
  /** Ours, where the change was. */
  readonly clientOrderId: string | null;
  readonly at: Micros | null;
}

export interface TickerRecord {
  readonly ticker: Ticker;
  readonly lastPrice: Price | null;
  readonly bestBid: Price | null;
  readonly bestBidQty: Qty | null;
  readonly bestAsk: Price | null;
  readonly bestAskQty: Qty | null;
  readonly lastQty: Qty | null;
  readonly volume: Qty;
  readonly openInterest: Qty;
  readonly at: Micros | null;
}

/** What befell a market, in its life's own words. */
export type LifeChange =
  | 'created'
  | 'activated'
  | 'deactivated'
  | 'close-moved'
  | 'determined'
  | 'settled'
  | 'grid-changed'
  | 'described';

export interface MarketLifeRecord {
  readonly ticker: Ticker;
  readonly change: LifeChange;
  readonly openAt: Micros | null;
  readonly closeAt: Micros | null;
  readonly result: MarketResult | null;
  readonly determinedAt: Micros | null;
  readonly settlementValue: Price | null;
  readonly settledAt: Micros | null;
  readonly gridName: string | null;
  readonly ranges: readonly RangeRecord[] | null;
}

export interface EventLifeRecord {
  readonly eventTicker: EventTicker;
  readonly seriesTicker: SeriesTicker | null;
  readonly title: string | null;
}

/** An event group's fees differ from its series' from now on; `null` when they do no more. */
export interface FeeChangeRecord {
  readonly eventTicker: EventTicker;
  readonly feeType: string | null;
  readonly feeMultiplierPercent: number | null;
}

export interface SubscribeRecord {
  readonly channels: readonly Channel[];
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
  /** Whether prices of NO bids come on the YES scale. */
  readonly onYesScale: boolean | null;
  /** Whether the current ticker comes first. */
  readonly withSnapshot: boolean | null;
  /** Whether acknowledgments leave out the list of markets. */
  readonly skipsList: boolean | null;
}
export interface UnsubscribeRecord {
  readonly sids: readonly number[];
}
export interface UpdateSubscriptionRecord {
  readonly sid: number | null;
  readonly sids: readonly number[] | null;
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
  readonly action: 'add' | 'delete' | 'snapshot';
}
export interface SubscribedRecord {
  readonly channel: Channel;
  readonly sid: number;
}
/** Every market of the subscription, after the change. */
export interface UpdatedRecord {
  readonly tickers: readonly Ticker[] | null;
}
export interface FeedErrorRecord {
  readonly code: number;
  readonly message: string | null;
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
}
