// The format of a baked file: an Arrow IPC file with the columns of `RowBlock`, and its metadata. In a block, numbers
// come first and texts last, so that a reader can leave the texts out.
import { Field, Float64, Int32, Schema, Uint8, Utf8 } from 'apache-arrow';
import { z } from 'zod';
import { micros } from '../../domain/units.ts';
import type { TapeFacts } from './tape-rows.ts';

/**
 * Version of everything that decides the content of a baked file: this format, the baker, and the normalizers. Must be
 * raised with any such change: baked files of an older version are then out of date.
 */
export const BAKER_VERSION = 4;

/** The columns in their sequence on disk. Times are microseconds since the epoch; units as in `RowBlock`. */
export const COLUMNS = [
  new Field('kind', new Uint8(), false),
  new Field('at', new Float64(), false),
  new Field('venue_at', new Float64(), false),
  new Field('market', new Int32(), false),
  new Field('price', new Int32(), false),
  new Field('qty', new Float64(), false),
  new Field('text', new Utf8(), true),
] as const;

/** Bytes of each number of a row, by column. */
const NUMBER_BYTES = [1, 8, 8, 4, 4, 8] as const;

/** Arrow aligns every buffer to eight bytes. */
const padded = (bytes: number): number => (bytes + 7) & ~7;

/** Offsets of the columns and the texts in a block's body. */
export interface BodyLayout {
  readonly kind: number;
  readonly at: number;
  readonly venueAt: number;
  readonly market: number;
  readonly price: number;
  readonly qty: number;
  /** The first byte after the numbers. */
  readonly text: number;
}

export function bodyLayout(rows: number): BodyLayout {
  const starts: number[] = [0];
  for (const bytes of NUMBER_BYTES) starts.push((starts.at(-1) ?? 0) + padded(rows * bytes));
  const [kind = 0, at = 0, venueAt = 0, market = 0, price = 0, qty = 0, text = 0] = starts;
  return { kind, at, venueAt, market, price, qty, text };
}

/** Offsets of the texts' offset table and bytes, from the first byte after the numbers. */
export function textLayout(rows: number, texts: number): { readonly offsets: number; readonly bytes: number } {
  // Arrow writes no null bitmap when every row has a text.
  const offsets = texts === rows ? 0 : padded((rows + 7) >> 3);
  return { offsets, bytes: offsets + padded((rows + 1) * 4) };
}

/** An entry of the index of blocks. */
export interface BlockEntry {
  readonly rows: number;
  /** Time of its first row. `to` is the time of its last row. */
  readonly from: number;
  readonly to: number;
  /** Offset of its body in the file. */
  readonly bodyAt: number;
  readonly bodyBytes: number;
  readonly texts: number;
  /** CRC-32 of its numbers. `textsSum` is that of its texts. */
  readonly numbersSum: number;
  readonly textsSum: number;
}

const count = z.int().min(0);
const blockSchema = z
  .tuple([count, count, count, count, count, count, count, count])
  .transform(([rows, from, to, bodyAt, bodyBytes, texts, numbersSum, textsSum]): BlockEntry => {
    return { rows, from, to, bodyAt, bodyBytes, texts, numbersSum, textsSum };
  });

const time = z.int().transform(micros);

const factsSchema = z.strictObject({
  source: z.string(),
  venue: z.string(),
  from: time,
  to: time,
  rows: count,
  counts: z.record(z.string(), count),
  gaps: z.array(z.strictObject({ from: time, to: time, reason: z.string(), tickers: z.array(z.string().min(1)) })),
  assumptions: z.array(z.string()),
  sourceHash: z.string(),
  bakerVersion: count,
});

export const metadataSchema = z.strictObject({
  facts: factsSchema,
  tickers: z.array(z.string().min(1)),
  blocks: z.array(blockSchema),
});

/** Reads the version alone, from metadata of any later version too. */
export const versionSchema = z.looseObject({ facts: z.looseObject({ bakerVersion: z.int() }) });

/** The metadata of a file. */
export interface BakedMetadata {
  readonly facts: TapeFacts;
  readonly tickers: readonly string[];
  readonly blocks: readonly BlockEntry[];
}

/** Key of the metadata, which is JSON. */
export const METADATA_KEY = 'presage';

/** First and last bytes of an Arrow file. Before the last bytes are the footer and the footer's length. */
export const MAGIC = 'ARROW1';
export const TAIL_BYTES = 4 + MAGIC.length;

/** Encodes the metadata. */
export function metadataText({ facts, tickers, blocks }: BakedMetadata): string {
  const rows = blocks.map(({ rows: of, from, to, bodyAt, bodyBytes, texts, numbersSum, textsSum }) => {
    return [of, from, to, bodyAt, bodyBytes, texts, numbersSum, textsSum];
  });
  return JSON.stringify({ facts, tickers, blocks: rows });
}

export const plainSchema = new Schema([...COLUMNS]);
