// The UTC day of a time, as `2026-11-21`.
import { type Micros, fromSeconds } from '../../domain/units.ts';

/** One day. Microseconds. */
export const DAY = fromSeconds(86_400);

/** Returns the day of a time. Counts the civil calendar from its 400-year cycle, with years that begin in March. */
export function dayOf(at: Micros): string {
  const days = Math.floor(at / DAY) + 719_468;
  const cycle = Math.floor(days / 146_097);
  const dayOfCycle = days - cycle * 146_097;
  const yearOfCycle = Math.floor(
    (dayOfCycle - Math.floor(dayOfCycle / 1460) + Math.floor(dayOfCycle / 36_524) - Math.floor(dayOfCycle / 146_096)) /
      365,
  );
  const dayOfYear = dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
