// Reads a line straight from its bytes: its checksum, its end, its number, time and kind, without a text or an object.
// Must never take a line that the slow way would not: whatever is not exactly as usual is left to that, which also says
// what is wrong with it.
import { CONTENT_AT, type EntryKind, NEWLINE } from './line.ts';

const SPACE = 32;
const ZERO = 48;
const ZEROS = 0x30303030;
/** The words of `frame `. */
const FRAM = 0x6d617266;
const E_SPACE = 0x2065;
const FRAME_LENGTH = 6;
/** What comes before a kind, at the most: two numbers of sixteen digits each. */
const DIGITS_MAX = 16;
const REVERSED_POLYNOMIAL = 0xedb88320;

/** Less this, a byte that is below it, as a newline is, has its high bit set; so do some that are not ASCII. */
const BELOW = 0x0b0b0b0b;
const HIGH_BITS = 0x80808080;

// CRC-32 by eight bytes at a time: the remainders of a byte, and those of a byte that one, two … seven others follow. Tables
// of their own: to look into a part of one costs an addition more, hundreds of times a line.
const R0 = remainders();
const R1 = followed(R0);
const R2 = followed(R1);
const R3 = followed(R2);
const R4 = followed(R3);
const R5 = followed(R4);
const R6 = followed(R5);
const R7 = followed(R6);

function remainders(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ REVERSED_POLYNOMIAL : rest >>> 1;
    return rest;
  });
}

/** The same where one byte more follows. */
function followed(table: Int32Array): Int32Array {
  return table.map((rest) => (rest >>> 8) ^ (R0[rest & 255] ?? 0));
}

/** The sum over eight more bytes, in pairs that do not wait for each other. */
function sumEight(sum: number, low: number, high: number): number {
  const mixed = low ^ sum;
  const first = (R7[mixed & 255] ?? 0) ^ (R6[(mixed >>> 8) & 255] ?? 0);
  const second = (R5[(mixed >>> 16) & 255] ?? 0) ^ (R4[mixed >>> 24] ?? 0);
  const third = (R3[high & 255] ?? 0) ^ (R2[(high >>> 8) & 255] ?? 0);
  const fourth = (R1[(high >>> 16) & 255] ?? 0) ^ (R0[high >>> 24] ?? 0);
  return third ^ fourth ^ (first ^ second);
}

/** The value of each hexadecimal digit that a checksum may have, by its byte; a large one where it is none. */
const HEX = new Int32Array(256).fill(1 << 8);
for (const [value, digit] of Buffer.from('0123456789abcdef').entries()) HEX[digit] = value;

/** Reads lines of kind `frame`. After `scan` said yes, the members hold what the line says; until the next `scan`. */
export class LineScan {
  seq = 0;
  at = 0;
  readonly kind: EntryKind = 'frame';
  /** Where the payload begins, and the newline. */
  payloadAt = 0;
  end = 0;
  /** The line's checksum: a signed word. */
  chain = 0;

  view: DataView = new DataView(new ArrayBuffer(0));
  /** The number read last. */
  #number = 0;

  /** Turns to other bytes. */
  open(bytes: Uint8Array): void {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Whether the line that begins at a place is a frame that was read, and fits the line before.
   * @param to A place behind the line's newline.
   * @param chain Checksum of the line before.
   */
  scan(from: number, to: number, chain: number): boolean {
    const view = this.view;
    const seqEnd = this.#readNumber(from + CONTENT_AT, to);
    const seq = this.#number;
    const kindAt = this.#readNumber(seqEnd, to);
    if (kindAt < 0 || kindAt + FRAME_LENGTH >= to) return false;
    if (view.getInt32(kindAt, true) !== FRAM || view.getUint16(kindAt + 4, true) !== E_SPACE) return false;
    this.seq = seq;
    this.at = this.#number;
    this.payloadAt = kindAt + FRAME_LENGTH;
    this.#sum(from + CONTENT_AT, to, chain);
    return this.chain === this.#readSum(from);
  }

  /** Reads a number and the space behind it; gives the place behind that, or -1. */
  #readNumber(from: number, to: number): number {
    if (from < 0 || from + DIGITS_MAX + 4 > to) return -1;
    const view = this.view;
    let value = 0;
    let at = from;
    for (;;) {
      const digits = view.getInt32(at, true) ^ ZEROS;
      if (((digits | (digits + 0x06060606)) & 0xf0f0f0f0) !== 0) break;
      const pairs = (digits * 10 + (digits >>> 8)) & 0x00ff00ff;
      value = value * 10_000 + (pairs & 0xff) * 100 + (pairs >>> 16);
      at += 4;
      if (at - from > DIGITS_MAX) return -1;
    }
    for (let digit = view.getUint8(at) - ZERO; digit >= 0 && digit <= 9; digit = view.getUint8(at) - ZERO) {
      value = value * 10 + digit;
      at += 1;
    }
    this.#number = value;
    return at === from || at - from > DIGITS_MAX || value > Number.MAX_SAFE_INTEGER || view.getUint8(at) !== SPACE
      ? -1
      : at + 1;
  }

  /** Sums the content up to its newline, which it finds on the way. */
  #sum(from: number, to: number, chain: number): void {
    const view = this.view;
    let sum = ~chain;
    let at = from;
    for (; at + 8 <= to; at += 8) {
      const low = view.getInt32(at, true);
      const high = view.getInt32(at + 4, true);
      if ((((low - BELOW) | (high - BELOW)) & HIGH_BITS) !== 0) break;
      sum = sumEight(sum, low, high);
    }
    for (let byte = view.getUint8(at); byte !== NEWLINE; byte = view.getUint8(at)) {
      sum = (R0[(sum ^ byte) & 255] ?? 0) ^ (sum >>> 8);
      at += 1;
    }
    this.end = at;
    this.chain = ~sum;
  }

  /** The checksum that the line says it has, as a signed word; no such word where it says none. */
  #readSum(from: number): number {
    const view = this.view;
    let value = 0;
    let worst = 0;
    for (let at = from; at < from + 8; at++) {
      const digit = HEX[view.getUint8(at)] ?? 0;
      worst |= digit;
      value = (value << 4) | digit;
    }
    return worst > 15 || view.getUint8(from + 8) !== SPACE ? Number.NaN : value;
  }
}
