// Events about our own orders and account. A list comes in pages; it is complete only with its last page.
import type { ClientOrderId, MarketIndex, TradeId, VenueOrderId } from './ids.ts';
import type { MarketResult } from './market.ts';
import type { Liquidity, Side } from './orders/order.ts';
import type { Micros, Money, Price, Qty } from './units.ts';

/** The venue accepted a new order. */
export interface OrderAccepted {
  readonly kind: 'order-accepted';
  readonly at: Micros;
  readonly exchangeAt: Micros | null;
  readonly clientOrderId: ClientOrderId;
  readonly venueOrderId: VenueOrderId;
  /** Quantity filled before the venue answered. The fills themselves arrive as fill events. */
  readonly filledQty: Qty;
  readonly leavesQty: Qty;
  /** True when nothing of the order rests any longer. */
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

/** A new order certainly never reached the venue. */
export interface OrderNotSent {
  readonly kind: 'order-not-sent';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly reason: string;
}

/** A new order may have reached the venue. */
export interface OrderUnknown {
  readonly kind: 'order-unknown';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly reason: string;
  /** True when the venue refused the id as already taken: the order did reach the venue. */
  readonly isTaken?: boolean;
}

export interface CancelAccepted {
  readonly kind: 'cancel-accepted';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  /** Quantity that the cancel removed. */
  readonly reducedBy: Qty;
  /** Quantity filled before the cancel. When absent, it is the order's quantity less `reducedBy`. */
  readonly filledQty?: Qty;
}

/** The venue refused a cancel: the order is filled, canceled or was never there. */
export interface CancelRefused {
  readonly kind: 'cancel-refused';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly code: string;
}

/** A cancel failed, or may not have reached the venue; it can be sent again. */
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
  /**
   * Quantity filled before the change; its fill events may come later. With `leavesQty` it gives the order's new total.
   */
  readonly filledQty?: Qty;
  readonly leavesQty: Qty;
  /** Time of the change by the venue's clock, if the answer gives it. */
  readonly exchangeAt?: Micros;
}

export interface AmendRefused {
  readonly kind: 'amend-refused';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly code: string;
}

/** An amend or decrease may or may not have taken effect. */
export interface AmendLost {
  readonly kind: 'amend-lost';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  readonly reason: string;
}

/** One of our orders as the venue describes it, in an answer or on the feed. */
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
  /** The venue's own code for why it changed the order; `null` when it gives none. */
  readonly reason: string | null;
}

/** The feed reported one of our orders. */
export interface OrderUpdated {
  readonly kind: 'order-updated';
  readonly at: Micros;
  readonly order: OrderReport;
}

/** One of our trades. Its trade id and order id together identify it. */
export interface FillReport {
  readonly tradeId: TradeId;
  readonly venueOrderId: VenueOrderId;
  /** Our id of the order; `null` where the venue names only its own. */
  readonly clientOrderId: ClientOrderId | null;
  readonly market: MarketIndex;
  readonly side: Side;
  /** Price on the YES scale, in ten-thousandths of a dollar. */
  readonly price: Price;
  /** Quantity filled, in hundredths of a contract. */
  readonly qty: Qty;
  /** Fee of the fill, in millionths of a dollar. */
  readonly fee: Money;
  readonly liquidity: Liquidity;
  /** Time of the trade by the venue's clock; `null` when it gives none. */
  readonly exchangeAt: Micros | null;
}

export interface Filled {
  readonly kind: 'fill';
  readonly at: Micros;
  readonly fill: FillReport;
}

/** One position as the venue reports it. */
export interface PositionReport {
  readonly market: MarketIndex;
  readonly qty: Qty;
  readonly realized: Money;
  readonly fees: Money;
  /** Cost of the open quantity. */
  readonly cost: Money;
}

export interface PositionUpdated {
  readonly kind: 'position-updated';
  readonly at: Micros;
  readonly position: PositionReport;
}

/** Cash free to spend, by the venue. The collateral of resting orders is already deducted. */
export interface BalanceRead {
  readonly kind: 'balance';
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly commandId: number;
  readonly available: Money;
}

/** A page of a list. `cursor` is `null` on the last page. */
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

/** The venue paid out a market in which the account held a position. */
export interface SettlementReport {
  readonly market: MarketIndex;
  readonly result: MarketResult;
  /** Payout of one YES contract. */
  readonly settlementValue: Price;
  readonly revenue: Money;
  readonly settledAt: Micros;
}
export type SettlementsPage = Page<'settlements', SettlementReport>;

/** Quantity ahead of our order in its queue, as the venue reports it, in hundredths of a contract. */
export interface QueuePositionReport {
  readonly venueOrderId: VenueOrderId;
  readonly aheadQty: Qty;
}

/** Quantity ahead of our resting orders in the markets of the request. */
export interface QueuePositions {
  readonly kind: 'queue-positions';
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly commandId: number;
  readonly rows: readonly QueuePositionReport[];
}

/** An order looked up by its venue order id; `order` is `null` when the venue has no such order. */
export interface OrderFound {
  readonly kind: 'order-found';
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly commandId: number;
  readonly order: OrderReport | null;
}

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
export type AccountEvent =
  | PositionUpdated
  | BalanceRead
  | PositionsPage
  | OrdersPage
  | FillsPage
  | SettlementsPage
  | QueuePositions;
