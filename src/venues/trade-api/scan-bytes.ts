// A frame's bytes, four at a time. A view lies over the whole piece of memory that the socket filled, which many frames
// share; so nothing may be read at or behind the frame's own end.

/** Bytes that may stand in a frame: their words, the last of which overlaps the one before. At least four bytes. */
export interface Anchor {
  readonly length: number;
  readonly words: Int32Array;
}

/**
 * The anchor of a text. Names on the wire are ASCII; a text that is not, matches nothing.
 * @throws {RangeError} when it has fewer than four bytes.
 */
export function anchorOf(text: string): Anchor {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer);
  const words: number[] = [];
  for (let at = 0; at < bytes.length - 4; at += 4) words.push(view.getInt32(at, true));
  words.push(view.getInt32(bytes.length - 4, true));
  return { length: bytes.length, words: Int32Array.from(words) };
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

/** A window on one frame. Positions count from the beginning of the memory, not of the frame. */
export class FrameBytes {
  /** Where the frame begins, and the first position behind it. */
  start = 0;
  end = 0;
  #buffer: ArrayBufferLike = new ArrayBuffer(0);
  #view = new DataView(this.#buffer);

  /** Turns to another frame. */
  open(bytes: Uint8Array): void {
    const { buffer } = bytes;
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#view = new DataView(buffer);
    }
    this.start = bytes.byteOffset;
    this.end = this.start + bytes.byteLength;
  }

  /** The byte at a position, or -1 behind the end. */
  byteAt(at: number): number {
    return at < this.end ? this.#view.getUint8(at) : -1;
  }

  /** The four bytes from a position on, the first one lowest; zeros behind the end. */
  wordAt(at: number): number {
    if (at + 4 <= this.end) return this.#view.getInt32(at, true);
    let word = 0;
    for (let i = at; i < this.end; i++) word |= this.#view.getUint8(i) << ((i - at) * 8);
    return word;
  }

  /** Whether an anchor stands at a position. */
  has(anchor: Anchor, at: number): boolean {
    const { length, words } = anchor;
    if (at + length > this.end) return false;
    const last = words.length - 1;
    for (let i = 0; i < last; i++) if (this.#view.getInt32(at + i * 4, true) !== words[i]) return false;
    return this.#view.getInt32(at + length - 4, true) === words[last];
  }
}
