// Freshness of the page, by the time since the last event from the console. Pure. Must never call old figures live.

/** Time without an event after which figures are stale. Milliseconds. */
export const STALE_MS = 3000;
/** Time without an event after which the page counts as disconnected. Milliseconds. */
export const DISCONNECTED_MS = 10_000;

/** `connecting`: no event has arrived since the stream was opened. */
export type Freshness = 'connecting' | 'live' | 'stale' | 'disconnected';

/**
 * Returns the freshness of figures. Times are milliseconds since the last event and since the opening. An event from before
 * the opening is that of a page that was hidden: its old figures are stale until the next event.
 */
export function freshnessOf(sinceSignMs: number | null, sinceOpenMs: number): Freshness {
  if (sinceSignMs !== null && sinceSignMs > sinceOpenMs && sinceSignMs >= STALE_MS)
    return sinceOpenMs >= DISCONNECTED_MS ? 'disconnected' : 'stale';
  const age = sinceSignMs ?? sinceOpenMs;
  if (age >= DISCONNECTED_MS) return 'disconnected';
  if (sinceSignMs === null) return 'connecting';
  return age >= STALE_MS ? 'stale' : 'live';
}
