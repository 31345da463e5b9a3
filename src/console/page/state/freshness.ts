// Judges how fresh the page is from the time since the last sign of the console. Pure. Must never call old figures live.

/** Time without a sign after which figures are stale. Milliseconds. */
export const STALE_MS = 3000;
/** Time without a sign after which the page counts as disconnected. Milliseconds. */
export const DISCONNECTED_MS = 10_000;

/** `connecting`: no sign since the stream was opened. */
export type Freshness = 'connecting' | 'live' | 'stale' | 'disconnected';

/** Returns the freshness of figures. `sinceSignMs` is `null` before the first sign, `sinceOpenMs` counts from the opening. */
export function freshnessOf(sinceSignMs: number | null, sinceOpenMs: number): Freshness {
  const age = sinceSignMs ?? sinceOpenMs;
  if (age >= DISCONNECTED_MS) return 'disconnected';
  if (sinceSignMs === null) return 'connecting';
  return age >= STALE_MS ? 'stale' : 'live';
}
