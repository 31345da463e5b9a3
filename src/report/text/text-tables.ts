// The tables of a report for a terminal. On a narrow terminal, all tables leave out the same columns, and a line below
// says so. Must never exceed the terminal's width except for indispensable figures.
import { columnWidths, plainText, tableText } from './text-columns.ts';
import {
  centsEach,
  summedContracts,
  countText,
  decimalText,
  shareText,
  signedCents,
  signedShare,
} from './figure-text.ts';
import { distinctCurves } from '../statement/markout-curves.ts';
import type { ReportLine, Report } from '../statement/report.ts';

/** A column of the tables by name. */
export interface LineColumn {
  readonly head: string;
  readonly cell: (line: ReportLine) => string;
}

const LINE_COLUMNS: readonly LineColumn[] = [
  { head: '', cell: ({ name }) => plainText(name) },
  { head: 'profit', cell: ({ split }) => signedCents(split.profit) },
  { head: 'spread', cell: ({ split }) => signedCents(split.spread) },
  { head: 'adverse', cell: ({ split }) => signedCents(split.adverse) },
  {
    head: 'holding',
    cell: ({ split }) => signedCents(split.settlement + split.marked + split.unsplit + split.carried),
  },
  { head: 'fees', cell: ({ split }) => signedCents(split.fees) },
  { head: 'trades', cell: ({ fills }) => countText(fills) },
  { head: 'contracts', cell: ({ qty }) => summedContracts(qty) },
  { head: 'filled', cell: ({ fillRatio }) => shareText(fillRatio) },
  { head: 'each', cell: ({ perContract }) => centsEach(perContract) },
];
/** Columns that a narrow terminal leaves out, the least important first. */
const DISPENSABLE = ['filled', 'contracts', 'trades', 'each'];
/** Names are shortened to this width before a column is left out. */
const NAME_ROOM = 18;

/** Returns the columns that fit, the same for all tables. */
export function fittingColumns(tables: readonly (readonly ReportLine[])[], width: number): readonly LineColumn[] {
  const lines = tables.flat();
  const isTooWide = (columns: readonly LineColumn[]): boolean => {
    const [name = 0, ...others] = columnWidths(headOf(columns), rowsOf(columns, lines));
    return others.reduce((sum, each) => sum + each + 2, 2 + Math.min(name, NAME_ROOM)) > width;
  };
  let columns = LINE_COLUMNS;
  for (const least of DISPENSABLE) {
    if (!isTooWide(columns)) break;
    columns = columns.filter(({ head }) => head !== least);
  }
  return columns;
}

/** Names the columns that were left out, as a line under the tables. */
export function leftOutColumnsText(columns: readonly LineColumn[]): string[] {
  const missing = LINE_COLUMNS.filter((column) => !columns.includes(column)).map(({ head }) => head);
  return missing.length === 0 ? [] : [`  left out to fit the width: ${missing.join(', ')}`];
}

const headOf = (columns: readonly LineColumn[]): string[] => columns.map(({ head }) => head);
const rowsOf = (columns: readonly LineColumn[], lines: readonly ReportLine[]): string[][] =>
  lines.map((line) => columns.map(({ cell }) => cell(line)));

export interface LinesTextOptions {
  readonly columns: readonly LineColumn[];
  readonly width: number;
  readonly linesMax: number;
}

/** Formats a table by name. A long table shows its first and its last lines. */
export function linesText(lines: readonly ReportLine[], { columns, width, linesMax }: LinesTextOptions): string[] {
  if (lines.length === 0) return [];
  const half = Math.ceil(linesMax / 2);
  const isLong = lines.length > linesMax;
  const shown = isLong ? [...lines.slice(0, half), ...lines.slice(lines.length - (linesMax - half))] : lines;
  return [
    ...tableText(headOf(columns), rowsOf(columns, shown), width),
    ...(isLong ? [`  … ${countText(lines.length - shown.length)} between them`] : []),
  ];
}

/** Formats the markouts. */
export function markoutText({ markouts, fillCount }: Report, width: number): string[] {
  if (fillCount === 0) return [];
  const horizons = markouts[0]?.points.map(({ horizon }) => (horizon === 'trade' ? 'at once' : horizon)) ?? [];
  const rows = distinctCurves(markouts).map(({ of, points, fills }) => [
    of,
    ...points.map(({ perContract }) => centsEach(perContract)),
    countText(fills),
  ]);
  return tableText(['', ...horizons, 'trades'], rows, width);
}

/** Formats the forecast scores. */
export function forecastText({ forecasts }: Report, width: number): string[] {
  if (forecasts.length === 0) return [];
  const rows = forecasts.map(({ strategy, markets, forecasts: count, brier, logLoss, paired }) => [
    plainText(strategy),
    countText(markets),
    countText(count),
    decimalText(brier, 4),
    decimalText(paired.marketBrier, 4),
    decimalText(logLoss, 4),
    decimalText(paired.marketLogLoss, 4),
    signedShare(paired.skill),
  ]);
  const head = ['', 'markets', 'forecasts', 'Brier', "market's", 'log loss', "market's", 'skill'];
  return tableText(head, rows, width);
}

/** Formats the denials. */
export function denialText({ denials }: Report, width: number): string[] {
  if (denials.length === 0) return [];
  const rows = denials.map(({ code, strategy, count }) => [code, plainText(strategy), countText(count)]);
  return tableText(['', 'strategy', 'times'], rows, width);
}

/** Formats the use of the rate budgets. */
export function budgetText({ budgets }: Report, width: number): string[] {
  if (budgets.length === 0) return [];
  const rows = budgets.map(({ budget, used, allowed, usedShare, leastLeft, capacity, refused }) => [
    budget,
    countText(used),
    countText(allowed),
    shareText(usedShare),
    `${countText(leastLeft)} of ${countText(capacity)}`,
    countText(refused),
  ]);
  return tableText(['', 'used', 'allowed', 'share', 'least left', 'refused'], rows, width);
}
