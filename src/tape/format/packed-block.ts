// A block of a packed file: one gzip member with its own length and a checksum of the packed bytes. A file can be read
// one block at a time, and any changed bit is detected. Any gunzip reads the file.
import { constants, crc32, deflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';

/**
 * Largest unpacked size of a block, in bytes. A block usually has about a megabyte, and a longer line has a block of
 * its own. A file with a line longer than this stays unpacked.
 */
export const BLOCK_BYTES_MAX = 64 * 1024 * 1024;

/** Packs bytes as one block, in the background. */
export type BlockPacker = (bytes: Uint8Array) => Promise<Buffer>;

/**
 * The fixed part of a member's header: deflate, an extra field of one subfield `pt` of eight bytes, no time, no name.
 */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 4, 255, 12, 0, 0x70, 0x74, 8, 0]);
/** Length of the head: the fixed part, the member's length, and the checksum of its packed bytes. */
const HEAD_BYTES = HEAD.length + 8;
const TAIL_BYTES = 8;

/** Deflate at its fastest level, on a worker thread. */
export const deflatePacker: BlockPacker = (bytes) =>
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

/** Bytes to read of a block to learn its length. */
export const BLOCK_HEAD_BYTES = HEAD_BYTES;

/** Returns the length of the block at the beginning of `head`; `null` when the head is invalid. */
export function blockLength(head: Buffer): number | null {
  if (head.length < HEAD_BYTES || !head.subarray(0, HEAD.length).equals(HEAD)) return null;
  const length = head.readUInt32LE(HEAD.length);
  return length >= HEAD_BYTES + TAIL_BYTES ? length : null;
}

/** Returns the content of a whole block, or a sentence that describes the damage. */
export function unpackBlock(block: Buffer): Buffer | string {
  const packed = packedPart(block);
  return typeof packed === 'string' ? packed : checkedContent(block, tryInflate(packed));
}

/** Like `unpackBlock`, on a worker thread. */
export async function unpackBlockAside(block: Buffer): Promise<Buffer | string> {
  const packed = packedPart(block);
  return typeof packed === 'string' ? packed : checkedContent(block, await inflateAside(packed));
}

interface PackedPart {
  readonly bytes: Buffer;
  /** Length of the content, as the block claims. */
  readonly size: number;
}

function packedPart(block: Buffer): PackedPart | string {
  const bytes = block.subarray(HEAD_BYTES, block.length - TAIL_BYTES);
  if (crc32(bytes) !== block.readUInt32LE(HEAD.length + 4)) return 'its packed bytes do not fit their checksum';
  const size = block.readUInt32LE(block.length - 4);
  if (size > BLOCK_BYTES_MAX) return `expected at most ${BLOCK_BYTES_MAX} bytes in it, found a claim of ${size}`;
  return { bytes, size };
}

function checkedContent(block: Buffer, bytes: Buffer | null): Buffer | string {
  if (
    bytes?.length === block.readUInt32LE(block.length - 4) &&
    crc32(bytes) === block.readUInt32LE(block.length - TAIL_BYTES)
  )
    return bytes;
  return 'its unpacked bytes do not fit their length and checksum';
}

/** zlib has no smaller chunks. */
const CHUNK_BYTES_MIN = 64;

/** The content is unpacked into one chunk. */
const inflateOptions = ({ size }: PackedPart): { maxOutputLength: number; chunkSize: number } => ({
  maxOutputLength: Math.max(1, size),
  chunkSize: Math.max(CHUNK_BYTES_MIN, size),
});

function tryInflate(packed: PackedPart): Buffer | null {
  try {
    return inflateRawSync(packed.bytes, inflateOptions(packed));
  } catch {
    return null;
  }
}

const inflateAside = (packed: PackedPart): Promise<Buffer | null> =>
  new Promise((resolve) => {
    inflateRaw(packed.bytes, inflateOptions(packed), (fault, bytes) => resolve(fault === null ? bytes : null));
  });

/**
 * Unpacks as much of a broken block as possible: the lines before the damage, and perhaps some changed lines. The
 * result may only be used to name the first damaged line.
 */
export function unpackDamagedBlock(block: Buffer): Buffer {
  const packed = block.subarray(HEAD_BYTES, block.length - TAIL_BYTES);
  let best: Buffer = Buffer.alloc(0);
  if (block.readUInt32LE(block.length - 4) > BLOCK_BYTES_MAX) return best;
  let [good, bad] = [0, packed.length + 1];
  // Bisects on the length of the packed bytes: a shorter beginning is more likely to unpack.
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
