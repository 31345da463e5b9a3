// How figures look to a person: cents, contracts, dollars, durations, and columns of them. Pure text.
import { padRight, padLeft, widthOf } from '../../report/text/text-width.ts';

/** `1:05`, `2:03:09`. */
export function clockText(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** Rows as aligned columns: the first to the left, the rest to the right. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
  return rows.map((row) =>
    row.map((cell, at) => (at === 0 ? padRight(cell, widths[at] ?? 0) : padLeft(cell, widths[at] ?? 0))).join('  '),
  );
}

/** Bytes for a person: `812 B`, `3.4 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power] ?? 'B'}`;
}
