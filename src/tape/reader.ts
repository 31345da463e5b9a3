// Reads a tape from its files, packed or not, a piece at a time, and believes no line that does not fit the one before.
// Must never pass over anything: whatever does not fit is a fault that names the file, the line and the entry.
import { micros } from '../domain/units.ts';
import { BLOCK_HEAD_BYTES, blockLength, salvageBlock, unpackBlock } from './block.ts';
import { TapeFault, type TapePlace } from './fault.ts';
import { type SegmentHeader, readHeader } from './header.ts';
import {
  CONTENT_AT,
  type Entry,
  type LineContent,
  NEWLINE,
  checksumOf,
  checksumText,
  readChecksum,
  readLine,
} from './line.ts';
import { type Segment, packedName, segmentsOf } from './segment-name.ts';
import { type Storage, StorageFault } from './storage.ts';

/** The end of the last file that is no whole line: what a death in the middle of a write leaves. */
export interface TornTail {
  readonly file: string;
  /** Bytes of whole lines before it. */
  readonly wholeBytes: number;
  readonly tornBytes: number;
}

/** Where the tape stands after a line. */
interface Position {
  readonly seq: number;
  readonly chain: number;
}

/** Before the first line of all. */
const START: Position = { seq: 0, chain: 0 };

/** Where a line stands in the bytes that were read, and in the tape. */
interface Span {
  readonly from: number;
  /** Its newline. */
  readonly end: number;
  readonly segment: Segment;
  readonly line: number;
}

export interface ReadOptions {
  /** Number of the file to begin with; the first there is, unless told otherwise. */
  readonly from?: number;
}

const CHUNK_BYTES = 1 << 20;

/** Reads one tape, once. */
export class TapeReader {
  readonly #storage: Storage;
  readonly #segments: readonly Segment[];
  #position: Position | null = null;
  /** The header of the file being read. */
  header: SegmentHeader | null = null;
  /** Known when everything has been read. */
  torn: TornTail | null = null;
  /** Bytes of the files as they are on disk. */
  bytes = 0;

  constructor(storage: Storage, { from = 0 }: ReadOptions = {}) {
    this.#storage = storage;
    this.#segments = segmentsOf(storage).filter(({ number }) => number >= from);
  }

  /** The number and checksum of the last line read; `null` before the first. */
  get position(): Position | null {
    return this.#position;
  }

  /**
   * All entries in order, headers included.
   * @throws {TapeFault} at the first that cannot be believed.
   * @throws {StorageFault} when a file cannot be read.
   */
  *entries(): Generator<Entry> {
    let before: number | null = null;
    for (const segment of this.#segments) {
      if (before !== null && segment.number !== before + 1)
        throw new TapeFault(this.#placeIn(segment, null), `expected file ${before + 1} before it, found ${before}`);
      before = segment.number;
      yield* this.#entriesOf(segment);
    }
  }

  #placeIn({ name }: Segment, line: number | null): TapePlace {
    return { file: name, line, seq: this.#position === null ? null : this.#position.seq + 1 };
  }

  *#entriesOf(segment: Segment): Generator<Entry> {
    let line = 0;
    let wholeBytes = 0;
    let rest: Buffer = Buffer.alloc(0);
    const placeOfNext = (): TapePlace => this.#placeIn(segment, line + 1);
    for (const chunk of this.#chunksOf(segment, placeOfNext)) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, from)) {
        line += 1;
        yield this.#entryOf(rest, { from, end, segment, line });
        from = end + 1;
      }
      wholeBytes += from;
      rest = rest.subarray(from);
    }
    this.#endOf(segment, { line, wholeBytes, rest });
  }

  /** Only the last file may end in the middle of a line. */
  #endOf(segment: Segment, end: { readonly line: number; readonly wholeBytes: number; readonly rest: Buffer }): void {
    const { line, wholeBytes, rest } = end;
    if (rest.length === 0 && line > 0) return;
    const place = this.#placeIn(segment, line + 1);
    if (segment !== this.#segments.at(-1) || segment.isPacked)
      throw new TapeFault(place, 'expected a line and its end, found the end of the file');
    if (this.#isWhole(rest.subarray(0, -1)))
      throw new TapeFault(place, 'expected a newline after the line, found another byte');
    this.torn = { file: segment.name, wholeBytes, tornBytes: rest.length };
  }

  /** Whether a line is whole but for its newline, which a death in the middle of a write does not change. */
  #isWhole(line: Buffer): boolean {
    const checksum = readChecksum(line);
    return checksum !== null && checksum === checksumOf(line.subarray(CONTENT_AT), this.#position?.chain ?? 0);
  }

  #entryOf(bytes: Buffer, span: Span): Entry {
    const { seq, at, kind, payload } = span.line === 1 ? this.#takeHeader(bytes, span) : this.#takeLine(bytes, span);
    return { seq, at: micros(at), kind, payload, file: span.segment.name, line: span.line };
  }

  #takeLine(bytes: Buffer, { from, end, segment, line }: Span): LineContent {
    const position = this.#position ?? START;
    const chain = checksumOf(bytes.subarray(from + CONTENT_AT, end), position.chain);
    const content = readLine(bytes, from, end);
    if (content === null || content.seq !== position.seq + 1 || readChecksum(bytes, from, end) !== chain)
      throw faultOf(bytes.subarray(from, end), position, this.#placeIn(segment, line));
    this.#position = { seq: content.seq, chain };
    return content;
  }

  /** A header says what it goes on from, so that a file can be read alone; read in a row, it must fit. */
  #takeHeader(bytes: Buffer, { from, end, segment }: Span): LineContent {
    const place = this.#placeIn(segment, 1);
    const line = bytes.subarray(from, end);
    const content = readLine(line);
    if (content?.kind !== 'segment') throw new TapeFault(place, `expected a header, found ${quote(line)}`);
    const header = readHeader(content.payload);
    if (typeof header === 'string') throw new TapeFault(place, header);
    const chain = believe(line, header.chain, place);
    const before = this.#position;
    if (header.segment !== segment.number)
      throw new TapeFault(place, `expected the header of file ${segment.number}, found that of ${header.segment}`);
    if (before !== null && (before.chain !== header.chain || before.seq + 1 !== content.seq))
      throw new TapeFault(
        place,
        `expected it to go on from entry ${before.seq} (${checksumText(before.chain)}), ` +
          `found that it goes on from entry ${content.seq - 1} (${checksumText(header.chain)})`,
      );
    this.header = header;
    this.#position = { seq: content.seq, chain };
    return content;
  }

  *#chunksOf(segment: Segment, placeOfNext: () => TapePlace): Generator<Buffer> {
    let { name, isPacked } = segment;
    const size = this.#trySize(name);
    if (size === null) {
      // Packed since the files were listed: its session is still at work.
      name = packedName(segment.number);
      isPacked = true;
    }
    const bytes = size ?? this.#storage.size(name);
    this.bytes += bytes;
    if (isPacked) yield* this.#blocksOf({ name, bytes }, placeOfNext);
    else for (let at = 0; at < bytes; at += CHUNK_BYTES) yield this.#read(name, at, Math.min(CHUNK_BYTES, bytes - at));
  }

  #trySize(name: string): number | null {
    try {
      return this.#storage.size(name);
    } catch (fault) {
      if (fault instanceof StorageFault && fault.code === 'ENOENT') return null;
      throw fault;
    }
  }

  *#blocksOf(file: { readonly name: string; readonly bytes: number }, placeOfNext: () => TapePlace): Generator<Buffer> {
    for (let at = 0; at < file.bytes;) {
      const refuse = (what: string): TapeFault =>
        new TapeFault(placeOfNext(), `the packed block at byte ${at} that holds this line cannot be read: ${what}`);
      const length = blockLength(this.#read(file.name, at, BLOCK_HEAD_BYTES));
      if (length === null) throw refuse('expected the head of a block, found other bytes');
      if (at + length > file.bytes) throw refuse(`expected ${length} bytes, found ${file.bytes - at}`);
      const block = this.#read(file.name, at, length);
      const content = unpackBlock(block);
      if (typeof content === 'string') {
        // The lines themselves know best which of them is the first that does not fit.
        yield salvageBlock(block);
        throw refuse(content);
      }
      yield content;
      at += length;
    }
  }

  #read(name: string, from: number, count: number): Buffer {
    const bytes = this.#storage.read(name, from, count);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/** What is wrong with a line that does not fit what came before it. */
function faultOf(line: Buffer, { seq, chain }: Position, place: TapePlace): TapeFault {
  believe(line, chain, place);
  const content = readLine(line);
  if (content === null) return new TapeFault(place, `expected a number, a time and a kind, found ${quote(line)}`);
  return new TapeFault(place, `expected entry ${seq + 1}, found entry ${content.seq}`);
}

/**
 * The checksum of a line that fits what came before it.
 * @throws {TapeFault} when it does not.
 */
function believe(line: Buffer, chain: number, place: TapePlace): number {
  const found = readChecksum(line);
  if (found === null) throw new TapeFault(place, `expected a line that begins with its checksum, found ${quote(line)}`);
  const expected = checksumOf(line.subarray(CONTENT_AT), chain);
  if (found === expected) return expected;
  throw new TapeFault(place, `expected checksum ${checksumText(expected)}, found ${checksumText(found)}`);
}

const QUOTED_BYTES = 60;
const quote = (bytes: Buffer): string => JSON.stringify(bytes.toString('utf8', 0, QUOTED_BYTES));
