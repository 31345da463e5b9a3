// Records of the simulated venue: a market and an order of ours. They are plain data that the venue's parts change.
// Must never hold what the tape has not shown by the venue's time.
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
  /** Its number by arrival: a later order has a higher one. */
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
  /** Rounding accumulated by its fills. */
  accumulatedRounding: Money;
  updatedAt: Micros;
  /** The reason of its last change, in the venue's words; `null` where it has none. */
  reason: string | null;
  /** This order's report as last listed, kept for reuse; `null` when the order has changed since. */
  report: OrderReport | null;
}

/** A market as known so far, and our position and orders in it. */
export interface VenueMarket {
  /** Its number. A market that gets another number gets another record. */
  readonly index: MarketIndex;
  /** The market as the venue would describe it now. */
  market: Market;
  /** The time of the last change that did not come from a description. */
  changedAt: Micros;
  /** The grid of its book; `null` while it has none. */
  bookGrid: PriceGrid | null;
  /** The opening and closing times for which timers are set. */
  readonly timersSet: { openAt: Micros | null; closeAt: Micros | null };
  position: Position;
  /** Resting orders by id, in the sequence in which they were placed. */
  readonly resting: Map<VenueOrderId, VenueOrder>;
  /** Cash reserved for resting orders. */
  reserved: Money;
  /** True once the market has been settled. It is settled only once. */
  isPaid: boolean;
}

/** Returns an order as its owner sees it. */
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
