// Events about our own orders and account: what the venue answers, streams and lists.
// A list comes a page at a time; only its last page makes it complete.
import type { ClientOrderId, MarketIndex, TradeId, VenueOrderId } from './ids.ts';
import type { MarketResult } from './market.ts';
import type { Liquidity, Side } from './order.ts';
import type { Micros, Money, Price, Qty } from './units.ts';

/** The venue took a new order. */
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
  /** The venue refused the id as taken: whatever its lists show, the order is in, or was. */
  readonly isTaken?: boolean;
}

export interface CancelAccepted {
  readonly kind: 'cancel-accepted';
  readonly at: Micros;
  readonly clientOrderId: ClientOrderId;
  /** What was withdrawn. */
  readonly reducedBy: Qty;
  /** What had traded by then; where it is not told, it is the rest of what we asked for. */
  readonly filledQty?: Qty;
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
  /**
   * What had traded by then, where the fills may not have been told yet: with what remains, the order's new total. Where
   * the venue does not tell, only a report of the order does.
   */
  readonly filledQty?: Qty;
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

/** What the venue says stands before one of our orders, in hundredths of a contract. */
export interface QueuePositionReport {
  readonly venueOrderId: VenueOrderId;
  readonly aheadQty: Qty;
}

/** What stands before our resting orders in the markets that were asked about. */
export interface QueuePositions {
  readonly kind: 'queue-positions';
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly commandId: number;
  readonly rows: readonly QueuePositionReport[];
}

/** An order looked up by its id; `null` when the venue knows none. */
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
