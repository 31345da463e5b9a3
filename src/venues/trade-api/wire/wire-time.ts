// Converts times between RFC 3339 text and microseconds, by integer arithmetic alone. Digits below a microsecond are
// dropped when parsing.
import { type Micros } from '../../../domain/units.ts';

const PATTERN = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const DAY_SECONDS = 86_400;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** An RFC 3339 time in microseconds; `null` when the text is no such time, or the value exceeds a safe integer. */
export function parseTime(text: string): Micros | null {
  const match = PATTERN.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const [, , , , , , , fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60 : 60);
  const seconds = daysBefore(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset;
  const value = seconds * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
  return Number.isSafeInteger(value) ? (value as Micros) : null;
}

/** A time as RFC 3339 in UTC, without trailing zeros in the fraction. */
export function formatTime(at: Micros): string {
  const seconds = Math.floor(at / 1_000_000);
  const fraction = at - seconds * 1_000_000;
  const days = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - days * DAY_SECONDS;
  const clock = `${pad2(Math.floor(rest / 3600))}:${pad2(Math.floor((rest % 3600) / 60))}:${pad2(rest % 60)}`;
  return `${dateOf(days)}T${clock}${fraction === 0 ? '' : fractionText(fraction)}Z`;
}

/** A fraction of a second, which is not zero, without trailing zeros. */
function fractionText(fraction: number): string {
  let digits = fraction;
  let width = 6;
  for (; digits % 10 === 0; width--) digits /= 10;
  return `.${pad(digits, width)}`;
}

const pad2 = (value: number): string => (value < 10 ? `0${value}` : String(value));
const pad = (value: number, width: number): string => String(value).padStart(width, '0');
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysIn = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0);

/** Days from the epoch to a date. Years begin in March, so that the leap day is the last of its year. */
function daysBefore(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function dateOf(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  return `${pad(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}
