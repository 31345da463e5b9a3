// Captures of a feed as JSON lines, bare or wrapped, in any dialect that is known. Which one it is, the first messages tell.
// Must never let a message of an account onto the tape, nor go on as if nothing were missing where something is.
import { type ImportPlace, ImportFault } from './fault.ts';
import { type Captured, type CapturedLine, readCapturedLine } from './captured-line.ts';
import { CaptureTeller } from './capture-teller.ts';
import { lineChunks } from './files.ts';
import type { Format, Telling } from './importer.ts';
import type { FeedDialect } from './wire.ts';

const NEWLINE = 10;
const CLOSE = 0x7d;
/** Lines that are looked at before the dialect must be clear. */
const UNCLEAR_MAX = 10_000;

/** Reads lines until the dialect is clear, then tells them. */
class CaptureReader {
  readonly #telling: Telling;
  #teller: CaptureTeller | null;
  #held: Captured[] = [];
  /** How a bare message of a changed level begins. */
  #hot: Buffer | null = null;

  constructor(telling: Telling) {
    this.#telling = telling;
    const { dialect: name, wire } = telling.options;
    this.#teller = name === undefined ? null : new CaptureTeller(telling, named(name, wire.feeds));
  }

  read(bytes: Buffer, place: ImportPlace): void {
    this.#telling.count();
    if (this.#isHot(bytes)) return this.#teller?.tell({ place, bytes, line: null });
    const line = readCapturedLine(bytes);
    if (this.#teller === null) return this.#search({ place, bytes, line });
    this.#teller.tell({ place, bytes, line });
    this.#learn(line, this.#teller.dialect);
  }

  /** A bare message of the kind that comes all the time goes on as it is. */
  #isHot(bytes: Buffer): boolean {
    const hot = this.#hot;
    if (hot === null || bytes[bytes.length - 1] !== CLOSE || bytes[bytes.length - 2] !== CLOSE) return false;
    for (let at = 0; at < hot.length; at++) if (bytes[at] !== hot[at]) return false;
    return true;
  }

  #learn(line: CapturedLine, { changeType }: FeedDialect): void {
    if (this.#hot !== null || line.kind !== 'message' || !line.isBare || line.message['type'] !== changeType) return;
    const names = Object.keys(line.message).join();
    if (names === 'type,sid,seq,msg') this.#hot = Buffer.from(`{"type":${JSON.stringify(changeType)},"sid":`);
  }

  #search(captured: Captured): void {
    this.#held.push({ ...captured, bytes: Uint8Array.from(captured.bytes), line: owned(captured.line) });
    const { line, place } = captured;
    const dialect = this.#telling.options.wire.feeds.find(
      (each) => line?.kind === 'message' && each.reads(line.message),
    );
    if (dialect !== undefined) this.#begin(dialect);
    else if (this.#held.length >= UNCLEAR_MAX) this.#begin(this.#likely(place));
  }

  /** The dialect that at least one message may be of. */
  #likely(place: ImportPlace): FeedDialect {
    const dialect = this.#telling.options.wire.feeds.find((each) =>
      this.#held.some(({ line }) => line?.kind === 'message' && each.mayRead(line.message)),
    );
    if (dialect !== undefined) return dialect;
    const among = this.#held.length >= UNCLEAR_MAX ? ` among the first ${UNCLEAR_MAX} lines` : '';
    throw new ImportFault(place, `expected messages of books or trades of a feed${among}, found none`);
  }

  #begin(dialect: FeedDialect): void {
    this.#teller = new CaptureTeller(this.#telling, dialect);
    for (const captured of this.#held) this.#teller.tell(captured);
    this.#held = [];
  }

  end(): void {
    const place = this.#held[0]?.place ?? { file: this.#telling.options.files[0] ?? '', line: null };
    if (this.#teller === null) this.#begin(this.#likely(place));
    this.#teller?.end();
  }
}

/** The bytes of a line are the reader's own, which are written over. */
function owned(line: CapturedLine | null): CapturedLine | null {
  return line?.kind === 'message' ? { ...line, bytes: Uint8Array.from(line.bytes) } : line;
}

function named(name: string, dialects: readonly FeedDialect[]): FeedDialect {
  const dialect = dialects.find((each) => each.name === name);
  if (dialect !== undefined) return dialect;
  const names = dialects.map((each) => each.name).join(', ');
  throw new ImportFault(null, `dialect: expected one of ${names}, found ${name}`);
}

async function tellFeed(telling: Telling): Promise<void> {
  const reader = new CaptureReader(telling);
  for (const file of telling.options.files)
    for await (const { bytes, line } of lineChunks(file, telling.progress)) readLines(bytes, { file, line }, reader);
  reader.end();
}

function readLines(bytes: Buffer, { file, line: first }: { file: string; line: number }, reader: CaptureReader): void {
  let line = first;
  let start = 0;
  while (start <= bytes.length) {
    let end = bytes.indexOf(NEWLINE, start);
    if (end < 0) end = bytes.length;
    const own = trimmed(bytes, start, end);
    if (own !== null) reader.read(own, { file, line });
    start = end + 1;
    line += 1;
  }
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0d || byte === 0x09;

/** A line without the space around it; `null` when there is nothing else. */
function trimmed(bytes: Buffer, start: number, end: number): Buffer | null {
  let from = start;
  let to = end;
  while (from < to && isSpace(bytes[from])) from += 1;
  while (to > from && isSpace(bytes[to - 1])) to -= 1;
  return from === to ? null : bytes.subarray(from, to);
}

export const feedJsonl: Format = {
  name: 'feed-jsonl',
  description: 'what a recorder of the feed wrote down, one message a line, as JSON',
  accepts: ['.jsonl', '.ndjson', '.jsonl.gz', '.ndjson.gz'],
  tell: tellFeed,
};
