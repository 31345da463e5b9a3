// Imports captures of a feed: JSON lines, bare or wrapped in a recorder's object, in any known dialect. The dialect is
// determined from the first messages. Must never let an account's message onto the tape, nor pass over missing messages
// in silence.
import type { Micros } from '../../../domain/units.ts';
import { type ImportPlace, ImportFault } from '../import-fault.ts';
import {
  type CapturedLine,
  type CapturedMessage,
  type PlacedLine,
  parseCapturedLine,
  parseWrappedMessage,
} from './captured-line.ts';
import { CaptureDecoder } from './capture-decoder.ts';
import { type FileProgress, wholeLinesOf, withPlace } from '../rows/line-chunks.ts';
import type { ImportFormat, ImportContext } from '../import-format.ts';
import { type DeltaForms, LineFrame, beginningOf, wrapperOf } from './line-frame.ts';
import { type CaptureChunk, ScanAhead } from './scan-ahead.ts';
import type { ScannedDeltas } from './scanned-deltas.ts';
import { SequenceSample } from './sequence-sample.ts';
import type { FeedDialect, JsonObject } from '../import-wire.ts';

const NEWLINE = 10;
const UNCLEAR_MAX = 10_000;
/** Wrapped delta messages that are tried for a plain wrapper. A capture without one has none later either. */
const WRAPPER_TRIES_MAX = 100;

/** Holds lines until the dialect is determined, then imports them. */
class CaptureReader {
  readonly #context: ImportContext;
  #decoder: CaptureDecoder | null;
  #held: PlacedLine[] = [];
  /** The sequence numbers so far. They decide whether the dialect checks numbers. */
  #sample: SequenceSample | null = null;
  #dialect: FeedDialect | null = null;
  /** The forms of delta messages, learned from the first of each. */
  #forms: DeltaForms = { bare: null, wrapper: null };
  #wrapperTries = 0;
  readonly #frame = new LineFrame();

  constructor(context: ImportContext) {
    this.#context = context;
    const { dialect: name, wire } = context.options;
    this.#decoder = name === undefined ? null : new CaptureDecoder(context, dialectNamed(name, wire.feeds));
  }

  /** The dialect, once it is determined. */
  get dialect(): FeedDialect | null {
    return this.#decoder?.dialect ?? null;
  }

  get deltaForms(): DeltaForms {
    return this.#forms;
  }

  /** Imports the lines of a chunk. Messages that were read ahead are not read again. */
  readChunk({ lines, deltas }: CaptureChunk, place: FileProgress): void {
    this.#frame.setChunk(lines);
    const origin = lines.byteOffset;
    let start = 0;
    while (deltas?.moveNext() === true) {
      const deltaAt = deltas.lineStart - origin;
      if (deltaAt > start) this.#readLines(lines, [start, deltaAt - 1], place);
      this.#readScanned(deltas, place);
      start = deltas.lineEnd - origin + 1;
    }
    if (start <= lines.length) this.#readLines(lines, [start, lines.length], place);
  }

  /** Imports the lines between two offsets of a chunk. */
  #readLines(chunk: Buffer, [from, to]: readonly [from: number, to: number], place: FileProgress): void {
    let start = from;
    while (start <= to) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 || newline > to ? to : newline;
      this.#frame.setLine(start, end);
      if (!this.#readDeltaLine(place)) this.#readLine(trimmed(chunk, start, end), place);
      start = end + 1;
      place.line += 1;
    }
  }

  #readScanned(delta: ScannedDeltas, place: FileProgress): void {
    this.#context.countRow();
    this.#frame.setMessage(delta);
    this.#decoder?.decodeFrame(this.#frame, delta.received, place);
    place.line += 1;
  }

  /**
   * Imports a delta message, bare or in a plain wrapper, without parsing or copying its line. Returns false for any
   * other line.
   */
  #readDeltaLine(place: ImportPlace): boolean {
    const decoder = this.#decoder;
    if (decoder === null || !this.#frame.moveToDelta(this.#forms)) return false;
    this.#context.countRow();
    decoder.decodeFrame(this.#frame, this.#frame.received, place);
    return true;
  }

  #readLine(bytes: Buffer | null, place: ImportPlace): void {
    if (bytes === null) return;
    this.#context.countRow();
    const { wrapper } = this.#forms;
    const received = wrapper === null ? null : this.#frame.unwrapRecord(wrapper);
    if (this.#decoder?.decodeTrade(this.#frame, received, place) === true) return;
    const line = (received === null ? null : this.#wrappedMessage(received)) ?? parseCapturedLine(bytes);
    if (this.#decoder === null) return this.#holdLine({ place, line });
    this.#decoder.decodeLine({ place, line });
    if (line.kind === 'message' && line.message['type'] === this.#decoder.dialect.deltaType)
      this.#learnDelta(line, bytes);
  }

  /** Parses only the message of a line in the learned wrapper. Returns `null` if it is not one whole message. */
  #wrappedMessage(received: Micros): CapturedLine | null {
    const { buffer, byteOffset, length } = this.#frame.bytes;
    return parseWrappedMessage(Buffer.from(buffer, byteOffset, length), received);
  }

  /** Learns how the lines of delta messages begin, so that further ones need no parsing. */
  #learnDelta({ message, isBare, at, origin }: CapturedMessage, bytes: Buffer): void {
    if (Object.keys(message).join() !== 'type,sid,seq,msg') return;
    const beginning = `{"type":${JSON.stringify(message['type'])},"sid":`;
    if (isBare) this.#forms = { ...this.#forms, bare: this.#forms.bare ?? beginningOf(beginning) };
    else if (at?.kind === 'instant' && origin === null) this.#learnWrapper(bytes, beginning, at.at);
  }

  /** Learns a wrapper only if it gives its own line the time that parsing gave: its number may be something else. */
  #learnWrapper(bytes: Buffer, beginning: string, at: Micros): void {
    if (this.#forms.wrapper !== null || this.#wrapperTries >= WRAPPER_TRIES_MAX) return;
    this.#wrapperTries += 1;
    const wrapper = wrapperOf(bytes.toString(), beginning);
    if (wrapper !== null && this.#frame.unwrapMessage(wrapper) === at) this.#forms = { ...this.#forms, wrapper };
  }

  #holdLine(captured: PlacedLine): void {
    const { line, place } = captured;
    this.#held.push({ place: { ...place }, line: withOwnBytes(line) });
    if (line.kind === 'message') this.#inspectMessage(line.message);
    if (this.#sample?.isFull === true || this.#held.length >= UNCLEAR_MAX) this.#chooseDialect(place);
  }

  /** Determines the dialect, then samples the numbers of its messages. */
  #inspectMessage(message: JsonObject): void {
    this.#dialect ??= this.#context.options.wire.feeds.find((each) => each.reads(message)) ?? null;
    if (this.#dialect === null) return;
    this.#sample ??= new SequenceSample(this.#dialect);
    this.#sample.addMessage(message);
  }

  /** Chooses the dialect, with or without sequence numbers, and begins to import. */
  #chooseDialect(place: ImportPlace): void {
    const { addAssumption, options } = this.#context;
    const dialect = this.#dialect ?? this.#likelyDialect(place);
    const partOfStream = this.#sample?.splitStreamText() ?? null;
    if (partOfStream !== null) addAssumption(partOfStream);
    this.#beginDecoding(
      partOfStream === null || dialect.unnumbered === null
        ? dialect
        : dialectNamed(dialect.unnumbered, options.wire.feeds),
    );
  }

  /** Returns the first dialect that at least one of the held messages may have. */
  #likelyDialect(place: ImportPlace): FeedDialect {
    const dialect = this.#context.options.wire.feeds.find((each) =>
      this.#held.some(({ line }) => line.kind === 'message' && each.mayRead(line.message)),
    );
    if (dialect !== undefined) return dialect;
    const among = this.#held.length >= UNCLEAR_MAX ? ` among the first ${UNCLEAR_MAX} lines` : '';
    throw new ImportFault(place, `expected messages of books or trades of a feed${among}, found none`);
  }

  #beginDecoding(dialect: FeedDialect): void {
    this.#decoder = new CaptureDecoder(this.#context, dialect);
    for (const captured of this.#held) this.#decoder.decodeLine(captured);
    this.#held = [];
  }

  finish(): void {
    const place = this.#held[0]?.place ?? { file: this.#context.options.files[0] ?? '', line: null };
    if (this.#decoder === null) this.#chooseDialect(place);
    this.#decoder?.finish();
  }
}

/** The reader overwrites its buffer, so a held line needs its own copy of the bytes. */
function withOwnBytes(line: CapturedLine): CapturedLine {
  return line.kind === 'message' ? { ...line, bytes: Uint8Array.from(line.bytes) } : line;
}

function dialectNamed(name: string, dialects: readonly FeedDialect[]): FeedDialect {
  const dialect = dialects.find((each) => each.name === name);
  if (dialect !== undefined) return dialect;
  const names = dialects.map((each) => each.name).join(', ');
  throw new ImportFault(null, `dialect: expected one of ${names}, found ${name}`);
}

async function importFeed(context: ImportContext): Promise<void> {
  const reader = new CaptureReader(context);
  const ahead = new ScanAhead(context, reader);
  try {
    for (const file of context.options.files) {
      const place: FileProgress = { file, line: 1 };
      const chunks = ahead.scanned(wholeLinesOf(file, context.addBytes, ahead));
      for await (const chunk of withPlace(place, chunks)) reader.readChunk(chunk, place);
    }
    reader.finish();
  } finally {
    ahead.close();
  }
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0d || byte === 0x09;

/** Returns a line without surrounding space, or `null` for a blank line. */
function trimmed(bytes: Buffer, start: number, end: number): Buffer | null {
  let from = start;
  let to = end;
  while (from < to && isSpace(bytes[from])) from += 1;
  while (to > from && isSpace(bytes[to - 1])) to -= 1;
  return from === to ? null : bytes.subarray(from, to);
}

export const feedJsonl: ImportFormat = {
  name: 'feed-jsonl',
  description: "a recorder's capture of the feed, one message a line, as JSON",
  options: ['timeZone', 'dialect'],
  accepts: ['.jsonl', '.ndjson', '.jsonl.gz', '.ndjson.gz'],
  importFiles: importFeed,
};
