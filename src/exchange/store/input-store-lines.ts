// Lines of a log, read in chunks: a log may be larger than memory. Must never return an incomplete line, which has no
// newline at its end.
import { readSync } from 'node:fs';

/** A line that was written completely. */
export interface StoredLine {
  readonly text: string;
  /** File position of the next line. */
  readonly end: number;
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;

/** Reads the complete lines of a file, from its start. */
export function* linesOf(fd: number): Generator<StoredLine> {
  let pieces: Buffer[] = [];
  let position = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = readSync(fd, chunk, 0, CHUNK_BYTES, position);
    if (count === 0) return;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0 && at < count; at = chunk.indexOf(NEWLINE, from)) {
      pieces.push(chunk.subarray(from, at));
      const text = (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))?.toString('utf8') ?? '';
      pieces = [];
      from = at + 1;
      yield { text, end: position + from };
    }
    if (from < count) pieces.push(chunk.subarray(from, count));
    position += count;
  }
}
