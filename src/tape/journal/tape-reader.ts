// Reads a tape from its files, packed or not, a chunk at a time, and checks every line against the one before. Must
// never skip a damaged line: it is a fault that names the file, the line and the entry. An incomplete line at the end
// of the tape is not a fault; `tornTail` reports it.
import { EPOCH, type Micros, micros } from '../../domain/units.ts';
import type { ByteSpan } from '../../venue.ts';
import { TapeFault, type TapePlace } from '../format/tape-fault.ts';
import { type SegmentHeader, readHeader } from '../format/segment-header.ts';
import { FrameLineScanner } from '../format/frame-line-scanner.ts';
import {
  CONTENT_AT,
  type Entry,
  type EntryKind,
  type LineContent,
  NEWLINE,
  checksumOf,
  checksumText,
  readChecksum,
  readLine,
} from '../format/tape-line.ts';
import { BlockAhead } from './block-ahead.ts';
import { SegmentBytes } from './segment-bytes.ts';
import { type Segment, plainName, segmentsOf } from '../format/segment-files.ts';
import type { Storage } from './storage.ts';

/** The incomplete line that a crash has left at the end of the last file. It has zero bytes when the file is empty. */
export interface TornTail {
  readonly file: string;
  /** Bytes of whole lines before it. */
  readonly wholeBytes: number;
  readonly tornBytes: number;
}

interface Position {
  readonly seq: number;
  readonly chain: number;
}

/** The position before the first line. */
const START: Position = { seq: 0, chain: 0 };

/** The end of what was read of a tape: a later reader continues there. */
export interface TapePosition {
  /** Number of the file. */
  readonly segment: number;
  /** Unpacked bytes of the file's lines that were read, and their number. */
  readonly bytes: number;
  readonly line: number;
  /** Number and checksum of the last line. */
  readonly seq: number;
  readonly chain: number;
}

export interface TapeReadOptions {
  /** Number of the first file to read. Default: the tape's first file. */
  readonly firstSegment?: number;
  /** Continues after this place, in place of a first file. */
  readonly after?: TapePosition;
}

/** The current line, as a reused entry. Its payload is sliced out only on demand. */
class CurrentEntry implements Entry, ByteSpan {
  seq = 0;
  at: Micros = EPOCH;
  kind: EntryKind = 'end';
  file = '';
  line = 0;
  view: DataView = new DataView(new ArrayBuffer(0));
  start = 0;
  end = 0;
  run: Buffer = Buffer.alloc(0);

  get payload(): Buffer {
    return this.run.subarray(this.start, this.end);
  }

  get span(): ByteSpan {
    return this;
  }

  copy(): Entry {
    const { seq, at, kind, payload, file, line } = this;
    return { seq, at, kind, payload: Buffer.from(payload), file, line };
  }
}

/** Reads one tape, once. */
export class TapeReader {
  readonly #storage: Storage;
  readonly #segments: readonly Segment[];
  readonly #scan = new FrameLineScanner();
  /** Number of the last line read; -1 before any line. */
  #seq = -1;
  #chain = 0;
  readonly #current = new CurrentEntry();
  readonly #after: TapePosition | null;
  /** Number of the file being read, and unpacked bytes of its lines that were read. */
  #segment = 0;
  #lineBytes = 0;
  /** Header of the file being read. */
  header: SegmentHeader | null = null;
  /** Set at the end, if the tape ends with an incomplete line. */
  tornTail: TornTail | null = null;
  /** Bytes on disk of the files read, the current file included. */
  bytesRead = 0;

  constructor(storage: Storage, { after, firstSegment = after?.segment ?? 0 }: TapeReadOptions = {}) {
    this.#storage = storage;
    this.#segments = segmentsOf(storage).filter(({ number }) => number >= firstSegment);
    this.#after = after ?? null;
    if (after) this.#setPosition(after, after.chain);
  }

  /** End of the lines read so far, for a later reader; `null` before the first line. Not for use between entries. */
  get endPosition(): TapePosition | null {
    const { position } = this;
    if (position === null) return null;
    return { segment: this.#segment, bytes: this.#lineBytes, line: this.#current.line, ...position };
  }

  /** Number and checksum of the last line read; `null` before any line. */
  get position(): Position | null {
    return this.#seq < 0 ? null : { seq: this.#seq, chain: this.#chain >>> 0 };
  }

  /**
   * Reads all entries in sequence, headers included.
   * @throws {TapeFault} at the first damaged entry.
   * @throws {StorageFault} when a file cannot be read.
   */
  *entries(): Generator<Entry> {
    for (const _ of this.borrowedEntries()) yield this.#current.copy();
  }

  /**
   * Like `entries`, but faster: one entry object is reused, so it is valid only until the next entry.
   * @throws {TapeFault} at the first damaged entry.
   * @throws {StorageFault} when a file cannot be read.
   */
  *borrowedEntries(): Generator<Entry> {
    for (const run of this.#lineRuns())
      for (let at = 0; at < run.length;) {
        at = this.#readLine(run, at);
        yield this.#current;
      }
  }

  /**
   * Like `borrowedEntries`, and faster still: the entry is valid only during the call.
   * @throws {TapeFault} at the first damaged entry.
   * @throws {StorageFault} when a file cannot be read.
   */
  forEachEntry(visit: (entry: Entry) => void): void {
    for (const run of this.#lineRuns())
      for (let at = 0; at < run.length;) {
        at = this.#readLine(run, at);
        visit(this.#current);
      }
  }

  /**
   * Like `borrowedEntries`, in runs of entries: while a run is read, another thread unpacks the next one.
   * @throws {TapeFault} at the first damaged entry.
   * @throws {StorageFault} when a file cannot be read.
   */
  async *borrowedRuns(): AsyncGenerator<Iterable<Entry>> {
    const ahead = new BlockAhead();
    for (const run of this.#lineRuns(ahead)) {
      yield this.#entriesIn(run);
      await ahead.ready();
    }
  }

  *#entriesIn(run: Buffer): Generator<Entry> {
    for (let at = 0; at < run.length;) {
      at = this.#readLine(run, at);
      yield this.#current;
    }
  }

  *#lineRuns(ahead: BlockAhead | null = null): Generator<Buffer> {
    let before: number | null = null;
    if (this.#after !== null) this.#refuseMissing(this.#after);
    for (const segment of this.#segments) {
      if (before !== null && segment.number !== before + 1)
        throw new TapeFault(
          this.#placeIn(segment.name, null),
          `expected file ${before + 1} before it, found ${before}`,
        );
      before = segment.number;
      yield* this.#runsOfSegment(segment, ahead);
    }
  }

  /** A file in which a later reader continues must still be there. */
  #refuseMissing({ segment }: TapePosition): void {
    if (this.#segments[0]?.number === segment) return;
    throw new TapeFault(this.#placeIn(plainName(segment), null), 'expected the file that was being read, found none');
  }

  *#runsOfSegment(segment: Segment, ahead: BlockAhead | null): Generator<Buffer> {
    const after = this.#after?.segment === segment.number ? this.#after : null;
    this.#current.file = segment.name;
    this.#current.line = after?.line ?? 0;
    this.#segment = segment.number;
    this.#lineBytes = after?.bytes ?? 0;
    const placeOfNext = (): TapePlace => this.#placeOfNext();
    const content = new SegmentBytes(this.#storage, segment, { placeOfNext, skip: this.#lineBytes, ahead });
    let isCounted = false;
    for (const run of content.lineRuns()) {
      if (!isCounted) this.bytesRead += content.fileBytes;
      isCounted = true;
      this.#scan.setBytes(run);
      this.#current.run = run;
      this.#current.view = this.#scan.view;
      yield run;
      this.#lineBytes += run.length;
    }
    if (!isCounted) this.bytesRead += content.fileBytes;
    this.#checkEnd(segment, this.#lineBytes, content.rest);
  }

  #placeIn(file: string, line: number | null): TapePlace {
    return { file, line, seq: this.#seq < 0 ? null : this.#seq + 1 };
  }

  #placeOfNext(): TapePlace {
    return this.#placeIn(this.#current.file, this.#current.line + 1);
  }

  /** Only the last file may end in the middle of a line, and only while it is not packed. */
  #checkEnd(segment: Segment, wholeBytes: number, rest: Buffer): void {
    if (rest.length === 0 && wholeBytes > 0) return;
    if (segment !== this.#segments.at(-1) || segment.isPacked)
      throw new TapeFault(this.#placeOfNext(), 'expected a line and its end, found the end of the file');
    if (this.#isCompleteLine(rest.subarray(0, -1)))
      throw new TapeFault(this.#placeOfNext(), 'expected a newline after the line, found another byte');
    this.tornTail = { file: segment.name, wholeBytes, tornBytes: rest.length };
  }

  /**
   * Checks that a line is complete except for its newline. A write that was cut short leaves no wrong bytes, so another
   * byte in place of the newline is damage.
   */
  #isCompleteLine(line: Buffer): boolean {
    const checksum = readChecksum(line);
    return checksum !== null && checksum === checksumOf(line.subarray(CONTENT_AT), this.#chain >>> 0);
  }

  /** Reads the line at an offset, and returns the offset after it. */
  #readLine(run: Buffer, from: number): number {
    const current = this.#current;
    const scan = this.#scan;
    const isFirst = current.line === 0;
    if (isFirst || !scan.scanLine(from, run.length, this.#chain) || scan.seq !== this.#seq + 1)
      return this.#readLineSlowly(run, from);
    this.#seq = scan.seq;
    this.#chain = scan.chain;
    current.line += 1;
    current.seq = scan.seq;
    current.at = micros(scan.at);
    current.kind = scan.kind;
    current.start = scan.payloadAt;
    current.end = scan.end;
    return scan.end + 1;
  }

  #readLineSlowly(run: Buffer, from: number): number {
    const current = this.#current;
    const end = run.indexOf(NEWLINE, from);
    const line = run.subarray(from, end);
    const { seq, at, kind, payload } = current.line === 0 ? this.#parseHeader(line) : this.#parseLine(line);
    current.line += 1;
    current.seq = seq;
    current.at = micros(at);
    current.kind = kind;
    current.start = end - payload.length;
    current.end = end;
    return end + 1;
  }

  #parseLine(line: Buffer): LineContent {
    const place = this.#placeOfNext();
    const { seq, chain } = this.position ?? START;
    const sum = checkChecksum(line, chain, place);
    const content = readLine(line);
    if (content === null) throw new TapeFault(place, `expected a number, a time and a kind, found ${quote(line)}`);
    if (content.seq !== seq + 1) throw new TapeFault(place, `expected entry ${seq + 1}, found entry ${content.seq}`);
    this.#setPosition(content, sum);
    return content;
  }

  #setPosition({ seq }: Pick<LineContent, 'seq'>, chain: number): void {
    this.#seq = seq;
    this.#chain = chain | 0;
  }

  /**
   * A header holds the checksum from which the file continues, so a file can be read alone. After an earlier file, the
   * checksum must be that of the earlier file's last line.
   */
  #parseHeader(line: Buffer): LineContent {
    const place = this.#placeOfNext();
    const content = readLine(line);
    if (content?.kind !== 'segment') throw new TapeFault(place, `expected a header, found ${quote(line)}`);
    const header = readHeader(content.payload);
    if (typeof header === 'string') throw new TapeFault(place, header);
    const sum = checkChecksum(line, header.chain, place);
    const number = this.#numberOf(place.file);
    if (header.segment !== number)
      throw new TapeFault(place, `expected the header of file ${number}, found that of ${header.segment}`);
    this.#checkContinuity(header, content, place);
    this.header = header;
    this.#setPosition(content, sum);
    return content;
  }

  #numberOf(file: string): number | undefined {
    return this.#segments.find(({ name }) => name === file)?.number;
  }

  #checkContinuity({ chain }: SegmentHeader, { seq }: LineContent, place: TapePlace): void {
    const before = this.position;
    if (before === null || (before.chain === chain && before.seq + 1 === seq)) return;
    throw new TapeFault(
      place,
      `expected it to go on from entry ${before.seq} (${checksumText(before.chain)}), ` +
        `found that it goes on from entry ${seq - 1} (${checksumText(chain)})`,
    );
  }
}

/**
 * Returns the checksum of a line that continues from `chain`.
 * @throws {TapeFault} when the line's checksum differs or is missing.
 */
function checkChecksum(line: Buffer, chain: number, place: TapePlace): number {
  const found = readChecksum(line);
  if (found === null) throw new TapeFault(place, `expected a line that begins with its checksum, found ${quote(line)}`);
  const expected = checksumOf(line.subarray(CONTENT_AT), chain);
  if (found === expected) return expected;
  throw new TapeFault(place, `expected checksum ${checksumText(expected)}, found ${checksumText(found)}`);
}

const QUOTED_BYTES = 60;
const quote = (bytes: Buffer): string => JSON.stringify(bytes.toString('utf8', 0, QUOTED_BYTES));
