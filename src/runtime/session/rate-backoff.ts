// Calculates the wait after the venue's rate limit refused a request without naming a wait. The wait doubles up to a
// maximum. Its random part follows from the command's number, so a replay waits as long as the session did.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { type Micros, fromMillis } from '../../domain/units.ts';
import { Backoff } from '../../transport/backoff.ts';

/** Returns the wait after the n-th refusal in a row, from 1. */
export function rateBackoff(attempt: number, commandId: number): Micros {
  const random = xoroshiro128plus(commandId);
  const backoff = new Backoff({ firstMs: 250, capMs: 10_000, jitter: 'equal' }, () => uniformFloat64(random));
  let waitMs = 0;
  for (let refusal = 0; refusal < attempt; refusal++) waitMs = backoff.nextDelayMs();
  return fromMillis(waitMs);
}
