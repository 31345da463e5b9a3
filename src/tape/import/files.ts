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
  let rest: Buffer[] = [];
  let restBytes = 0;
  let line = 1;
  try {
    for await (const chunk of bytesOf(file, onBytes)) {
      const end = chunk.lastIndexOf(NEWLINE);
      if (end < 0) {
        rest.push(chunk);
        restBytes += chunk.length;
        if (restBytes > LINE_BYTES_MAX)
          throw new ImportFault({ file, line }, 'expected lines, found one without an end');
        continue;
      }
      const bytes = rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([...rest, chunk.subarray(0, end)]);
      rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
      restBytes = rest[0]?.length ?? 0;
      yield { bytes, line };
      line += linesIn(bytes);
    }
  } catch (cause) {
    if (cause instanceof ImportFault || !isSystemError(cause)) throw cause;
    throw new ImportFault({ file, line }, `cannot be read on: ${cause.code}`, { cause });
  }
  if (rest.length > 0) yield { bytes: Buffer.concat(rest), line };
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
