// The deadlines of orders and changes that wait to be sent. Must never lie after the expiry of the order.
import { floorExpiry } from '../../domain/orders/order-terms.ts';
import type { Micros } from '../../domain/units.ts';

/** Latest time at which anything decided now may be sent. */
export const latestSend = (now: Micros, orderDelayMsMax: number): Micros => (now + orderDelayMsMax * 1000) as Micros;

/** The times that an order's strategy has named, where it has. */
interface WantedTimes {
  readonly validUntil?: Micros | undefined;
  readonly expiresAt?: Micros | null | undefined;
  /** The step of the venue's expiries, in microseconds. */
  readonly expiryStep: number;
}

/**
 * Latest time at which a new order may be sent: `latest`, unless its strategy named an earlier time or the order expires
 * before. The venue refuses an expired order, and the refusal costs budget.
 */
export function sendDeadline({ validUntil, expiresAt, expiryStep }: WantedTimes, latest: Micros): Micros {
  const wanted = validUntil !== undefined && validUntil < latest ? validUntil : latest;
  if (expiresAt === undefined || expiresAt === null) return wanted;
  const endsAt = floorExpiry(expiresAt, expiryStep);
  return endsAt <= wanted ? ((endsAt - 1) as Micros) : wanted;
}
