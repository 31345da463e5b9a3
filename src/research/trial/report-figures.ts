// The figures of a report that a study may name, by their paths. Must never miss a number of the report: its type decides what is
// here.
import type { Report } from '../../report/statement/report.ts';

/** The unit of a figure: millionths of a dollar, hundredths of a contract, or a plain number. */
export type FigureUnit = 'money' | 'qty' | 'number';

/** Paths of the numbers of a value. Lists have none, nor do mappings of any names. */
type NumberPaths<Value, Path extends string> = Value extends number
  ? Path
  : Value extends string | boolean | null | undefined | readonly unknown[]
    ? never
    : string extends keyof Value
      ? never
      : { [Name in keyof Value & string]: NumberPaths<Value[Name], `${Path}.${Name}`> }[keyof Value & string];

/** Members that describe the run or the form of the report. */
type Described = 'version' | 'run' | 'neverReady';
type ReportPath = NumberPaths<Omit<Report, Described>, 'report'>;

/** Figures of the report with their units: shares, ratios, counts and times are plain numbers. */
const REPORT_FIGURES = {
  'report.account.openingCash': 'money',
  'report.account.closingCash': 'money',
  'report.account.openingEquity': 'money',
  'report.account.closingEquity': 'money',
  'report.account.profit': 'money',
  'report.account.interval.low': 'money',
  'report.account.interval.high': 'money',
  'report.account.interval.groups': 'number',
  'report.split.spread': 'money',
  'report.split.adverse': 'money',
  'report.split.settlement': 'money',
  'report.split.marked': 'money',
  'report.split.unsplit': 'money',
  'report.split.carried': 'money',
  'report.split.fees': 'money',
  'report.split.unexplained': 'money',
  'report.split.profit': 'money',
  'report.trading.orders': 'number',
  'report.trading.askedQty': 'qty',
  'report.trading.ordersTraded': 'number',
  'report.trading.fills': 'number',
  'report.trading.qty': 'qty',
  'report.trading.fillRatio': 'number',
  'report.trading.makerShare': 'number',
  'report.trading.turnover': 'money',
  'report.trading.turns': 'number',
  'report.trading.fees': 'money',
  'report.trading.fillsWithMid': 'number',
  'report.drawdown.drawdown.depth': 'money',
  'report.drawdown.drawdown.peak': 'money',
  'report.drawdown.drawdown.peakAt': 'number',
  'report.drawdown.drawdown.troughAt': 'number',
  'report.drawdown.drawdown.recoveredAt': 'number',
  'report.drawdown.share': 'number',
  'report.drawdown.underwaterMax': 'number',
  'report.capital.lockedMax': 'money',
  'report.capital.lockedMaxAt': 'number',
  'report.capital.lockedMean': 'money',
  'report.capital.lockedDollarDays': 'number',
  'report.capital.returnPerDay': 'number',
  'report.capital.returnPerYear': 'number',
  'report.expectancy.settledMarkets': 'number',
  'report.expectancy.groups': 'number',
  'report.expectancy.qty': 'qty',
  'report.expectancy.profit': 'money',
  'report.expectancy.perContract': 'money',
  'report.expectancy.marketsMin': 'number',
  'report.expectancy.interval.low': 'money',
  'report.expectancy.interval.high': 'money',
  'report.expectancy.interval.groups': 'number',
  'report.coverage.from': 'number',
  'report.coverage.to': 'number',
  'report.coverage.rows': 'number',
  'report.coverage.share': 'number',
  'report.coverage.gapTime': 'number',
  'report.coverage.gapCount': 'number',
  'report.coverage.partialGaps': 'number',
  'report.fillCount': 'number',
} as const satisfies Readonly<Record<ReportPath, FigureUnit>>;

/** The paths of all figures. */
export const REPORT_FIGURE_PATHS: readonly string[] = Object.keys(REPORT_FIGURES);

/** The beginning of every path. */
export const REPORT_PREFIX = 'report.';

export const isReportFigure = (name: string): name is ReportPath => Object.hasOwn(REPORT_FIGURES, name);

/** The unit of a figure of the report. */
export const reportFigureUnit = (path: ReportPath): FigureUnit => REPORT_FIGURES[path];

/** A figure of a report; `null` when the report has none, as the depth of a fall where equity never fell. */
export function reportFigureOf(report: Report, path: ReportPath): number | null {
  let found: unknown = report;
  for (const member of path.split('.').slice(1))
    found = typeof found === 'object' && found !== null ? Reflect.get(found, member) : null;
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}
