// Gathers lines in memory until they are written in one call. Numbers the lines, and computes each checksum from the
// one before. Must never return an incomplete line.
import { isUtf8 } from 'node:buffer';
import type { Micros } from '../../domain/units.ts';
import { CONTENT_AT, type EntryKind, NEWLINE, checksumOf, putChecksum } from './tape-line.ts';

const USUAL_BYTES = 256 * 1024;
/** Most bytes of a line's checksum, number, time and kind. */
const HEAD_BYTES_MAX = 64;

/** A frame can be written unchanged if it is one line of text. */
const isPlain = (frame: Uint8Array): boolean => !frame.includes(NEWLINE) && isUtf8(frame);

/** Gathers lines. */
export class LineBuffer {
  #bytes = Buffer.allocUnsafe(USUAL_BYTES);
  #length = 0;
  #lineAt = 0;
  #seq: number;
  /** Checksum of the last line. The next line's checksum continues from it. */
  #chain: number;

  constructor({ seq, chain }: { readonly seq: number; readonly chain: number }) {
    this.#seq = seq;
    this.#chain = chain;
  }

  get seq(): number {
    return this.#seq;
  }

  get chain(): number {
    return this.#chain;
  }

  /** Number of gathered bytes. */
  get length(): number {
    return this.#length;
  }

  addLine(kind: EntryKind, at: Micros, json: string): void {
    this.#beginLine(kind, at, json.length * 3);
    this.#length += this.#bytes.write(json, this.#length);
    this.#endLine();
  }

  /** Adds a frame: unchanged when it is one line of text, else in base64. */
  addFrame(at: Micros, frame: Uint8Array): void {
    if (!isPlain(frame)) {
      const text = Buffer.from(frame.buffer, frame.byteOffset, frame.length).toString('base64');
      return this.addLine('frame64', at, text);
    }
    this.#beginLine('frame', at, frame.length);
    this.#bytes.set(frame, this.#length);
    this.#length += frame.length;
    this.#endLine();
  }

  #beginLine(kind: EntryKind, at: Micros, payloadBytesMax: number): void {
    this.#makeRoom(HEAD_BYTES_MAX + payloadBytesMax);
    this.#seq += 1;
    this.#lineAt = this.#length;
    this.#length += CONTENT_AT;
    this.#length += this.#bytes.write(`${this.#seq} ${at} ${kind} `, this.#length, 'latin1');
  }

  #endLine(): void {
    const content = this.#bytes.subarray(this.#lineAt + CONTENT_AT, this.#length);
    this.#chain = checksumOf(content, this.#chain);
    putChecksum(this.#bytes, this.#lineAt, this.#chain);
    this.#bytes[this.#length] = NEWLINE;
    this.#length += 1;
  }

  #makeRoom(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  /** The gathered lines. Valid until the next line is added. */
  gatheredLines(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > 4 * USUAL_BYTES) this.#bytes = Buffer.allocUnsafe(USUAL_BYTES);
  }
}
