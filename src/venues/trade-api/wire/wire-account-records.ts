// Wire records of accounts, orders and order requests, as typed values in our units on the YES scale. A member is
// `null` when the wire does not carry it. Must never know how any member is spelled on the wire.
import type { EventTicker, Ticker, TradeId, VenueOrderId } from '../../../domain/ids.ts';
import type { MarketResult, Outcome } from '../../../domain/market.ts';
import type { Side } from '../../../domain/orders/order.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';

export interface BalanceRecord {
  /** Cash that can be spent. */
  readonly available: Money;
  readonly positionsValue: Money | null;
  readonly updatedAt: Micros | null;
  readonly byShard: readonly ShardBalanceRecord[] | null;
}

export interface ShardBalanceRecord {
  readonly shard: number;
  readonly available: Money;
}

/** An account's position in a market. Signed: + YES, − NO. */
export interface PositionRecord {
  readonly ticker: Ticker;
  readonly qty: Qty;
  readonly cost: Money;
  readonly realized: Money;
  readonly fees: Money;
  /** Lifetime turnover: the cost and the quantity of all trades. */
  readonly traded: Money | null;
  readonly tradedQty: Qty | null;
  readonly restingOrders: number | null;
  readonly updatedAt: Micros | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
}

/** An account's positions in the markets of an event group, summed. */
export interface EventPositionRecord {
  readonly eventTicker: EventTicker;
  /** Lifetime turnover: the cost and the quantity of all trades. */
  readonly traded: Money;
  readonly tradedQty: Qty;
  readonly cost: Money;
  readonly realized: Money;
  readonly fees: Money;
}

/** A page of positions. `groups` holds the sums by event group; `null` when the dialect has none. */
export interface PositionsPage {
  readonly rows: readonly PositionRecord[];
  readonly cursor: string | null;
  readonly groups: readonly EventPositionRecord[] | null;
}

export type OrderStatus = 'working' | 'filled' | 'canceled';
/** Time in force on the wire. An expiry time is a member of its own. */
export type WireTimeInForce = 'gtc' | 'ioc' | 'fok';
/** The order that is canceled when an account would trade with itself: the incoming one, or the resting one. */
export type SelfTrade = 'taker_at_cross' | 'maker';

/** An order as its owner sees it. */
export interface OrderRecord {
  readonly orderId: VenueOrderId;
  readonly clientOrderId: string | null;
  readonly ticker: Ticker;
  readonly side: Side;
  /** The outcome that the owner named when placing the order. */
  readonly outcome: Outcome | null;
  readonly price: Price;
  /** `null`: the venue does not know it. */
  readonly status: OrderStatus | null;
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
  /** Reason of the last change, in the venue's words. */
  readonly reason: string | null;
  readonly groupId: string | null;
  readonly cancelOnPause: boolean | null;
  /** 0 is the account itself. */
  readonly subaccount: number | null;
  /** Shard on which the order's market trades. */
  readonly shard: number | null;
}

/** An order in the answer to a write. Some dialects send little more than its id. */
export type OrderAnswerRecord = {
  readonly [Key in keyof OrderRecord]: Key extends 'orderId' ? OrderRecord[Key] : OrderRecord[Key] | null;
} & {
  /** Quantity that the write itself filled. */
  readonly filledNow: Qty | null;
  /** Average price and average fee of a contract in `filledNow`. The wire carries four decimals, floored. */
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
  /** The outcome that the owner named when placing the order. */
  readonly outcome: Outcome | null;
  readonly price: Price;
  readonly qty: Qty;
  readonly isTaker: boolean;
  readonly fee: Money;
  readonly positionAfter: Qty | null;
  readonly at: Micros | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
}

/** The payout of one market to one account. */
export interface SettlementRecord {
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker | null;
  readonly result: MarketResult;
  /** Payout of one YES contract. */
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

/** A rate limit, in one of two models: `count` requests per `windowMs`, or a bucket of `capacity` that refills. */
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

/** The venue's reason for a refusal. */
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
  readonly outcome: Outcome | null;
  readonly price: Price;
  readonly qty: Qty;
  /** Null means good till canceled. */
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

/** The answer to a write that creates, amends or decreases an order. */
export interface OrderWritten {
  readonly order: OrderAnswerRecord;
}

export interface OrderCanceled {
  readonly order: OrderAnswerRecord;
  readonly reducedBy: Qty;
}

export interface AmendOrderRecord {
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  /** Total quantity: filled so far plus what should remain. */
  readonly qty: Qty;
  readonly clientOrderId: string | null;
  readonly newClientOrderId: string | null;
  readonly shard: number | null;
}

/** A decrease by a quantity, or to a quantity: exactly one of the two is set. */
export interface DecreaseOrderRecord {
  readonly reduceBy: Qty | null;
  readonly reduceTo: Qty | null;
  readonly ticker: Ticker | null;
  readonly shard: number | null;
}

export interface CreateBatch {
  readonly orders: readonly CreateOrderRecord[];
}
/** One item of a batch of new orders: an order, or the error that refused it. */
export interface CreateBatchItem {
  readonly clientOrderId: string | null;
  readonly order: OrderAnswerRecord | null;
  readonly error: ErrorRecord | null;
}
export interface CreateBatchAnswer {
  readonly orders: readonly CreateBatchItem[];
}

/** An order's id and the members that locate it. */
export interface OrderLocator {
  readonly orderId: VenueOrderId;
  readonly ticker: Ticker | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
}
export interface CancelBatch {
  readonly orders: readonly OrderLocator[];
}
export interface CancelBatchItem {
  readonly orderId: VenueOrderId | null;
  readonly clientOrderId: string | null;
  /** Time of the cancel; `null` for an order that was not canceled. */
  readonly at: Micros | null;
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
