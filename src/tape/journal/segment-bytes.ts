// Reads the bytes of a tape's file, packed or not, a chunk at a time. Splits them into runs of whole lines. Must never
// skip a byte: an unreadable block is a fault, raised once all earlier lines are read.
import {
  BLOCK_BYTES_MAX,
  BLOCK_HEAD_BYTES,
  blockLength,
  unpackDamagedBlock,
  unpackBlock,
} from '../format/packed-block.ts';
import { TapeFault, type TapePlace } from '../format/tape-fault.ts';
import { NEWLINE } from '../format/tape-line.ts';
import { type Segment, packedName } from '../format/segment-files.ts';
import type { BlockAhead } from './block-ahead.ts';
import { type Storage, StorageFault } from './storage.ts';

/** Size of a chunk, small enough to stay in the cache while its lines are read. */
const CHUNK_BYTES = 1 << 18;

export interface SegmentBytesOptions {
  /** Place of the line after the last one read, for faults. */
  readonly placeOfNext: () => TapePlace;
  /** Unpacked bytes at the beginning that are left out: whole lines that were read before. @default 0 */
  readonly skip?: number;
  /** Unpacks the next block meanwhile. */
  readonly ahead?: BlockAhead | null;
}

/** Reads one file. */
export class SegmentBytes {
  /** Bytes of the file on disk, from the first chunk on. */
  fileBytes = 0;
  readonly #storage: Storage;
  readonly #segment: Segment;
  readonly #placeOfNext: () => TapePlace;
  /** Holds the incomplete line of the earlier chunk, and the next chunk after it. */
  #memory = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);
  #length = 0;
  #isPacked = false;
  readonly #skip: number;
  readonly #ahead: BlockAhead | null;

  constructor(storage: Storage, segment: Segment, { placeOfNext, skip = 0, ahead = null }: SegmentBytesOptions) {
    this.#storage = storage;
    this.#segment = segment;
    this.#placeOfNext = placeOfNext;
    this.#skip = skip;
    this.#ahead = ahead;
  }

  /** The bytes left at the end that are not a whole line. */
  get rest(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  /**
   * Reads runs of whole lines, each with its newline. A run is valid until the next run.
   * @throws {TapeFault} when a packed block cannot be read, or a packed line is too long.
   * @throws {StorageFault} when the file cannot be read.
   */
  *lineRuns(): Generator<Buffer> {
    for (const count of this.#readChunks()) {
      const before = this.#length;
      this.#length += count;
      const whole = this.#memory.subarray(before, this.#length).lastIndexOf(NEWLINE) + 1;
      if (whole === 0) {
        this.#checkLineLength();
        continue;
      }
      yield this.#memory.subarray(0, before + whole);
      this.#memory.copyWithin(0, before + whole, this.#length);
      this.#length -= before + whole;
    }
  }

  /** No writer packs a line that is longer than a block. Reading one would only fill the memory. */
  #checkLineLength(): void {
    if (!this.#isPacked || this.#length <= BLOCK_BYTES_MAX) return;
    throw new TapeFault(
      this.#placeOfNext(),
      `expected a line of at most ${BLOCK_BYTES_MAX} bytes, found one that goes on`,
    );
  }

  *#readChunks(): Generator<number> {
    const { name, number, isPacked } = this.#segment;
    if (isPacked) return yield* this.#copyBlocks(name, this.#skip);
    let at = this.#skip;
    const bytes = ifThere(() => this.#storage.sizeOf(name));
    this.fileBytes = bytes ?? 0;
    // The file may have been packed after the files were listed: its session is still running.
    if (bytes === null) return yield* this.#copyBlocks(packedName(number), at);
    for (; at < bytes; at += CHUNK_BYTES) {
      const count = this.#readPlainChunk(name, at, Math.min(CHUNK_BYTES, bytes - at));
      if (count === null) return yield* this.#copyBlocks(packedName(number), at);
      yield count;
    }
  }

  /** Returns the number of bytes read, or `null` when the file does not exist. */
  #readPlainChunk(name: string, from: number, count: number): number | null {
    return ifThere(() => this.#storage.readInto(name, from, this.#freeMemory(count)));
  }

  /** Reads the packed file, and leaves out that many unpacked bytes at its beginning. */
  *#copyBlocks(name: string, skipped: number): Generator<number> {
    this.#isPacked = true;
    this.fileBytes = ifThere(() => this.#storage.sizeOf(name)) ?? this.#throwRemoved();
    let skip = skipped;
    for (const block of this.#readBlocks(name)) {
      const rest = block.subarray(Math.min(skip, block.length));
      skip -= block.length - rest.length;
      if (rest.length > 0) yield rest.copy(this.#freeMemory(rest.length));
    }
  }

  /** @throws {StorageFault} that says what an operator may do. */
  #throwRemoved(): never {
    throw new StorageFault(
      this.#storage.path,
      `${this.#segment.name} was removed while the tape was read, as by a session that keeps no more; read it again`,
      { code: 'ENOENT' },
    );
  }

  /** Free memory for `count` bytes after those in use. */
  #freeMemory(count: number): Buffer {
    const needed = this.#length + count;
    if (needed > this.#memory.length) {
      const grown = Buffer.allocUnsafeSlow(2 * needed);
      this.rest.copy(grown);
      this.#memory = grown;
    }
    return this.#memory.subarray(this.#length, needed);
  }

  *#readBlocks(name: string): Generator<Buffer> {
    for (let at = 0; at < this.fileBytes;) {
      const faultOf = (what: string): TapeFault =>
        new TapeFault(
          this.#placeOfNext(),
          `the packed block at byte ${at} that holds this line cannot be read: ${what}`,
        );
      const length = this.#blockLengthAt(name, at);
      if (length === null) throw faultOf('expected the head of a block, found other bytes');
      if (at + length > this.fileBytes) throw faultOf(`expected ${length} bytes, found ${this.fileBytes - at}`);
      const block = this.#readBytes(name, at, length);
      const content = this.#ahead?.contentOf({ name, at }) ?? unpackBlock(block);
      if (typeof content === 'string') {
        // Reading the salvaged lines finds the first damaged line.
        yield unpackDamagedBlock(block);
        throw faultOf(content);
      }
      at += length;
      this.#unpackAhead(name, at);
      yield content;
    }
  }

  /** The next block may be damaged: then it is left to the turn in which its lines are read. */
  #unpackAhead(name: string, at: number): void {
    if (this.#ahead === null || at >= this.fileBytes) return;
    const length = this.#blockLengthAt(name, at);
    if (length !== null && at + length <= this.fileBytes)
      this.#ahead.begin({ name, at }, this.#readBytes(name, at, length));
  }

  #blockLengthAt(name: string, at: number): number | null {
    return blockLength(this.#readBytes(name, at, BLOCK_HEAD_BYTES));
  }

  #readBytes(name: string, from: number, count: number): Buffer {
    const bytes = ifThere(() => this.#storage.readBytes(name, from, count)) ?? this.#throwRemoved();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/** Returns what a reader returns, or `null` when its file does not exist. */
function ifThere<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof StorageFault && fault.code === 'ENOENT') return null;
    throw fault;
  }
}
