// Formats durations, sizes and columns for people. Pure text.
import { padRight, padLeft, widthOf } from '../../report/text/text-width.ts';

/** Formats a duration as `1:05` or `2:03:09`. */
export function clockText(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/**
 * Aligns rows in columns: columns of text to the left, the others to the right.
 * @param texts Numbers of the columns of text, from 0. Default: the first.
 */
export function columns(rows: readonly (readonly string[])[], texts: readonly number[] = [0]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
  const aligned = (cell: string, at: number): string =>
    (texts.includes(at) ? padRight : padLeft)(cell, widths[at] ?? 0);
  return rows.map((row) => row.map(aligned).join('  ').trimEnd());
}

/** Formats a size as `812 B` or `3.4 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power] ?? 'B'}`;
}
