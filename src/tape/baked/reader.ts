// Reads a baked file, a block at a time into one buffer that is used again; texts only when they are asked for.
// Must never hold more than a block, nor believe one whose checksum does not fit.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Footer } from 'apache-arrow/ipc/metadata/file';
import { TickerTable, ticker } from '../../domain/ids.ts';
import { BakedFault } from './fault.ts';
import {
  type BakedNotes,
  type BlockNote,
  NOTES_KEY,
  NOTES_SUM_KEY,
  bodyLayout,
  notesSchema,
  textLayout,
} from './form.ts';
import type { RowBlock, RowSource, TapeFacts } from './rows.ts';

const MAGIC = 'ARROW1';
/** Behind the footer: its length, and the magic word. */
const TAIL_BYTES = 4 + MAGIC.length;
/** At the beginning: the magic word, padded. */
const HEAD_BYTES = 8;

/**
 * Opens a baked file.
 * @throws {BakedFault} when it is not one, is cut short, or its notes cannot be believed.
 */
export function openBaked(path: string): RowSource {
  const file = new OpenFile(path);
  try {
    return new BakedRows(file, readNotes(file));
  } catch (fault) {
    file.close();
    throw fault;
  }
}

/** A file open for reading. */
class OpenFile {
  readonly path: string;
  readonly bytes: number;
  readonly #fd: number;
  #isOpen = true;

  constructor(path: string) {
    this.path = path;
    try {
      this.#fd = openSync(path, 'r');
    } catch (cause) {
      throw this.fault(`cannot be opened: ${codeOf(cause)}`, cause);
    }
    this.bytes = fstatSync(this.#fd).size;
  }

  /** Fills a buffer from a place on. */
  readInto(buffer: Uint8Array, at: number): void {
    if (!this.#isOpen) throw this.fault('is closed');
    for (let done = 0; done < buffer.length;) {
      const got = this.#read(buffer, done, at);
      if (got === 0) throw this.fault(`is cut short: expected ${at + buffer.length} bytes, found ${at + done}`);
      done += got;
    }
  }

  #read(buffer: Uint8Array, done: number, at: number): number {
    try {
      return readSync(this.#fd, buffer, done, buffer.length - done, at + done);
    } catch (cause) {
      throw this.fault(`cannot be read: ${codeOf(cause)}`, cause);
    }
  }

  fault(what: string, cause?: unknown): BakedFault {
    return new BakedFault(this.path, what, { cause });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);

function readNotes(file: OpenFile): BakedNotes {
  if (file.bytes < HEAD_BYTES + TAIL_BYTES) throw file.fault('is cut short: it has no room for a footer');
  const head = Buffer.alloc(MAGIC.length);
  file.readInto(head, 0);
  if (head.toString('latin1') !== MAGIC) throw file.fault('is no Arrow file: expected ARROW1 at its beginning');
  const tail = Buffer.alloc(TAIL_BYTES);
  file.readInto(tail, file.bytes - TAIL_BYTES);
  if (tail.toString('latin1', 4) !== MAGIC) throw file.fault('is cut short: expected ARROW1 at its end');
  const length = tail.readInt32LE(0);
  if (length <= 0 || length > file.bytes - HEAD_BYTES - TAIL_BYTES) throw file.fault('has a footer of no length');
  const footer = Buffer.alloc(length);
  file.readInto(footer, file.bytes - TAIL_BYTES - length);
  return notesOf(file, footer);
}

function notesOf(file: OpenFile, footer: Buffer): BakedNotes {
  const metadata = metadataOf(file, footer);
  const text = metadata.get(NOTES_KEY);
  const sum = metadata.get(NOTES_SUM_KEY);
  if (text === undefined || sum === undefined) throw file.fault('was not baked by this program: its notes are missing');
  if (String(crc32(text)) !== sum) throw file.fault('is damaged: its notes do not fit their checksum');
  const notes = notesSchema.safeParse(JSON.parse(text));
  if (notes.success) return notes.data;
  const [issue] = notes.error.issues;
  throw file.fault(`has notes of another form: ${issue?.path.join('.')} ${issue?.message}`);
}

function metadataOf(file: OpenFile, footer: Buffer): ReadonlyMap<string, string> {
  try {
    return Footer.decode(footer).schema.metadata;
  } catch (cause) {
    throw file.fault('is damaged: its footer cannot be read', cause);
  }
}

/** The rows of an open file. */
class BakedRows implements RowSource {
  readonly facts: TapeFacts;
  readonly tickers = new TickerTable();
  readonly #file: OpenFile;
  readonly #blocks: readonly BlockNote[];

  constructor(file: OpenFile, { facts, tickers, blocks }: BakedNotes) {
    this.#file = file;
    this.facts = facts;
    this.#blocks = blocks;
    for (const name of tickers) this.tickers.intern(ticker(name));
  }

  *blocks({ from = -Infinity, to = Infinity }: { from?: number; to?: number } = {}): Generator<RowBlock> {
    const wanted = this.#blocks.filter((block) => block.to >= from && block.from < to);
    const room = Math.max(0, ...wanted.map(({ rows }) => bodyLayout(rows).text));
    const buffer = new ArrayBuffer(room);
    for (const note of wanted) {
      const block = new BakedBlock(this.#file, note, buffer);
      const isWhole = note.from >= from && note.to < to;
      yield isWhole ? block : cut(block, from, to);
    }
  }

  close(): void {
    this.#file.close();
  }
}

/** One block, in a buffer that the next one will have. */
class BakedBlock implements RowBlock {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly at: Float64Array;
  readonly venueAt: Float64Array;
  readonly market: Int32Array;
  readonly price: Int32Array;
  readonly qty: Float64Array;
  readonly #file: OpenFile;
  readonly #note: BlockNote;
  #texts: Texts | null = null;

  constructor(file: OpenFile, note: BlockNote, buffer: ArrayBuffer) {
    const { rows, bodyAt, numbersSum } = note;
    const layout = bodyLayout(rows);
    const numbers = new Uint8Array(buffer, 0, layout.text);
    file.readInto(numbers, bodyAt);
    if (crc32(numbers) !== numbersSum)
      throw file.fault(`is damaged: the block of ${rows} rows at byte ${bodyAt} does not fit its checksum`);
    this.#file = file;
    this.#note = note;
    this.count = rows;
    this.kind = new Uint8Array(buffer, layout.kind, rows);
    this.at = new Float64Array(buffer, layout.at, rows);
    this.venueAt = new Float64Array(buffer, layout.venueAt, rows);
    this.market = new Int32Array(buffer, layout.market, rows);
    this.price = new Int32Array(buffer, layout.price, rows);
    this.qty = new Float64Array(buffer, layout.qty, rows);
  }

  text(row: number): string {
    this.#texts ??= readTexts(this.#file, this.#note);
    const { offsets, bytes } = this.#texts;
    return bytes.toString('utf8', offsets[row] ?? 0, offsets[row + 1] ?? 0);
  }
}

/** The texts of a block: those of a row stand between two offsets. */
interface Texts {
  readonly offsets: Int32Array;
  readonly bytes: Buffer;
}

function readTexts(file: OpenFile, { rows, texts, bodyAt, bodyBytes, textsSum }: BlockNote): Texts {
  const { text: begin } = bodyLayout(rows);
  const layout = textLayout(rows, texts);
  const body = Buffer.from(new ArrayBuffer(bodyBytes - begin));
  file.readInto(body, bodyAt + begin);
  if (crc32(body) !== textsSum)
    throw file.fault(`is damaged: the texts of the block at byte ${bodyAt} do not fit their checksum`);
  const offsets = new Int32Array(body.buffer, body.byteOffset + layout.offsets, rows + 1);
  return { offsets, bytes: body.subarray(layout.bytes) };
}

/** The rows of a block within a range of times. */
function cut(block: RowBlock, from: number, to: number): RowBlock {
  const first = firstAtOrAfter(block, from);
  const end = firstAtOrAfter(block, to);
  return {
    count: end - first,
    kind: block.kind.subarray(first, end),
    at: block.at.subarray(first, end),
    venueAt: block.venueAt.subarray(first, end),
    market: block.market.subarray(first, end),
    price: block.price.subarray(first, end),
    qty: block.qty.subarray(first, end),
    text: (row) => block.text(first + row),
  };
}

/** The number of the first row at or after a time; times never go back. */
function firstAtOrAfter({ at, count }: RowBlock, time: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((at[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
