// Parses a CSV file of probabilities into a table, or describes the faults line by line. Must never guess: one row that
// cannot be parsed makes the whole file invalid.
import { CsvError, parse } from 'csv-parse/sync';
import { parseMoment } from '../domain/parsed-time.ts';
import { EPOCH, type Micros, probability } from '../domain/units.ts';
import { type ProbabilityRow, ProbabilityTable } from './probability-table.ts';

/** A table, or the faults of its text. A fault names its line, from 1, and for a bad value the column. */
export type ReadTable =
  | { readonly isRead: true; readonly table: ProbabilityTable }
  | { readonly isRead: false; readonly faults: readonly string[] };

/** A record of the file. `line` is where it ends. */
interface Line {
  readonly line: number;
  readonly values: readonly string[];
}

/** Indexes of the columns. `at` is -1 when the file has no such column. */
interface Header {
  readonly ticker: number;
  readonly probability: number;
  readonly at: number;
  readonly width: number;
}

type ParsedRow = (ProbabilityRow & { readonly ticker: string }) | { readonly fault: string };

/** Most faults to report of one file. */
const FAULTS_MAX = 20;
const DECIMAL = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Parses `ticker,probability[,at]`: first a header, then rows. The columns may have any sequence. The times of a ticker
 * must rise.
 */
export function readProbabilities(text: string): ReadTable {
  const lines = linesOf(text);
  if (typeof lines === 'string') return rejected([lines]);
  const [first, ...rest] = lines;
  const header = first ? headerOf(first) : 'line 1: expected a header ticker,probability[,at], found nothing';
  if (typeof header === 'string') return rejected([header]);
  const rows = new Map<string, ProbabilityRow[]>();
  const faults: string[] = [];
  for (const line of rest) {
    const fault = addRow(rows, rowOf(line, header));
    if (fault !== null) faults.push(`line ${line.line}${fault}`);
  }
  return faults.length > 0 ? rejected(faults) : { isRead: true, table: new ProbabilityTable(rows) };
}

function rejected(faults: readonly string[]): ReadTable {
  const more = faults.length - FAULTS_MAX;
  return { isRead: false, faults: more > 0 ? [...faults.slice(0, FAULTS_MAX), `and ${more} more lines`] : faults };
}

/** Returns the records of a text, or a message when it is not CSV. */
function linesOf(text: string): readonly Line[] | string {
  const lines: Line[] = [];
  const addLine = (values: string[], info: { readonly lines: number }): null => {
    lines.push({ line: info.lines, values });
    return null;
  };
  try {
    parse(text, { bom: true, relax_column_count: true, skip_empty_lines: true, trim: true, on_record: addLine });
    return lines;
  } catch (fault) {
    if (fault instanceof CsvError) return `line ${String(fault['lines'])}: expected CSV, found: ${fault.message}`;
    throw fault;
  }
}

function headerOf({ line, values }: Line): Header | string {
  const names = values.map((name) => name.toLowerCase());
  const [ticker, chance, at] = ['ticker', 'probability', 'at'].map((name) => names.indexOf(name));
  const isValid = names.every(
    (name, position) => ['ticker', 'probability', 'at'].includes(name) && names.indexOf(name) === position,
  );
  if (ticker === undefined || chance === undefined || at === undefined || ticker < 0 || chance < 0 || !isValid)
    return `line ${line}: expected a header ticker,probability[,at], found ${values.join(',')}`;
  return { ticker, probability: chance, at, width: names.length };
}

function rowOf({ values }: Line, header: Header): ParsedRow {
  if (values.length !== header.width) return { fault: `: expected ${header.width} values, found ${values.length}` };
  const [ticker = '', chance = '', at = ''] = [header.ticker, header.probability, header.at].map(
    (position) => values[position],
  );
  if (ticker === '') return { fault: ', column ticker: expected a ticker, found nothing' };
  const value = DECIMAL.test(chance) ? Number(chance) : Number.NaN;
  if (!(value >= 0 && value <= 1))
    return { fault: `, column probability: expected a number from 0 to 1, found "${chance}"` };
  const moment = at === '' ? EPOCH : momentOf(at);
  if (moment === null)
    return { fault: `, column at: expected a time with its zone, as 2026-11-21T12:00:00Z, found "${at}"` };
  return { ticker, at: moment, probability: probability(value) };
}

function momentOf(text: string): Micros | null {
  const moment = parseMoment(text);
  return moment?.kind === 'instant' ? moment.at : null;
}

/** Adds a parsed row. Returns its fault, or `null`. */
function addRow(rows: Map<string, ProbabilityRow[]>, parsed: ParsedRow): string | null {
  if ('fault' in parsed) return parsed.fault;
  const { ticker, at, probability: chance } = parsed;
  const before = rows.get(ticker);
  const last = before?.at(-1);
  if (last && at <= last.at) return `, column at: expected a later time than that of the previous row of ${ticker}`;
  if (before) before.push({ at, probability: chance });
  else rows.set(ticker, [{ at, probability: chance }]);
  return null;
}
