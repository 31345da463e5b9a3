// Compares our orders with those that the venue lists. Pure: returns the differences, on which the caller acts. Must
// never conclude more from an order's absence than the list can prove.
import type { OrderReport } from '../../domain/event.ts';
import type { VenueOrderId } from '../../domain/ids.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';

/**
 * Unfinished orders of ours that a complete list of working orders lacks, although their venue ids were known long
 * enough before the list was requested. Each must be looked up.
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

/** True when an answer must show an order, however far it lags, because the order's id was known long enough before. */
export function mustShow({ orders }: State, id: VenueOrderId, { askedAt, graceMs }: RequestTiming): boolean {
  const namedAt = orders.venueIdLearnedAt(id);
  return namedAt !== null && askedAt - namedAt >= graceMs * 1000;
}

/**
 * Unknown orders that never arrived: a complete list that reaches back to before they were made does not show them,
 * although the list was requested long enough after they became unknown.
 */
export function neverArrived(state: State, rows: readonly OrderReport[], { askedAt, graceMs }: RequestTiming): Order[] {
  const listed = new Set(rows.map((row) => row.clientOrderId));
  return state.orders.unsettledOrders().filter((order) => {
    if (order.state !== 'unknown' || order.venueOrderId !== null || listed.has(order.clientOrderId)) return false;
    if (state.orders.isKnownArrived(order.clientOrderId)) return false;
    return askedAt - order.changedAt >= graceMs * 1000;
  });
}

/** The time at which a list or lookup was requested, and how long an order may take to appear in it. */
export interface RequestTiming {
  readonly askedAt: Micros;
  readonly graceMs: number;
}
