// The thread that reads the delta messages of a capture ahead: its requests, and what it does with them. Must never read a
// message that the import itself would read differently; it leaves out every message in doubt.
import { parentPort } from 'node:worker_threads';
import { TickerTable, ticker } from '../../../domain/ids.ts';
import { must } from '../../../base/assert.ts';
import type { DeltaReader, FeedDialect } from '../import-wire.ts';
import { type DeltaForms, LineFrame } from './line-frame.ts';
import { ScannedDeltas } from './scanned-deltas.ts';

const NEWLINE = 10;

/** A new capture. */
export interface CaptureRequest {
  readonly kind: 'capture';
  /** Name of the dialect. */
  readonly dialect: string;
}

/** A chunk of lines to be read. It is answered once it was read. */
export interface ChunkRequest {
  readonly kind: 'chunk';
  readonly forms: DeltaForms;
  /** Tickers that the import has numbered since the chunk before. */
  readonly tickers: readonly string[];
  readonly lines: SharedArrayBuffer;
  readonly start: number;
  readonly bytes: number;
  /** Memory of the `ScannedDeltas` that take the messages; empty. */
  readonly deltas: SharedArrayBuffer;
}

/** A request to the thread. */
export type ScanRequest = CaptureRequest | ChunkRequest;

/** Reads the delta messages of one capture. */
export class ChunkScanner {
  readonly #tickers = new TickerTable();
  readonly #readDelta: DeltaReader;
  readonly #frame = new LineFrame();

  constructor(dialect: FeedDialect) {
    this.#readDelta = dialect.makeDeltaReader(this.#tickers);
  }

  scan({ forms, tickers, lines, start, bytes, deltas: memory }: ChunkRequest): void {
    for (const name of tickers) this.#tickers.internTicker(ticker(name));
    const chunk = Buffer.from(lines, start, bytes);
    const deltas = new ScannedDeltas(memory);
    const frame = this.#frame;
    frame.setChunk(chunk);
    for (let lineStart = start; lineStart < start + bytes;) {
      frame.setLine(lineStart - start, bytes);
      const delta = frame.moveToDeltaStart(forms) ? this.#readDelta(frame) : null;
      const lineEnd = delta === null ? null : frame.lineEndAfter(delta.end);
      if (delta === null || lineEnd === null) {
        lineStart = nextLine(chunk, lineStart);
        continue;
      }
      const { start: messageStart, received } = frame;
      if (!deltas.addDelta({ lineStart, lineEnd, start: messageStart, end: delta.end, received }, delta)) return;
      lineStart = lineEnd + 1;
    }
  }
}

/** Returns the start of the line after one that starts at `lineStart`, in the buffer of the chunk. */
function nextLine(chunk: Buffer, lineStart: number): number {
  const newline = chunk.indexOf(NEWLINE, lineStart - chunk.byteOffset);
  return chunk.byteOffset + (newline < 0 ? chunk.length : newline + 1);
}

/** Serves the requests of the thread that started this one. */
export function serveScans(dialects: readonly FeedDialect[]): void {
  const port = must(parentPort, 'the thread that reads captures ahead');
  let scanner: ChunkScanner | null = null;
  port.on('message', (request: ScanRequest) => {
    if (request.kind === 'capture') {
      const { dialect: name } = request;
      scanner = new ChunkScanner(
        must(
          dialects.find((each) => each.name === name),
          name,
        ),
      );
      return;
    }
    must(scanner, 'a capture').scan(request);
    // The empty list of transfers distinguishes this from the method of a window, which needs an origin.
    port.postMessage(true, []);
  });
}
