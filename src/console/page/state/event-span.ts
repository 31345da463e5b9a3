// The events of a session that the page has, and where they begin. Pure. Must never hide a gap.
import type { LiveEvent } from '../../../runtime/follow/follow-messages.ts';

const EVENTS_MAX = 2000;
/** The oldest events are dropped together, so that the beginning of the list rarely moves. */
const EVENTS_DROPPED = 500;

/** Adds new events to a list. After a gap in the numbers the list begins with the new ones, so that it never hides a gap. */
export function joinEvents(known: readonly LiveEvent[], rows: readonly LiveEvent[]): readonly LiveEvent[] {
  const last = known.at(-1)?.number ?? 0;
  const fresh = rows.filter(({ number }) => number > last);
  if (fresh.length === 0) return known;
  const all = fresh[0]?.number === last + 1 ? [...known, ...fresh] : fresh;
  return all.length > EVENTS_MAX + EVENTS_DROPPED ? all.slice(-EVENTS_MAX) : all;
}

/** Returns the first time that a list of events covers; `null` when it has every event of the session. */
export function beginOfEvents(known: readonly LiveEvent[] | null): number | null {
  const first = known?.[0];
  return first === undefined || first.number === 1 ? null : first.atUs;
}
