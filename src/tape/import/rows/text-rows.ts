// Reads CSV as rows of text cells under named columns. Parquet's rows are converted to the same form. Must never let a
// stray quote spoil more than its own line.
import { type Options, parse } from 'csv-parse/sync';
import { type ImportPlace, ImportFault } from '../import-fault.ts';
import { lineChunks, withoutMark } from './line-chunks.ts';
import { type Findings, foundText } from '../import-findings.ts';
import { bestTimeName } from '../times/time-names.ts';

/** A column that a format reads. */
export interface TextColumn {
  /** Its names, the usual name first. */
  readonly names: readonly string[];
  readonly isRequired: boolean;
  /** Finds the column in a file that has none of these names. */
  readonly findIn?: (names: readonly string[]) => string | undefined;
}

export const requiredColumn = (...names: string[]): TextColumn => ({ names, isRequired: true });
export const optionalColumn = (...names: string[]): TextColumn => ({ names, isRequired: false });
/**
 * Describes the column of the rows' times of receipt. In a file without these names, the column whose name looks most
 * like one is used.
 */
export const timeColumn = (...names: string[]): TextColumn => ({ names, isRequired: true, findIn: bestTimeName });

/** Column names given by the user: the file's name of a column, by the format's name. */
export type GivenColumnNames = ReadonlyMap<string, string>;

/**
 * Checks the names that the user has given.
 * @throws {ImportFault} when a given name is not one of the format's.
 */
export function checkColumnNames(given: GivenColumnNames, columns: readonly TextColumn[]): void {
  const ours = columns.flatMap(({ names }) => names);
  for (const name of given.keys()) {
    if (ours.includes(name)) continue;
    throw new ImportFault(null, `column: expected one of ${ours.join(', ')}, found ${foundText(name)}`);
  }
}

/**
 * One row: its cells, in the sequence of the requested columns. A cell is `undefined` when the file has no such column.
 */
export interface TextRow {
  readonly place: ImportPlace;
  readonly cells: readonly (string | undefined)[];
}

export interface TextRowsOptions {
  readonly file: string;
  readonly columns: readonly TextColumn[];
  /** Groups of `columns`. The file must have a column of each. */
  readonly oneOf: readonly (readonly TextColumn[])[];
  /** Columns that the format ignores without a finding. */
  readonly ignored: readonly string[];
  readonly findings: Findings;
  readonly given?: GivenColumnNames | undefined;
  readonly onBytes: (bytes: number) => void;
  /** Called for each row, also for one that cannot be read. */
  readonly countRow: () => void;
}

/** Reads the rows of a file. */
export type RowReader = (options: TextRowsOptions) => AsyncGenerator<readonly TextRow[]>;

/** Indexes of the requested columns in a file. */
export class ColumnHeading {
  readonly #positions: readonly number[];
  readonly #width: number;

  /** @throws {ImportFault} when a required column is missing, or a name repeated. */
  constructor(names: readonly string[], options: Omit<TextRowsOptions, 'onBytes' | 'countRow'>) {
    const { file, columns, oneOf, ignored, findings, given } = options;
    const place = { file, line: 1 };
    const repeated = names.find((name, at) => names.indexOf(name) < at);
    if (repeated !== undefined)
      throw new ImportFault(place, `expected columns of different names, found ${repeated} twice`);
    this.#width = names.length;
    // A column that the user gave to one name has the unit of that name, so it must not be found under another.
    const taken = new Set(given?.values());
    const rest = names.map((name) => (taken.has(name) ? '' : name));
    this.#positions = columns.map((column) => {
      const named = withGivenName(column, given);
      return positionOf(named, named === column ? rest : names, { file, heading: names });
    });
    for (const group of oneOf)
      if (group.every((column) => (this.#positions[columns.indexOf(column)] ?? -1) < 0))
        throw missingColumn(
          place,
          group.flatMap((column) => column.names),
          names,
        );
    names.forEach((name, at) => {
      if (!this.#positions.includes(at) && !ignored.includes(name))
        findings.addFinding('unknown-column', place, foundText(name));
    });
  }

  /** Returns the requested cells; `null` when the row and the heading differ in length. */
  pickCells(cells: readonly string[]): readonly (string | undefined)[] | null {
    return cells.length === this.#width ? this.#positions.map((at) => (at < 0 ? undefined : cells[at])) : null;
  }

  get width(): number {
    return this.#width;
  }
}

/** A column named by the user has only that name. */
function withGivenName(column: TextColumn, given: GivenColumnNames | undefined): TextColumn {
  const names = column.names.flatMap((name) => given?.get(name) ?? []);
  return names.length === 0 ? column : requiredColumn(...names);
}

/** @param names The names that may be found; `heading` has all of the file's. */
function positionOf(
  { names: wanted, isRequired, findIn }: TextColumn,
  names: readonly string[],
  { file, heading }: { readonly file: string; readonly heading: readonly string[] },
): number {
  const name = wanted.find((each) => names.includes(each)) ?? findIn?.(names);
  if (name !== undefined) return names.indexOf(name);
  if (!isRequired) return -1;
  throw missingColumn({ file, line: 1 }, wanted, heading);
}

const missingColumn = (place: ImportPlace, wanted: readonly string[], names: readonly string[]): ImportFault =>
  new ImportFault(place, `expected a column ${wanted.join(' or ')}, found ${names.join(', ')}`);

/**
 * Every line feed ends a record, whatever the first one of a chunk looks like: a file may mix line ends. `trim` removes
 * the carriage return before it.
 */
const CSV: Options = {
  relax_column_count: true,
  skip_empty_lines: false,
  trim: true,
  columns: false,
  record_delimiter: '\n',
};
/** For text without any line feed, as of old Macintosh programs. */
const RETURNS: Options = { ...CSV, record_delimiter: '\r' };
const QUOTE = 0x22;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Reads the rows of a CSV file whose first line names its columns. */
export async function* csvRows(options: TextRowsOptions): AsyncGenerator<readonly TextRow[]> {
  const { file, findings, onBytes, countRow } = options;
  let heading: ColumnHeading | null = null;
  for await (const { bytes, line } of lineChunks(file, onBytes)) {
    const rows: TextRow[] = [];
    const records = recordsOf(bytes);
    for (let at = 0; at < records.length; at++) {
      const cells = records[at] ?? [];
      const place = { file, line: line + at };
      if (!(cells instanceof Error) && isBlank(cells)) continue;
      if (heading === null) heading = headingOf(cells, place, options);
      else {
        countRow();
        addRow(rows, { heading, cells, place, findings });
      }
    }
    yield rows;
  }
  if (heading === null) throw new ImportFault({ file, line: 1 }, 'expected a line that names the columns, found none');
}

const isBlank = (cells: readonly string[]): boolean => cells.length <= 1 && (cells[0] ?? '') === '';
/** @throws {ImportFault} when the line that names the columns cannot be read. */
function headingOf(cells: readonly string[] | Error, place: ImportPlace, options: TextRowsOptions): ColumnHeading {
  if (!(cells instanceof Error)) return new ColumnHeading(cells.map(withoutMark), options);
  throw new ImportFault(place, `expected a line that names the columns: ${cells.message}`, { cause: cells });
}

interface RawRow {
  readonly heading: ColumnHeading;
  readonly cells: readonly string[] | Error;
  readonly place: ImportPlace;
  readonly findings: Findings;
}

function addRow(rows: TextRow[], { heading, cells, place, findings }: RawRow): void {
  if (cells instanceof Error) return findings.addFinding('bad-row', place, cells.message);
  const picked = heading.pickCells(cells);
  if (picked !== null) rows.push({ place, cells: picked });
  else findings.addFinding('bad-row', place, `expected ${heading.width} cells, found ${cells.length}`);
}

/**
 * Returns one record for each line. Without quotes, all lines are parsed in one call. With quotes, each line is parsed
 * separately.
 */
function recordsOf(bytes: Buffer): readonly (readonly string[] | Error)[] {
  if (bytes.includes(QUOTE)) return bytes.toString().split('\n').map(recordOf);
  return parse(bytes, !bytes.includes(NEWLINE) && bytes.includes(RETURN) ? RETURNS : CSV);
}

function recordOf(line: string): readonly string[] | Error {
  try {
    return parse(line, CSV)[0] ?? [];
  } catch (fault) {
    return fault instanceof Error ? fault : new Error(String(fault));
  }
}
