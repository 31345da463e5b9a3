// A frame's bytes, four at a time. A view lies over the whole piece of memory that the socket filled, which many frames
// share; so no byte at or behind the frame's own end may be taken for a part of it.

import type { ByteSpan } from '../../venue.ts';

/**
 * Bytes that may stand in a frame, as words at offsets from where they begin; the last of them overlaps the one before.
 * The first four words are members of their own: most anchors need no more, and reading them takes no loop. A short
 * anchor's last word stands for those that it does not need.
 */
export interface Anchor {
  readonly length: number;
  readonly first: number;
  readonly second: number;
  readonly secondAt: number;
  readonly third: number;
  readonly thirdAt: number;
  readonly fourth: number;
  readonly fourthAt: number;
  /** The words after those, four bytes apart, the last one at the end. */
  readonly more: Int32Array;
}

const WORDS_AT_ONCE = 4;

/**
 * The anchor of a text. Names on the wire are ASCII; a text that is not, matches nothing.
 * @throws {RangeError} when it has fewer than four bytes.
 */
export function anchorOf(text: string): Anchor {
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

/** Four quotes, and four zeros, as a word. */
export const QUOTES = 0x22222222;
export const ZEROS = 0x30303030;

/** High bits of which the lowest marks the first byte that is zero; zero when none is. The others mean nothing. */
export const lowestZero = (word: number): number => (word - 0x01010101) & ~word & 0x80808080;
/** The same for the first byte that is a control character or not ASCII. */
export const lowestOutside = (word: number): number => (word | ((word - 0x20202020) & ~word)) & 0x80808080;

/** Whether four digits, each less the character zero, are digits indeed. */
export const isFourDigits = (digits: number): boolean => ((digits | (digits + 0x06060606)) & 0xf0f0f0f0) === 0;
/** The number that four digits make, the first of them lowest in the word. */
export function fourDigits(digits: number): number {
  const pairs = (digits * 10 + (digits >>> 8)) & 0x00ff00ff;
  return (pairs & 0xff) * 100 + (pairs >>> 16);
}

/** Whether an anchor stands at a position. */
export function stands(anchor: Anchor, view: DataView, at: number): boolean {
  return (
    view.getInt32(at, true) === anchor.first &&
    view.getInt32(at + anchor.secondAt, true) === anchor.second &&
    view.getInt32(at + anchor.thirdAt, true) === anchor.third &&
    view.getInt32(at + anchor.fourthAt, true) === anchor.fourth &&
    (anchor.more.length === 0 || standsToo(anchor, view, at))
  );
}

function standsToo({ length, more }: Anchor, view: DataView, at: number): boolean {
  const last = at + length - 4;
  let place = at + 4 * WORDS_AT_ONCE;
  for (let word = 0; word < more.length; word++, place += 4)
    if (view.getInt32(place < last ? place : last, true) !== more[word]) return false;
  return true;
}

/** What may be read behind a frame's end before it is noticed: a number, and the name of the member after it. */
export const SLACK = 256;
const SPARE_BYTES = 4096;
const NOWHERE = new ArrayBuffer(0);

/**
 * A window on one frame. Positions count from the beginning of the memory, not of the frame. Words may be read up to
 * `SLACK` bytes behind the end: what stands there means nothing, and whoever takes a byte of it must refuse the frame.
 */
export class FrameBytes {
  /** Where the frame begins, and the first position behind it. */
  start = 0;
  end = 0;
  /** The memory that the frame lies in. */
  view: DataView = new DataView(new ArrayBuffer(0));
  #buffer: ArrayBufferLike = NOWHERE;
  /** Where the reading of this memory must end for `SLACK` to be there. */
  #endMax = -1;
  /** For frames at the very end of their memory. */
  #spare = new Uint8Array(SPARE_BYTES);

  /** Turns to another frame, whose memory is known. */
  openSpan({ view, start, end }: ByteSpan): void {
    if (end + SLACK > view.byteLength)
      return this.#copy(new Uint8Array(view.buffer, view.byteOffset + start, end - start));
    this.view = view;
    this.start = start;
    this.end = end;
    // Which memory it is need not be asked; it is not the one that was looked at last.
    this.#buffer = NOWHERE;
  }

  /** Turns to another frame. */
  open(bytes: Uint8Array): void {
    const { buffer } = bytes;
    if (buffer !== this.#buffer) this.#turnTo(buffer);
    this.start = bytes.byteOffset;
    this.end = this.start + bytes.byteLength;
    if (this.end > this.#endMax) this.#copy(bytes);
  }

  #turnTo(buffer: ArrayBufferLike): void {
    this.#buffer = buffer;
    this.#endMax = buffer.byteLength - SLACK;
    // Memory as short as that is copied from, and never looked at itself.
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
