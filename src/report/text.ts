// A report for a terminal: plain text, no colors, so that it can be piped. The sections that have nothing to say are left out.
import { factsText, listText, plainText, shortened, tableText, wrappedText } from './columns.ts';
import {
  NOTHING,
  centsEach,
  contractsText,
  countOf,
  countText,
  decimalText,
  dollarsText,
  durationText,
  shareText,
  signedCents,
  signedDollars,
  signedExact,
  signedShare,
  stateText,
  timeText,
} from './figures.ts';
import { tellingCurves } from './markout-curves.ts';
import { PARTS } from './parts.ts';
import type { Interval, Line, MarkoutCurve, Report } from './report.ts';
import { lockedReturnText, proofText, resultText, yearText } from './verdict.ts';

export interface TextOptions {
  /** Characters in a line. Default 100. */
  readonly width?: number;
  /** Markets and event groups in a table; default 15. All of them are in the JSON. */
  readonly linesMax?: number;
}

/** The report as text, ended by a line's end. */
export function renderText(report: Report, { width = 100, linesMax = 15 }: TextOptions = {}): string {
  const sections = [
    headText(report, width),
    section('Where the profit came from', splitText(report)),
    section('Trading', tradingText(report)),
    section('Risk and capital', riskText(report)),
    section('Markouts: ahead per contract, before fees', report.fillCount === 0 ? [] : markoutText(report.markouts)),
    section('By strategy', linesText(report.byStrategy, linesMax)),
    section('Rested and crossed', report.byLiquidity.length > 1 ? linesText(report.byLiquidity, linesMax) : []),
    section('By event group', report.byGroup.length > 1 ? linesText(report.byGroup, linesMax) : []),
    section('By market', linesText(report.byMarket, linesMax)),
    section('Forecasts', forecastText(report)),
    section('Denied by risk', denialText(report)),
    section('Rate budgets', budgetText(report)),
    section('Halts', haltText(report)),
    section('Coverage', coverageText(report)),
    section('Taken for granted', listText(report.assumptions.map(plainText), width)),
    section('What this does not tell', listText(report.caveats.map(plainText), width)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

const section = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : [title, ...lines]);

function headText(report: Report, width: number): string[] {
  const { run } = report;
  const length = durationText(run.to - run.from);
  return [
    `${plainText(run.name)} · ${run.kind}`,
    `  ${timeText(run.from)} to ${timeText(run.to)} UTC (${length})${run.events === 0 ? '' : `, ${countOf(run.events, 'event')}`}`,
    ...(run.decisionHash === '' ? [] : [`  decisions ${run.decisionHash.slice(0, 16)}, seed ${run.seed}`]),
    '',
    ...wrappedText(`${resultText(report)} ${proofText(report)}`, width - 2).map((line) => `  ${line}`),
  ];
}

function splitText({ split }: Report): string[] {
  const rows = PARTS.filter(({ part, isAlways }) => isAlways || split[part] !== 0).map(
    ({ part, name, means }) => [name, signedExact(split[part]), means] as const,
  );
  return factsText([...rows, ['Profit', signedExact(split.profit), 'the sum, to the last millionth']]);
}

const within = (interval: Interval | null, show: (value: number) => string): string =>
  interval === null
    ? 'no interval: fewer than two event groups'
    : `95%: ${show(interval.low)} to ${show(interval.high)}, by ${countOf(interval.groups, 'event group')}`;

function tradingText(report: Report): string[] {
  const { trading, expectancy, account } = report;
  const states = Object.entries(trading.byState)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([state, count]) => `${countText(count)} ${stateText(state)}`);
  return factsText([
    ['Orders', countText(trading.orders), states.join(', ')],
    ['Trades', countText(trading.fills), `${contractsText(trading.qty)} contracts`],
    ['Fill ratio', shareText(trading.fillRatio), `contracts traded of ${contractsText(trading.askedQty)} asked for`],
    ['Maker share', shareText(trading.makerShare), 'contracts that rested of those traded'],
    ['Turnover', dollarsText(trading.turnover), turnsText(trading.turns)],
    ['Fees', dollarsText(trading.fees), ''],
    ['Profit', signedDollars(account.profit), within(account.interval, signedDollars)],
    ['Per contract, settled', centsEach(expectancy.perContract), within(expectancy.interval, centsEach)],
    ['Return per locked day', lockedReturnText(report), yearText(report)],
  ]);
}

const turnsText = (turns: number | null): string =>
  turns === null ? '' : `${decimalText(turns, 1)} times the capital that was locked on average`;

function riskText({ drawdown: { drawdown, share, underwaterMax }, capital, account }: Report): string[] {
  const fell =
    drawdown === null
      ? ''
      : `${shareText(share)} of ${dollarsText(drawdown.peak)}, ${timeText(drawdown.peakAt)} to ${timeText(drawdown.troughAt)}${drawdown.recoveredAt === null ? ', not recovered' : ''}`;
  return factsText([
    ['Equity', dollarsText(account.closingEquity), `from ${dollarsText(account.openingEquity)}`],
    ['Deepest drawdown', drawdown === null ? NOTHING : dollarsText(-drawdown.depth), fell],
    ['Longest under water', durationText(underwaterMax), ''],
    ['Locked at most', dollarsText(capital.lockedMax), capital.lockedMax === 0 ? '' : timeText(capital.lockedMaxAt)],
    ['Locked on average', capital.lockedMean === null ? NOTHING : dollarsText(Math.round(capital.lockedMean)), ''],
    ['Locked dollar-days', decimalText(capital.lockedDollarDays, 2), ''],
  ]);
}

function markoutText(curves: readonly MarkoutCurve[]): string[] {
  const used = tellingCurves(curves);
  const head = [
    '',
    ...(curves[0]?.points.map(({ horizon }) => (horizon === 'trade' ? 'at once' : horizon)) ?? []),
    'trades',
  ];
  const rows = used.map(({ of, points, fills }) => [
    of,
    ...points.map(({ perContract }) => centsEach(perContract)),
    countText(fills),
  ]);
  return tableText(head, rows);
}

function linesText(lines: readonly Line[], most: number): string[] {
  if (lines.length === 0) return [];
  const half = Math.ceil(most / 2);
  const shown = lines.length <= most ? lines : [...lines.slice(0, half), ...lines.slice(lines.length - (most - half))];
  const rows = shown.map((line) => [
    shortened(plainText(line.name), 34),
    signedCents(line.split.profit),
    signedCents(line.split.spread),
    signedCents(line.split.adverse),
    signedCents(line.split.settlement + line.split.marked + line.split.unsplit + line.split.carried),
    signedCents(line.split.fees),
    countText(line.fills),
    contractsText(line.qty),
    shareText(line.fillRatio),
    centsEach(line.perContract),
  ]);
  const head = ['', 'profit', 'spread', 'adverse', 'holding', 'fees', 'trades', 'contracts', 'filled', 'each'];
  const left = lines.length - shown.length;
  return [...tableText(head, rows), ...(left > 0 ? [`  … ${countText(left)} between them`] : [])];
}

function forecastText({ forecasts }: Report): string[] {
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
  return tableText(head, rows);
}

function denialText({ denials }: Report): string[] {
  if (denials.length === 0) return [];
  return tableText(
    ['', 'strategy', 'times'],
    denials.map(({ code, strategy, count }) => [code, plainText(strategy), countText(count)]),
  );
}

function budgetText({ budgets }: Report): string[] {
  const rows = budgets.map(({ budget, used, allowed, usedShare, leastLeft, capacity, refused }) => [
    budget,
    countText(used),
    countText(allowed),
    shareText(usedShare),
    `${countText(leastLeft)} of ${countText(capacity)}`,
    countText(refused),
  ]);
  return rows.length === 0 ? [] : tableText(['', 'used', 'allowed', 'share', 'least left', 'refused'], rows);
}

const haltText = ({ halts }: Report): string[] =>
  halts.map(({ at, scope, reason }) => `  ${timeText(at)}  ${plainText(scope)}: ${plainText(reason)}`);

function coverageText({ coverage }: Report): string[] {
  if (coverage === null) return [];
  const { source, from, to, rows, share, gapCount, gapTime, partialGaps } = coverage;
  return factsText([
    ['Tape', plainText(source), `${timeText(from)} to ${timeText(to)} UTC`],
    ['Rows', countText(rows), ''],
    ['Time covered', shareText(share, 2), `${countOf(gapCount, 'gap')}, ${durationText(gapTime)} in all`],
    ...(partialGaps === 0 ? [] : [['Gaps of some markets', countText(partialGaps), ''] as const]),
  ]);
}
