// Reads the bytes of a file step by step into memory of the caller, unpacked if the file is packed. Must never hold more
// than a chunk of the file.
import { type ReadStream, closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { type Gunzip, createGunzip } from 'node:zlib';
import { GzipUnpacker } from './gzip-unpacker.ts';

/** Bytes of a packed file that are read at a time. */
const CHUNK_BYTES = 1 << 18;

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
export function openBytes(file: string): FileBytes {
  if (!file.endsWith('.gz')) return new PlainBytes(file);
  const packed = new PlainBytes(file);
  const unpacker = GzipUnpacker.create();
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

/** The content of a packed file. */
class UnpackedBytes implements FileBytes {
  readonly #file: PlainBytes;
  readonly #unpacker: GzipUnpacker;
  readonly #packed = Buffer.allocUnsafeSlow(CHUNK_BYTES);

  constructor(file: PlainBytes, unpacker: GzipUnpacker) {
    this.#file = file;
    this.#unpacker = unpacker;
  }

  get bytesRead(): number {
    return this.#file.bytesRead;
  }

  readInto(room: Buffer): number {
    for (;;) {
      const count = this.#unpacker.unpackInto(room);
      if (count > 0) return count;
      const packedCount = this.#file.readInto(this.#packed);
      if (packedCount === 0) break;
      this.#unpacker.takePacked(this.#packed.subarray(0, packedCount));
    }
    this.#unpacker.checkEnd();
    return 0;
  }

  close(): void {
    this.#file.close();
    this.#unpacker.close();
  }
}

/**
 * The content of a packed file, unpacked by a stream: for a Node.js where `GzipUnpacker` cannot. A stream passes over
 * what is behind padding.
 */
export class StreamedBytes implements FileBytes {
  readonly #source: ReadStream;
  readonly #unpacked: Gunzip;
  readonly #chunks: AsyncIterator<Buffer>;
  /** Unpacked bytes that were not returned yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: string) {
    this.#source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
    this.#unpacked = this.#source.pipe(createGunzip({ chunkSize: CHUNK_BYTES }));
    this.#source.on('error', (fault) => this.#unpacked.destroy(fault));
    this.#chunks = this.#unpacked[Symbol.asyncIterator]();
  }

  get bytesRead(): number {
    return this.#source.bytesRead;
  }

  async readInto(room: Buffer): Promise<number> {
    if (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return 0;
      this.#rest = next.value;
    }
    const count = this.#rest.copy(room);
    this.#rest = this.#rest.subarray(count);
    return count;
  }

  close(): void {
    this.#source.destroy();
    this.#unpacked.destroy();
  }
}
