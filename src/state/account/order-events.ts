// Applies order events to the state: acknowledgments, reports and fills, early or late. Must never assume that messages
// arrive in the sequence of their causes.
import type {
  CancelAccepted,
  FillReport,
  OrderAccepted,
  OrderReport,
  OrderUnknown,
  OrderUpdated,
  OrderFound,
  OrdersPage,
  FillsPage,
} from '../../domain/event.ts';
import type { EventOf } from '../../domain/event-kinds.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { type Order, type OrderChange, type OrderState, isFinished, leavesQty } from '../../domain/orders/order.ts';
import { type Micros, NO_QTY, type Price, type Qty, addQty, subtractQty } from '../../domain/units.ts';
import type { ChangeSink } from '../state-change.ts';
import { type Ending, type Orders, isForeign } from './orders.ts';
import type { FilledAndLeft } from './pending-decreases.ts';
import type { OrphanFills } from './orphan-fills.ts';
import type { Portfolio } from './portfolio.ts';
import type { TermsTime } from './terms-in-force.ts';
import type { LedgerHandover } from '../strategies/ledger-handover.ts';

type OrderInput = EventOf<'account'> | OrderFound | OrdersPage | FillsPage;

interface OrderEventTarget {
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly ledgerHandover: LedgerHandover;
  readonly orphanFills: OrphanFills;
  countSurprise(what: string, detail: string, changes: ChangeSink): void;
}

/** Applies an event about our orders. */
export function applyOrderEvent(account: OrderEventTarget, event: OrderInput, changes: ChangeSink): void {
  const target = { account, changes };
  switch (event.kind) {
    case 'order-accepted':
      return onAccepted(target, event);
    case 'order-rejected':
      return applyTransition(target, event, { change: 'reject', why: `${event.code}: ${event.message}` });
    case 'order-not-sent':
      return applyTransition(target, event, { change: 'drop', why: event.reason });
    case 'order-unknown':
      return onUnknown(target, event);
    case 'cancel-accepted':
      return onCancelAccepted(target, event);
    case 'cancel-refused':
      return applyTransition(target, event, { change: 'refuse-cancel', why: event.code });
    case 'cancel-lost':
      return applyTransition(target, event, { change: 'lose-cancel', why: event.reason });
    case 'amend-accepted':
      return onAmendAccepted(target, event);
    case 'amend-refused':
      return onAmendRefused(target, event);
    case 'amend-lost':
      return applyTransition(target, event, { change: 'lose-amend', why: event.reason });
    case 'order-updated':
    case 'order-found':
      return applyUpdate(target, event);
    case 'orders':
      for (const row of event.rows) {
        account.ledgerHandover.learnOwner(row);
        applyReport(target, { report: row, at: event.at, askedAt: event.askedAt });
      }
      return;
    case 'fill':
      return applyFill(target, event.fill, event.at);
    case 'fills':
      for (const row of event.rows) applyFill(target, row, event.at);
      return;
    // Positions follow from fills alone.
    case 'position-updated':
  }
}

interface Target {
  readonly account: OrderEventTarget;
  readonly changes: ChangeSink;
}

interface Transition {
  readonly change: OrderChange;
  readonly why: string;
}

function applyTransition(
  target: Target,
  { clientOrderId, at }: { readonly clientOrderId: ClientOrderId; readonly at: Micros },
  { change, why }: Transition,
): void {
  const { account, changes } = target;
  const order = account.orders.get(clientOrderId);
  if (!order) return account.countSurprise('order-not-known', `${change} of ${clientOrderId}`, changes);
  const from = order.state;
  if (!account.orders.applyChange(clientOrderId, change, at))
    return account.countSurprise('order-life', `${change} of ${clientOrderId} while ${from}`, changes);
  if (order.state !== from) changes.push({ type: 'order', order, from, to: order.state, why });
}

/** A lost answer proves nothing about an order that the venue has shown meanwhile. */
function onUnknown(target: Target, event: OrderUnknown): void {
  const { orders } = target.account;
  const order = orders.get(event.clientOrderId);
  if (event.isTaken === true) orders.markArrived(event.clientOrderId);
  if (order && order.venueOrderId !== null && !DOUBTFUL.has(order.state)) return;
  applyTransition(target, event, { change: 'lose', why: event.reason });
}

function onAccepted(target: Target, event: OrderAccepted): void {
  const { account, changes } = target;
  const order = account.orders.get(event.clientOrderId);
  if (!order) return account.countSurprise('order-not-known', `accept of ${event.clientOrderId}`, changes);
  learnVenueId(target, order, event);
  applyTransition(target, event, { change: 'accept', why: 'accepted' });
  // The order ended before it was filled: the rest of an ioc was canceled, or a self-trade was prevented.
  if (event.isFinished && event.filledQty < order.qty)
    endOrder(target, event, { change: 'cancel', filledQty: event.filledQty, why: 'nothing of it rests at the venue' });
}

function onCancelAccepted(target: Target, event: CancelAccepted): void {
  const { orders } = target.account;
  // The feed has already reported the end of the order.
  if (orders.isAwaitingFills(event.clientOrderId)) return;
  const order = orders.get(event.clientOrderId);
  // The size from which the rest was canceled is one of two. A lookup must find out what has filled.
  if (event.filledQty === undefined && order !== undefined && order.amend !== null)
    return applyTransition(target, event, { change: 'lose', why: 'canceled, while the effect of an amend is unknown' });
  const filledQty = event.filledQty ?? (order ? subtractQty(order.qty, event.reducedBy) : NO_QTY);
  endOrder(target, event, { change: 'cancel', filledQty, why: 'canceled' });
}

function endOrder(
  target: Target,
  ended: { readonly clientOrderId: ClientOrderId; readonly at: Micros },
  { change, filledQty, why }: { readonly change: Ending; readonly filledQty: Qty; readonly why: string },
): void {
  if (!target.account.orders.awaitFills(ended.clientOrderId, change, filledQty))
    applyTransition(target, ended, { change, why });
}

/** Learns the venue's id of an order. Applies the fills that arrived under this id before. */
function learnVenueId(
  target: Target,
  order: Order,
  event: { readonly venueOrderId: OrderReport['venueOrderId']; readonly at: Micros },
): void {
  const { account } = target;
  if (order.venueOrderId === event.venueOrderId) return;
  account.orders.setVenueId(order.clientOrderId, event.venueOrderId, event.at);
  for (const fill of account.orphanFills.takeFills(event.venueOrderId))
    fillOrder(target, { order, fill, at: event.at, isCounted: true });
}

function onAmendRefused(target: Target, event: Extract<OrderInput, { kind: 'amend-refused' }>): void {
  applyTransition(target, event, { change: 'refuse-amend', why: event.code });
  const order = target.account.orders.get(event.clientOrderId);
  // All of the old quantity may have traded while a larger one was asked for.
  if (order) endIfFilled(target, order, event.at);
}

function onAmendAccepted(target: Target, event: Extract<OrderInput, { kind: 'amend-accepted' }>): void {
  const { account, changes } = target;
  const order = account.orders.get(event.clientOrderId);
  if (!order) return account.countSurprise('order-not-known', `amend of ${event.clientOrderId}`, changes);
  // A finished order keeps its final terms. An order that awaits fills keeps the quantity set by its ending.
  if (isFinished(order.state) || account.orders.isAwaitingFills(order.clientOrderId))
    return applyTransition(target, event, { change: 'amend', why: 'amended' });
  const { at, filledQty, leavesQty, price, exchangeAt = null } = event;
  // The late answer to an earlier amend says nothing about the one that waits.
  if (order.amend !== null && price !== null && price !== order.amend.price) return;
  // The feed has already reported this amend, and a later change.
  if (order.amend === null && account.orders.termsInForce.haveChangedAfter(order.clientOrderId, exchangeAt))
    return applyTransition(target, event, { change: 'amend', why: 'amended' });
  const since = { at, exchangeAt };
  if (filledQty !== undefined) return applySize(target, { order, at, since }, { filledQty, leavesQty, price });
  // The larger size counts until a report arrives.
  if (order.state !== 'pending-amend') return;
  const size = account.orders.pendingDecreases.onAcknowledged(order.clientOrderId, leavesQty);
  if (size !== null) applySize(target, { order, at, since }, { ...size, price });
}

/** An order whose terms change. */
interface ChangedOrder {
  readonly order: Order;
  readonly at: Micros;
  readonly since: TermsTime;
}

function applySize(
  target: Target,
  { order, at, since }: ChangedOrder,
  size: FilledAndLeft & { readonly price: Price | null },
): void {
  const { filledQty, price } = size;
  const key = { clientOrderId: order.clientOrderId, at };
  const qty = addQty(filledQty, size.leavesQty);
  target.account.orders.applyTerms(order.clientOrderId, price === null ? { qty } : { qty, price }, since);
  applyTransition(target, key, { change: 'amend', why: 'amended' });
  if (size.leavesQty === 0) return endOrder(target, key, { change: 'cancel', filledQty, why: 'amended to nothing' });
  endIfFilled(target, order, at);
}

function endIfFilled(target: Target, order: Order, at: Micros): void {
  if (leavesQty(order) > 0 || isFinished(order.state)) return;
  applyTransition(target, { clientOrderId: order.clientOrderId, at }, { change: 'fill-all', why: 'traded' });
}

function applyUpdate(target: Target, event: OrderUpdated | OrderFound): void {
  if (event.order === null) return;
  applyReport(target, {
    report: event.order,
    at: event.at,
    askedAt: event.kind === 'order-found' ? event.askedAt : null,
  });
}

interface TimedReport {
  readonly report: OrderReport;
  readonly at: Micros;
  /** Time of the request for a list or a lookup; `null` for the stream. */
  readonly askedAt: Micros | null;
}

function applyReport(target: Target, { report, at, askedAt }: TimedReport): void {
  const { account, changes } = target;
  const order = findOrder(account, report);
  if (!order) {
    if (report.status === 'working') changes.push({ type: 'unexpected-order', report });
    return;
  }
  learnVenueId(target, order, { venueOrderId: report.venueOrderId, at });
  // A foreign order's fills may have arrived before we knew the order. Its report gives the filled quantity.
  if (isForeign(order)) account.orders.raiseFilled(order.clientOrderId, report.filledQty);
  const key = { clientOrderId: order.clientOrderId, at };
  if (report.status === 'canceled') {
    if (askedAt === null && isCanceledForUs(order, report)) changes.push({ type: 'canceled-for-us', order });
    const change = report.reason === 'ExpiryCancel' ? 'expire' : 'cancel';
    const filledQty = isForeign(order) ? NO_QTY : report.filledQty;
    return endOrder(target, key, { change, filledQty, why: report.reason ?? 'canceled' });
  }
  if (report.status === 'filled') {
    // An order of ours is filled once its fills have arrived.
    if (isForeign(order)) return applyTransition(target, key, { change: 'fill-all', why: 'traded' });
    // The venue also calls an order filled that it cut down before it rested. This is no news of an order that has ended
    // with these fills.
    if (isFinished(order.state) && !DOUBTFUL.has(order.state) && report.filledQty <= order.filledQty) return;
    const isCut = report.filledQty < order.qty && (!canRest(order) || DOUBTFUL.has(order.state));
    return endOrder(target, key, { change: isCut ? 'cancel' : 'fill-all', filledQty: report.filledQty, why: 'traded' });
  }
  if (isFinished(order.state) && !DOUBTFUL.has(order.state)) return;
  // Even an outdated report proves that the order exists.
  if (!account.orders.termsInForce.isOutdated(order, report, askedAt))
    return applyWorking(target, { order, report, at, askedAt });
  if (DOUBTFUL.has(order.state)) applyTransition(target, key, { change: 'accept', why: 'seen at the venue' });
}

/** A report, and the order that it is about. */
interface OrderAndReport extends TimedReport {
  readonly order: Order;
}

/** The time of the terms in a report. */
const sinceOf = ({ report, at, askedAt }: TimedReport): TermsTime => ({
  at: askedAt ?? at,
  exchangeAt: report.updatedAt,
});

/** Applies a report of "working" that is not outdated. */
function applyWorking(target: Target, reported: OrderAndReport): void {
  const { order, report, at, askedAt } = reported;
  const { orders } = target.account;
  if (order.amend !== null) return applyReportOfAmended(target, reported);
  if (order.state === 'pending-amend' && !orders.isAwaitingFills(order.clientOrderId)) {
    const size = orders.pendingDecreases.onReport(order.clientOrderId, report);
    const changed = { order, at, since: sinceOf(reported) };
    if (size !== null) return applySize(target, changed, { ...size, price: report.price });
  }
  const isNewer = askedAt === null || askedAt > order.changedAt;
  if (DOUBTFUL.has(order.state))
    applyTransition(target, { clientOrderId: order.clientOrderId, at }, { change: 'accept', why: 'seen at the venue' });
  const isLarger = report.filledQty + report.leavesQty > order.qty;
  if (isNewer && (order.state === 'working' || isLarger)) applyReportedTerms(target, reported);
}

/**
 * Applies a report of an order with an unanswered amend. Only a report with the new terms decides: one with the old
 * terms may be from before the amend.
 */
function applyReportOfAmended(target: Target, reported: OrderAndReport): void {
  const { orders } = target.account;
  const { order, report, at } = reported;
  const { price, filledQty } = report;
  if (showsAmend(order, report))
    orders.applyTerms(order.clientOrderId, { price, qty: addQty(filledQty, report.leavesQty) }, sinceOf(reported));
  if (DOUBTFUL.has(order.state))
    applyTransition(target, { clientOrderId: order.clientOrderId, at }, { change: 'accept', why: 'seen at the venue' });
  if (order.amend === null) endIfFilled(target, order, at);
}

function showsAmend({ price, amend }: Order, report: OrderReport): boolean {
  if (amend === null || report.price !== amend.price) return false;
  return price !== amend.price || report.filledQty + report.leavesQty === amend.qty;
}

const canRest = ({ timeInForce }: Order): boolean => timeInForce === 'gtc' || timeInForce === 'gtd';

/** True when someone with a key of the account canceled a resting order of ours: the feed gives no reason then. */
const isCanceledForUs = (order: Order, { reason }: OrderReport): boolean =>
  reason === null &&
  !isForeign(order) &&
  (order.state === 'working' || order.state === 'pending-amend') &&
  canRest(order);

/** States that a report of "working" corrects. Even an order that was rejected or not sent may turn out to exist. */
const DOUBTFUL: ReadonlySet<OrderState> = new Set(['queued', 'in-flight', 'unknown', 'not-sent', 'rejected']);

/** Applies the reported price and size, even of a change by someone else. */
function applyReportedTerms(target: Target, reported: OrderAndReport): void {
  const { account } = target;
  const { order, report, at } = reported;
  const qty = addQty(report.filledQty, report.leavesQty);
  if (order.price === report.price && qty === order.qty) return;
  if (account.orders.isAwaitingFills(order.clientOrderId)) return;
  account.orders.applyTerms(order.clientOrderId, { price: report.price, qty }, sinceOf(reported));
  endIfFilled(target, order, at);
}

function findOrder(
  account: OrderEventTarget,
  named: Pick<OrderReport, 'clientOrderId' | 'venueOrderId'>,
): Order | undefined {
  const byVenue = account.orders.byVenueId(named.venueOrderId);
  if (byVenue) return byVenue;
  return named.clientOrderId === null ? undefined : account.orders.get(named.clientOrderId);
}

function applyFill(target: Target, fill: FillReport, at: Micros): void {
  const { account, changes } = target;
  if (fill.qty <= 0)
    return account.countSurprise('fill-of-nothing', `${fill.tradeId} of ${fill.venueOrderId}`, changes);
  const wasKnown = account.portfolio.hasFill(fill);
  const isNew = account.portfolio.applyFill(fill);
  const order = findOrder(account, fill);
  // A repeated fill may be the first to carry our order id.
  if (order) learnVenueId(target, order, { venueOrderId: fill.venueOrderId, at });
  if (!isNew) {
    if (!wasKnown) account.ledgerHandover.onEarlyFill(fill);
    return;
  }
  if (order) return fillOrder(target, { order, fill, at });
  account.orphanFills.addFill(fill);
  account.ledgerHandover.applyFill(null, fill, at);
  changes.push({ type: 'fill', order: null, fill, position: account.portfolio.position(fill.market) });
}

interface FillOfOrder {
  readonly order: Order;
  readonly fill: FillReport;
  readonly at: Micros;
  /** Present when the account counted the fill before its order was known. */
  readonly isCounted?: true;
}

function fillOrder(target: Target, { order, fill, at, isCounted }: FillOfOrder): void {
  const { account, changes } = target;
  const from = order.state;
  // The filled quantity of a foreign order may already contain this fill: only reports change it.
  if (!isForeign(order)) account.orders.applyFill(order.clientOrderId, fill, at);
  account.ledgerHandover.applyFill(order, fill, at);
  const position = account.portfolio.position(fill.market);
  changes.push({ type: 'fill', order, fill, position, ...(isCounted && { isCounted }) });
  if (order.state !== from) changes.push({ type: 'order', order, from, to: order.state, why: 'traded' });
}
