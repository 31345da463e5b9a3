// Splits rows by age: dialects with historical endpoints serve old rows there. Must never serve a row at both kinds of
// endpoint.
import { type Micros, micros } from '../../domain/units.ts';
import type { EndpointCall } from '../api/endpoint-call.ts';

/** Recent rows, at the usual endpoints; old rows, at the historical ones. */
export type RowAge = 'recent' | 'old';

const OLD_AFTER_US = 90 * 86_400_000_000;

/** Rows last changed before this time are old; `null` when the dialect has no historical endpoints. */
export const cutoffOf = ({ profile, session }: EndpointCall): Micros | null =>
  profile.endpoints.historicalCutoff === undefined ? null : micros(Math.max(0, session.now() - OLD_AFTER_US));

/** Returns a filter: true for times of the given age. `null`, for a row that may still change, is recent. */
export function ageFilter(call: EndpointCall, age: RowAge): (at: Micros | null) => boolean {
  const cutoff = cutoffOf(call);
  return (at) => (cutoff !== null && at !== null && at < cutoff) === (age === 'old');
}
