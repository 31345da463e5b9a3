// One line of a tape: `checksum number time kind payload`. The checksum is a CRC-32 over the rest of the line that goes
// on from the line before, so that a line which is changed, missing, doubled or out of place does not fit.
// Must never say what a payload means.
import { crc32 } from 'node:zlib';
import type { Micros } from '../domain/units.ts';

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

/** What a line says its checksum is; `null` when it does not begin with one. */
export function readChecksum(line: Buffer): number | null {
  if (line.length < CONTENT_AT || line[CHECKSUM_DIGITS] !== SPACE) return null;
  const text = line.toString('latin1', 0, CHECKSUM_DIGITS);
  return /^[0-9a-f]{8}$/.test(text) ? Number.parseInt(text, 16) : null;
}

/** What a line's content says. */
export interface LineContent {
  readonly seq: number;
  readonly at: number;
  readonly kind: EntryKind;
  readonly payload: Buffer;
}

const isKind = (text: string): text is EntryKind => ENTRY_KINDS.some((kind) => kind === text);

/** Reads a line, without its newline and whatever its checksum; `null` when it is none. */
export function readLine(line: Buffer): LineContent | null {
  const seqEnd = line.indexOf(SPACE, CONTENT_AT);
  const atEnd = seqEnd < 0 ? -1 : line.indexOf(SPACE, seqEnd + 1);
  const kindEnd = atEnd < 0 ? -1 : line.indexOf(SPACE, atEnd + 1);
  if (kindEnd < 0) return null;
  const seq = readInteger(line, CONTENT_AT, seqEnd);
  const at = readInteger(line, seqEnd + 1, atEnd);
  const kind = line.toString('latin1', atEnd + 1, kindEnd);
  if (seq === null || at === null || !isKind(kind)) return null;
  return { seq, at, kind, payload: line.subarray(kindEnd + 1) };
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
