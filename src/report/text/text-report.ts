// A report for a terminal, as plain text without colors. Empty sections are left out.
import { factsText, listText, plainText, wrappedText } from './text-columns.ts';
import {
  NO_VALUE,
  centsEach,
  summedContracts,
  countedNoun,
  countText,
  decimalText,
  roundedDollars,
  durationText,
  shareText,
  signedRounded,
  signedExact,
  stateText,
  timeText,
} from './figure-text.ts';
import { PROFIT_PARTS, explainedName, explainedProfit } from '../statement/profit-parts.ts';
import type { ConfidenceInterval, Report } from '../statement/report.ts';
import {
  budgetText,
  denialText,
  fittingColumns,
  forecastText,
  leftOutColumnsText,
  linesText,
  markoutText,
} from './text-tables.ts';
import { lockedReturnText, proofText, yearText } from './result-text.ts';

export interface TextOptions {
  /** Characters in a line. Default 100. */
  readonly width?: number;
  /** Maximum number of lines in a table by name; default 15. */
  readonly linesMax?: number;
}

/** Renders the report as text that ends with a line end. */
export function renderText(report: Report, { width = 100, linesMax = 15 }: TextOptions = {}): string {
  const sections = [
    headText(report, width),
    section('Where the profit came from', splitText(report, width)),
    section('Trading', tradingText(report, width)),
    section('Risk and capital', riskText(report, width)),
    section('Markouts: ahead per contract, before fees', markoutText(report, width)),
    ...lineSections(report, width, linesMax),
    section('Forecasts', forecastText(report, width)),
    section('Denied by risk', denialText(report, width)),
    section('Rate budgets', budgetText(report, width)),
    section('Halts', haltText(report, width)),
    section('Coverage', coverageText(report, width)),
    section('Assumptions', listText(report.assumptions.map(plainText), width)),
    section('What this does not show', listText(report.caveats.map(plainText), width)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** A table of one line that repeats another table is left out. */
function lineSections(report: Report, width: number, linesMax: number): string[][] {
  const { byStrategy, byLiquidity, byGroup, byMarket } = report;
  const tables = [
    { title: 'By strategy', lines: byStrategy },
    { title: 'Makers and takers', lines: byLiquidity.length > 1 ? byLiquidity : [] },
    { title: 'By event group', lines: byGroup.length > 1 ? byGroup : [] },
    { title: 'By market', lines: byMarket },
  ];
  const allLines = tables.map(({ lines }) => lines);
  const columns = fittingColumns(allLines, width);
  const texts = tables.map(({ title, lines }) => section(title, linesText(lines, { columns, width, linesMax })));
  const last = texts.findLast((text) => text.length > 0);
  last?.push(...leftOutColumnsText(columns));
  return texts;
}

const section = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : [title, ...lines]);

function headText(report: Report, width: number): string[] {
  const { run } = report;
  const length = durationText(run.to - run.from);
  return [
    `${plainText(run.name)} · ${run.kind}`,
    ...indented(
      `${timeText(run.from)} to ${timeText(run.to)} UTC (${length})${run.events === 0 ? '' : `, ${countedNoun(run.events, 'event')}`}`,
      width,
    ),
    ...(run.decisionHash === '' ? [] : [`  decisions ${run.decisionHash.slice(0, 16)}, seed ${run.seed}`]),
    '',
    ...indented(`${report.headline} ${proofText(report)}`, width),
  ];
}

const indented = (text: string, width: number): string[] => wrappedText(text, width - 2).map((line) => `  ${line}`);

function splitText({ split }: Report, width: number): string[] {
  const rows = PROFIT_PARTS.filter(({ part, isAlways }) => isAlways || split[part] !== 0).map(
    ({ part, name, means }) => [name, signedExact(split[part]), means] as const,
  );
  return factsText([...rows, ['Profit', signedExact(split.profit), 'the sum, to the last millionth']], width);
}

const within = (interval: ConfidenceInterval | null, show: (value: number) => string): string =>
  interval === null
    ? 'no interval: fewer than two event groups'
    : `95%: ${show(interval.low)} to ${show(interval.high)}, by ${countedNoun(interval.groups, 'event group')}`;

function tradingText(report: Report, width: number): string[] {
  const { trading, expectancy, account } = report;
  const states = Object.entries(trading.byState)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([state, count]) => `${countText(count)} ${stateText(state)}`);
  return factsText(
    [
      ['Orders', countText(trading.orders), states.join(', ')],
      ...endsText(trading),
      ['Trades', countText(trading.fills), `${summedContracts(trading.qty)} contracts`],
      ['Fill ratio', shareText(trading.fillRatio), `contracts traded of ${summedContracts(trading.askedQty)} ordered`],
      ['Maker share', shareText(trading.makerShare), 'contracts that rested of those traded'],
      ['Turnover', roundedDollars(trading.turnover), turnsText(trading.turns)],
      ['Fees', roundedDollars(trading.fees), ''],
      [explainedName(report), signedRounded(explainedProfit(report)), within(account.interval, signedRounded)],
      ['Per contract, settled', centsEach(expectancy.perContract), within(expectancy.interval, centsEach)],
      ['Return per locked day', lockedReturnText(report), yearText(report)],
    ],
    width,
  );
}

/** The JSON has all reasons. */
const REASONS_MAX = 8;

const endsText = ({ ends }: Report['trading']): (readonly [string, string, string])[] =>
  ends
    .slice(0, REASONS_MAX)
    .map(({ state, reason, count }) => [`  ${stateText(state)}`, countText(count), plainText(reason)]);

const turnsText = (turns: number | null): string =>
  turns === null ? '' : `${decimalText(turns, 1)} times the capital that was locked on average`;

function riskText(report: Report, width: number): string[] {
  const { capital, account } = report;
  const { drawdown, share, underwaterMax } = report.drawdown;
  const fell =
    drawdown === null
      ? ''
      : `${shareText(share)} of ${roundedDollars(drawdown.peak)}, ${timeText(drawdown.peakAt)} to ${timeText(drawdown.troughAt)}${drawdown.recoveredAt === null ? ', not recovered' : ''}`;
  const facts: [string, string, string][] = [
    ['Equity', roundedDollars(account.closingEquity), `from ${roundedDollars(account.openingEquity)}`],
    ['Deepest drawdown', drawdown === null ? NO_VALUE : roundedDollars(-drawdown.depth), fell],
    ['Longest under water', durationText(underwaterMax), ''],
    ['Locked at most', roundedDollars(capital.lockedMax), capital.lockedMax === 0 ? '' : timeText(capital.lockedMaxAt)],
    ['Locked on average', capital.lockedMean === null ? NO_VALUE : roundedDollars(Math.round(capital.lockedMean)), ''],
    ['Locked dollar-days', decimalText(capital.lockedDollarDays, 2), ''],
  ];
  return factsText(facts, width);
}

const haltText = ({ halts }: Report, width: number): string[] =>
  halts.flatMap(({ at, scope, reason }) =>
    indented(`${timeText(at)}  ${plainText(scope)}: ${plainText(reason)}`, width),
  );

function coverageText({ coverage }: Report, width: number): string[] {
  if (coverage === null) return [];
  const { source, from, to, rows, share, gapCount, gapTime, partialGaps } = coverage;
  return factsText(
    [
      ['Tape', plainText(source), `${timeText(from)} to ${timeText(to)} UTC`],
      ['Rows', countText(rows), ''],
      ['Time covered', shareText(share, 2), `${countedNoun(gapCount, 'gap')}, ${durationText(gapTime)} in all`],
      ...(partialGaps === 0 ? [] : [['Gaps of some markets', countText(partialGaps), ''] as const]),
    ],
    width,
  );
}
