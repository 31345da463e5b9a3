// Formats a time for the import's messages. Must never round: microseconds are written as they are.
import type { Micros } from '../../domain/units.ts';

/** A time in RFC 3339, UTC, to the microsecond. */
export function momentText(at: Micros): string {
  const seconds = Math.floor(at / 1_000_000);
  const fraction = String(at - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}
