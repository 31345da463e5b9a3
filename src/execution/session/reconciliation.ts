// Compares our orders with the venue's lists. The caller must act on the differences. Must never conclude more from an
// order's absence than the list can prove.
import type { OrderReport } from '../../domain/event.ts';
import type { VenueOrderId } from '../../domain/ids.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';

/**
 * Unfinished orders of ours that a complete list of working orders should show, and does not. Each must be looked up.
 */
export function missingOrders(state: State, rows: readonly OrderReport[], grace: RequestTiming): VenueOrderId[] {
  const listed = new Set(rows.map((row) => row.venueOrderId));
  const missing: VenueOrderId[] = [];
  for (const { venueOrderId, changedAt } of state.orders.unfinishedOrders()) {
    if (venueOrderId === null || changedAt >= grace.askedAt || listed.has(venueOrderId)) continue;
    if (mustShow(state, venueOrderId, grace)) missing.push(venueOrderId);
  }
  return missing;
}

/** True when an answer must show an order, however far it lags: the order's id was known long before. */
export function mustShow({ orders }: State, id: VenueOrderId, { askedAt, graceMs }: RequestTiming): boolean {
  const namedAt = orders.venueIdLearnedAt(id);
  return namedAt !== null && askedAt - namedAt >= graceMs * 1000;
}

/** Unknown orders that a complete list does not show. The list was requested long enough after they became unknown. */
export function neverArrived(state: State, rows: readonly OrderReport[], { askedAt, graceMs }: RequestTiming): Order[] {
  const listed = new Set(rows.map((row) => row.clientOrderId));
  return state.orders.unsettledOrders().filter((order) => {
    if (order.state !== 'unknown' || order.venueOrderId !== null || listed.has(order.clientOrderId)) return false;
    if (state.orders.isKnownArrived(order.clientOrderId)) return false;
    return askedAt - order.changedAt >= graceMs * 1000;
  });
}

/** Time of the request for a list or lookup, and the time that an order may take to appear there. */
export interface RequestTiming {
  readonly askedAt: Micros;
  readonly graceMs: number;
}
