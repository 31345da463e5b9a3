// The frame of a line that is a bare message. One object is reused for all such lines, so that no line allocates
// memory. Must never be kept: the next line overwrites it.
import { EPOCH, type Micros } from '../../../domain/units.ts';
import type { ByteSpan, Frame } from '../../../venue.ts';

const WORD = 4;
const CLOSE = 0x7d;

/** A frame that is a part of a chunk of lines. */
export class LineFrame implements Frame, ByteSpan {
  readonly type = 'frame';
  at: Micros = EPOCH;
  view: DataView = new DataView(new ArrayBuffer(0));
  start = 0;
  end = 0;
  /** Offset of the chunk in its buffer. */
  #origin = 0;

  setChunk({ buffer, byteOffset }: Uint8Array): void {
    if (buffer !== this.view.buffer) this.view = new DataView(buffer);
    this.#origin = byteOffset;
  }

  setLine(start: number, end: number): void {
    this.start = this.#origin + start;
    this.end = this.#origin + end;
  }

  get span(): ByteSpan {
    return this;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.view.buffer, this.start, this.end - this.start);
  }

  /** Tests that the line begins like `beginning` and ends with two braces. */
  isBetween({ length, words }: LineBeginning): boolean {
    const { view, start, end } = this;
    if (end - start < length || view.getUint8(end - 1) !== CLOSE || view.getUint8(end - 2) !== CLOSE) return false;
    const last = length - WORD;
    for (let word = 0, at = 0; word < words.length; word++, at += WORD)
      if (view.getInt32(start + (at < last ? at : last), true) !== words[word]) return false;
    return true;
  }
}

/** The beginning of a line as words. The last word may overlap the word before. */
export interface LineBeginning {
  readonly length: number;
  readonly words: Int32Array;
}

/** Converts a text of at least four bytes. */
export function beginningOf(text: string): LineBeginning {
  const bytes = Buffer.from(text);
  const last = bytes.length - WORD;
  const count = Math.ceil(bytes.length / WORD);
  const words = Int32Array.from({ length: count }, (_, word) => bytes.readInt32LE(Math.min(word * WORD, last)));
  return { length: bytes.length, words };
}
