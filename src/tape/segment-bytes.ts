// The bytes of a tape's file, a piece at a time, packed or not; and those pieces as runs of whole lines.
// Must never pass over a byte: what cannot be unpacked is a fault, after the lines before it.
import { BLOCK_HEAD_BYTES, blockLength, salvageBlock, unpackBlock } from './block.ts';
import { TapeFault, type TapePlace } from './fault.ts';
import { NEWLINE } from './line.ts';
import { type Segment, packedName } from './segment-name.ts';
import { type Storage, StorageFault } from './storage.ts';

/** A piece that is likely to stay in the cache while its lines are read. */
const CHUNK_BYTES = 1 << 18;
const NOTHING = Buffer.alloc(0);

/** Reads one file. */
export class SegmentBytes {
  /** Of the file, as it is on disk; known with the first piece. */
  bytes = 0;
  /** What is left at the end: no whole line. */
  rest: Buffer = NOTHING;
  readonly #storage: Storage;
  readonly #segment: Segment;
  readonly #placeOfNext: () => TapePlace;

  /** @param placeOfNext The place of the line after the last one read, for faults. */
  constructor(storage: Storage, segment: Segment, placeOfNext: () => TapePlace) {
    this.#storage = storage;
    this.#segment = segment;
    this.#placeOfNext = placeOfNext;
  }

  /**
   * Bytes that are lines, each with its newline.
   * @throws {TapeFault} when a packed block cannot be read.
   * @throws {StorageFault} when the file cannot.
   */
  *runs(): Generator<Buffer> {
    for (const chunk of this.#chunks()) {
      const first = chunk.indexOf(NEWLINE) + 1;
      if (first === 0) {
        this.rest = Buffer.concat([this.rest, chunk]);
        continue;
      }
      const isSplit = this.rest.length > 0;
      if (isSplit) yield Buffer.concat([this.rest, chunk.subarray(0, first)]);
      const last = chunk.lastIndexOf(NEWLINE) + 1;
      this.rest = chunk.subarray(last);
      if (!isSplit) yield chunk.subarray(0, last);
      else if (last > first) yield chunk.subarray(first, last);
    }
  }

  *#chunks(): Generator<Buffer> {
    let { name, isPacked } = this.#segment;
    const size = this.#trySize(name);
    if (size === null) {
      // Packed since the files were listed: its session is still at work.
      name = packedName(this.#segment.number);
      isPacked = true;
    }
    const bytes = size ?? this.#storage.size(name);
    this.bytes = bytes;
    if (isPacked) yield* this.#blocks(name);
    else for (let at = 0; at < bytes; at += CHUNK_BYTES) yield this.#read(name, at, Math.min(CHUNK_BYTES, bytes - at));
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
