// What the simulated venue keeps of a market and of an order of ours: plain records that its parts move.
// Must never hold what has not been told by the venue's time.
import type { OrderReport } from '../../domain/event.ts';
import type { ClientOrderId, MarketIndex, VenueOrderId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { Side, TimeInForce } from '../../domain/order.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import type { Position } from '../../domain/position.ts';
import type { Micros, Money, Price, Qty } from '../../domain/units.ts';

/** An order of ours. */
export interface OrderRecord {
  readonly venueOrderId: VenueOrderId;
  readonly clientOrderId: ClientOrderId;
  /** In which order it came. */
  readonly sequence: number;
  readonly market: MarketRecord;
  readonly side: Side;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly expiresAt: Micros | null;
  readonly createdAt: Micros;
  price: Price;
  status: OrderReport['status'];
  filledQty: Qty;
  leavesQty: Qty;
  /** Rounding gathered by its fills. */
  gathered: Money;
  updatedAt: Micros;
  /** Why it last changed, in the venue's word; `null` where it has none. */
  reason: string | null;
  /** As it was last listed; `null` when it was not since it changed. */
  report: OrderReport | null;
}

/** A market, as told so far, and what is ours in it. */
export interface MarketRecord {
  /** The number that it has now. */
  readonly index: MarketIndex;
  /** As the venue would describe it now. */
  market: Market;
  /** When anything but a description last told that its life went on. */
  changedAt: Micros;
  /** The grid of the floor's book of it; `null` while it has none. */
  floorGrid: PriceGrid | null;
  /** For when its opening and its close are set as timers. */
  readonly armed: { openAt: Micros | null; closeAt: Micros | null };
  position: Position;
  /** What rests, by id, in the order in which it came. */
  readonly resting: Map<VenueOrderId, OrderRecord>;
  /** Cash behind what rests. */
  reserved: Money;
  /** Whether it was paid out: it never is again. */
  isPaid: boolean;
}

/** An order as its owner is told of it. */
export const reportOf = (order: OrderRecord, market: MarketIndex = order.market.index): OrderReport => ({
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
