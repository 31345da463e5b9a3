// Reads files, packed or not, as chunks of whole lines. Must never hold more than a chunk and one line.
import { setImmediate } from 'node:timers/promises';
import { ImportFault } from '../import-fault.ts';
import { type FileBytes, openBytes } from './file-bytes.ts';

const NEWLINE = 10;
/** Least room for the bytes of a read. */
const CHUNK_BYTES = 1 << 18;
/** Memory after the last byte, for readers that read whole words. */
const SPARE_BYTES = 256;
/**
 * Free memory begins at a multiple of this many bytes. V8 copies into memory that threads share a word at a time where
 * source and target are aligned alike, and a byte at a time elsewhere.
 */
const WORD_BYTES = 8;
/** Most bytes of a line. */
const LINE_BYTES_MAX = 64 << 20;

/** Removes the byte order mark that some programs put at the start of a file. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');

/** Several whole lines. */
export interface LineChunk {
  /** The lines without the last newline. Valid until the next chunk. */
  readonly bytes: Buffer;
  /** Number of the first line, from 1. */
  readonly line: number;
}

/** Called with the number of further bytes that were read from the file on disk. */
export type BytesListener = (bytes: number) => void;

/** Progress in a file. The consumer of the lines updates `line`. */
export interface FileProgress {
  readonly file: string;
  /** Number of the next line, from 1. */
  line: number;
}

/**
 * Reads the lines of a file, in chunks.
 * @throws {ImportFault} when the file cannot be read or unpacked.
 */
export async function* lineChunks(file: string, onBytes: BytesListener): AsyncGenerator<LineChunk> {
  const reading: FileProgress = { file, line: 1 };
  for await (const bytes of wholeLines(reading, onBytes)) {
    yield { bytes, line: reading.line };
    reading.line += linesIn(bytes);
  }
}

/**
 * Like `lineChunks`, but the caller counts the lines. A chunk has no newline at its end, and is valid until the next
 * chunk.
 * @throws {ImportFault} when the file cannot be read or unpacked.
 */
export function wholeLines(reading: FileProgress, onBytes: BytesListener): AsyncGenerator<Buffer> {
  return withPlace(reading, wholeLinesOf(reading.file, onBytes, new ReusedMemory()));
}

/** Gives the memory of chunks. */
export interface ChunkMemory {
  /** Returns at least `bytes` of memory for the next chunk. It decides how long the chunks before stay valid. */
  nextMemory(bytes: number): Buffer;
  /** Returns more memory for the chunk that is being read. */
  moreMemory(bytes: number): Buffer;
}

/** Gives all chunks the same memory. */
class ReusedMemory implements ChunkMemory {
  #memory: Buffer = Buffer.alloc(0);

  nextMemory(bytes: number): Buffer {
    if (bytes > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(2 * bytes);
    return this.#memory;
  }

  moreMemory(bytes: number): Buffer {
    return this.nextMemory(bytes);
  }
}

/**
 * Like `wholeLines`, in memory of the caller. Use `withPlace` to give a fault its place.
 * @throws the system's error when the file cannot be read or unpacked.
 */
export async function* wholeLinesOf(file: string, onBytes: BytesListener, memory: ChunkMemory): AsyncGenerator<Buffer> {
  const lines = new LineGatherer(memory);
  for await (const chunk of chunksOf(await openBytes(file), lines, onBytes)) {
    if (chunk !== null) yield chunk;
    if (lines.restBytes > LINE_BYTES_MAX) throw new EndlessLine('expected lines, found one that does not end');
  }
  const last = lines.rest();
  if (last !== null) yield last;
}

class EndlessLine extends Error {
  override readonly name = 'EndlessLine';
}

/**
 * Gives a fault in reading the place that the caller has reached.
 * @throws {ImportFault} in place of the error of the system.
 */
export async function* withPlace<T>(reading: FileProgress, chunks: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* chunks;
  } catch (cause) {
    if (cause instanceof EndlessLine) throw new ImportFault({ ...reading }, cause.message, { cause });
    if (!isSystemError(cause)) throw cause;
    throw new ImportFault({ ...reading }, `cannot be read further: ${reasonOf(cause)}`, { cause });
  }
}

/** Gathers bytes until lines are complete. */
class LineGatherer {
  readonly #source: ChunkMemory;
  #memory: Buffer;
  /** True: the last whole lines in the memory were returned. */
  #isTaken = false;
  /** Start of the held bytes, after the last whole line. */
  #start = 0;
  #end = 0;

  constructor(source: ChunkMemory) {
    this.#source = source;
    this.#memory = source.nextMemory(CHUNK_BYTES + SPARE_BYTES);
  }

  get restBytes(): number {
    return this.#end - this.#start;
  }

  /** Returns free memory for at least a chunk of bytes. The held bytes move to the place before it. */
  freeMemory(): Buffer {
    const length = this.restBytes;
    const end = Math.ceil(length / WORD_BYTES) * WORD_BYTES;
    const needed = end + CHUNK_BYTES + SPARE_BYTES;
    const old = this.#memory;
    if (this.#isTaken) this.#memory = this.#source.nextMemory(needed);
    else if (needed > old.length) this.#memory = this.#source.moreMemory(needed);
    this.#isTaken = false;
    old.copy(this.#memory, end - length, this.#start, this.#end);
    this.#start = end - length;
    this.#end = end;
    return this.#memory.subarray(end, this.#memory.length - SPARE_BYTES);
  }

  /** Takes `count` new bytes. Returns all lines that are complete now, or `null`. */
  takeBytes(count: number): Buffer | null {
    const begin = this.#end;
    this.#end += count;
    const newline = this.#memory.subarray(begin, this.#end).lastIndexOf(NEWLINE);
    if (newline < 0) return null;
    this.#isTaken = true;
    const whole = this.#memory.subarray(this.#start, begin + newline);
    this.#start = begin + newline + 1;
    return whole;
  }

  /** Returns the bytes after the last newline, or `null`. */
  rest(): Buffer | null {
    return this.restBytes === 0 ? null : this.#memory.subarray(this.#start, this.#end);
  }
}

async function* chunksOf(file: FileBytes, lines: LineGatherer, onBytes: BytesListener): AsyncGenerator<Buffer | null> {
  let reportedBytes = 0;
  try {
    for (;;) {
      const count = await file.readInto(lines.freeMemory());
      onBytes(file.bytesRead - reportedBytes);
      reportedBytes = file.bytesRead;
      if (count === 0) return;
      yield lines.takeBytes(count);
      // Gives the program time to handle a signal to stop.
      await setImmediate();
    }
  } finally {
    file.close();
  }
}

function linesIn(bytes: Buffer): number {
  let count = 1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

type SystemError = Error & { readonly code: string };

/** Says in words the faults that zlib finds in a packed file. */
export function reasonOf({ code, message }: SystemError): string {
  if (code === 'Z_BUF_ERROR') return `the packed file ends too early (${code})`;
  if (code !== 'Z_DATA_ERROR') return code;
  const what =
    message === 'incorrect header check'
      ? 'no gzip begins here, as the file’s name says'
      : 'the packed file is damaged';
  return `${what} (${code}: ${message})`;
}

export const isSystemError = (cause: unknown): cause is SystemError =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
