// Decides when a target is quiet, by the clock on the wall of its time zone: summer time is heeded. Reads no
// clock of its own.
import type { QuietHours } from '../../config/alerts-config.ts';

/** Formats by time zone: making one is slow. Added at the first use of a zone; never removed, for configs name few. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(zone, made);
  return made;
}

/** The minute of the day in a zone. `atMs` is the time since the Unix epoch. */
export function minuteOfDay(zone: string, atMs: number): number {
  const parts = formatOf(zone).formatToParts(atMs);
  const valueOf = (type: 'hour' | 'minute'): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return valueOf('hour') * 60 + valueOf('minute');
}

/** True within the quiet hours: from `from`, and before `to`. */
export function isQuiet(quiet: QuietHours | null, atMs: number): boolean {
  if (quiet === null) return false;
  const { from, to, zone } = quiet;
  const minute = minuteOfDay(zone, atMs);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
