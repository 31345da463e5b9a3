// Files as lines of bytes, a chunk of whole lines at a time, packed files unpacked on the way.
// Must never hold more than a chunk and one line.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { ImportFault } from './fault.ts';

const NEWLINE = 10;
const CHUNK_BYTES = 1 << 18;
/** A line longer than this is no line of any format here. */
const LINE_BYTES_MAX = 64 << 20;

/** Some whole lines. */
export interface LineChunk {
  /** Without the last newline. Borrowed until the next chunk. */
  readonly bytes: Buffer;
  /** Number of the first line, from 1. */
  readonly line: number;
}

/**
 * The lines of a file, in chunks.
 * @param onBytes told how many bytes of the file as it is on disk were read
 * @throws {ImportFault} when the file cannot be read or unpacked.
 */
export async function* lineChunks(file: string, onBytes: (bytes: number) => void): AsyncGenerator<LineChunk> {
  const lines = new Lines(file);
  try {
    for await (const chunk of bytesOf(file, onBytes)) {
      const whole = lines.add(chunk);
      if (whole !== null) yield whole;
    }
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new ImportFault({ file, line: lines.line }, `cannot be read on: ${cause.code}`, { cause });
  }
  const last = lines.rest();
  if (last !== null) yield last;
}

/** Gathers bytes until lines are whole. */
class Lines {
  /** Number of the first line that was not given out. */
  line = 1;
  readonly #file: string;
  #rest: Buffer[] = [];
  #restBytes = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** All lines that are whole now. */
  add(chunk: Buffer): LineChunk | null {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      this.#keep(chunk);
      return null;
    }
    const bytes = Buffer.concat([...this.#rest, chunk.subarray(0, end)]);
    this.#rest = [];
    this.#restBytes = 0;
    if (end + 1 < chunk.length) this.#keep(chunk.subarray(end + 1));
    const whole = { bytes, line: this.line };
    this.line += linesIn(bytes);
    return whole;
  }

  #keep(bytes: Buffer): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
    if (this.#restBytes <= LINE_BYTES_MAX) return;
    throw new ImportFault({ file: this.#file, line: this.line }, 'expected lines, found one that does not end');
  }

  /** What comes after the last newline. */
  rest(): LineChunk | null {
    return this.#rest.length === 0 ? null : { bytes: Buffer.concat(this.#rest), line: this.line };
  }
}

async function* bytesOf(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  if (!file.endsWith('.gz')) {
    for await (const chunk of source) {
      const bytes = bufferOf(chunk);
      onBytes(bytes.length);
      yield bytes;
    }
    return;
  }
  let read = 0;
  source.on('data', (chunk) => (read += chunk.length));
  const unpacked = source.pipe(createGunzip({ chunkSize: CHUNK_BYTES }));
  source.on('error', (fault) => unpacked.destroy(fault));
  try {
    for await (const chunk of unpacked) {
      onBytes(read);
      read = 0;
      yield bufferOf(chunk);
    }
    onBytes(read);
  } finally {
    source.destroy();
  }
}

const bufferOf = (chunk: unknown): Buffer => (Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));

function linesIn(bytes: Buffer): number {
  let count = 1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

const isSystemError = (cause: unknown): cause is Error & { readonly code: string } =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
