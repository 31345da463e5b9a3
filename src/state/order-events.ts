// Takes order events into the state: acknowledgments, reports and fills, in whatever order they come.
// Must never assume that the answer precedes the feed, or that a report of a list is newer than the stream.
import type {
  EngineEvent,
  FillReport,
  OrderAccepted,
  OrderEvent,
  OrderReport,
  OrderUpdated,
  OrderFound,
  OrdersPage,
  FillsPage,
} from '../domain/event.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import type { Order, OrderChange } from '../domain/order.ts';
import { leavesQty } from '../domain/order.ts';
import { type Micros, addQty } from '../domain/units.ts';
import type { StateChange } from './change.ts';
import type { Orders } from './orders.ts';
import type { Orphans } from './orphans.ts';
import type { Portfolio } from './portfolio.ts';

type Handled = OrderEvent | OrdersPage | FillsPage;

/** The part of the state that order events move. */
interface Account {
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly orphans: Orphans;
  /** Counts something that was not expected. */
  surprise(what: string, detail: string, changes: StateChange[]): void;
}

const ORDER_KINDS: ReadonlySet<EngineEvent['kind']> = new Set<Handled['kind']>([
  'order-accepted',
  'order-rejected',
  'order-not-sent',
  'order-unknown',
  'cancel-accepted',
  'cancel-refused',
  'cancel-lost',
  'amend-accepted',
  'amend-refused',
  'amend-lost',
  'order-updated',
  'order-found',
  'fill',
  'orders',
  'fills',
]);

/** Whether an event is about our orders. */
export const isOrderEvent = (event: EngineEvent): event is Handled => ORDER_KINDS.has(event.kind);

/** Applies one. */
export function applyOrderEvent(state: Account, event: Handled, changes: StateChange[]): void {
  switch (event.kind) {
    case 'order-accepted':
      return accept(state, event, changes);
    case 'order-rejected':
      return move(state, event, { change: 'reject', why: `${event.code}: ${event.message}` }, changes);
    case 'order-not-sent':
      return move(state, event, { change: 'drop', why: event.reason }, changes);
    case 'order-unknown':
      return move(state, event, { change: 'lose', why: event.reason }, changes);
    case 'cancel-accepted':
      return move(state, event, { change: 'cancel', why: 'canceled' }, changes);
    case 'cancel-refused':
      return move(state, event, { change: 'refuse-cancel', why: event.code }, changes);
    case 'cancel-lost':
      return move(state, event, { change: 'lose-cancel', why: event.reason }, changes);
    case 'amend-accepted':
      return amend(state, event, changes);
    case 'amend-refused':
      return move(state, event, { change: 'refuse-amend', why: event.code }, changes);
    case 'amend-lost':
      return move(state, event, { change: 'lose-amend', why: event.reason }, changes);
    case 'order-updated':
    case 'order-found':
      return applyUpdate(state, event, changes);
    case 'orders':
      for (const row of event.rows) applyReport(state, { report: row, at: event.at, isStream: false }, changes);
      return;
    case 'fill':
      return applyFill(state, event.fill, event.at, changes);
    case 'fills':
      for (const row of event.rows) applyFill(state, row, event.at, changes);
  }
}

interface Move {
  readonly change: OrderChange;
  readonly why: string;
}

function move(
  state: Account,
  { clientOrderId, at }: { readonly clientOrderId: ClientOrderId; readonly at: Micros },
  { change, why }: Move,
  changes: StateChange[],
): void {
  const order = state.orders.get(clientOrderId);
  if (!order) return state.surprise('order-not-known', `${change} of ${clientOrderId}`, changes);
  const from = order.state;
  if (!state.orders.move(clientOrderId, change, at))
    return state.surprise('order-life', `${change} of ${clientOrderId} while ${from}`, changes);
  if (order.state !== from) changes.push({ type: 'order', order, from, why });
}

function accept(state: Account, event: OrderAccepted, changes: StateChange[]): void {
  const order = state.orders.get(event.clientOrderId);
  if (!order) return state.surprise('order-not-known', `accept of ${event.clientOrderId}`, changes);
  learnVenueId(state, order, event, changes);
  move(state, event, { change: 'accept', why: 'accepted' }, changes);
  // What the venue says is over and not all traded was withdrawn: the rest of an ioc, a self-trade.
  if (event.isFinished && event.filledQty < order.qty)
    move(state, event, { change: 'cancel', why: 'the venue let nothing rest' }, changes);
}

/** Books fills that came, by the venue's order id alone, before we knew whose they were. */
function learnVenueId(
  state: Account,
  order: Order,
  event: { readonly venueOrderId: OrderReport['venueOrderId']; readonly at: Micros },
  changes: StateChange[],
): void {
  if (order.venueOrderId === event.venueOrderId) return;
  state.orders.nameAtVenue(order.clientOrderId, event.venueOrderId);
  for (const fill of state.orphans.take(event.venueOrderId)) fillOrder(state, { order, fill, at: event.at }, changes);
}

function amend(state: Account, event: Extract<Handled, { kind: 'amend-accepted' }>, changes: StateChange[]): void {
  const order = state.orders.get(event.clientOrderId);
  if (!order) return state.surprise('order-not-known', `amend of ${event.clientOrderId}`, changes);
  const qty = addQty(order.filledQty, event.leavesQty);
  state.orders.amend(event.clientOrderId, event.price === null ? { qty } : { qty, price: event.price });
  move(state, event, { change: 'amend', why: 'amended' }, changes);
  if (event.leavesQty === 0) move(state, event, { change: 'cancel', why: 'amended to nothing' }, changes);
}

function applyUpdate(state: Account, event: OrderUpdated | OrderFound, changes: StateChange[]): void {
  if (event.order === null) return;
  applyReport(state, { report: event.order, at: event.at, isStream: event.kind === 'order-updated' }, changes);
}

interface Told {
  readonly report: OrderReport;
  readonly at: Micros;
  /** Whether the stream told it, in order; a list or look-up may be older than what we know. */
  readonly isStream: boolean;
}

function applyReport(state: Account, { report, at, isStream }: Told, changes: StateChange[]): void {
  const order = findOrder(state, report);
  if (!order) {
    if (report.status === 'working') changes.push({ type: 'unexpected-order', report });
    return;
  }
  learnVenueId(state, order, { venueOrderId: report.venueOrderId, at }, changes);
  const told = { clientOrderId: order.clientOrderId, at };
  if (report.status === 'canceled') {
    const change = report.reason === 'ExpiryCancel' ? 'expire' : 'cancel';
    return move(state, told, { change, why: report.reason ?? 'canceled' }, changes);
  }
  if (order.state === 'in-flight' || order.state === 'unknown')
    move(state, told, { change: 'accept', why: 'seen at the venue' }, changes);
  if (isStream && report.status === 'working') takeTerms(state, order, report);
}

/** A streamed report is the venue's latest word on price and size, whoever changed them. */
function takeTerms(state: Account, order: Order, report: OrderReport): void {
  const qty = addQty(report.filledQty, report.leavesQty);
  if (order.price !== report.price || (qty !== order.qty && leavesQty(order) > 0))
    state.orders.amend(order.clientOrderId, { price: report.price, qty });
}

function findOrder(state: Account, named: Pick<OrderReport, 'clientOrderId' | 'venueOrderId'>): Order | undefined {
  const byVenue = state.orders.byVenueId(named.venueOrderId);
  if (byVenue) return byVenue;
  return named.clientOrderId === null ? undefined : state.orders.get(named.clientOrderId);
}

function applyFill(state: Account, fill: FillReport, at: Micros, changes: StateChange[]): void {
  if (!state.portfolio.book(fill)) return;
  const order = findOrder(state, fill);
  if (order) {
    learnVenueId(state, order, { venueOrderId: fill.venueOrderId, at }, changes);
    return fillOrder(state, { order, fill, at }, changes);
  }
  state.orphans.keep(fill);
  changes.push({ type: 'fill', order: null, fill, position: state.portfolio.position(fill.market) });
}

function fillOrder(
  state: Account,
  { order, fill, at }: { readonly order: Order; readonly fill: FillReport; readonly at: Micros },
  changes: StateChange[],
): void {
  const from = order.state;
  state.orders.fill(order.clientOrderId, fill, at);
  changes.push({ type: 'fill', order, fill, position: state.portfolio.position(fill.market) });
  if (order.state !== from) changes.push({ type: 'order', order, from, why: 'traded' });
}
