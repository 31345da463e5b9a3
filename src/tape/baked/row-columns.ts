// One block of rows that is being filled: typed arrays of a fixed length, and the rows' texts in one buffer. Must never
// grow with the length of the tape.
import { RecordBatch, Struct, makeData } from 'apache-arrow';
import { COLUMNS, plainSchema } from './baked-format.ts';
import { NO_VENUE_TIME, type RowBlock, type RowKind } from './tape-rows.ts';

const TEXT_BYTES_USUAL = 1 << 20;
/** Bytes of texts at which a block is full. */
const TEXT_BYTES_MAX = 8 << 20;

/** Rows that are not written yet. */
export class RowColumns {
  readonly capacity: number;
  count = 0;
  texts = 0;
  readonly kind: Uint8Array;
  readonly at: Float64Array;
  readonly venueAt: Float64Array;
  readonly market: Int32Array;
  readonly price: Int32Array;
  readonly qty: Float64Array;
  readonly #hasText: Uint8Array;
  readonly #textEnds: Int32Array;
  #text = Buffer.allocUnsafe(TEXT_BYTES_USUAL);
  #textLength = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.kind = new Uint8Array(capacity);
    this.at = new Float64Array(capacity);
    this.venueAt = new Float64Array(capacity);
    this.market = new Int32Array(capacity);
    this.price = new Int32Array(capacity);
    this.qty = new Float64Array(capacity);
    this.#hasText = new Uint8Array((capacity + 7) >> 3);
    this.#textEnds = new Int32Array(capacity + 1);
  }

  get isFull(): boolean {
    return this.count === this.capacity || this.#textLength >= TEXT_BYTES_MAX;
  }

  /**
   * Begins a row; the caller sets the remaining columns.
   * @returns the row's index.
   */
  addRow(kind: RowKind, at: number, venueAt: number | null): number {
    const row = this.count;
    this.count = row + 1;
    this.kind[row] = kind;
    this.at[row] = at;
    this.venueAt[row] = venueAt ?? NO_VENUE_TIME;
    this.#textEnds[row + 1] = this.#textLength;
    return row;
  }

  /** Adds copies of the rows from `from` until before `to`, which must have room, with their texts. */
  addRows(block: RowBlock, from: number, to: number): void {
    const first = this.count;
    this.kind.set(block.kind.subarray(from, to), first);
    this.at.set(block.at.subarray(from, to), first);
    this.venueAt.set(block.venueAt.subarray(from, to), first);
    this.market.set(block.market.subarray(from, to), first);
    this.price.set(block.price.subarray(from, to), first);
    this.qty.set(block.qty.subarray(from, to), first);
    for (let row = from; row < to; row++) {
      this.count += 1;
      this.#textEnds[this.count] = this.#textLength;
      this.setText(block.text(row));
    }
  }

  /** Sets the text of the last row. An empty text counts as no text. */
  setText(text: string): void {
    if (text === '') return;
    const row = this.count - 1;
    this.#growText(text.length * 3);
    this.#textLength += this.#text.write(text, this.#textLength);
    this.#textEnds[row + 1] = this.#textLength;
    this.#hasText[row >> 3] = (this.#hasText[row >> 3] ?? 0) | (1 << (row & 7));
    this.texts += 1;
  }

  #growText(count: number): void {
    const needed = this.#textLength + count;
    if (needed <= this.#text.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#text.length));
    grown.set(this.#text.subarray(0, this.#textLength));
    this.#text = grown;
  }

  /** The rows as an Arrow batch. Valid until the next row is added. */
  toRecordBatch(): RecordBatch {
    const { count: length, texts } = this;
    const [kind, at, venueAt, market, price, qty, text] = COLUMNS;
    const children = [
      makeData({ type: kind.type, length, nullCount: 0, data: this.kind }),
      makeData({ type: at.type, length, nullCount: 0, data: this.at }),
      makeData({ type: venueAt.type, length, nullCount: 0, data: this.venueAt }),
      makeData({ type: market.type, length, nullCount: 0, data: this.market }),
      makeData({ type: price.type, length, nullCount: 0, data: this.price }),
      makeData({ type: qty.type, length, nullCount: 0, data: this.qty }),
      makeData({
        type: text.type,
        length,
        nullCount: length - texts,
        nullBitmap: texts === length ? null : this.#hasText.subarray(0, (length + 7) >> 3),
        valueOffsets: this.#textEnds.subarray(0, length + 1),
        data: this.#text.subarray(0, this.#textLength),
      }),
    ];
    const type = new Struct(plainSchema.fields);
    return new RecordBatch(plainSchema, makeData({ type, length, nullCount: 0, children }));
  }

  clear(): void {
    this.count = 0;
    this.texts = 0;
    this.#hasText.fill(0);
    this.#textLength = 0;
    if (this.#text.length > 2 * TEXT_BYTES_MAX) this.#text = Buffer.allocUnsafe(TEXT_BYTES_USUAL);
  }
}
