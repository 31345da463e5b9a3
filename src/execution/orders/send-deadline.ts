// The deadlines of orders and changes that wait to be sent. Must never lie after the expiry of the order.
import type { Micros } from '../../domain/units.ts';

/** Latest time at which anything decided now may be sent. */
export const latestSend = (now: Micros, orderDelayMsMax: number): Micros => (now + orderDelayMsMax * 1000) as Micros;

/** The times that an order's strategy has named, where it has. */
interface WantedTimes {
  readonly validUntil?: Micros | undefined;
  readonly expiresAt?: Micros | null;
}

/**
 * Latest time at which a new order may be sent: `latest`, unless its strategy named an earlier time or the order expires
 * before. The venue refuses an expired order, and the refusal costs budget.
 */
export function sendDeadline({ validUntil, expiresAt }: WantedTimes, latest: Micros): Micros {
  const wanted = validUntil !== undefined && validUntil < latest ? validUntil : latest;
  return expiresAt !== undefined && expiresAt !== null && expiresAt <= wanted ? ((expiresAt - 1) as Micros) : wanted;
}
