// Reads rows of a Parquet file in batches, each cell as the text that CSV would have. Must never change the digits of a
// decimal number.
import {
  type AsyncBuffer,
  type FileMetaData,
  type SchemaElement,
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet';
import { EPOCH, type Micros } from '../../../domain/units.ts';
import { ImportFault } from '../import-fault.ts';
import { foundText } from '../import-findings.ts';
import { isoMicros } from '../../format/iso-time.ts';
import { ColumnHeading, type TextRowsOptions, type TextRow } from './text-rows.ts';

const BATCH_ROWS = 50_000;

/** Times become text with microseconds; a `Date` would hold only milliseconds. */
const PARSERS = {
  timestampFromMilliseconds: (at: bigint) => momentOf(at * 1000n),
  timestampFromMicroseconds: (at: bigint) => momentOf(at),
  timestampFromNanoseconds: (at: bigint) => momentOf(at / 1000n),
};
const momentOf = (at: bigint): string => isoMicros((EPOCH + Number(at)) as Micros);

/** Reads the rows of a Parquet file. */
export async function* parquetRows(options: TextRowsOptions): AsyncGenerator<readonly TextRow[]> {
  const { file, findings, onBytes, countRow } = options;
  const buffer = await opened(file);
  const metadata = await metadataOf(file, buffer);
  const columns = metadata.schema.slice(1).filter(({ num_children: children }) => children === undefined);
  const heading = new ColumnHeading(
    columns.map(({ name }) => name),
    options,
  );
  const rows = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < rows; rowStart += BATCH_ROWS) {
    const rowEnd = Math.min(rows, rowStart + BATCH_ROWS);
    const records = await readBatch(file, { file: buffer, metadata, rowStart, rowEnd });
    onBytes(Math.round((buffer.byteLength * (rowEnd - rowStart)) / rows));
    const batch: TextRow[] = [];
    records.forEach((record, at) => {
      countRow();
      const place = { file, line: rowStart + at + 1 };
      const cells = heading.pickCells(columns.map((column) => cellText(record[column.name], column)));
      if (cells !== null) batch.push({ place, cells });
      else findings.addFinding('bad-row', place, `expected ${heading.width} cells`);
    });
    yield batch;
  }
}

async function opened(file: string): Promise<AsyncBuffer> {
  try {
    return await asyncBufferFromFile(file);
  } catch (cause) {
    throw new ImportFault({ file, line: null }, `expected a file that can be read: ${String(cause)}`, { cause });
  }
}

async function metadataOf(file: string, buffer: AsyncBuffer): Promise<FileMetaData> {
  try {
    return await parquetMetadataAsync(buffer);
  } catch (cause) {
    throw new ImportFault({ file, line: null }, `expected a Parquet file: ${String(cause)}`, { cause });
  }
}

interface Batch {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly rowStart: number;
  readonly rowEnd: number;
}

async function readBatch(file: string, batch: Batch): Promise<readonly Readonly<Record<string, unknown>>[]> {
  try {
    return await parquetReadObjects({ ...batch, parsers: PARSERS, useOffsetIndex: true });
  } catch (cause) {
    const line = batch.rowStart + 1;
    throw new ImportFault({ file, line }, `cannot be read further: ${String(cause)}`, { cause });
  }
}

/** Returns a cell as the text that CSV would have; empty for a missing value. */
function cellText(
  value: unknown,
  { logical_type: logical, converted_type: converted, scale = 0 }: SchemaElement,
): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') {
    // A decimal is read as the nearest float. Its scale gives the exact digits.
    const isDecimal = converted === 'DECIMAL' || logical?.type === 'DECIMAL';
    return isDecimal ? value.toFixed(logical?.type === 'DECIMAL' ? logical.scale : scale) : String(value);
  }
  if (typeof value === 'string') {
    const isNaive = logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC;
    return isNaive ? value.replace(/Z$/, '') : value;
  }
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return value instanceof Date ? value.toISOString() : foundText(value);
}
