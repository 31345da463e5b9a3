// Captures of a feed as JSON lines, bare or wrapped, in any dialect that is known. Which one it is, the first messages tell.
// Must never let a message of an account onto the tape, nor go on as if nothing were missing where something is.
import { type ImportPlace, ImportFault } from './fault.ts';
import { type Captured, type CapturedLine, readCapturedLine } from './captured-line.ts';
import { CaptureTeller } from './capture-teller.ts';
import { type Reading, wholeLines } from './files.ts';
import type { Format, Telling } from './importer.ts';
import { type Beginning, LineFrame, beginningOf } from './line-frame.ts';
import { NumberSample } from './number-sample.ts';
import type { FeedDialect, JsonRecord } from './wire.ts';

const NEWLINE = 10;
/** Lines that are looked at before the dialect must be clear. */
const UNCLEAR_MAX = 10_000;

/** Reads lines until the dialect is clear, then tells them. */
class CaptureReader {
  readonly #telling: Telling;
  #teller: CaptureTeller | null;
  #held: Captured[] = [];
  /** Of the dialect that the messages showed, while it is not settled whether their numbers can be followed. */
  #sample: NumberSample | null = null;
  #dialect: FeedDialect | null = null;
  /** How a bare message of a changed level begins. */
  #hot: Beginning | null = null;
  readonly #frame = new LineFrame();

  constructor(telling: Telling) {
    this.#telling = telling;
    const { dialect: name, wire } = telling.options;
    this.#teller = name === undefined ? null : new CaptureTeller(telling, named(name, wire.feeds));
  }

  /** Reads the lines of a chunk, and counts them. */
  read(chunk: Buffer, place: Reading): void {
    this.#frame.open(chunk);
    let start = 0;
    while (start <= chunk.length) {
      let end = chunk.indexOf(NEWLINE, start);
      if (end < 0) end = chunk.length;
      this.#frame.turn(start, end);
      if (!this.#readsHot(place)) this.#readLine(trimmed(chunk, start, end), place);
      start = end + 1;
      place.line += 1;
    }
  }

  /** A bare message of the kind that comes all the time goes on as it is, from where it lies. */
  #readsHot(place: ImportPlace): boolean {
    const hot = this.#hot;
    const teller = this.#teller;
    if (hot === null || teller === null || !this.#frame.isBetween(hot)) return false;
    this.#telling.count();
    teller.tellFrame(this.#frame, place);
    return true;
  }

  #readLine(bytes: Buffer | null, place: ImportPlace): void {
    if (bytes === null) return;
    this.#telling.count();
    const line = readCapturedLine(bytes);
    if (this.#teller === null) return this.#search({ place, line });
    this.#teller.tell({ place, line });
    this.#learn(line, this.#teller.dialect);
  }

  #learn(line: CapturedLine, { changeType }: FeedDialect): void {
    if (this.#hot !== null || line.kind !== 'message' || !line.isBare || line.message['type'] !== changeType) return;
    const names = Object.keys(line.message).join();
    if (names === 'type,sid,seq,msg') this.#hot = beginningOf(`{"type":${JSON.stringify(changeType)},"sid":`);
  }

  #search(captured: Captured): void {
    const { line, place } = captured;
    this.#held.push({ place: { ...place }, line: owned(line) });
    if (line.kind === 'message') this.#look(line.message);
    if (this.#sample?.isFull === true || this.#held.length >= UNCLEAR_MAX) this.#settle(place);
  }

  /** Finds out the dialect, then looks at the numbers of its messages. */
  #look(message: JsonRecord): void {
    this.#dialect ??= this.#telling.options.wire.feeds.find((each) => each.reads(message)) ?? null;
    if (this.#dialect === null) return;
    this.#sample ??= new NumberSample(this.#dialect);
    this.#sample.add(message);
  }

  /** Begins with what was found out. */
  #settle(place: ImportPlace): void {
    const { assume, options } = this.#telling;
    const dialect = this.#dialect ?? this.#likely(place);
    const part = this.#sample?.partOfStream() ?? null;
    if (part !== null) assume(part);
    this.#begin(part === null || dialect.unnumbered === null ? dialect : named(dialect.unnumbered, options.wire.feeds));
  }

  /** The dialect that at least one message may be of. */
  #likely(place: ImportPlace): FeedDialect {
    const dialect = this.#telling.options.wire.feeds.find((each) =>
      this.#held.some(({ line }) => line.kind === 'message' && each.mayRead(line.message)),
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
    if (this.#teller === null) this.#settle(place);
    this.#teller?.end();
  }
}

/** The bytes of a line are the reader's own, which are written over. */
function owned(line: CapturedLine): CapturedLine {
  return line.kind === 'message' ? { ...line, bytes: Uint8Array.from(line.bytes) } : line;
}

function named(name: string, dialects: readonly FeedDialect[]): FeedDialect {
  const dialect = dialects.find((each) => each.name === name);
  if (dialect !== undefined) return dialect;
  const names = dialects.map((each) => each.name).join(', ');
  throw new ImportFault(null, `dialect: expected one of ${names}, found ${name}`);
}

async function tellFeed(telling: Telling): Promise<void> {
  const reader = new CaptureReader(telling);
  for (const file of telling.options.files) {
    const place: Reading = { file, line: 1 };
    for await (const chunk of wholeLines(place, telling.progress)) reader.read(chunk, place);
  }
  reader.end();
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
