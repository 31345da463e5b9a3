// Takes order events into the state: acknowledgments, reports and fills, in whatever order they come.
// Must never assume that the answer precedes the feed, or that a report of a list is newer than the stream.
import type {
  CancelAccepted,
  FillReport,
  OrderAccepted,
  OrderEvent,
  OrderReport,
  OrderUnknown,
  OrderUpdated,
  OrderFound,
  OrdersPage,
  FillsPage,
} from '../domain/event.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import { type Order, type OrderChange, type OrderState, isFinished, leavesQty } from '../domain/order.ts';
import { type Micros, NO_QTY, type Price, type Qty, addQty, subtractQty } from '../domain/units.ts';
import type { StateChange } from './change.ts';
import { type Ending, type Orders, isForeign } from './orders.ts';
import type { Sized } from './half-told.ts';
import type { Orphans } from './orphans.ts';
import type { Portfolio } from './portfolio.ts';
import type { Succession } from './succession.ts';

type Handled = OrderEvent | OrdersPage | FillsPage;

/** The part of the state that order events move. */
interface Account {
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly succession: Succession;
  readonly orphans: Orphans;
  /** Counts something that was not expected. */
  surprise(what: string, detail: string, changes: StateChange[]): void;
}

/** Applies an event about our orders. */
export function applyOrderEvent(account: Account, event: Handled, changes: StateChange[]): void {
  const to = { account, changes };
  switch (event.kind) {
    case 'order-accepted':
      return accept(to, event);
    case 'order-rejected':
      return move(to, event, { change: 'reject', why: `${event.code}: ${event.message}` });
    case 'order-not-sent':
      return move(to, event, { change: 'drop', why: event.reason });
    case 'order-unknown':
      return lose(to, event);
    case 'cancel-accepted':
      return cancel(to, event);
    case 'cancel-refused':
      return move(to, event, { change: 'refuse-cancel', why: event.code });
    case 'cancel-lost':
      return move(to, event, { change: 'lose-cancel', why: event.reason });
    case 'amend-accepted':
      return amend(to, event);
    case 'amend-refused':
      return move(to, event, { change: 'refuse-amend', why: event.code });
    case 'amend-lost':
      return move(to, event, { change: 'lose-amend', why: event.reason });
    case 'order-updated':
    case 'order-found':
      return applyUpdate(to, event);
    case 'orders':
      for (const row of event.rows) {
        account.succession.named(row);
        applyReport(to, { report: row, at: event.at, askedAt: event.askedAt });
      }
      return;
    case 'fill':
      return applyFill(to, event.fill, event.at);
    case 'fills':
      for (const row of event.rows) applyFill(to, row, event.at);
  }
}

/** Where an event goes: the account it moves, and the list of what it changed. */
interface Target {
  readonly account: Account;
  readonly changes: StateChange[];
}

interface Move {
  readonly change: OrderChange;
  readonly why: string;
}

function move(
  to: Target,
  { clientOrderId, at }: { readonly clientOrderId: ClientOrderId; readonly at: Micros },
  { change, why }: Move,
): void {
  const { account, changes } = to;
  const order = account.orders.get(clientOrderId);
  if (!order) return account.surprise('order-not-known', `${change} of ${clientOrderId}`, changes);
  const from = order.state;
  if (!account.orders.move(clientOrderId, change, at))
    return account.surprise('order-life', `${change} of ${clientOrderId} while ${from}`, changes);
  if (order.state !== from) changes.push({ type: 'order', order, from, to: order.state, why });
}

/** An answer that was lost tells nothing of an order that the venue has shown meanwhile. */
function lose(to: Target, event: OrderUnknown): void {
  const { orders } = to.account;
  const order = orders.get(event.clientOrderId);
  if (event.isTaken === true) orders.prove(event.clientOrderId);
  if (order && order.venueOrderId !== null && !DOUBTFUL.has(order.state)) return;
  move(to, event, { change: 'lose', why: event.reason });
}

function accept(to: Target, event: OrderAccepted): void {
  const { account, changes } = to;
  const order = account.orders.get(event.clientOrderId);
  if (!order) return account.surprise('order-not-known', `accept of ${event.clientOrderId}`, changes);
  learnVenueId(to, order, event);
  move(to, event, { change: 'accept', why: 'accepted' });
  // What the venue says is over and not all traded was withdrawn: the rest of an ioc, a self-trade.
  if (event.isFinished && event.filledQty < order.qty)
    end(to, event, { change: 'cancel', filledQty: event.filledQty, why: 'the venue let nothing rest' });
}

function cancel(to: Target, event: CancelAccepted): void {
  const { orders } = to.account;
  // The feed has said so already, and by how much.
  if (orders.isEnding(event.clientOrderId)) return;
  const order = orders.get(event.clientOrderId);
  const filledQty = event.filledQty ?? (order ? subtractQty(order.qty, event.reducedBy) : NO_QTY);
  end(to, event, { change: 'cancel', filledQty, why: 'canceled' });
}

/** Ends an order as the venue has; not before the fills are told that it had until then. */
function end(
  to: Target,
  told: { readonly clientOrderId: ClientOrderId; readonly at: Micros },
  { change, filledQty, why }: { readonly change: Ending; readonly filledQty: Qty; readonly why: string },
): void {
  if (!to.account.orders.awaitFills(told.clientOrderId, change, filledQty)) move(to, told, { change, why });
}

/** Books fills that came, by the venue's order id alone, before we knew whose they were. */
function learnVenueId(
  to: Target,
  order: Order,
  event: { readonly venueOrderId: OrderReport['venueOrderId']; readonly at: Micros },
): void {
  const { account } = to;
  if (order.venueOrderId === event.venueOrderId) return;
  account.orders.nameAtVenue(order.clientOrderId, event.venueOrderId, event.at);
  for (const fill of account.orphans.take(event.venueOrderId)) fillOrder(to, { order, fill, at: event.at });
}

function amend(to: Target, event: Extract<Handled, { kind: 'amend-accepted' }>): void {
  const { account, changes } = to;
  const order = account.orders.get(event.clientOrderId);
  if (!order) return account.surprise('order-not-known', `amend of ${event.clientOrderId}`, changes);
  // An order that has ended keeps the terms it ended with; one that only lacks fills is told of by its end.
  if (isFinished(order.state) || account.orders.isEnding(order.clientOrderId))
    return move(to, event, { change: 'amend', why: 'amended' });
  const { filledQty, leavesQty, price } = event;
  if (filledQty !== undefined) return resize(to, { order, at: event.at }, { filledQty, leavesQty, price });
  // The larger size counts until a report tells; where nothing waits for the answer any more, one will come anyway.
  if (order.state !== 'pending-amend') return;
  const told = account.orders.halfTold.answered(order.clientOrderId, leavesQty);
  if (told !== null) resize(to, { order, at: event.at }, { ...told, price });
}

/** Takes the terms that the venue has given an order. */
function resize(
  to: Target,
  { order, at }: { readonly order: Order; readonly at: Micros },
  size: Sized & { readonly price: Price | null },
): void {
  const { filledQty, price } = size;
  const named = { clientOrderId: order.clientOrderId, at };
  const qty = addQty(filledQty, size.leavesQty);
  to.account.orders.amend(order.clientOrderId, price === null ? { qty } : { qty, price });
  move(to, named, { change: 'amend', why: 'amended' });
  if (size.leavesQty === 0) return end(to, named, { change: 'cancel', filledQty, why: 'amended to nothing' });
  endTraded(to, order, at);
}

/** Ends an order whose fills came first, and were all that its new terms leave to trade. */
function endTraded(to: Target, order: Order, at: Micros): void {
  if (leavesQty(order) > 0 || isFinished(order.state)) return;
  move(to, { clientOrderId: order.clientOrderId, at }, { change: 'fill-all', why: 'traded' });
}

function applyUpdate(to: Target, event: OrderUpdated | OrderFound): void {
  if (event.order === null) return;
  applyReport(to, { report: event.order, at: event.at, askedAt: event.kind === 'order-found' ? event.askedAt : null });
}

interface Told {
  readonly report: OrderReport;
  readonly at: Micros;
  /** When a list or look-up was asked for, which may be older than what we know; `null` when the stream told it. */
  readonly askedAt: Micros | null;
}

function applyReport(to: Target, { report, at, askedAt }: Told): void {
  const { account, changes } = to;
  const order = findOrder(account, report);
  if (!order) {
    if (report.status === 'working') changes.push({ type: 'unexpected-order', report });
    return;
  }
  learnVenueId(to, order, { venueOrderId: report.venueOrderId, at });
  // Fills of a foreign order may have been told before we heard of it: what it has traded is in its report.
  if (isForeign(order)) account.orders.learnFilled(order.clientOrderId, report.filledQty);
  const told = { clientOrderId: order.clientOrderId, at };
  if (report.status === 'canceled') {
    if (askedAt === null && isCanceledForUs(order, report)) changes.push({ type: 'canceled-for-us', order });
    const change = report.reason === 'ExpiryCancel' ? 'expire' : 'cancel';
    const filledQty = isForeign(order) ? NO_QTY : report.filledQty;
    return end(to, told, { change, filledQty, why: report.reason ?? 'canceled' });
  }
  if (report.status === 'filled') {
    // Ours is filled when its fills have come.
    if (isForeign(order)) return move(to, told, { change: 'fill-all', why: 'traded' });
    return end(to, told, { change: 'fill-all', filledQty: report.filledQty, why: 'traded' });
  }
  if (isFinished(order.state) && !DOUBTFUL.has(order.state)) return;
  if (order.state === 'pending-amend' && !account.orders.isEnding(order.clientOrderId)) {
    const size = account.orders.halfTold.reported(order.clientOrderId, report);
    if (size !== null) return resize(to, { order, at }, { ...size, price: report.price });
  }
  const isNewer = askedAt === null || askedAt > order.changedAt;
  if (DOUBTFUL.has(order.state)) move(to, told, { change: 'accept', why: 'seen at the venue' });
  const isLarger = report.filledQty + report.leavesQty > order.qty;
  if (isNewer && (order.state === 'working' || isLarger)) takeTerms(to, { order, report, at });
}

/**
 * Whether an order of ours that rested was canceled for whoever has a key of the account. For what the venue cancels
 * by itself, its feed gives a reason; what was to trade at once it ends without one.
 */
const isCanceledForUs = (order: Order, { reason }: OrderReport): boolean =>
  reason === null &&
  !isForeign(order) &&
  (order.state === 'working' || order.state === 'pending-amend') &&
  (order.timeInForce === 'gtc' || order.timeInForce === 'gtd');

/** States that the venue's word "working" puts right: even the certainty that an order never arrived can be wrong. */
const DOUBTFUL: ReadonlySet<OrderState> = new Set(['queued', 'in-flight', 'unknown', 'not-sent', 'rejected']);

/**
 * A report is the venue's word on price and size, whoever changed them: a streamed one its latest; a listed one only when
 * it was asked for after we last knew. While a change of ours is unanswered, the larger of both sizes counts.
 */
function takeTerms(
  to: Target,
  { order, report, at }: { readonly order: Order; readonly report: OrderReport; readonly at: Micros },
): void {
  const { account } = to;
  const qty = addQty(report.filledQty, report.leavesQty);
  if (order.price === report.price && (qty === order.qty || leavesQty(order) <= 0)) return;
  if (account.orders.isEnding(order.clientOrderId)) return;
  account.orders.amend(order.clientOrderId, { price: report.price, qty });
  endTraded(to, order, at);
}

function findOrder(account: Account, named: Pick<OrderReport, 'clientOrderId' | 'venueOrderId'>): Order | undefined {
  const byVenue = account.orders.byVenueId(named.venueOrderId);
  if (byVenue) return byVenue;
  return named.clientOrderId === null ? undefined : account.orders.get(named.clientOrderId);
}

function applyFill(to: Target, fill: FillReport, at: Micros): void {
  const { account, changes } = to;
  if (fill.qty <= 0) return account.surprise('fill-of-nothing', `${fill.tradeId} of ${fill.venueOrderId}`, changes);
  const wasKnown = account.portfolio.hasFill(fill);
  const isNew = account.portfolio.book(fill);
  const order = findOrder(account, fill);
  // A fill told again may be the first to say whose it is.
  if (order) learnVenueId(to, order, { venueOrderId: fill.venueOrderId, at });
  if (!isNew) {
    if (!wasKnown) account.succession.missed(fill);
    return;
  }
  if (order) return fillOrder(to, { order, fill, at });
  account.orphans.keep(fill);
  account.succession.take(null, fill, at);
  changes.push({ type: 'fill', order: null, fill, position: account.portfolio.position(fill.market) });
}

function fillOrder(
  to: Target,
  { order, fill, at }: { readonly order: Order; readonly fill: FillReport; readonly at: Micros },
): void {
  const { account, changes } = to;
  const from = order.state;
  // What a foreign order had traded when it was found may be told again: only reports move it.
  if (!isForeign(order)) account.orders.fill(order.clientOrderId, fill, at);
  account.succession.take(order, fill, at);
  changes.push({ type: 'fill', order, fill, position: account.portfolio.position(fill.market) });
  if (order.state !== from) changes.push({ type: 'order', order, from, to: order.state, why: 'traded' });
}
