// A moment as text, to the microsecond. Pure.
import type { Micros } from '../../domain/units.ts';

/** Formats a moment to the microsecond: `2026-11-21T07:45:00.123456Z`. */
export function momentText(at: Micros): string {
  const millis = new Date(Math.floor(at / 1000)).toISOString().slice(0, -1);
  return `${millis}${String(at % 1000).padStart(3, '0')}Z`;
}
