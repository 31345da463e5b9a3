// The deadline of a new order that waits to be sent. Must never lie after the expiry of the order.
import type { PlaceIntent } from '../../domain/intent.ts';
import type { Micros } from '../../domain/units.ts';

/**
 * Latest time at which a new order may be sent: `latest`, unless its strategy named an earlier time or the order expires
 * before. The venue refuses an expired order, and the refusal costs budget.
 */
export function sendDeadline({ validUntil, expiresAt }: PlaceIntent, latest: Micros): Micros {
  const wanted = validUntil !== undefined && validUntil < latest ? validUntil : latest;
  return expiresAt !== undefined && expiresAt <= wanted ? ((expiresAt - 1) as Micros) : wanted;
}
