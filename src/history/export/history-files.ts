// Rows of the history as CSV, JSON and Parquet. Must never leave half a file under the requested name.
import { rmSync } from 'node:fs';
import type { SchemaElement } from 'hyparquet';
import { ParquetWriter, fileWriter } from 'hyparquet-writer';
import { csvCell } from '../../tape/tools/export-files.ts';
import { HistoryFault } from '../store/history-store.ts';
import { syncAndRename } from './sync-and-rename.ts';
import { type ColumnKind, type HistoryColumn, cellText } from './history-columns.ts';

/**
 * Characters with which a spreadsheet formula may begin, as OWASP lists them. Some are full-width signs; others are
 * dropped by the spreadsheet.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Lines of a CSV table, the header first. A text that looks like a formula gets an apostrophe before it: texts
 * come from other people. Numbers are never changed.
 */
export function* csvLines<Row>(columns: readonly HistoryColumn<Row>[], rows: Iterable<Row>): Generator<string> {
  yield columns.map(({ name }) => name).join(',');
  for (const row of rows)
    yield columns
      .map(({ kind, valueOf }) => {
        const text = cellText(kind, valueOf(row));
        return csvCell(kind === 'text' ? withoutFormula(text) : text);
      })
      .join(',');
}

const withoutFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** A row as a JSON record: whole numbers as they are, times also as text. */
export function jsonRecord<Row>(columns: readonly HistoryColumn<Row>[], row: Row): Readonly<Record<string, unknown>> {
  return Object.fromEntries(columns.flatMap(({ name, kind, valueOf }) => jsonMembers(name, kind, valueOf(row))));
}

function jsonMembers(name: string, kind: ColumnKind, value: string | number | null): [string, unknown][] {
  switch (kind) {
    case 'money':
      return [[`${name}Micros`, value]];
    case 'time':
      return [
        [name, value === null ? null : cellText(kind, value)],
        [`${name}Us`, value],
      ];
    case 'text':
    case 'count':
    case 'number':
    case 'price':
    case 'qty':
      return [[name, value]];
  }
}

const PARQUET_TYPES: Readonly<Record<ColumnKind, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  count: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  money: { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 6 },
  price: { type: 'INT32', converted_type: 'DECIMAL', precision: 9, scale: 4 },
  qty: { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 2 },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
};

/**
 * Writes rows to a Parquet file. An existing file is replaced once the new file is complete.
 * @throws {HistoryFault} when the file cannot be written.
 */
export function writeParquet<Row>(
  filePath: string,
  columns: readonly HistoryColumn<Row>[],
  rows: readonly Row[],
): void {
  const part = `${filePath}.part`;
  try {
    const schema: SchemaElement[] = [
      { name: 'history', num_children: columns.length },
      ...columns.map(({ name, kind }): SchemaElement => ({
        name,
        repetition_type: 'OPTIONAL',
        ...PARQUET_TYPES[kind],
      })),
    ];
    const writer = new ParquetWriter({ writer: fileWriter(part), schema, createdBy: 'presage' });
    const columnData = columns.map(({ name, kind, valueOf }) => ({
      name,
      data: rows.map((row) => parquetValue(kind, valueOf(row))),
    }));
    // The promises are ignored: `fileWriter` writes synchronously.
    if (rows.length > 0) void writer.write({ columnData, rowGroupSize: rows.length });
    void writer.finish();
    syncAndRename(part, filePath);
  } catch (cause) {
    rmSync(part, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HistoryFault(`${filePath}: cannot be written: ${reason}`, { cause });
  }
}

/** Parquet holds a decimal as a whole number of its smallest unit. */
function parquetValue(kind: ColumnKind, value: string | number | null): string | bigint | number | null {
  if (value === null) return null;
  if (kind === 'text') return String(value);
  return kind === 'number' ? Number(value) : BigInt(value);
}
