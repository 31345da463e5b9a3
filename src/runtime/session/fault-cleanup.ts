// Cancels the orders of a session that cannot go on: first the known orders, then every order of the session in the
// venue's own list. Must never rely on the engine alone: after a fault its state cannot be trusted.
import { isMintedBySession } from '../../domain/orders/client-order-id.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { Venue } from '../../venue.ts';
import { type CancelSweepResult, runCancelSweep } from './cancel-sweep.ts';

export interface FaultCleanupOptions {
  readonly venue: Venue;
  readonly now: () => Micros;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  /** The session's name, with which the ids of its orders begin. */
  readonly session: string;
  /** Orders that the engine held as open when the session ended. */
  readonly knownOrders: readonly Order[];
  readonly graceMs: number;
  readonly withinMs: number;
}

/** Cancels every order that a session may have left. Never rejects. */
export function cancelAfterFault(options: FaultCleanupOptions): Promise<CancelSweepResult> {
  const { session, knownOrders, ...sweep } = options;
  // Their venue order ids are known: canceling them works even when the venue's lists do not.
  const known = knownOrders.flatMap(({ clientOrderId, venueOrderId, market }) =>
    venueOrderId === null ? [] : [{ clientOrderId, venueOrderId, market }],
  );
  const knownVenueIds = new Set<string>(known.map(({ venueOrderId }) => venueOrderId));
  return runCancelSweep({
    ...sweep,
    known,
    // The engine may have been canceling orders of earlier sessions. Their client order ids name other sessions, so the
    // venue order ids are compared.
    isOurs: (order) => isMintedBySession(session, order.clientOrderId) || knownVenueIds.has(order.venueOrderId),
  });
}
