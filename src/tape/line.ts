// One line of a tape: `checksum number time kind payload`. The checksum is a CRC-32 over the rest of the line that goes
// on from the line before, so that a line which is changed, missing, doubled or out of place does not fit.
// Must never say what a payload means.
import { crc32 } from 'node:zlib';
import type { Micros } from '../domain/units.ts';
import type { ByteSpan } from '../venue.ts';

/** What a line holds. The first line of a file is its header (`segment`); `end` is said by a session that was closed. */
export const ENTRY_KINDS = [
  'segment',
  'frame',
  /** A frame that is not text of one line, in base64. */
  'frame64',
  'feed-up',
  'feed-down',
  'feed-heard',
  'feed-sent',
  'answer',
  'event',
  'commands',
  'end',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One line as read. */
export interface Entry {
  /** Number of the entry within the tape, from 1, without a gap. */
  readonly seq: number;
  readonly at: Micros;
  readonly kind: EntryKind;
  /** Borrowed: valid until the next entry is read. */
  readonly payload: Buffer;
  /** The payload, where it was read as a part of a larger piece. */
  readonly span?: ByteSpan | undefined;
  readonly file: string;
  readonly line: number;
}

export const NEWLINE = 10;
const SPACE = 32;
const ZERO = 48;
const CHECKSUM_DIGITS = 8;
/** Where what the checksum covers begins. */
export const CONTENT_AT = CHECKSUM_DIGITS + 1;

const HEX = Buffer.from('0123456789abcdef');

/** Writes a checksum as eight digits. */
export function putChecksum(bytes: Buffer, at: number, value: number): void {
  for (let digit = 0; digit < CHECKSUM_DIGITS; digit++)
    bytes[at + digit] = HEX[(value >>> (28 - 4 * digit)) & 15] ?? ZERO;
  bytes[at + CHECKSUM_DIGITS] = SPACE;
}

/** A checksum as text. */
export const checksumText = (value: number): string => value.toString(16).padStart(CHECKSUM_DIGITS, '0');

/** The checksum of a line's content, going on from the line before. */
export const checksumOf = (content: Uint8Array, chain: number): number => crc32(content, chain);

/** What each byte is worth as a hexadecimal digit of a checksum; -1 where it is none. */
const HEX_VALUES = new Int8Array(256).fill(-1);
for (const [value, digit] of HEX.entries()) HEX_VALUES[digit] = value;

/** What the line between two places says its checksum is; `null` when it does not begin with one. */
export function readChecksum(bytes: Buffer, from = 0, to = bytes.length): number | null {
  if (to - from < CONTENT_AT || bytes[from + CHECKSUM_DIGITS] !== SPACE) return null;
  let value = 0;
  // One that is no digit makes this negative for good.
  let worst = 0;
  for (let at = from; at < from + CHECKSUM_DIGITS; at++) {
    const digit = HEX_VALUES[bytes[at] ?? 0] ?? -1;
    worst |= digit;
    value = (value << 4) | digit;
  }
  return worst < 0 ? null : value >>> 0;
}

/** What a line's content says. */
export interface LineContent {
  readonly seq: number;
  readonly at: number;
  readonly kind: EntryKind;
  readonly payload: Buffer;
}

/** The kinds by their bytes, the most frequent first. */
const KINDS = [...ENTRY_KINDS]
  .sort((a, b) => Number(b === 'frame') - Number(a === 'frame'))
  .map((kind) => ({ kind, bytes: Buffer.from(kind) }));

function kindAt(line: Buffer, from: number, to: number): EntryKind | null {
  for (const { kind, bytes } of KINDS) if (bytes.length === to - from && standsAt(line, from, bytes)) return kind;
  return null;
}

function standsAt(line: Buffer, from: number, bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) if (line[from + i] !== bytes[i]) return false;
  return true;
}

/** The next space at or after a place, or the end. */
function spaceFrom(line: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && line[at] !== SPACE) at += 1;
  return at;
}

/** Reads the line between two places, without its newline and whatever its checksum; `null` when it is none. */
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
