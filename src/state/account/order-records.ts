// The records of orders as they begin: approved, left over by an earlier session, or found at the venue; and the proof
// that an amend took effect. Must never give an order other terms than those requested or reported.
import { clientIdFromVenue } from '../../domain/orders/client-order-id.ts';
import type { PlaceCommand } from '../../domain/venue-command.ts';
import type { OrderReport } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { UnresolvedOrder } from '../../domain/operator-order.ts';
import type { Order } from '../../domain/orders/order.ts';
import { DEFAULT_TERMS, termsOf } from '../../domain/orders/order-terms.ts';
import { type Micros, NO_MONEY, NO_QTY, type Qty, money, qty } from '../../domain/units.ts';

export type MutableOrder = { -readonly [K in keyof Order]: Order[K] };
type Unowned = Omit<MutableOrder, 'strategy'>;

/** Values for the members of an order that the venue or the journal does not give. */
const NO_TERMS = {
  venueOrderId: null,
  amend: null,
  filledQty: NO_QTY,
  filledNotional: NO_MONEY,
  fees: NO_MONEY,
  ...DEFAULT_TERMS,
} as const satisfies Partial<Order>;

/** An order that risk approved. It waits in the planner. */
export const approvedOrder = (command: PlaceCommand, reason: string): MutableOrder => ({
  clientOrderId: command.clientOrderId,
  venueOrderId: null,
  amend: null,
  strategy: command.strategy,
  ...termsOf(command),
  filledQty: NO_QTY,
  filledNotional: NO_MONEY,
  fees: NO_MONEY,
  state: 'queued',
  createdAt: command.createdAt,
  changedAt: command.createdAt,
  reason,
});

/** An order that an earlier session sent without learning the outcome. */
export const unresolvedOrder = (sent: Omit<UnresolvedOrder, 'ticker'>, market: MarketIndex): Unowned => ({
  ...NO_TERMS,
  clientOrderId: sent.clientOrderId,
  market,
  side: sent.side,
  price: sent.price,
  qty: sent.qty,
  state: 'unknown',
  createdAt: sent.sentAt,
  changedAt: sent.sentAt,
  reason: 'sent by an earlier session, which never learned the outcome',
});

/** An order found at the venue. */
export const foundOrder = (report: OrderReport, at: Micros): Unowned => ({
  ...NO_TERMS,
  clientOrderId: report.clientOrderId ?? clientIdFromVenue(report.venueOrderId),
  market: report.market,
  side: report.side,
  price: report.price,
  qty: qty(report.filledQty + report.leavesQty),
  filledQty: report.filledQty,
  filledNotional: money(report.price * report.filledQty),
  state: 'working',
  createdAt: report.createdAt ?? at,
  changedAt: at,
  reason: 'found at the venue',
});

/** A larger filled quantity than the old total proves that an amend took effect. */
export function proveAmend(order: MutableOrder, filledQty: Qty): void {
  const { amend } = order;
  if (amend === null || filledQty <= order.qty) return;
  order.price = amend.price;
  order.qty = amend.qty;
  order.amend = null;
}
