// The names under which recorders write times down. Units are not read from a name: the figure itself shows them.
// Must never take a time of the venue's for the recorder's.
import { type Moment, readMoment } from '../../domain/moment.ts';
import type { JsonRecord } from './wire.ts';

const UNIT = 's|sec|secs|seconds?|ms|msec|millis|milliseconds?|us|usec|micros|microseconds?|ns|nsec|nanos|nanoseconds?';
const CLOCK = `(_?(at|on|ts|time|timestamp|datetime|utc|iso|epoch|unix|${UNIT}))*`;
/** When the recorder had a message, by preference; then names that say no more than that they are times. */
const PATTERNS: readonly RegExp[] = [
  new RegExp(`^(recv|received?|rx|arrival|arrived)${CLOCK}$`),
  new RegExp(
    `^(captured?|recorded|logged|ingest(ed)?|collected|fetched|polled|sampled|local|host|client|wall)${CLOCK}$`,
  ),
  new RegExp(`^(at|ts|time|timestamp|datetime|epoch|unix)${CLOCK}$`),
  /^t$/,
];
/** Names that are remembered with their rank, so that a line costs no pattern. */
const REMEMBERED_MAX = 10_000;
const ranks = new Map<string, number>();

/** How good a name is for the time of receipt: 0 is best; -1 where it is no name of one. */
function rankOf(name: string): number {
  const known = ranks.get(name);
  if (known !== undefined) return known;
  const words = name
    .replace(/^_+/, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
  const rank = PATTERNS.findIndex((pattern) => pattern.test(words));
  if (ranks.size < REMEMBERED_MAX) ranks.set(name, rank);
  return rank;
}

/** Whether a name is one of a time of receipt. */
export const isTimeName = (name: string): boolean => rankOf(name) >= 0;

/** The best name of a time of receipt; `undefined` where there is none. */
export function bestTimeName(names: readonly string[]): string | undefined {
  const times = names.filter(isTimeName);
  return times.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
}

/** The time that a value is; `null` when it is none. */
export const momentIn = (value: unknown): Moment | null =>
  typeof value === 'string' || typeof value === 'number' ? readMoment(value) : null;

/** The time among the members of a record, of the best name; `null` where there is none. */
export function timeAmong(json: JsonRecord): Moment | null {
  let best: Moment | null = null;
  let bestRank = PATTERNS.length;
  for (const name of Object.keys(json)) {
    const rank = rankOf(name);
    if (rank < 0 || rank >= bestRank) continue;
    const moment = momentIn(json[name]);
    if (moment !== null) [best, bestRank] = [moment, rank];
  }
  return best;
}
