// What the wire can say of an account, its orders, and the requests for them, as typed values in our units on the YES scale.
// A member that is `null` was not said. Nothing here knows how any of it is spelled.
import type { EventTicker, Ticker, TradeId, VenueOrderId } from '../../../domain/ids.ts';
import type { MarketResult, Outcome } from '../../../domain/market.ts';
import type { Side } from '../../../domain/order.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';

export interface BalanceRecord {
  /** What may be spent. */
  readonly available: Money;
  /** What the positions are worth. */
  readonly positionsValue: Money | null;
  readonly updatedAt: Micros | null;
  /** What may be spent on each shard. */
  readonly byShard: readonly ShardBalanceRecord[] | null;
}

export interface ShardBalanceRecord {
  readonly shard: number;
  readonly available: Money;
}

/** What an account holds in a market. Signed: + YES, − NO. */
export interface PositionRecord {
  readonly ticker: Ticker;
  readonly qty: Qty;
  /** What the open quantity cost. */
  readonly cost: Money;
  readonly realized: Money;
  readonly fees: Money;
  /** What was traded in all: what it cost, and how much it was. */
  readonly traded: Money | null;
  readonly tradedQty: Qty | null;
  readonly restingOrders: number | null;
  readonly updatedAt: Micros | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
}

/** What an account holds in the markets of an event group, summed up. */
export interface EventPositionRecord {
  readonly eventTicker: EventTicker;
  /** What was traded in all: what it cost, and how much it was. */
  readonly traded: Money;
  readonly tradedQty: Qty;
  /** What the open quantities cost. */
  readonly cost: Money;
  readonly realized: Money;
  readonly fees: Money;
}

/** A page of positions, with those of their event groups where the dialect tells them. */
export interface PositionsPage {
  readonly rows: readonly PositionRecord[];
  readonly cursor: string | null;
  readonly groups: readonly EventPositionRecord[] | null;
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
  /** The outcome in whose words its owner placed it. */
  readonly outcome: Outcome | null;
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
  /** The order group it counts for. */
  readonly groupId: string | null;
  readonly cancelOnPause: boolean | null;
  /** 0 is the account itself. */
  readonly subaccount: number | null;
  /** The part of the exchange on which its market trades. */
  readonly shard: number | null;
}

/** An order as an answer to a write tells it: some dialects tell little more than its id. */
export type OrderAnswerRecord = {
  readonly [Key in keyof OrderRecord]: Key extends 'orderId' ? OrderRecord[Key] : OrderRecord[Key] | null;
} & {
  /** What the write itself filled. */
  readonly filledNow: Qty | null;
  /** Of that: the price of a contract, and the fee on one. Told to four decimals, floored. */
  readonly averagePrice: Money | null;
  readonly averageFee: Money | null;
};

/** One account's side of a trade. */
export interface FillRecord {
  readonly tradeId: TradeId;
  readonly orderId: VenueOrderId;
  readonly clientOrderId: string | null;
  readonly ticker: Ticker;
  readonly side: Side;
  /** The outcome in whose words the order was placed. */
  readonly outcome: Outcome | null;
  readonly price: Price;
  readonly qty: Qty;
  readonly isTaker: boolean;
  readonly fee: Money;
  /** The account's signed position after it. */
  readonly positionAfter: Qty | null;
  readonly at: Micros | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
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
  readonly subaccount: number | null;
  readonly shard: number | null;
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
  /** The outcome in whose words it is placed. */
  readonly outcome: Outcome | null;
  readonly price: Price;
  readonly qty: Qty;
  /** Not said: until canceled. */
  readonly timeInForce: WireTimeInForce | null;
  readonly postOnly: boolean | null;
  readonly reduceOnly: boolean | null;
  readonly selfTrade: SelfTrade | null;
  readonly cancelOnPause: boolean | null;
  readonly expiresAt: Micros | null;
  readonly groupId: string | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
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
  readonly shard: number | null;
}

/** Exactly one of the two ways. */
export interface DecreaseOrderRecord {
  readonly reduceBy: Qty | null;
  readonly reduceTo: Qty | null;
  readonly ticker: Ticker | null;
  readonly shard: number | null;
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

/** An order, and where it is to be found. */
export interface OrderName {
  readonly orderId: VenueOrderId;
  readonly ticker: Ticker | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
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

export interface OrderAnswer {
  readonly order: OrderRecord;
}
