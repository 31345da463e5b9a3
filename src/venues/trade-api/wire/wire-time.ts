// Converts times between RFC 3339 text and microseconds, by integer arithmetic alone. Digits below a microsecond are
// dropped when parsing.
import { type Micros, digitAt } from '../../../domain/units.ts';

const DAY_SECONDS = 86_400;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** An RFC 3339 time in microseconds; `null` when the text is no such time, or the value exceeds a safe integer. */
export function parseTime(text: string): Micros | null {
  const year = numberAt(text, 0, 4);
  const month = numberAt(text, 5, 7);
  const day = numberAt(text, 8, 10);
  const hour = numberAt(text, 11, 13);
  const minute = numberAt(text, 14, 16);
  const second = numberAt(text, 17, 19);
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return null;
  if (text[4] !== '-' || text[7] !== '-' || text[13] !== ':' || text[16] !== ':') return null;
  if (text[10] !== 'T' && text[10] !== 't') return null;
  const zoneAt = endOfFraction(text);
  const offset = zoneAt === null ? null : offsetAt(text, zoneAt);
  if (zoneAt === null || offset === null) return null;
  const seconds = daysBefore(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset;
  const value = seconds * 1_000_000 + fractionOf(text, zoneAt);
  return Number.isSafeInteger(value) ? (value as Micros) : null;
}

/** The digits between two places of a text as a number; negative unless there are only digits. */
function numberAt(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = digitAt(text, at);
    if (digit < 0) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Place of the point of a fraction. */
const POINT_AT = 19;
const FRACTION_DIGITS_MAX = 12;
const MICROS_DIGITS = 6;

/** The place after the fraction of a second, or after the second; `null` when the fraction is none. */
function endOfFraction(text: string): number | null {
  if (text[POINT_AT] !== '.') return POINT_AT;
  let at = POINT_AT + 1;
  while (digitAt(text, at) >= 0) at += 1;
  const digits = at - POINT_AT - 1;
  return digits === 0 || digits > FRACTION_DIGITS_MAX ? null : at;
}

/** The fraction of a second that ends at a place, in microseconds. */
function fractionOf(text: string, end: number): number {
  let value = 0;
  for (let place = 1; place <= MICROS_DIGITS; place++) {
    const at = POINT_AT + place;
    value = value * 10 + (at < end ? digitAt(text, at) : 0);
  }
  return value;
}

/** Seconds ahead of UTC, from the zone at the end of a time; `null` when there is no such zone. */
function offsetAt(text: string, at: number): number | null {
  const mark = text[at];
  if (mark === 'Z' || mark === 'z') return text.length === at + 1 ? 0 : null;
  if ((mark !== '+' && mark !== '-') || text[at + 3] !== ':' || text.length !== at + 6) return null;
  const hours = numberAt(text, at + 1, at + 3);
  const minutes = numberAt(text, at + 4, at + 6);
  if (hours < 0 || minutes < 0) return null;
  return (hours * 60 + minutes) * (mark === '-' ? -60 : 60);
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
