// Formats a time to the microsecond. The text of the last second is kept only for speed: it never changes a result.
import type { Micros } from '../../domain/units.ts';

let second = { number: Number.NaN, text: '' };

/** Formats as `2026-11-21T07:45:00.123456Z`. Fast for consecutive times of the same second. */
export function isoMicros(at: Micros): string {
  const number = Math.floor(at / 1_000_000);
  if (number !== second.number) second = { number, text: new Date(number * 1000).toISOString().slice(0, 19) };
  return `${second.text}.${String(at - number * 1_000_000).padStart(6, '0')}Z`;
}
