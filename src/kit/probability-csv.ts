// Reads a CSV file of probabilities into a table, or tells line by line what is wrong with it.
// Must never guess: one row that cannot be read spoils the file.
import { CsvError, parse } from 'csv-parse/sync';
import { readMoment } from '../domain/moment.ts';
import { EPOCH, type Micros, probability } from '../domain/units.ts';
import { type ProbabilityRow, ProbabilityTable } from './probability-table.ts';

/** A table, or what is wrong with its text: each fault with its line, from 1, and the column by its name. */
export type ReadTable =
  | { readonly isRead: true; readonly table: ProbabilityTable }
  | { readonly isRead: false; readonly faults: readonly string[] };

/** One record of the file: the line it ends in, and its values by column. */
interface Line {
  readonly line: number;
  readonly values: readonly string[];
}

/** Where the columns stand; `at` is -1 where the file has none. */
interface Header {
  readonly ticker: number;
  readonly probability: number;
  readonly at: number;
  readonly width: number;
}

/** What one line says, or what is wrong with it. */
type Said = (ProbabilityRow & { readonly ticker: string }) | { readonly fault: string };

/** Faults that are told of one file. */
const FAULTS_MAX = 20;
const DECIMAL = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads `ticker,probability[,at]`: a header first, its columns in any order; times in order for each ticker. */
export function readProbabilities(text: string): ReadTable {
  const lines = linesOf(text);
  if (typeof lines === 'string') return refused([lines]);
  const [first, ...rest] = lines;
  const header = first ? headerOf(first) : 'line 1: expected a header ticker,probability[,at], found nothing';
  if (typeof header === 'string') return refused([header]);
  const rows = new Map<string, ProbabilityRow[]>();
  const faults: string[] = [];
  for (const line of rest) {
    const fault = addRow(rows, rowOf(line, header));
    if (fault !== null) faults.push(`line ${line.line}${fault}`);
  }
  return faults.length > 0 ? refused(faults) : { isRead: true, table: new ProbabilityTable(rows) };
}

function refused(faults: readonly string[]): ReadTable {
  const more = faults.length - FAULTS_MAX;
  return { isRead: false, faults: more > 0 ? [...faults.slice(0, FAULTS_MAX), `and ${more} lines more`] : faults };
}

/** The records of a text; a sentence where it is no CSV. */
function linesOf(text: string): readonly Line[] | string {
  const lines: Line[] = [];
  const take = (values: string[], info: { readonly lines: number }): null => {
    lines.push({ line: info.lines, values });
    return null;
  };
  try {
    parse(text, { bom: true, relax_column_count: true, skip_empty_lines: true, trim: true, on_record: take });
    return lines;
  } catch (fault) {
    if (fault instanceof CsvError) return `line ${String(fault['lines'])}: expected CSV, found: ${fault.message}`;
    throw fault;
  }
}

function headerOf({ line, values }: Line): Header | string {
  const names = values.map((name) => name.toLowerCase());
  const [ticker, chance, at] = ['ticker', 'probability', 'at'].map((name) => names.indexOf(name));
  const isKnown = names.every(
    (name, place) => ['ticker', 'probability', 'at'].includes(name) && names.indexOf(name) === place,
  );
  if (ticker === undefined || chance === undefined || at === undefined || ticker < 0 || chance < 0 || !isKnown)
    return `line ${line}: expected a header ticker,probability[,at], found ${values.join(',')}`;
  return { ticker, probability: chance, at, width: names.length };
}

function rowOf({ values }: Line, header: Header): Said {
  if (values.length !== header.width) return { fault: `: expected ${header.width} values, found ${values.length}` };
  const [ticker = '', chance = '', at = ''] = [header.ticker, header.probability, header.at].map(
    (place) => values[place],
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
  const moment = readMoment(text);
  return moment?.kind === 'instant' ? moment.at : null;
}

/** Adds what a line says; why it cannot where it cannot. */
function addRow(rows: Map<string, ProbabilityRow[]>, said: Said): string | null {
  if ('fault' in said) return said.fault;
  const { ticker, at, probability: chance } = said;
  const before = rows.get(ticker);
  const last = before?.at(-1);
  if (last && at <= last.at) return `, column at: expected a later time than the row of ${ticker} before has`;
  if (before) before.push({ at, probability: chance });
  else rows.set(ticker, [{ at, probability: chance }]);
  return null;
}
