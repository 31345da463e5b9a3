// Reads a baked file a block at a time into reused memory; texts only on demand. Must never hold more than one block in
// a buffer, nor use a block with a wrong checksum.
import { crc32 } from 'node:zlib';
import { TickerTable, ticker } from '../../domain/ids.ts';
import { type BakedMetadata, type BlockEntry, bodyLayout, textLayout } from './baked-format.ts';
import { readMetadata } from './baked-metadata.ts';
import { BakedFile } from './baked-file.ts';
import {
  type BlockMemory,
  ReusedBlockMemory,
  type RowBlock,
  type RowRange,
  type RowSource,
  type TapeFacts,
} from './tape-rows.ts';

/**
 * Opens a baked file.
 * @param remedy Advice for a damaged file, as the end of a sentence.
 * @throws {BakedFault} when the file cannot be opened, is not a baked file, is cut short, or has damaged metadata.
 */
export function openBakedFile(path: string, remedy?: string): RowSource {
  const file = new BakedFile(path, remedy);
  try {
    return new BakedRows(file, readMetadata(file));
  } catch (fault) {
    file.close();
    throw fault;
  }
}

class BakedRows implements RowSource {
  readonly facts: TapeFacts;
  readonly tickers = new TickerTable();
  readonly #file: BakedFile;
  readonly #blocks: readonly BlockEntry[];

  constructor(file: BakedFile, { facts, tickers, blocks }: BakedMetadata) {
    this.#file = file;
    this.facts = facts;
    this.#blocks = blocks;
    for (const name of tickers) this.tickers.internTicker(ticker(name));
  }

  *readBlocks(range: RowRange = {}): Generator<RowBlock> {
    const { from = -Infinity, to = Infinity, memory = new ReusedBlockMemory() } = range;
    for (const note of this.#blocks) {
      if (note.to < from || note.from >= to) continue;
      const block = readBlock(this.#file, note, memory);
      const isWhole = note.from >= from && note.to < to;
      yield isWhole ? block : rowsWithin(block, from, to);
    }
  }

  close(): void {
    this.#file.close();
  }
}

/**
 * Reads a block.
 * @throws {BakedFault} when it does not fit its checksum.
 */
export function readBlock(file: BakedFile, entry: BlockEntry, memory: BlockMemory): RowBlock {
  return new BakedBlock(file, entry, memory.bufferOf(bodyLayout(entry.rows).text));
}

/** One block, in memory that the next block may reuse. */
class BakedBlock implements RowBlock {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly at: Float64Array;
  readonly venueAt: Float64Array;
  readonly market: Int32Array;
  readonly price: Int32Array;
  readonly qty: Float64Array;
  readonly #file: BakedFile;
  readonly #note: BlockEntry;
  #texts: Texts | null = null;

  constructor(file: BakedFile, note: BlockEntry, buffer: ArrayBuffer) {
    const { rows, bodyAt, numbersSum } = note;
    const layout = bodyLayout(rows);
    const numbers = new Uint8Array(buffer, 0, layout.text);
    file.readInto(numbers, bodyAt);
    if (crc32(numbers) !== numbersSum)
      throw file.damageFault(`the block of ${rows} rows at byte ${bodyAt} does not fit its checksum`);
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

/** The texts of a block. A row's text lies between two offsets. */
interface Texts {
  readonly offsets: Int32Array;
  readonly bytes: Buffer;
}

function readTexts(file: BakedFile, { rows, texts, bodyAt, bodyBytes, textsSum }: BlockEntry): Texts {
  const { text: textsAt } = bodyLayout(rows);
  const layout = textLayout(rows, texts);
  const body = Buffer.from(new ArrayBuffer(bodyBytes - textsAt));
  file.readInto(body, bodyAt + textsAt);
  if (crc32(body) !== textsSum)
    throw file.damageFault(`the texts of the block at byte ${bodyAt} do not fit their checksum`);
  const offsets = new Int32Array(body.buffer, body.byteOffset + layout.offsets, rows + 1);
  return { offsets, bytes: body.subarray(layout.bytes) };
}

function rowsWithin(block: RowBlock, from: number, to: number): RowBlock {
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

/** Returns the index of the first row at or after a time. Times never decrease. */
function firstAtOrAfter({ at, count }: RowBlock, time: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((at[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
