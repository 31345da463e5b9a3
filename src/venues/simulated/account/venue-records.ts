// Records of the simulated venue: a market and an order of ours. Must never hold what the tape has not shown by the
// venue's time.
import type { OrderReport } from '../../../domain/event.ts';
import type { ClientOrderId, MarketIndex, VenueOrderId } from '../../../domain/ids.ts';
import type { Market } from '../../../domain/market.ts';
import type { OrderTerms, Side } from '../../../domain/orders/order-terms.ts';
import type { PriceGrid } from '../../../domain/price-grid.ts';
import type { Position } from '../../../domain/position.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';

/** An order of ours. */
export interface VenueOrder {
  readonly venueOrderId: VenueOrderId;
  readonly clientOrderId: ClientOrderId;
  /** Number by arrival: a later order has a higher number. */
  readonly sequence: number;
  readonly market: VenueMarket;
  readonly side: Side;
  /** The terms with which the order arrived. Price and quantity may have been amended since. */
  readonly placed: OrderTerms;
  readonly createdAt: Micros;
  price: Price;
  status: OrderReport['status'];
  filledQty: Qty;
  leavesQty: Qty;
  accumulatedRounding: Money;
  updatedAt: Micros;
  /** Reason of the last change, in the venue's words; `null` where there is none. */
  reason: string | null;
  /** The order's report as last listed, kept for reuse; `null` once the order has changed. */
  report: OrderReport | null;
}

/** A market as known so far, and our position and orders in it. */
export interface VenueMarket {
  /** A market that gets another number gets another record. */
  readonly index: MarketIndex;
  /** The market as the venue would describe it now. */
  market: Market;
  /** Time of the last `market-changed` event of the tape. */
  changedAt: Micros;
  bookGrid: PriceGrid | null;
  readonly timersSet: { openAt: Micros | null; closeAt: Micros | null };
  position: Position;
  /** Resting orders by id, as they joined their queues: an order that an amend moved to the back comes last. */
  readonly resting: Map<VenueOrderId, VenueOrder>;
  reserved: Money;
  isPaid: boolean;
}

/** An order as the venue reports it. */
export const orderReportOf = (order: VenueOrder, market: MarketIndex = order.market.index): OrderReport => ({
  venueOrderId: order.venueOrderId,
  clientOrderId: order.clientOrderId,
  market,
  side: order.side,
  price: order.price,
  status: order.status,
  filledQty: order.filledQty,
  leavesQty: order.leavesQty,
  createdAt: order.createdAt,
  updatedAt: order.updatedAt,
  reason: order.reason,
});
