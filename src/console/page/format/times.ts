// Texts of times and ages. Times are microseconds since the Unix epoch. Must never read the clock.
import { MINUS, NO_FIGURE } from './figures.ts';

/** Time zone of written times: the browser's, or UTC. */
export type Zone = 'local' | 'utc';

const two = (value: number): string => String(value).padStart(2, '0');
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly milli: number;
}

function partsOf(us: number, zone: Zone): Parts {
  const date = new Date(Math.floor(us / 1000));
  return zone === 'utc'
    ? {
        year: date.getUTCFullYear(),
        month: date.getUTCMonth(),
        day: date.getUTCDate(),
        hour: date.getUTCHours(),
        minute: date.getUTCMinutes(),
        second: date.getUTCSeconds(),
        milli: date.getUTCMilliseconds(),
      }
    : {
        year: date.getFullYear(),
        month: date.getMonth(),
        day: date.getDate(),
        hour: date.getHours(),
        minute: date.getMinutes(),
        second: date.getSeconds(),
        milli: date.getMilliseconds(),
      };
}

/** Writes a time of day: `14:03:22`, in UTC with a `Z`. */
export function formatClock(us: number | null | undefined, zone: Zone): string {
  if (us === null || us === undefined) return NO_FIGURE;
  const { hour, minute, second } = partsOf(us, zone);
  return `${two(hour)}:${two(minute)}:${two(second)}${zone === 'utc' ? 'Z' : ''}`;
}

/** Writes a time of day with milliseconds. */
export function formatPreciseClock(us: number | null | undefined, zone: Zone): string {
  if (us === null || us === undefined) return NO_FIGURE;
  const { hour, minute, second, milli } = partsOf(us, zone);
  return `${two(hour)}:${two(minute)}:${two(second)}.${String(milli).padStart(3, '0')}${zone === 'utc' ? 'Z' : ''}`;
}

/** Writes a time of day. A time outside the day of `nowUs` also gets its date. */
export function formatMoment(us: number | null | undefined, nowUs: number, zone: Zone): string {
  if (us === null || us === undefined) return NO_FIGURE;
  const at = partsOf(us, zone);
  const now = partsOf(nowUs, zone);
  const clock = formatClock(us, zone);
  if (at.year === now.year && at.month === now.month && at.day === now.day) return clock;
  const date = `${MONTHS[at.month] ?? ''} ${at.day}`;
  return at.year === now.year ? `${date} ${clock}` : `${date} ${at.year} ${clock}`;
}

/** Writes a day: `Nov 23, 2026`. */
export function formatDay(us: number, zone: Zone): string {
  const { year, month, day } = partsOf(us, zone);
  return `${MONTHS[month] ?? ''} ${day}, ${year}`;
}

/** Writes a time as ISO 8601 in UTC. */
export const isoTime = (us: number): string => new Date(Math.floor(us / 1000)).toISOString();

/** Reads an ISO 8601 time as microseconds; `null` when the text is not a time. */
export function parseIsoTime(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms * 1000;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Writes an age in milliseconds: `0.3 s`, `12 s`, `4 m`, `3 h 12 m`, `2 d 4 h`. A negative age counts as zero. */
export function formatAge(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NO_FIGURE;
  if (ms < 9950) return `${(Math.max(0, ms) / SECOND).toFixed(1)} s`;
  if (ms < MINUTE - SECOND / 2) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(Math.max(ms, MINUTE) / MINUTE)} m`;
  return ms < DAY ? inUnits(ms, HOUR, ['h', 'm']) : inUnits(ms, DAY, ['d', 'h']);
}

function inUnits(ms: number, large: number, [first, second]: readonly [string, string]): string {
  const small = large === DAY ? HOUR : MINUTE;
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${first}${rest === 0 ? '' : ` ${rest} ${second}`}`;
}

/** Writes a time span in milliseconds: `0.08 ms`, `12 ms`, `1.2 s`, and `−12 ms` where one clock is behind another. */
export function formatSpan(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NO_FIGURE;
  const length = Math.abs(ms);
  if (length >= SECOND) return `${ms < 0 ? MINUS : ''}${formatAge(length)}`;
  return `${signedText(ms, length >= 10 || ms === 0 ? 0 : length < 1 ? 2 : 1)} ms`;
}

/** Writes the time from one step to the next: `+41 ms`, and `−41 ms` where the later step has the earlier time. */
export const formatStep = (ms: number): string => (ms < 0 ? formatSpan(ms) : `+${formatSpan(ms)}`);

/** Writes measured milliseconds with one digit after the point: `0.4 ms`, `−12.3 ms`. */
export const formatTenths = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? NO_FIGURE : `${signedText(ms, 1)} ms`;

/** Writes a number. One that rounds to zero has no sign. */
function signedText(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `${MINUS}${text}` : text;
}

/** Writes the time until a moment, or `closed` after it. */
export function formatUntil(us: number | null | undefined, nowUs: number): string {
  if (us === null || us === undefined) return NO_FIGURE;
  const ms = (us - nowUs) / 1000;
  return ms <= 0 ? 'closed' : formatAge(ms);
}
