// Cancels the orders of a session that cannot go on: first the known orders, then every order of the session in the
// venue's own list. Must never rely on the engine alone: after a fault its state cannot be trusted.
import { isMintedBySession } from '../../domain/orders/client-order-id.ts';
import type { CancelCommand } from '../../domain/venue-command.ts';
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
export async function cancelAfterFault(options: FaultCleanupOptions): Promise<CancelSweepResult> {
  const { venue, now, scheduler, log, session, knownOrders, graceMs, withinMs } = options;
  const startedMs = scheduler.now();
  const knownVenueIds = new Set<string>(knownOrders.flatMap(({ venueOrderId }) => venueOrderId ?? []));
  await Promise.all(knownOrders.map((order) => cancelKnown(order, options)));
  return runCancelSweep({
    venue,
    now,
    scheduler,
    log,
    // The engine may have been canceling orders of earlier sessions. Their client order ids name other sessions, so the
    // venue order ids are compared.
    isOurs: (order) => isMintedBySession(session, order.clientOrderId) || knownVenueIds.has(order.venueOrderId),
    graceMs,
    withinMs: Math.max(0, withinMs - (scheduler.now() - startedMs)),
  });
}

/** Cancels a known order by its venue order id. This works even when the venue's lists do not. */
async function cancelKnown(order: Order, { venue, now, log }: FaultCleanupOptions): Promise<void> {
  const { clientOrderId, venueOrderId, market } = order;
  if (venueOrderId === null) return;
  const ticker = venue.tickers.tickerOf(market);
  const base = { type: 'cancel', lane: 'cancel', id: 0, createdAt: now(), validUntil: null } as const;
  const cancel: CancelCommand = { ...base, clientOrderId, venueOrderId, ticker };
  const { outcome } = await venue.gateway.send(cancel, new AbortController().signal);
  log.warn({ clientOrderId, venueOrderId, outcome: outcome.type }, 'canceled after the fault');
}
