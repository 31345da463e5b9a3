// Parses times as people write them, to microseconds. Must never guess a missing time zone, nor read a clock.
import type { Micros } from './units.ts';

/** Meaning of a text: an instant, or only the reading of a wall clock in an unknown zone. */
export type ParsedTime =
  | { readonly kind: 'instant'; readonly at: Micros }
  /** `wall` is the instant that the reading denotes if the clock shows UTC. */
  | { readonly kind: 'wall'; readonly wall: Micros };

const DATED =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?\s*(?:([Zz]|UTC)|([+-])(\d\d):?(\d\d)?)?$/;
const COUNTED = /^(\d{9,20})(?:\.(\d{1,12}))?$/;

const EXACT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::[0-5]\d(?:\.\d{1,6}0*)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The form that `exactMoment` takes, for messages. */
export const MOMENT_EXPECTED =
  'a moment such as 2026-12-31T23:00:00Z, on a day that exists, to the microsecond at most';

/**
 * The instant of a text in the form of configs and options, exact to the microsecond. `null` for any other text, such as
 * one without a zone, with a day that does not exist, or with nanoseconds.
 */
export function exactMoment(text: string): Micros | null {
  const parsed = EXACT.test(text) ? parseMoment(text) : null;
  return parsed?.kind === 'instant' ? parsed.at : null;
}

/** The time that a text, or a JSON number, denotes; `null` when it is no time. */
export function parseMoment(input: string | number): ParsedTime | null {
  // The shortest decimal text of a JSON number is what its author wrote.
  const text = String(input).trim();
  const counted = COUNTED.exec(text);
  if (counted) return fromCount(counted[1] ?? '', counted[2] ?? '');
  const dated = DATED.exec(text);
  return dated ? fromDate(dated) : null;
}

/**
 * The number of digits decides between seconds, milliseconds, microseconds and nanoseconds. The result is unambiguous
 * between 1973 and 5138.
 */
function fromCount(whole: string, fraction: string): ParsedTime | null {
  const decimals = whole.length <= 11 ? 6 : whole.length <= 14 ? 3 : whole.length <= 17 ? 0 : -3;
  const digits = decimals < 0 ? whole.slice(0, decimals) : whole + fraction.slice(0, decimals).padEnd(decimals, '0');
  const at = Number(digits);
  return Number.isSafeInteger(at) ? { kind: 'instant', at: at as Micros } : null;
}

/** The instant of a whole number, given its number of digits, at most 17: as `parseMoment` reads its text. */
export const instantOfDigits = (value: number, digits: number): Micros =>
  (value * (digits <= 11 ? 1_000_000 : digits <= 14 ? 1000 : 1)) as Micros;

function fromDate(match: RegExpExecArray): ParsedTime | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 60) return null;
  if (year < 1000 || day < 1 || day > daysIn(year, month)) return null;
  const seconds = ((daysBefore(year, month) + day - 1) * 24 + hour) * 3600 + minute * 60 + second;
  const wall = seconds * 1_000_000 + Number((match[7] ?? '').slice(0, 6).padEnd(6, '0'));
  if (!Number.isSafeInteger(wall)) return null;
  if (match[8] !== undefined) return { kind: 'instant', at: wall as Micros };
  if (match[9] === undefined) return { kind: 'wall', wall: wall as Micros };
  const offset = (Number(match[10]) * 60 + Number(match[11] ?? 0)) * (match[9] === '-' ? -1 : 1);
  return { kind: 'instant', at: (wall - offset * 60_000_000) as Micros };
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const daysIn = (year: number, month: number): number =>
  (MONTHS[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0);

function daysBefore(year: number, month: number): number {
  const leapsBy = (end: number): number => Math.floor(end / 4) - Math.floor(end / 100) + Math.floor(end / 400);
  let days = (year - 1970) * 365 + leapsBy(year - 1) - leapsBy(1969);
  for (let each = 1; each < month; each++) days += daysIn(year, each);
  return days;
}
