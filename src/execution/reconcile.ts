// Compares what we believe of our orders, positions and cash with what the venue says. Pure: tells the differences and
// leaves what to do about them to the caller. Must never read an absence in a list as more than the list can know.
import type { OrderReport, PositionReport } from '../domain/event.ts';
import type { MarketIndex, VenueOrderId } from '../domain/ids.ts';
import type { Order } from '../domain/order.ts';
import type { Micros, Money, Qty } from '../domain/units.ts';
import type { State } from '../state/state.ts';

/** A position that is not what the venue says. */
export interface PositionDrift {
  readonly market: MarketIndex;
  readonly ours: Qty;
  readonly theirs: Qty;
}

/** Positions that differ; a market that the complete list leaves out is flat there. */
export function positionDrifts(state: State, rows: readonly PositionReport[]): PositionDrift[] {
  const theirsByMarket = new Map(rows.map((row) => [row.market, row.qty]));
  const markets = new Set([...theirsByMarket.keys(), ...state.portfolio.positions().keys()]);
  const drifts: PositionDrift[] = [];
  for (const market of markets) {
    const ours = state.portfolio.position(market).qty;
    const theirs = theirsByMarket.get(market) ?? (0 as Qty);
    if (ours !== theirs) drifts.push({ market, ours, theirs });
  }
  return drifts;
}

/**
 * Whether balances and positions can be compared at all: nothing of ours may move at the venue between its word and
 * ours, so there must be no order that could fill, and no fill, settlement or end of an order since the read was asked for.
 */
export const isQuiet = (state: State, moneyMovedAt: Micros, askedAt: Micros): boolean =>
  state.orders.openCount === 0 && moneyMovedAt < askedAt;

/** Cash that differs when nothing is pledged: ours, and what the venue lets us spend. `null` when equal. */
export function cashDrift(state: State, available: Money): { readonly ours: Money; readonly theirs: Money } | null {
  const ours = state.portfolio.cash;
  return ours === available ? null : { ours, theirs: available };
}

/**
 * Orders that we think are working, that the venue had named before the list was asked for, and that a complete list
 * of working orders does not show: each must be looked up.
 */
export function missingOrders(state: State, rows: readonly OrderReport[], askedAt: Micros): VenueOrderId[] {
  const listed = new Set(rows.map((row) => row.venueOrderId));
  const missing: VenueOrderId[] = [];
  for (const order of state.orders.allOpen()) {
    const { venueOrderId, changedAt } = order;
    if (venueOrderId !== null && changedAt < askedAt && !listed.has(venueOrderId)) missing.push(venueOrderId);
  }
  return missing;
}

/**
 * Orders of unknown fate that a complete list of all orders since before they were made does not show, although it was
 * asked for long enough after: they never arrived.
 */
export function neverArrived(state: State, rows: readonly OrderReport[], { askedAt, graceMs }: Grace): Order[] {
  const listed = new Set(rows.map((row) => row.clientOrderId));
  return state.orders.allOpen().filter((order) => {
    if (order.state !== 'unknown' || order.venueOrderId !== null || listed.has(order.clientOrderId)) return false;
    return askedAt - order.changedAt >= graceMs * 1000;
  });
}

/** When a list was asked for, and how long an order may be on its way to it. */
export interface Grace {
  readonly askedAt: Micros;
  readonly graceMs: number;
}
