// One line of a tape: `checksum number time kind payload`. The checksum is a CRC-32 of the line's other bytes,
// continued from the line before. So it detects a line that is changed, missing, doubled or out of place. Must never
// interpret a payload.
import { crc32 } from 'node:zlib';
import type { Micros } from '../../domain/units.ts';
import type { ByteSpan } from '../../venue.ts';

/** Kinds of lines. The first line of a file is its header (`segment`). A session that closed normally writes `end`. */
export const ENTRY_KINDS = [
  'segment',
  'frame',
  /** A frame that is not one line of text, in base64. */
  'frame64',
  'feed-up',
  'feed-down',
  'feed-heard',
  'feed-sent',
  'answer',
  'event',
  'commands',
  /** Alarms, and the halts that the engine decided itself. */
  'notices',
  'end',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One line as read. */
export interface Entry {
  /** Number of the entry within the tape, from 1, without gaps. */
  readonly seq: number;
  readonly at: Micros;
  readonly kind: EntryKind;
  /** Valid at least until the next entry is read. */
  readonly payload: Buffer;
  /** The payload as a range of bytes in a larger buffer, if known. */
  readonly span?: ByteSpan | undefined;
  readonly file: string;
  readonly line: number;
}

export const NEWLINE = 10;
const SPACE = 32;
const ZERO = 48;
const CHECKSUM_DIGITS = 8;
/** Offset of the content, which the checksum covers. */
export const CONTENT_AT = CHECKSUM_DIGITS + 1;

const HEX = Buffer.from('0123456789abcdef');

/** Writes a checksum as eight hexadecimal digits and a space. */
export function putChecksum(bytes: Buffer, at: number, value: number): void {
  for (let digit = 0; digit < CHECKSUM_DIGITS; digit++)
    bytes[at + digit] = HEX[(value >>> (28 - 4 * digit)) & 15] ?? ZERO;
  bytes[at + CHECKSUM_DIGITS] = SPACE;
}

/** Formats a checksum. */
export const checksumText = (value: number): string => value.toString(16).padStart(CHECKSUM_DIGITS, '0');

/** Returns the checksum of a line's content, which continues from the line before. */
export const checksumOf = (content: Uint8Array, chain: number): number => crc32(content, chain);

/** Value of each byte as a hexadecimal digit; -1 for bytes that are not digits. */
const HEX_VALUES = new Int8Array(256).fill(-1);
for (const [value, digit] of HEX.entries()) HEX_VALUES[digit] = value;

/** Returns the checksum at the start of the line between two offsets, or `null`. */
export function readChecksum(bytes: Buffer, from = 0, to = bytes.length): number | null {
  if (to - from < CONTENT_AT || bytes[from + CHECKSUM_DIGITS] !== SPACE) return null;
  let value = 0;
  // Becomes and stays negative at the first byte that is not a digit.
  let worst = 0;
  for (let at = from; at < from + CHECKSUM_DIGITS; at++) {
    const digit = HEX_VALUES[bytes[at] ?? 0] ?? -1;
    worst |= digit;
    value = (value << 4) | digit;
  }
  return worst < 0 ? null : value >>> 0;
}

/** Content of a line. */
export interface LineContent {
  readonly seq: number;
  readonly at: number;
  readonly kind: EntryKind;
  readonly payload: Buffer;
}

/** The kinds by their bytes. `frame` is first because it is the most frequent. */
const KINDS = [...ENTRY_KINDS]
  .sort((a, b) => Number(b === 'frame') - Number(a === 'frame'))
  .map((kind) => ({ kind, bytes: Buffer.from(kind) }));

function kindAt(line: Buffer, from: number, to: number): EntryKind | null {
  for (const { kind, bytes } of KINDS) if (bytes.length === to - from && hasBytesAt(line, from, bytes)) return kind;
  return null;
}

function hasBytesAt(line: Buffer, from: number, bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) if (line[from + i] !== bytes[i]) return false;
  return true;
}

/** Returns the offset of the next space at or after `from`, or `to`. */
function spaceFrom(line: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && line[at] !== SPACE) at += 1;
  return at;
}

/**
 * Parses the line between two offsets, without its newline. Does not check the checksum. Returns `null` for an invalid
 * line.
 */
export function readLine(line: Buffer, from = 0, to = line.length): LineContent | null {
  const seqAt = from + CONTENT_AT;
  const seqEnd = spaceFrom(line, seqAt, to);
  const atEnd = spaceFrom(line, seqEnd + 1, to);
  const kindEnd = spaceFrom(line, atEnd + 1, to);
  if (kindEnd >= to) return null;
  const seq = readInteger(line, seqAt, seqEnd);
  const at = readInteger(line, seqEnd + 1, atEnd);
  const kind = kindAt(line, atEnd + 1, kindEnd);
  if (seq === null || at === null || kind === null) return null;
  return { seq, at, kind, payload: line.subarray(kindEnd + 1, to) };
}

function readInteger(bytes: Buffer, from: number, to: number): number | null {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return to > from && Number.isSafeInteger(value) ? value : null;
}
