// Compares a frame's bytes, four at a time. The view covers a whole buffer, which many frames share. Must never take a
// byte after the frame's end for a part of the frame.

import type { ByteSpan } from '../../../venue.ts';

/**
 * A byte pattern as 32-bit words; the last word may overlap the word before. The first four words are members, so that
 * most patterns need no loop. A short pattern repeats its last word.
 */
export interface BytePattern {
  readonly length: number;
  readonly first: number;
  readonly second: number;
  readonly secondAt: number;
  readonly third: number;
  readonly thirdAt: number;
  readonly fourth: number;
  readonly fourthAt: number;
  /** The words after the first four; the last word ends at the pattern's end. */
  readonly more: Int32Array;
}

const WORDS_AT_ONCE = 4;

/**
 * The byte pattern of a text.
 * @throws {RangeError} when the text has fewer than four bytes.
 */
export function bytePatternOf(text: string): BytePattern {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer);
  const last = bytes.length - 4;
  const offsets: number[] = [];
  for (let at = 0; at < last; at += 4) offsets.push(at);
  while (offsets.length < WORDS_AT_ONCE) offsets.push(last);
  if (offsets.at(-1) !== last) offsets.push(last);
  const words = offsets.map((at) => view.getInt32(at, true));
  const [first = 0, second = 0, third = 0, fourth = 0] = words;
  const [, secondAt = 0, thirdAt = 0, fourthAt = 0] = offsets;
  const more = Int32Array.from(words.slice(WORDS_AT_ONCE));
  return { length: bytes.length, first, second, secondAt, third, thirdAt, fourth, fourthAt, more };
}

/** Words of four quotes and of four zeros. */
export const QUOTES = 0x22222222;
export const ZEROS = 0x30303030;

/** A mask whose lowest bit marks the first zero byte; zero when there is none. Higher bits are meaningless. */
export const lowestZero = (word: number): number => (word - 0x01010101) & ~word & 0x80808080;
/** A mask like that of `lowestZero`, for the first control byte or non-ASCII byte. */
export const lowestOutside = (word: number): number => (word | ((word - 0x20202020) & ~word)) & 0x80808080;

/** True when four bytes, each less the character zero, are all digits. */
export const isFourDigits = (digits: number): boolean => ((digits | (digits + 0x06060606)) & 0xf0f0f0f0) === 0;
/** The number of four digits; the first digit is the lowest byte of the word. */
export function fourDigits(digits: number): number {
  const pairs = (digits * 10 + (digits >>> 8)) & 0x00ff00ff;
  return (pairs & 0xff) * 100 + (pairs >>> 16);
}

/** True when the pattern is at a position. */
export function matchesAt(anchor: BytePattern, view: DataView, at: number): boolean {
  return (
    view.getInt32(at, true) === anchor.first &&
    view.getInt32(at + anchor.secondAt, true) === anchor.second &&
    view.getInt32(at + anchor.thirdAt, true) === anchor.third &&
    view.getInt32(at + anchor.fourthAt, true) === anchor.fourth &&
    (anchor.more.length === 0 || standsToo(anchor, view, at))
  );
}

function standsToo({ length, more }: BytePattern, view: DataView, at: number): boolean {
  const last = at + length - 4;
  let place = at + 4 * WORDS_AT_ONCE;
  for (let word = 0; word < more.length; word++, place += 4)
    if (view.getInt32(place < last ? place : last, true) !== more[word]) return false;
  return true;
}

/** Bytes that may be read past a frame's end: a number and the name of the next member. */
export const SLACK = 256;
const SPARE_BYTES = 4096;
const NOWHERE = new ArrayBuffer(0);

/**
 * A window on one frame. Positions count from the start of the buffer, not of the frame. Words may be read up to
 * `SLACK` bytes past the end. A reader that uses such a byte must reject the frame.
 */
export class FrameBytes {
  /** First position of the frame, and first position after it. */
  start = 0;
  end = 0;
  view: DataView = new DataView(new ArrayBuffer(0));
  #buffer: ArrayBufferLike = NOWHERE;
  /** The last frame end in this buffer with `SLACK` bytes after it. */
  #endMax = -1;
  /** Holds a copy of a frame that lies too close to the end of its own buffer. */
  #spare = new Uint8Array(SPARE_BYTES);

  moveToSpan({ view, start, end }: ByteSpan): void {
    if (end + SLACK > view.byteLength)
      return this.#copy(new Uint8Array(view.buffer, view.byteOffset + start, end - start));
    this.view = view;
    this.start = start;
    this.end = end;
    // The buffer cached by `moveToFrame` no longer matches the view.
    this.#buffer = NOWHERE;
  }

  moveToFrame(bytes: Uint8Array): void {
    const { buffer } = bytes;
    if (buffer !== this.#buffer) this.#turnTo(buffer);
    this.start = bytes.byteOffset;
    this.end = this.start + bytes.byteLength;
    if (this.end > this.#endMax) this.#copy(bytes);
  }

  #turnTo(buffer: ArrayBufferLike): void {
    this.#buffer = buffer;
    this.#endMax = buffer.byteLength - SLACK;
    // A buffer shorter than `SLACK` is always copied, so it needs no view.
    if (this.#endMax >= 0) this.view = new DataView(buffer);
  }

  #copy(bytes: Uint8Array): void {
    const { byteLength } = bytes;
    if (byteLength + SLACK > this.#spare.length) this.#spare = new Uint8Array(2 * (byteLength + SLACK));
    this.#spare.set(bytes);
    this.#turnTo(this.#spare.buffer);
    this.start = 0;
    this.end = byteLength;
  }
}
