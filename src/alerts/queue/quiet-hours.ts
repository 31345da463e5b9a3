// Decides when a target is quiet, by the clock of its time zone. Daylight saving time is respected.
import type { QuietHours } from '../../config/alerts-config.ts';

/** Formats are slow to make. Added at the first use of a zone; never removed, because configs name few zones. */
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

/** @param atMs time since the Unix epoch, milliseconds. */
export function minuteOfDay(zone: string, atMs: number): number {
  const parts = formatOf(zone).formatToParts(atMs);
  const valueOf = (type: 'hour' | 'minute'): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return valueOf('hour') * 60 + valueOf('minute');
}

/** The quiet hours begin at `from`, and end before `to`. */
export function isQuiet(quiet: QuietHours | null, atMs: number): boolean {
  if (quiet === null) return false;
  const { from, to, zone } = quiet;
  const minute = minuteOfDay(zone, atMs);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
