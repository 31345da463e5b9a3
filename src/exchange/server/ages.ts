// Which rows are old: those are told by endpoints of their own, where the dialect has such. Pure.
// Must never tell a row at both.
import { type Micros, micros } from '../../domain/units.ts';
import type { Call } from './call.ts';

/** Rows as they are told usually, or those of long ago. */
export type Age = 'recent' | 'old';

const OLD_AFTER_US = 90 * 86_400_000_000;

/** Rows that were last touched before it are old; `null` where the dialect has no endpoints for them. */
export const cutoffOf = ({ profile, session }: Call): Micros | null =>
  profile.endpoints.historicalCutoff === undefined ? null : micros(Math.max(0, session.now() - OLD_AFTER_US));

/** Whether a row of a time is of an age. One that may still change, which has no such time, is recent. */
export function ageFilter(call: Call, age: Age): (at: Micros | null) => boolean {
  const cutoff = cutoffOf(call);
  return (at) => (cutoff !== null && at !== null && at < cutoff) === (age === 'old');
}
