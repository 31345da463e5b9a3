// Makes a hash of a tape's content. Every line's checksum continues from the line before, so a file's last line stands
// for the whole file, packed or not. The time needed hardly grows with the tape. Must never be taken for a proof: only
// reading the whole tape shows that it is sound.
import { createHash } from 'node:crypto';
import { BLOCK_HEAD_BYTES, blockLength, unpackBlock } from '../format/packed-block.ts';
import { NEWLINE } from '../format/tape-line.ts';
import { type Segment, packedName, segmentsOf } from '../format/segment-files.ts';
import { type Storage, StorageFault } from './storage.ts';

/**
 * Returns the SHA-256 of a tape's present content, in hexadecimal.
 * @throws {StorageFault} when a file cannot be read.
 */
export function sourceHashOf(storage: Storage): string {
  const hash = createHash('sha256');
  for (const segment of segmentsOf(storage)) {
    hash.update(`${segment.number} `);
    hash.update(lastLineOf(storage, segment));
    hash.update('\n');
  }
  return hash.digest('hex');
}

/** Returns the last whole line of a file; empty without one. */
function lastLineOf(storage: Storage, { number, name, isPacked }: Segment): Uint8Array {
  if (isPacked) return lastPackedLine(storage, name);
  try {
    return lastPlainLine(storage, name);
  } catch (fault) {
    // The file was packed after the files were listed: its session is still running.
    if (fault instanceof StorageFault && fault.code === 'ENOENT') return lastPackedLine(storage, packedName(number));
    throw fault;
  }
}

const TAIL_BYTES = 64 * 1024;

function lastPlainLine(storage: Storage, name: string): Uint8Array {
  const size = storage.sizeOf(name);
  for (let count = TAIL_BYTES; ; count *= 4) {
    const from = Math.max(0, size - count);
    const tail = storage.readBytes(name, from, size - from);
    const isWhole = from === 0 || lastLineIn(tail).from > 0;
    if (isWhole) return lineIn(tail);
  }
}

function lastPackedLine(storage: Storage, name: string): Uint8Array {
  const size = storage.sizeOf(name);
  let last: Uint8Array = new Uint8Array();
  for (let at = 0; at < size;) {
    const length = blockLength(bufferOf(storage.readBytes(name, at, BLOCK_HEAD_BYTES)));
    if (length === null || at + length > size) break;
    at += length;
    if (at < size) continue;
    const content = unpackBlock(bufferOf(storage.readBytes(name, at - length, length)));
    last = typeof content === 'string' ? last : content;
  }
  return lineIn(last);
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** Offsets of the last line that has its newline. */
function lastLineIn(bytes: Uint8Array): { readonly from: number; readonly to: number } {
  const to = bytes.lastIndexOf(NEWLINE);
  if (to < 0) return { from: 0, to: 0 };
  return { from: to === 0 ? 0 : bytes.lastIndexOf(NEWLINE, to - 1) + 1, to };
}

function lineIn(bytes: Uint8Array): Uint8Array {
  const { from, to } = lastLineIn(bytes);
  return bytes.subarray(from, to);
}
