// Parses a frame line straight from its bytes, without making a string or an object. Must never accept a line that the
// slow parser (`readLine` and `readChecksum`) would refuse. Any unusual line is left to the slow parser.
import { CONTENT_AT, type EntryKind, NEWLINE } from './tape-line.ts';

const SPACE = 32;
const ZERO = 48;
const ZEROS = 0x30303030;
/** `frame ` as a little-endian word and half-word. */
const FRAM = 0x6d617266;
const E_SPACE = 0x2065;
const FRAME_LENGTH = 6;
/** Most digits of each of the two numbers before a kind. */
const DIGITS_MAX = 16;
const REVERSED_POLYNOMIAL = 0xedb88320;

/** Subtracting this sets the high bit of every byte below 0x0b, such as a newline. Some other bytes are also marked. */
const BELOW = 0x0b0b0b0b;
const HIGH_BITS = 0x80808080;

// The tables compute CRC-32 eight bytes at a time. Table `Rn` holds the remainder of each byte followed by `n` zero
// bytes. One large array would be slower: indexing into its parts costs an extra addition.
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

/** Returns the table for one more zero byte than `table` has. */
function followed(table: Int32Array): Int32Array {
  return table.map((rest) => (rest >>> 8) ^ (R0[rest & 255] ?? 0));
}

/**
 * Adds eight bytes to the checksum. The table values are combined in pairs, which the processor can compute in
 * parallel.
 */
function sumEight(sum: number, low: number, high: number): number {
  const mixed = low ^ sum;
  const first = (R7[mixed & 255] ?? 0) ^ (R6[(mixed >>> 8) & 255] ?? 0);
  const second = (R5[(mixed >>> 16) & 255] ?? 0) ^ (R4[mixed >>> 24] ?? 0);
  const third = (R3[high & 255] ?? 0) ^ (R2[(high >>> 8) & 255] ?? 0);
  const fourth = (R1[(high >>> 16) & 255] ?? 0) ^ (R0[high >>> 24] ?? 0);
  return third ^ fourth ^ (first ^ second);
}

/** Value of each hexadecimal digit in a checksum, by byte; 256 for any other byte. */
const HEX = new Int32Array(256).fill(1 << 8);
for (const [value, digit] of Buffer.from('0123456789abcdef').entries()) HEX[digit] = value;

/** Parses lines of kind `frame`. After a successful scan, the fields hold the line's values until the next scan. */
export class FrameLineScanner {
  seq = 0;
  at = 0;
  readonly kind: EntryKind = 'frame';
  /** Offset of the payload. `end` is that of the newline. */
  payloadAt = 0;
  end = 0;
  /** The line's checksum as a signed word. */
  chain = 0;

  view: DataView = new DataView(new ArrayBuffer(0));
  #number = 0;

  /** Switches to other bytes. */
  setBytes(bytes: Uint8Array): void {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Parses the line at `from`. Returns true for a frame that continues from the line before it.
   * @param to Offset after the newline that ends the last line.
   * @param chain Checksum of the line before.
   */
  scanLine(from: number, to: number, chain: number): boolean {
    const view = this.view;
    const seqEnd = this.#readNumber(from + CONTENT_AT, to);
    const seq = this.#number;
    const kindAt = this.#readNumber(seqEnd, to);
    if (kindAt < 0 || kindAt + FRAME_LENGTH >= to) return false;
    if (view.getInt32(kindAt, true) !== FRAM || view.getUint16(kindAt + 4, true) !== E_SPACE) return false;
    this.seq = seq;
    this.at = this.#number;
    this.payloadAt = kindAt + FRAME_LENGTH;
    this.#sumContent(from + CONTENT_AT, to, chain);
    return this.chain === this.#readSum(from);
  }

  /**
   * Parses a number and the space after it. Returns the offset after the space, or -1 to leave the line to the slow
   * parser.
   */
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

  #sumContent(from: number, to: number, chain: number): void {
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

  /** Returns the checksum at the line's start as a signed word, or NaN. */
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
