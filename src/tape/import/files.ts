// Files as lines of bytes, many whole lines at a time, packed files unpacked on the way.
// Must never hold more than a chunk and one line.
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { ImportFault } from './fault.ts';

const NEWLINE = 10;
/** Read in one go at the least. */
const CHUNK_BYTES = 1 << 18;
/** Memory behind the last byte, for whoever reads a line a word at a time. */
const SPARE_BYTES = 256;
/** A line longer than this is no line of any format here. */
const LINE_BYTES_MAX = 64 << 20;

/** Some whole lines. */
export interface LineChunk {
  /** Without the last newline. Borrowed until the next chunk. */
  readonly bytes: Buffer;
  /** Number of the first line, from 1. */
  readonly line: number;
}

/** Hears how many more bytes of a file, as they are on disk, were read. */
export type HearBytes = (bytes: number) => void;

/** How far a file has been read: `line` is kept by whoever takes the lines. */
export interface Reading {
  readonly file: string;
  /** Number of the next line, from 1. */
  line: number;
}

/**
 * The lines of a file, in chunks.
 * @throws {ImportFault} when the file cannot be read or unpacked.
 */
export async function* lineChunks(file: string, onBytes: HearBytes): AsyncGenerator<LineChunk> {
  const reading: Reading = { file, line: 1 };
  for await (const bytes of wholeLines(reading, onBytes)) {
    yield { bytes, line: reading.line };
    reading.line += linesIn(bytes);
  }
}

/**
 * The same for whoever counts lines on the way. What is given has no newline at its end, and is borrowed.
 * @throws {ImportFault} when the file cannot be read or unpacked.
 */
export async function* wholeLines(reading: Reading, onBytes: HearBytes): AsyncGenerator<Buffer> {
  const { file } = reading;
  const lines = new Lines();
  try {
    for await (const chunk of file.endsWith('.gz') ? unpacked(file, lines, onBytes) : plain(file, lines, onBytes)) {
      if (chunk !== null) yield chunk;
      if (lines.restBytes > LINE_BYTES_MAX)
        throw new ImportFault({ ...reading }, 'expected lines, found one that does not end');
    }
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new ImportFault({ ...reading }, `cannot be read on: ${cause.code}`, { cause });
  }
  const last = lines.rest();
  if (last !== null) yield last;
}

/** Gathers bytes until lines are whole, in one piece of memory that is used again. */
class Lines {
  #memory = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES + SPARE_BYTES);
  /** What is held: from behind the last whole line to the last byte. */
  #start = 0;
  #end = 0;

  get restBytes(): number {
    return this.#end - this.#start;
  }

  /** Where at least a chunk of bytes can be put. What was given out before is gone. */
  room(): Buffer {
    const length = this.restBytes;
    const needed = length + CHUNK_BYTES + SPARE_BYTES;
    const old = this.#memory;
    if (needed > old.length) this.#memory = Buffer.allocUnsafeSlow(2 * needed);
    old.copy(this.#memory, 0, this.#start, this.#end);
    this.#start = 0;
    this.#end = length;
    return this.#memory.subarray(length, this.#memory.length - SPARE_BYTES);
  }

  /** So many bytes were put there: all lines that are whole now. */
  filled(count: number): Buffer | null {
    const begin = this.#end;
    this.#end += count;
    const newline = this.#memory.subarray(begin, this.#end).lastIndexOf(NEWLINE);
    if (newline < 0) return null;
    const whole = this.#memory.subarray(this.#start, begin + newline);
    this.#start = begin + newline + 1;
    return whole;
  }

  /** What comes after the last newline. */
  rest(): Buffer | null {
    return this.restBytes === 0 ? null : this.#memory.subarray(this.#start, this.#end);
  }
}

async function* plain(file: string, lines: Lines, onBytes: HearBytes): AsyncGenerator<Buffer | null> {
  const fd = openSync(file, 'r');
  try {
    for (;;) {
      const room = lines.room();
      const count = readSync(fd, room);
      if (count === 0) return;
      onBytes(count);
      yield lines.filled(count);
      // Whoever wants to stop this must be heard.
      await setImmediate();
    }
  } finally {
    closeSync(fd);
  }
}

async function* unpacked(file: string, lines: Lines, onBytes: HearBytes): AsyncGenerator<Buffer | null> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  let heard = 0;
  const hear = (): void => {
    onBytes(source.bytesRead - heard);
    heard = source.bytesRead;
  };
  const bytesOf = source.pipe(createGunzip({ chunkSize: CHUNK_BYTES }));
  source.on('error', (fault) => bytesOf.destroy(fault));
  try {
    for await (const chunk of bytesOf) {
      hear();
      yield lines.filled(bufferOf(chunk).copy(lines.room()));
    }
    hear();
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
