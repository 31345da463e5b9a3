// Writes an Arrow IPC file to disk a block at a time. Arrow's own writer makes the format; this file adds the file
// handling, and metadata that is known only at the end. Must never give the requested name to an incomplete file.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { type RecordBatch, RecordBatchFileWriter, Schema } from 'apache-arrow';
import { FileBlock } from 'apache-arrow/ipc/metadata/file';
import { makeFolder } from '../../log/make-folder.ts';
import { must } from '../../base/assert.ts';
import { BakedFault } from './baked-fault.ts';
import { BakedFile } from './baked-file.ts';
import { TAIL_BYTES, plainSchema } from './baked-format.ts';
import { makeSeal } from './baked-seal.ts';
import { NameTaken, nameNewFile, removeAbandoned, temporaryName } from './new-file.ts';

/** The body of a written block: its offset in the file, and its bytes. */
export interface WrittenBody {
  readonly at: number;
  /** Valid until the next block is written. */
  readonly bytes: Buffer;
}

const STAGE_BYTES = 1 << 20;

/** Arrow's writer, with a buffer in place of its queue. */
class StagedWriter extends RecordBatchFileWriter {
  #stage = Buffer.allocUnsafe(STAGE_BYTES);
  #length = 0;
  #footer = plainSchema;

  protected override _write(chunk: unknown): this {
    if (!this._started || !ArrayBuffer.isView(chunk)) return this;
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#makeRoom(bytes.length);
    this.#stage.set(bytes, this.#length);
    this.#length += bytes.length;
    this._position += bytes.length;
    return this;
  }

  #makeRoom(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#stage.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#stage.length));
    grown.set(this.#stage.subarray(0, this.#length));
    this.#stage = grown;
  }

  /** Readers take the schema from the footer, so the footer has the final schema. */
  protected override _writeFooter(): this {
    return super._writeFooter(this.#footer);
  }

  startFile(): void {
    this.reset(undefined, plainSchema);
  }

  finishFile(metadata: ReadonlyMap<string, string>): void {
    this.#footer = new Schema(plainSchema.fields, new Map(metadata));
    this.finish();
  }

  /** Moves the last `count` blocks to the front. Readers take the blocks in the sequence of the footer. */
  putFirst(count: number): void {
    const blocks = this._recordBatchBlocks;
    blocks.unshift(...blocks.splice(blocks.length - count));
  }

  get bodyBytes(): number {
    return this._recordBatchBlocks.at(-1)?.bodyLength ?? 0;
  }

  /** Place and lengths of a written block. */
  blockAt(number: number): FileBlock {
    return must(this._recordBatchBlocks[number], 'a written block');
  }

  /** Adds a block of another file. Returns the room for its bytes, which the caller must fill before the next write. */
  addCopy({ metaDataLength, bodyLength }: FileBlock): Buffer {
    const [start, count] = [this.#length, metaDataLength + bodyLength];
    this._recordBatchBlocks.push(new FileBlock(metaDataLength, bodyLength, this._position));
    this.#makeRoom(count);
    this.#length += count;
    this._position += count;
    return this.#stage.subarray(start, this.#length);
  }

  /** Bytes written since the last call. Valid until the next write. */
  takeBytes(): Buffer {
    const taken = this.#stage.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}

/** A file being written. */
export class ArrowFile {
  readonly #path: string;
  readonly #part: string;
  readonly #isNew: boolean;
  readonly #fd: number;
  readonly #writer = new StagedWriter();
  #bytes = 0;
  /** CRC-32 of everything written outside the blocks' bodies. */
  #surroundingsSum = 0;
  #isOpen = true;

  /**
   * @param path Name of the complete file.
   * @param isNew Refuses to replace a file. Otherwise an existing file is replaced.
   * @throws {BakedFault} when the file cannot be created.
   */
  constructor(path: string, isNew = false) {
    this.#path = path;
    this.#isNew = isNew;
    this.#part = temporaryName(path, 'new');
    this.#fd = this.#try('cannot be made', () => {
      makeFolder(dirname(path));
      removeAbandoned(path);
      return openSync(this.#part, 'w');
    });
    this.#writer.startFile();
  }

  /**
   * Writes a block.
   * @throws {BakedFault} when the file cannot be written.
   */
  writeBlock(batch: RecordBatch): WrittenBody {
    this.#writer.write(batch);
    return this.#writeStaged();
  }

  /** Opens the unfinished file for reading. The caller must close it. */
  openForReading(): BakedFile {
    return new BakedFile(this.#part);
  }

  /**
   * Writes a copy of a block of another unfinished file.
   * @param source The other file, open for reading.
   * @param number The block's place among the blocks of the other file, from 0.
   * @throws {BakedFault} when the other file cannot be read, or this file cannot be written.
   */
  copyBlock(other: ArrowFile, source: BakedFile, number: number): WrittenBody {
    const block = other.#writer.blockAt(number);
    source.readInto(this.#writer.addCopy(block), block.offset);
    return this.#writeStaged();
  }

  #writeStaged(): WrittenBody {
    const bytes = this.#writer.takeBytes();
    this.#writeBytes(bytes);
    const bodyAt = bytes.length - this.#writer.bodyBytes;
    this.#addToSurroundings(bytes.subarray(0, bodyAt));
    return { at: this.#bytes - this.#writer.bodyBytes, bytes: bytes.subarray(bodyAt) };
  }

  moveToFront(count: number): void {
    this.#writer.putFirst(count);
  }

  #addToSurroundings(bytes: Buffer): void {
    this.#surroundingsSum = crc32(bytes, this.#surroundingsSum);
  }

  #writeBytes(bytes: Buffer): void {
    // Another file may have the number of the closed one by now.
    if (!this.#isOpen) throw new BakedFault(this.#path, 'is closed');
    this.#try('cannot be written', () => {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
    });
    this.#bytes += bytes.length;
  }

  /**
   * Finishes the file and renames it to its path.
   * @param isLasting Syncs to disk first, so that the file survives a crash of the machine.
   * @throws {BakedFault} when the file cannot be written.
   */
  finish(metadata: ReadonlyMap<string, string>, isLasting: boolean): void {
    this.#writer.finishFile(metadata);
    const rest = this.#writer.takeBytes();
    const footerAt = rest.length - TAIL_BYTES - rest.readInt32LE(rest.length - TAIL_BYTES);
    const footer = rest.subarray(footerAt);
    this.#addToSurroundings(rest.subarray(0, footerAt));
    this.#writeBytes(rest.subarray(0, footerAt));
    this.#writeBytes(makeSeal(this.#surroundingsSum, footer));
    this.#writeBytes(footer);
    this.#try('cannot be written', () => {
      if (isLasting) fsyncSync(this.#fd);
      this.#close();
      this.#nameFile();
    });
  }

  #nameFile(): void {
    try {
      if (this.#isNew) nameNewFile(this.#part, this.#path);
      else renameSync(this.#part, this.#path);
    } catch (cause) {
      rmSync(this.#part, { force: true });
      throw cause;
    }
  }

  abandon(): void {
    if (!this.#isOpen) return;
    this.#close();
    rmSync(this.#part, { force: true });
  }

  #close(): void {
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  #try<T>(problem: string, operation: () => T): T {
    try {
      return operation();
    } catch (cause) {
      this.#tryAbandon();
      throw new BakedFault(this.#path, `${problem}: ${reasonOf(cause)}`, { cause });
    }
  }

  #tryAbandon(): void {
    try {
      this.abandon();
    } catch {
      // Only the first failure is reported.
    }
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof NameTaken) return cause.message;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}
