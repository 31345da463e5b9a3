// The day in UTC that a time is of, as `2026-11-21`. Pure arithmetic: no calendar of the machine's is asked.
import { type Micros, fromSeconds } from '../domain/units.ts';

/** How long a day is. Microseconds. */
export const DAY = fromSeconds(86_400);

/** The day of a time: the civil calendar counted from its four-hundred-year cycle, with years beginning in March. */
export function dayOf(at: Micros): string {
  const days = Math.floor(at / DAY) + 719_468;
  const cycle = Math.floor(days / 146_097);
  const ofCycle = days - cycle * 146_097;
  const yearOfCycle = Math.floor(
    (ofCycle - Math.floor(ofCycle / 1460) + Math.floor(ofCycle / 36_524) - Math.floor(ofCycle / 146_096)) / 365,
  );
  const ofYear = ofCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
