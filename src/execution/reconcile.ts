// Compares the orders we believe in with those that the venue lists. Pure: tells the differences and leaves what to do
// about them to the caller. Must never read an absence in a list as more than the list can know.
import type { OrderReport } from '../domain/event.ts';
import type { VenueOrderId } from '../domain/ids.ts';
import type { Order } from '../domain/order.ts';
import type { Micros } from '../domain/units.ts';
import type { State } from '../state/state.ts';

/**
 * Orders that we think are working, that the venue had named long enough before the list was asked for, and that a
 * complete list of working orders does not show: each must be looked up.
 */
export function missingOrders(state: State, rows: readonly OrderReport[], grace: Grace): VenueOrderId[] {
  const listed = new Set(rows.map((row) => row.venueOrderId));
  const missing: VenueOrderId[] = [];
  for (const { venueOrderId, changedAt } of state.orders.unfinished()) {
    if (venueOrderId === null || changedAt >= grace.askedAt || listed.has(venueOrderId)) continue;
    if (mustShow(state, venueOrderId, grace)) missing.push(venueOrderId);
  }
  return missing;
}

/** Whether an answer, however far it lags, would show an order that the venue has named: one named later says nothing. */
export function mustShow({ orders }: State, id: VenueOrderId, { askedAt, graceMs }: Grace): boolean {
  const namedAt = orders.namedAt(id);
  return namedAt !== null && askedAt - namedAt >= graceMs * 1000;
}

/**
 * Orders of unknown fate that a complete list of all orders since before they were made does not show, although it was
 * asked for long enough after: they never arrived.
 */
export function neverArrived(state: State, rows: readonly OrderReport[], { askedAt, graceMs }: Grace): Order[] {
  const listed = new Set(rows.map((row) => row.clientOrderId));
  return state.orders.unsettled().filter((order) => {
    if (order.state !== 'unknown' || order.venueOrderId !== null || listed.has(order.clientOrderId)) return false;
    if (state.orders.isProven(order.clientOrderId)) return false;
    return askedAt - order.changedAt >= graceMs * 1000;
  });
}

/** When a list or a look-up was asked for, and how long an order may be on its way to it. */
export interface Grace {
  readonly askedAt: Micros;
  readonly graceMs: number;
}
