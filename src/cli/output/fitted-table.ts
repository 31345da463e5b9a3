// A table that fits a narrow terminal by leaving out whole columns. Must never leave out a column without naming it.
import { widthOf } from '../../report/text/text-width.ts';
import { columns as alignColumns } from './text-format.ts';

/** A table as text cells. */
export interface TextTable {
  /** Names of the columns. */
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Names of the columns that are aligned to the left. */
  readonly texts: readonly string[];
  /** Names of the columns that a narrow terminal does without, the first to go at the head. */
  readonly spare: readonly string[];
}

/**
 * Aligns a table within a width. Columns are left out one by one until it fits; a last line names them.
 * @param width of the terminal, in columns of text; `null` leaves out nothing.
 */
export function fittedTable(table: TextTable, width: number | null): string[] {
  const whole = alignedTable(table);
  if (width === null || isWithin(whole, width)) return whole;
  const leftOut: string[] = [];
  let lines = whole;
  for (const name of table.spare) {
    leftOut.push(name);
    lines = alignedTable(withoutColumns(table, leftOut));
    if (isWithin(lines, width)) break;
  }
  return leftOut.length === 0
    ? lines
    : [...lines, `(left out in this width: ${leftOut.join(', ')}; --wide prints all)`];
}

const isWithin = (lines: readonly string[], width: number): boolean => lines.every((line) => widthOf(line) <= width);

const alignedTable = ({ names, rows, texts }: TextTable): string[] =>
  alignColumns(
    [names, ...rows],
    names.flatMap((name, at) => (texts.includes(name) ? [at] : [])),
  );

function withoutColumns({ names, rows, ...table }: TextTable, leftOut: readonly string[]): TextTable {
  const isKept = (_cell: string, at: number): boolean => !leftOut.includes(names[at] ?? '');
  return { ...table, names: names.filter(isKept), rows: rows.map((row) => row.filter(isKept)) };
}
