// Recognizes a file of another kind by its first bytes, where a text is expected: a message names the kind, and shows none
// of the bytes.

/** First characters of known files, one for each byte, and what such a file is. */
const KNOWN = [
  ['ARROW1', 'an Arrow file, such as a baked tape'],
  ['PAR1', 'a Parquet file'],
  ['\x1f\x8b', 'a packed file (gzip)'],
  ['PK\x03\x04', 'a packed file (zip)'],
  ['\xff\xfe', 'text in UTF-16'],
  ['\xfe\xff', 'text in UTF-16'],
] as const;

/** A file that is not a text in UTF-8 to read, in the words of a message. */
export type ForeignKind = (typeof KNOWN)[number][1] | 'a file that is not text' | 'a page of HTML';

/** Tab, line feed and carriage return: the control characters that a text has. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([9, 10, 13]);

const isForeignByte = (byte: number): boolean => (byte < 32 && !TEXT_CONTROLS.has(byte)) || byte === 127;

/** The beginning of a page, such as a report. */
const PAGE = /^\s*<(?:!doctype|html|\?xml)\b/i;

/** Returns what a file is that begins with these bytes. Returns `null` when it may be text in UTF-8 that is no page. */
export function foreignKindOf(start: Uint8Array): ForeignKind | null {
  const bytes = Array.from(start, (byte) => String.fromCharCode(byte)).join('');
  const [, found] = KNOWN.find(([first]) => bytes.startsWith(first)) ?? [];
  if (found !== undefined) return found;
  if (start.some(isForeignByte)) return 'a file that is not text';
  return PAGE.test(bytes) ? 'a page of HTML' : null;
}
