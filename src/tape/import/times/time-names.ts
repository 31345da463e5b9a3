// Names that recorders give to times of receipt. Units are not read from a name: the number itself shows them. Must
// never mistake a time of the venue for one of the recorder.
import { type ParsedTime, parseMoment } from '../../../domain/parsed-time.ts';
import type { JsonObject } from '../import-wire.ts';

const UNIT = 's|sec|secs|seconds?|ms|msec|millis|milliseconds?|us|usec|micros|microseconds?|ns|nsec|nanos|nanoseconds?';
const CLOCK = `(_?(at|on|ts|time|timestamp|datetime|utc|iso|epoch|unix|${UNIT}))*`;
/** Names of a time of receipt, the preferred names first; then names of times in general. */
const PATTERNS: readonly RegExp[] = [
  new RegExp(`^(recv|received?|rx|arrival|arrived)${CLOCK}$`),
  new RegExp(
    `^(captured?|recorded|logged|ingest(ed)?|collected|fetched|polled|sampled|local|host|client|wall)${CLOCK}$`,
  ),
  new RegExp(`^(at|ts|time|timestamp|datetime|epoch|unix)${CLOCK}$`),
  /^t$/,
];
const REMEMBERED_MAX = 10_000;
/** Ranks of names, so that patterns are not tried for every line. Added when a name is first seen; never removed. */
const ranks = new Map<string, number>();

/** Returns the rank of a name for the time of receipt: 0 is best, and -1 is no such name. */
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

/** Recognizes the name of a time of receipt. */
export const isTimeName = (name: string): boolean => rankOf(name) >= 0;

/** Returns the best name of a time of receipt, or `undefined`. */
export function bestTimeName(names: readonly string[]): string | undefined {
  const times = names.filter(isTimeName);
  return times.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
}

/** Returns the time in a value, or `null`. */
export const timeInValue = (value: unknown): ParsedTime | null =>
  typeof value === 'string' || typeof value === 'number' ? parseMoment(value) : null;

/** Returns the time among a record's members that has the best name, or `null`. */
export function timeInRecord(json: JsonObject): ParsedTime | null {
  let best: ParsedTime | null = null;
  let bestRank = PATTERNS.length;
  for (const name of Object.keys(json)) {
    const rank = rankOf(name);
    if (rank < 0 || rank >= bestRank) continue;
    const moment = timeInValue(json[name]);
    if (moment !== null) [best, bestRank] = [moment, rank];
  }
  return best;
}
