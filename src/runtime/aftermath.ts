// What is done for the account when a session may not go on: every order it knew of is withdrawn, then whatever the
// venue's own list shows of it. Must never ask the engine, whose word counts no longer.
import { isOfSession } from '../domain/client-order-id.ts';
import type { CancelCommand } from '../domain/command.ts';
import type { Order } from '../domain/order.ts';
import type { Micros } from '../domain/units.ts';
import type { Logger } from '../log.ts';
import type { Scheduler } from '../transport/scheduler.ts';
import type { Venue } from '../venue.ts';
import { type SweepEnd, sweep } from './sweep.ts';

export interface AftermathOptions {
  readonly venue: Venue;
  readonly now: () => Micros;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  /** The session's name: its orders' ids begin with it. */
  readonly session: string;
  /** Orders that were believed to be open when it ended. */
  readonly known: readonly Order[];
  readonly graceMs: number;
  readonly withinMs: number;
}

/** Withdraws all that a session may have left. Never rejects. */
export async function withdrawAfter(options: AftermathOptions): Promise<SweepEnd> {
  const { venue, now, scheduler, log, session, known, graceMs, withinMs } = options;
  const startedMs = scheduler.now();
  const named = new Set<string>(known.flatMap(({ venueOrderId }) => venueOrderId ?? []));
  await Promise.all(known.map((order) => cancelKnown(order, options)));
  return sweep({
    venue,
    now,
    scheduler,
    log,
    // Orders of nobody's session that were being withdrawn are known by the venue's name alone.
    isOurs: (order) => isOfSession(session, order.clientOrderId) || named.has(order.venueOrderId),
    graceMs,
    withinMs: Math.max(0, withinMs - (scheduler.now() - startedMs)),
  });
}

/** Cancels an order by what is known of it: that much works even when lists do not. */
async function cancelKnown(order: Order, { venue, now, log }: AftermathOptions): Promise<void> {
  const { clientOrderId, venueOrderId, market } = order;
  if (venueOrderId === null) return;
  const ticker = venue.tickers.tickerOf(market);
  const base = { type: 'cancel', lane: 'cancel', id: 0, createdAt: now(), validUntil: null } as const;
  const cancel: CancelCommand = { ...base, clientOrderId, venueOrderId, ticker };
  const { outcome } = await venue.gateway.send(cancel, new AbortController().signal);
  log.warn({ clientOrderId, venueOrderId, outcome: outcome.type }, 'withdrawn after the fault');
}
