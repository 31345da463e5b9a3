// Rows of texts under named columns, as CSV gives them; Parquet's rows are made to look the same.
// Must never take a row apart otherwise than its own line says: a stray quote spoils one line, not the rest of the file.
import { type Options, parse } from 'csv-parse/sync';
import { type ImportPlace, ImportFault } from './fault.ts';
import { lineChunks } from './files.ts';
import { type Findings, found } from './findings.ts';

/** A column that a format reads. */
export interface Column {
  /** Its names, the usual one first. */
  readonly names: readonly string[];
  readonly isRequired: boolean;
}

/** One row: the cells of the columns asked for, in their order; `undefined` where the file has no such column. */
export interface TextRow {
  readonly place: ImportPlace;
  readonly cells: readonly (string | undefined)[];
}

export interface RowsOptions {
  readonly file: string;
  readonly columns: readonly Column[];
  /** Columns that mean nothing to the format and are no surprise. */
  readonly ignored: readonly string[];
  readonly findings: Findings;
  readonly onBytes: (bytes: number) => void;
}

/** Where the columns asked for stand in a file. */
export class Heading {
  readonly #positions: readonly number[];
  readonly #width: number;

  /** @throws {ImportFault} when a required column is not there, or one is there twice. */
  constructor(names: readonly string[], { file, columns, ignored, findings }: Omit<RowsOptions, 'onBytes'>) {
    const place = { file, line: 1 };
    const doubled = names.find((name, at) => names.indexOf(name) < at);
    if (doubled !== undefined)
      throw new ImportFault(place, `expected columns of different names, found ${doubled} twice`);
    this.#width = names.length;
    this.#positions = columns.map((column) => positionOf(column, names, place));
    names.forEach((name, at) => {
      if (!this.#positions.includes(at) && !ignored.includes(name)) findings.add('unknown-column', place, found(name));
    });
  }

  /** The cells asked for; `null` when the row has fewer or more cells than the heading. */
  pick(cells: readonly string[]): readonly (string | undefined)[] | null {
    return cells.length === this.#width ? this.#positions.map((at) => (at < 0 ? undefined : cells[at])) : null;
  }

  get width(): number {
    return this.#width;
  }
}

function positionOf({ names: wanted, isRequired }: Column, names: readonly string[], place: ImportPlace): number {
  const name = wanted.find((each) => names.includes(each));
  if (name !== undefined) return names.indexOf(name);
  if (!isRequired) return -1;
  throw new ImportFault(place, `expected a column ${wanted.join(' or ')}, found ${names.join(', ')}`);
}

const CSV: Options = { relax_column_count: true, skip_empty_lines: false, trim: true, columns: false };
const QUOTE = 0x22;

/** The rows of a CSV file whose first line names its columns. */
export async function* csvRows(options: RowsOptions): AsyncGenerator<readonly TextRow[]> {
  const { file, findings, onBytes } = options;
  let heading: Heading | null = null;
  for await (const { bytes, line } of lineChunks(file, onBytes)) {
    const rows: TextRow[] = [];
    const records = recordsOf(bytes);
    for (let at = 0; at < records.length; at++) {
      const cells = records[at] ?? [];
      const place = { file, line: line + at };
      if (cells instanceof Error) findings.add('bad-row', place, cells.message);
      else if (isBlank(cells)) continue;
      else if (heading === null) heading = new Heading(cells.map(withoutMark), options);
      else addRow(rows, { heading, cells, place, findings });
    }
    yield rows;
  }
  if (heading === null) throw new ImportFault({ file, line: 1 }, 'expected a line that names the columns, found none');
}

const isBlank = (cells: readonly string[]): boolean => cells.length <= 1 && (cells[0] ?? '') === '';
/** Some programs put a mark before the first character of a file. */
const withoutMark = (name: string): string => name.replace(/^\uFEFF/, '');

interface Raw {
  readonly heading: Heading;
  readonly cells: readonly string[];
  readonly place: ImportPlace;
  readonly findings: Findings;
}

function addRow(rows: TextRow[], { heading, cells, place, findings }: Raw): void {
  const picked = heading.pick(cells);
  if (picked !== null) rows.push({ place, cells: picked });
  else findings.add('bad-row', place, `expected ${heading.width} cells, found ${cells.length}`);
}

/** One record a line. Without quotes all lines are read in one go; with them, each for itself. */
function recordsOf(bytes: Buffer): readonly (readonly string[] | Error)[] {
  if (!bytes.includes(QUOTE)) return parse(bytes, CSV);
  return bytes.toString().split('\n').map(recordOf);
}

function recordOf(line: string): readonly string[] | Error {
  try {
    return parse(line, CSV)[0] ?? [];
  } catch (fault) {
    return fault instanceof Error ? fault : new Error(String(fault));
  }
}
