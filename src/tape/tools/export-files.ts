// Writes a tape's table to a file: CSV, or Parquet in groups of rows. Memory use does not grow with the tape's length.
// Must never leave half a file under the requested name.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { DecodedArray, SchemaElement } from 'hyparquet';
import { type ColumnSource, ParquetWriter, fileWriter } from 'hyparquet-writer';
import { type Micros, PRICE_DECIMALS, QTY_DECIMALS, formatScaled } from '../../domain/units.ts';
import { nameNewFile, removeAbandoned, temporaryName } from '../baked/new-file.ts';
import type { RowSource } from '../baked/tape-rows.ts';
import { ExportFault } from './export-fault.ts';
import { EXPORT_COLUMNS, type ExportRow, exportRows } from './export-rows.ts';
import type { TimeRange } from './row-facts.ts';
import { isoMicros } from '../format/iso-time.ts';

export const EXPORT_FORMATS = ['parquet', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions {
  readonly source: RowSource;
  readonly format: ExportFormat;
  /** Path of the new file. */
  readonly filePath: string;
  readonly range?: TimeRange;
  /** Rows in a group of a Parquet file. Default 100 000. */
  readonly groupRows?: number;
}

interface Table {
  addRow(row: ExportRow): void;
  finish(): void;
  /** Releases the table's resources, even after a failure. */
  release(): void;
}

const ROWS_PER_STEP = 65_536;

/**
 * Writes the table in steps of 65 536 rows, each of which yields the time of its last row. An error that the caller
 * throws into the generator stops the export.
 * @returns the count of rows.
 * @throws {ExportFault} when the file cannot be written. After any error no part of the file is left.
 * @throws {BakedFault} when the tape is damaged.
 */
export function* exportTape(options: ExportOptions): Generator<Micros, number> {
  const { source, filePath, range } = options;
  const part = temporaryName(filePath, 'part');
  let table: Table | null = null;
  let rows = 0;
  try {
    table = withExportFault(filePath, () => {
      removeAbandoned(filePath);
      return openTable(part, options);
    });
    for (const row of exportRows(source, range)) {
      const current = table;
      withExportFault(filePath, () => current.addRow(row));
      rows += 1;
      if (rows % ROWS_PER_STEP === 0) yield row.at;
    }
    const whole = table;
    withExportFault(filePath, () => {
      whole.finish();
      nameNewFile(part, filePath);
    });
    return rows;
  } catch (fault) {
    table?.release();
    rmSync(part, { force: true });
    throw fault;
  }
}

function withExportFault<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    throw new ExportFault(`${path}: cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

const openTable = (part: string, { format, source, groupRows = 100_000 }: ExportOptions): Table =>
  format === 'csv' ? new CsvTable(part) : new ParquetTable(part, source, groupRows);

const CSV_CHUNK_CHARS = 1 << 18;

/** CSV lines: prices in dollars, quantities in contracts, times in ISO 8601 with microseconds. */
class CsvTable implements Table {
  readonly #fd: number;
  #text = `${EXPORT_COLUMNS.join(',')}\n`;
  #isOpen = true;

  constructor(path: string) {
    this.#fd = openSync(path, 'w');
  }

  addRow({ at, venueAt, kind, ticker, side, price, qty, text }: ExportRow): void {
    const money = price === null ? '' : formatScaled(price, PRICE_DECIMALS);
    const count = qty === null ? '' : formatScaled(qty, QTY_DECIMALS);
    const venueTime = venueAt === null ? '' : isoMicros(venueAt);
    this.#text += `${isoMicros(at)},${venueTime},${kind},${csvCell(ticker)},${side ?? ''},${money},${count},${csvCell(text)}\n`;
    if (this.#text.length > CSV_CHUNK_CHARS) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text);
    for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
    this.#text = '';
  }

  finish(): void {
    this.#flush();
    this.release();
  }

  release(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }
}

/** Formats a cell of CSV: quoted if necessary, and empty for `null`. */
export const csvCell = (text: string | null): string =>
  text === null ? '' : /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Columns and their Parquet types: times in microseconds of UTC, prices and quantities as decimals. */
const SCHEMA: SchemaElement[] = [
  { name: 'tape', num_children: EXPORT_COLUMNS.length },
  { name: 'received_at', type: 'INT64', converted_type: 'TIMESTAMP_MICROS', repetition_type: 'REQUIRED' },
  { name: 'venue_at', type: 'INT64', converted_type: 'TIMESTAMP_MICROS', repetition_type: 'OPTIONAL' },
  { name: 'kind', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'ticker', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  { name: 'side', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  { name: 'price', type: 'INT32', converted_type: 'DECIMAL', precision: 9, scale: 4, repetition_type: 'OPTIONAL' },
  { name: 'qty', type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 2, repetition_type: 'OPTIONAL' },
  { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
];

class ParquetTable implements Table {
  readonly #writer: ParquetWriter;
  readonly #groupRows: number;
  #rows: ExportRow[] = [];

  constructor(path: string, { facts }: RowSource, groupRows: number) {
    const kvMetadata = [{ key: 'presage', value: JSON.stringify(facts) }];
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: SCHEMA,
      kvMetadata,
      createdBy: 'presage',
    });
    this.#groupRows = groupRows;
  }

  addRow(row: ExportRow): void {
    this.#rows.push(row);
    if (this.#rows.length >= this.#groupRows) this.#flush();
  }

  #flush(): void {
    if (this.#rows.length === 0) return;
    const column = (name: (typeof EXPORT_COLUMNS)[number], cellOf: (row: ExportRow) => unknown): ColumnSource => {
      const data: DecodedArray = this.#rows.map(cellOf);
      return { name, data };
    };
    // The promise is ignored, because `fileWriter` writes synchronously.
    void this.#writer.write({
      columnData: [
        column('received_at', ({ at }) => BigInt(at)),
        column('venue_at', ({ venueAt }) => (venueAt === null ? null : BigInt(venueAt))),
        column('kind', ({ kind }) => kind),
        column('ticker', ({ ticker }) => ticker),
        column('side', ({ side }) => side),
        // A Parquet decimal is stored as a whole number of its smallest unit.
        column('price', ({ price }) => (price === null ? null : BigInt(price))),
        column('qty', ({ qty }) => (qty === null ? null : BigInt(qty))),
        column('text', ({ text }) => text),
      ],
      rowGroupSize: this.#groupRows,
    });
    this.#rows = [];
  }

  finish(): void {
    this.#flush();
    void this.#writer.finish();
  }

  release(): void {
    this.#rows = [];
  }
}
