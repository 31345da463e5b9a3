// Reads the bytes of a file step by step into memory of the caller, unpacked if the file is packed. Must never hold more
// than a chunk of the file.
import { type ReadStream, closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { type Gunzip, createGunzip } from 'node:zlib';
import { GzipUnpacker } from './gzip-unpacker.ts';

/** Bytes of a packed file that are read at a time. */
const CHUNK_BYTES = 1 << 18;
const NOTHING = Buffer.alloc(0);

/** A file that is being read. The caller must always call `close`. */
export interface FileBytes {
  /** Bytes that were read from the file on disk. */
  readonly bytesRead: number;
  /**
   * Reads the next bytes. Returns their number, 0 at the end.
   * @throws an error with a code when the file cannot be read or unpacked.
   */
  readInto(room: Buffer): number | Promise<number>;
  close(): void;
}

/** Opens a file. A file is packed if its name ends in `.gz`. */
export async function openBytes(file: string): Promise<FileBytes> {
  const packed = new PlainBytes(file);
  if (!file.endsWith('.gz')) return packed;
  const unpacker = await GzipUnpacker.create();
  if (unpacker !== null) return new UnpackedBytes(packed, unpacker);
  packed.close();
  return new StreamedBytes(file);
}

class PlainBytes implements FileBytes {
  readonly #fd: number;
  bytesRead = 0;

  constructor(file: string) {
    this.#fd = openSync(file, 'r');
  }

  readInto(room: Buffer): number {
    const count = readSync(this.#fd, room);
    this.bytesRead += count;
    return count;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** The content of a packed file. A chunk is unpacked on another thread while the caller works on the chunk before. */
class UnpackedBytes implements FileBytes {
  readonly #file: PlainBytes;
  readonly #unpacker: GzipUnpacker;
  readonly #packed = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  readonly #unpacked = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** Unpacked bytes that were not returned yet. */
  #rest: Buffer = NOTHING;
  /** The bytes that are being unpacked. */
  #next: Promise<Buffer>;
  #isClosed = false;

  constructor(file: PlainBytes, unpacker: GzipUnpacker) {
    this.#file = file;
    this.#unpacker = unpacker;
    this.#next = this.#unpackNext();
  }

  get bytesRead(): number {
    return this.#file.bytesRead;
  }

  async readInto(room: Buffer): Promise<number> {
    if (this.#rest.length === 0) this.#rest = await this.#next;
    const count = this.#rest.copy(room);
    this.#rest = this.#rest.subarray(count);
    if (count > 0 && this.#rest.length === 0) this.#next = this.#unpackNext();
    return count;
  }

  #unpackNext(): Promise<Buffer> {
    const next = this.#unpackChunk();
    // A fault reaches the caller with the next bytes, if it asks for them.
    next.catch(() => undefined);
    return next;
  }

  async #unpackChunk(): Promise<Buffer> {
    for (;;) {
      const count = await this.#unpacker.unpackInto(this.#unpacked);
      if (count > 0) return this.#unpacked.subarray(0, count);
      // The number of a closed file may by now be that of another.
      if (this.#isClosed) return NOTHING;
      const packedCount = this.#file.readInto(this.#packed);
      if (packedCount === 0) break;
      this.#unpacker.takePacked(this.#packed.subarray(0, packedCount));
    }
    await this.#unpacker.checkEnd();
    return NOTHING;
  }

  close(): void {
    this.#isClosed = true;
    this.#file.close();
    this.#unpacker.close();
  }
}

/** The content of a packed file, unpacked by streams: for a Node.js where `GzipUnpacker` cannot. */
export class StreamedBytes implements FileBytes {
  readonly #file: string;
  #run: StreamRun;
  /** Bytes that earlier runs have read from the file. */
  #readBefore = 0;
  /** Unpacked bytes that were not returned yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: string) {
    this.#file = file;
    this.#run = new StreamRun(file, 0);
  }

  get bytesRead(): number {
    // A run begins where the one before ended, which may have read further.
    return Math.max(this.#readBefore, this.#run.start + this.#run.source.bytesRead);
  }

  async readInto(room: Buffer): Promise<number> {
    while (this.#rest.length === 0) {
      const next = await this.#run.chunks.next();
      if (next.done !== true) this.#rest = next.value;
      else if (!this.#beginNextRun()) return 0;
    }
    const count = this.#rest.copy(room);
    this.#rest = this.#rest.subarray(count);
    return count;
  }

  /** Begins behind the padding at which the stream ended. Returns false at the end of the file. */
  #beginNextRun(): boolean {
    const start = nonZeroAt(this.#file, this.#run.end);
    if (start === null) return false;
    this.#readBefore = this.bytesRead;
    this.#run.close();
    this.#run = new StreamRun(this.#file, start);
    return true;
  }

  close(): void {
    this.#run.close();
  }
}

/** Members of a packed file without padding between them. A stream ends at padding. */
class StreamRun {
  /** Place of the first packed byte in the file. */
  readonly start: number;
  readonly source: ReadStream;
  readonly chunks: AsyncIterator<Buffer>;
  readonly #unpacked: Gunzip;

  constructor(file: string, start: number) {
    this.start = start;
    this.source = createReadStream(file, { start, highWaterMark: CHUNK_BYTES });
    this.#unpacked = this.source.pipe(createGunzip({ chunkSize: CHUNK_BYTES }));
    this.source.on('error', (fault) => this.#unpacked.destroy(fault));
    this.chunks = this.#unpacked[Symbol.asyncIterator]();
  }

  /** Place behind the last packed byte that was unpacked. */
  get end(): number {
    return this.start + this.#unpacked.bytesWritten;
  }

  close(): void {
    this.source.destroy();
    this.#unpacked.destroy();
  }
}

/** Returns the place of the first byte from `start` on that is not zero, or `null`. */
function nonZeroAt(file: string, start: number): number | null {
  const fd = openSync(file, 'r');
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (let at = start; ;) {
      const count = readSync(fd, bytes, 0, bytes.length, at);
      if (count === 0) return null;
      const found = bytes.subarray(0, count).findIndex((byte) => byte !== 0);
      if (found >= 0) return at + found;
      at += count;
    }
  } finally {
    closeSync(fd);
  }
}
