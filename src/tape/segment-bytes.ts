// The bytes of a tape's file, a piece at a time, packed or not; and those pieces as runs of whole lines.
// Must never pass over a byte: what cannot be unpacked is a fault, after the lines before it.
import { BLOCK_BYTES_MAX, BLOCK_HEAD_BYTES, blockLength, salvageBlock, unpackBlock } from './block.ts';
import { TapeFault, type TapePlace } from './fault.ts';
import { NEWLINE } from './line.ts';
import { type Segment, packedName } from './segment-name.ts';
import { type Storage, StorageFault } from './storage.ts';

/** A piece that is likely to stay in the cache while its lines are read. */
const CHUNK_BYTES = 1 << 18;

/** Reads one file. */
export class SegmentBytes {
  /** Of the file, as it is on disk; known with the first piece. */
  bytes = 0;
  readonly #storage: Storage;
  readonly #segment: Segment;
  readonly #placeOfNext: () => TapePlace;
  /** One piece after the other, each behind what is left of the one before it. */
  #memory = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);
  /** How much of it is taken. */
  #length = 0;
  #isPacked = false;

  /** @param placeOfNext The place of the line after the last one read, for faults. */
  constructor(storage: Storage, segment: Segment, placeOfNext: () => TapePlace) {
    this.#storage = storage;
    this.#segment = segment;
    this.#placeOfNext = placeOfNext;
  }

  /** What is left at the end: no whole line. */
  get rest(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  /**
   * Bytes that are lines, each with its newline. Borrowed: valid until the next ones.
   * @throws {TapeFault} when a packed block cannot be read.
   * @throws {StorageFault} when the file cannot.
   */
  *runs(): Generator<Buffer> {
    for (const got of this.#chunks()) {
      const before = this.#length;
      this.#length += got;
      const whole = this.#memory.subarray(before, this.#length).lastIndexOf(NEWLINE) + 1;
      if (whole === 0) {
        this.#refuseEndless();
        continue;
      }
      yield this.#memory.subarray(0, before + whole);
      this.#memory.copyWithin(0, before + whole, this.#length);
      this.#length -= before + whole;
    }
  }

  /** A packed line is no longer than a block: what goes on beyond that would only fill the memory. */
  #refuseEndless(): void {
    if (!this.#isPacked || this.#length <= BLOCK_BYTES_MAX) return;
    throw new TapeFault(
      this.#placeOfNext(),
      `expected a line of at most ${BLOCK_BYTES_MAX} bytes, found one that goes on`,
    );
  }

  /** Puts one piece after the other into the memory, behind what is taken; gives how many bytes each has. */
  *#chunks(): Generator<number> {
    let { name, isPacked } = this.#segment;
    const size = this.#trySize(name);
    if (size === null) {
      // Packed since the files were listed: its session is still at work.
      name = packedName(this.#segment.number);
      isPacked = true;
    }
    this.#isPacked = isPacked;
    const bytes = size ?? this.#storage.size(name);
    this.bytes = bytes;
    if (isPacked) for (const block of this.#blocks(name)) yield block.copy(this.#room(block.length));
    else
      for (let at = 0; at < bytes; at += CHUNK_BYTES)
        yield this.#storage.fill(name, at, this.#room(Math.min(CHUNK_BYTES, bytes - at)));
  }

  /** So much memory behind what is taken. */
  #room(count: number): Buffer {
    const needed = this.#length + count;
    if (needed > this.#memory.length) {
      const grown = Buffer.allocUnsafeSlow(2 * needed);
      this.rest.copy(grown);
      this.#memory = grown;
    }
    return this.#memory.subarray(this.#length, needed);
  }

  #trySize(name: string): number | null {
    try {
      return this.#storage.size(name);
    } catch (fault) {
      if (fault instanceof StorageFault && fault.code === 'ENOENT') return null;
      throw fault;
    }
  }

  *#blocks(name: string): Generator<Buffer> {
    for (let at = 0; at < this.bytes;) {
      const refuse = (what: string): TapeFault =>
        new TapeFault(
          this.#placeOfNext(),
          `the packed block at byte ${at} that holds this line cannot be read: ${what}`,
        );
      const length = blockLength(this.#read(name, at, BLOCK_HEAD_BYTES));
      if (length === null) throw refuse('expected the head of a block, found other bytes');
      if (at + length > this.bytes) throw refuse(`expected ${length} bytes, found ${this.bytes - at}`);
      const block = this.#read(name, at, length);
      const content = unpackBlock(block);
      if (typeof content === 'string') {
        // The lines themselves know best which of them is the first that does not fit.
        yield salvageBlock(block);
        throw refuse(content);
      }
      yield content;
      at += length;
    }
  }

  #read(name: string, from: number, count: number): Buffer {
    const bytes = this.#storage.read(name, from, count);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}
