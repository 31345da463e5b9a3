// A moment as the importer writes it.
// Must never round: a microsecond is told as it is.
import type { Micros } from '../../domain/units.ts';

/** A moment in RFC 3339, UTC, to the microsecond. */
export function momentText(at: Micros): string {
  const seconds = Math.floor(at / 1_000_000);
  const fraction = String(at - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}
