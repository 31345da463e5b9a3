// An Arrow IPC file being written to disk a block at a time. The form is Arrow's own writer's; this gives it a file, and
// metadata that is known only at the end. A file gets its name when it is whole: never half of one under it.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { type RecordBatch, RecordBatchFileWriter, Schema } from 'apache-arrow';
import { BakedFault } from './fault.ts';
import { TAIL_BYTES, plainSchema } from './form.ts';
import { sealOf } from './seal.ts';

/** Where the body of a written block stands, and its bytes. */
export interface WrittenBody {
  readonly at: number;
  /** Borrowed: valid until the next block. */
  readonly bytes: Buffer;
}

const STAGE_BYTES = 1 << 20;

/** Arrow's writer with a buffer in place of its queue. */
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

  /** A reader takes the schema of the footer for the file's. */
  protected override _writeFooter(): this {
    return super._writeFooter(this.#footer);
  }

  begin(): void {
    this.reset(undefined, plainSchema);
  }

  end(metadata: ReadonlyMap<string, string>): void {
    this.#footer = new Schema(plainSchema.fields, new Map(metadata));
    this.finish();
  }

  /** Has the last blocks read before all others: a file's order is that of its footer. */
  putFirst(count: number): void {
    const blocks = this._recordBatchBlocks;
    blocks.unshift(...blocks.splice(blocks.length - count));
  }

  /** Bytes of the last block's body. */
  get bodyBytes(): number {
    return this._recordBatchBlocks.at(-1)?.bodyLength ?? 0;
  }

  /** What was written since the last call. Borrowed. */
  take(): Buffer {
    const taken = this.#stage.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}

/** A file in the making. */
export class ArrowFile {
  readonly #path: string;
  readonly #part: string;
  readonly #fd: number;
  readonly #writer = new StagedWriter();
  #bytes = 0;
  /** CRC-32 of all that was written beside the bodies of blocks. */
  #surroundingsSum = 0;
  #isOpen = true;

  /**
   * @param path The name it gets when it is whole.
   * @throws {BakedFault} when it cannot be made.
   */
  constructor(path: string) {
    this.#path = path;
    this.#part = partOf(path);
    this.#fd = this.#try('cannot be made', () => {
      mkdirSync(dirname(path), { recursive: true });
      return openSync(this.#part, 'w');
    });
    this.#writer.begin();
  }

  /**
   * Writes a block.
   * @throws {BakedFault} when it cannot be written.
   */
  write(batch: RecordBatch): WrittenBody {
    this.#writer.write(batch);
    const bytes = this.#writer.take();
    this.#put(bytes);
    const bodyAt = bytes.length - this.#writer.bodyBytes;
    this.#surround(bytes.subarray(0, bodyAt));
    return { at: this.#bytes - this.#writer.bodyBytes, bytes: bytes.subarray(bodyAt) };
  }

  /** Has the last blocks read before all others. */
  putFirst(count: number): void {
    this.#writer.putFirst(count);
  }

  #surround(bytes: Buffer): void {
    this.#surroundingsSum = crc32(bytes, this.#surroundingsSum);
  }

  #put(bytes: Buffer): void {
    this.#try('cannot be written', () => {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
    });
    this.#bytes += bytes.length;
  }

  /**
   * Ends the file and gives it its name, in place of what had it.
   * @param isLasting Waits for the platter, so that the file outlives the machine's death too.
   * @throws {BakedFault} when it cannot be written.
   */
  finish(metadata: ReadonlyMap<string, string>, isLasting: boolean): void {
    this.#writer.end(metadata);
    const rest = this.#writer.take();
    const footerAt = rest.length - TAIL_BYTES - rest.readInt32LE(rest.length - TAIL_BYTES);
    const footer = rest.subarray(footerAt);
    this.#surround(rest.subarray(0, footerAt));
    this.#put(rest.subarray(0, footerAt));
    this.#put(sealOf(this.#surroundingsSum, footer));
    this.#put(footer);
    this.#try('cannot be written', () => {
      if (isLasting) fsyncSync(this.#fd);
      this.#close();
      renameSync(this.#part, this.#path);
    });
  }

  /** Gives it up; nothing of it stays. */
  abandon(): void {
    if (!this.#isOpen) return;
    this.#close();
    rmSync(this.#part, { force: true });
  }

  #close(): void {
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  #try<T>(problem: string, act: () => T): T {
    try {
      return act();
    } catch (cause) {
      this.#tryAbandon();
      const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
      throw new BakedFault(this.#path, `${problem}: ${reason}`, { cause });
    }
  }

  #tryAbandon(): void {
    try {
      this.abandon();
    } catch {
      // The first failure is the one to be told.
    }
  }
}

/** A name of this process alone, so that two that bake the same tape do not write into one file. */
const partOf = (path: string): string => `${path}.${process.pid}.new`;
