// A block of a packed file: one gzip member that says its own length and the checksum of what is packed, so that a file
// can be read a block at a time, and no bit of it can change unseen. Any gunzip reads the file.
import { constants, crc32, deflateRaw, inflateRawSync } from 'node:zlib';

/**
 * What a block may unpack to at most, in bytes: lines are packed by a megabyte, and a line alone where it is longer. A file
 * with a longer line than this is left unpacked, so that a reader can refuse a block that claims more.
 */
export const BLOCK_BYTES_MAX = 64 * 1024 * 1024;

/** Compresses, without holding anyone up. */
export type Packer = (bytes: Uint8Array) => Promise<Buffer>;

/** The fixed part of a member's header: deflate, an extra field of one subfield `pt` of eight bytes, no time, no name. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 4, 255, 12, 0, 0x70, 0x74, 8, 0]);
/** Then the member's length and the checksum of its packed bytes. */
const HEAD_BYTES = HEAD.length + 8;
const TAIL_BYTES = 8;

/** Deflate at its fastest, on a thread of its own. */
export const deflatePacker: Packer = (bytes) =>
  new Promise((resolve, reject) => {
    deflateRaw(bytes, { level: constants.Z_BEST_SPEED }, (fault, packed) => {
      if (fault) reject(fault);
      else resolve(blockOf(bytes, packed));
    });
  });

function blockOf(bytes: Uint8Array, packed: Uint8Array): Buffer {
  const block = Buffer.allocUnsafe(HEAD_BYTES + packed.length + TAIL_BYTES);
  HEAD.copy(block);
  block.writeUInt32LE(block.length, HEAD.length);
  block.writeUInt32LE(crc32(packed), HEAD.length + 4);
  block.set(packed, HEAD_BYTES);
  block.writeUInt32LE(crc32(bytes), block.length - TAIL_BYTES);
  block.writeUInt32LE(bytes.length, block.length - 4);
  return block;
}

/** How many bytes of a file tell how long its next block is. */
export const BLOCK_HEAD_BYTES = HEAD_BYTES;

/** Length of the block that begins here; `null` when none does. */
export function blockLength(head: Buffer): number | null {
  if (head.length < HEAD_BYTES || !head.subarray(0, HEAD.length).equals(HEAD)) return null;
  const length = head.readUInt32LE(HEAD.length);
  return length >= HEAD_BYTES + TAIL_BYTES ? length : null;
}

/** What a whole block holds; a sentence on what is wrong with it when it does not hold together. */
export function unpackBlock(block: Buffer): Buffer | string {
  const packed = block.subarray(HEAD_BYTES, block.length - TAIL_BYTES);
  if (crc32(packed) !== block.readUInt32LE(HEAD.length + 4)) return 'its packed bytes do not fit their checksum';
  const size = block.readUInt32LE(block.length - 4);
  if (size > BLOCK_BYTES_MAX) return `expected at most ${BLOCK_BYTES_MAX} bytes in it, found a claim of ${size}`;
  const bytes = tryInflate(packed, size);
  if (bytes?.length !== size || crc32(bytes) !== block.readUInt32LE(block.length - TAIL_BYTES))
    return 'its unpacked bytes do not fit their length and checksum';
  return bytes;
}

function tryInflate(packed: Buffer, size: number): Buffer | null {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch {
    return null;
  }
}

/**
 * As much of a broken block as can be unpacked: the lines before what broke, and perhaps some that are not what they
 * were. It is for naming the line, and for nothing else.
 */
export function salvageBlock(block: Buffer): Buffer {
  const packed = block.subarray(HEAD_BYTES, block.length - TAIL_BYTES);
  let best: Buffer = Buffer.alloc(0);
  if (block.readUInt32LE(block.length - 4) > BLOCK_BYTES_MAX) return best;
  let [good, bad] = [0, packed.length + 1];
  // The shorter the beginning, the likelier it can be unpacked.
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const content = tryInflateBeginning(packed.subarray(0, middle));
    if (content === null) bad = middle;
    else [good, best] = [middle, content];
  }
  return best;
}

function tryInflateBeginning(packed: Buffer): Buffer | null {
  try {
    return inflateRawSync(packed, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: BLOCK_BYTES_MAX });
  } catch {
    return null;
  }
}
