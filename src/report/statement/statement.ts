// Converts a run's record to a report. Money is divided only to form ratios. Every formula is in
// docs/how-to/read-a-report.md.
import { QTY_PER_CONTRACT } from '../../domain/units.ts';
import { assumptionsOf, caveatsOf } from './caveats.ts';
import { coverageOf } from './tape-coverage.ts';
import { forecastScores } from './forecast-scores.ts';
import { type RatioPart, ratio, ratioInterval, sumInterval } from './intervals.ts';
import { type MarketsByTicker, LINE_NAMINGS, linesOf, marketsByTicker } from './report-lines.ts';
import { markoutCurves } from './markout-curves.ts';
import {
  type CapitalFigures,
  type DrawdownFigures,
  type Expectancy,
  type ReportLine,
  REPORT_VERSION,
  type Report,
  type ProfitSplit,
  type TradingFigures,
} from './report.ts';
import type { RunRecord } from '../record/run-record.ts';
import { explainedProfit } from './profit-parts.ts';
import { NO_SPLIT, addSplits, equities, isSettledNote } from './profit-split.ts';
import { resultText } from '../text/result-text.ts';

/** Fewer settled markets prove nothing: a rule of thumb among traders of prediction markets, not theory. */
const MARKETS_MIN = 30;
const MONEY_PER_DOLLAR = 1_000_000;
const DAY = 86_400_000_000;

/** Returns the report of a run. */
export function reportOfRun(record: RunRecord): Report {
  const markets = marketsByTicker(record);
  const byGroup = linesOf(record, markets, LINE_NAMINGS.group);
  const account = accountOf(record, byGroup);
  const split = accountSplit(byGroup, account.profit);
  const capital = capitalOf(record, explainedProfit({ split }));
  const expectancy = expectancyOf(record, markets);
  const coverage = record.coverage && coverageOf(record.coverage);
  const result = { ...outcomeOf(record), account };
  return {
    version: REPORT_VERSION,
    headline: resultText({ ...result, split }),
    ...result,
    split,
    trading: tradingOf(record, capital.lockedMean),
    drawdown: drawdownOf(record),
    capital,
    expectancy,
    markouts: markoutCurves(record, markets),
    byStrategy: linesOf(record, markets, LINE_NAMINGS.strategy),
    byLiquidity: linesOf(record, markets, LINE_NAMINGS.liquidity),
    bySeries: linesOf(record, markets, LINE_NAMINGS.series),
    byGroup,
    byMarket: linesOf(record, markets, LINE_NAMINGS.market),
    forecasts: forecastScores(record, markets),
    denials: [...record.denials].sort((a, b) => b.count - a.count),
    budgets: record.budgets.map((budget) => ({ ...budget, usedShare: ratio(budget.used, budget.allowed) })),
    coverage,
    assumptions: assumptionsOf(record),
    caveats: caveatsOf(record, { expectancy, split, coverage }),
    equity: record.equity,
    orders: record.orders.toSorted((a, b) => a.createdAt - b.createdAt),
    settlements: record.settlements,
    fills: record.fills,
  };
}

const outcomeOf = (record: RunRecord): Pick<Report, 'run' | 'fillCount' | 'halts' | 'faults' | 'neverReady'> => ({
  run: runOf(record),
  fillCount: record.fillSums.reduce((sum, { fills }) => sum + fills, 0),
  halts: record.halts,
  faults: record.halts.filter(({ by }) => by === 'fault'),
  neverReady: record.neverReady,
});

function accountOf(record: RunRecord, byGroup: readonly ReportLine[]): Report['account'] {
  const { opening, closing } = equities(record);
  return {
    openingCash: record.openingCash,
    closingCash: record.closingCash,
    openingEquity: opening,
    closingEquity: closing,
    profit: closing - opening,
    interval: sumInterval(byGroup.filter(hasOutcome).map((line) => line.split.profit)),
  };
}

/** True for a group with trades, or with a position from before the run that has moved. */
const hasOutcome = ({ fills, split }: ReportLine): boolean => fills > 0 || split.carried !== 0;

const runOf = (record: RunRecord): Report['run'] => ({
  kind: record.kind,
  name: record.name,
  from: record.from,
  to: record.to,
  isPartial: record.isPartial,
  seed: record.seed,
  decisionHash: record.decisionHash,
  strategies: record.strategies,
  models: record.models,
  events: record.events,
  mids: record.mids,
});

/** The account's gain beyond the parts of all markets is unexplained. */
function accountSplit(lines: readonly ReportLine[], profit: number): ProfitSplit {
  const parts = lines.reduce((sum, line) => addSplits(sum, line.split), NO_SPLIT);
  return addSplits(parts, { ...NO_SPLIT, unexplained: profit - parts.profit });
}

function tradingOf({ orderSums, orderEnds, fillSums }: RunRecord, lockedMean: number | null): TradingFigures {
  const byState: Record<string, number> = {};
  for (const sum of orderSums)
    for (const [state, count] of Object.entries(sum.byState)) byState[state] = (byState[state] ?? 0) + count;
  const orders = (of: 'orders' | 'qty' | 'traded'): number => orderSums.reduce((total, sum) => total + sum[of], 0);
  const fills = (of: 'fills' | 'qty' | 'turnover' | 'fees'): number =>
    fillSums.reduce((total, sum) => total + sum[of], 0);
  const makerQty = fillSums.reduce((total, { liquidity, qty }) => total + (liquidity === 'maker' ? qty : 0), 0);
  return {
    orders: orders('orders'),
    byState,
    ends: orderEnds,
    askedQty: orders('qty'),
    ordersTraded: orders('traded'),
    fills: fills('fills'),
    qty: fills('qty'),
    fillRatio: ratio(fills('qty'), orders('qty')),
    makerShare: ratio(makerQty, fills('qty')),
    turnover: fills('turnover'),
    turns: lockedMean === null ? null : ratio(fills('turnover'), lockedMean),
    fees: fills('fees'),
    fillsWithMid: fillSums.reduce((total, { known }) => total + known.fills, 0),
  };
}

function drawdownOf({ figures }: RunRecord): DrawdownFigures {
  const { drawdown, underwaterMax } = figures;
  return { drawdown, share: drawdown === null ? null : ratio(drawdown.depth, drawdown.peak), underwaterMax };
}

/**
 * The modified Dietz return of the locked money (Dietz, 1966), for a day, and times 365 without compounding. A contract
 * ties up its price until settlement, so profit is divided by dollar-days. A return on the balance would depend on idle
 * cash. A Sharpe ratio assumes bell curves, but payoffs are all or nothing.
 */
function capitalOf({ figures, from, to }: RunRecord, profit: number): CapitalFigures {
  const { lockedMax, lockedMaxAt, lockedDollarDays } = figures;
  const days = (to - from) / DAY;
  const returnPerDay = ratio(profit / MONEY_PER_DOLLAR, lockedDollarDays);
  return {
    lockedMax,
    lockedMaxAt,
    lockedMean: ratio(lockedDollarDays * MONEY_PER_DOLLAR, days),
    lockedDollarDays,
    returnPerDay,
    returnPerYear: returnPerDay === null ? null : returnPerDay * 365,
  };
}

function expectancyOf(record: RunRecord, markets: MarketsByTicker): Expectancy {
  const traded = new Set(record.fillSums.filter(({ fills }) => fills > 0).map(({ ticker }) => ticker));
  // Positions from before the run are not trades of the run.
  const settled = record.markets
    .filter((market) => isSettledNote(market) && traded.has(market.ticker))
    .map((market) => ({ ...market, openingHeld: 0 }));
  const names = new Set(settled.map(({ ticker }) => ticker));
  const own = { ...record, markets: settled, fillSums: record.fillSums.filter(({ ticker }) => names.has(ticker)) };
  const lines = linesOf({ ...own, orderSums: [] }, markets, LINE_NAMINGS.group);
  const parts: RatioPart[] = lines.map(({ split, qty }) => ({ over: split.profit * QTY_PER_CONTRACT, under: qty }));
  const qty = lines.reduce((sum, line) => sum + line.qty, 0);
  const profit = lines.reduce((sum, line) => sum + line.split.profit, 0);
  const interval = ratioInterval(parts);
  return {
    settledMarkets: settled.length,
    groups: lines.length,
    qty,
    profit,
    perContract: ratio(profit * QTY_PER_CONTRACT, qty),
    interval,
    marketsMin: MARKETS_MIN,
    verdict: verdictOf(settled.length, interval),
  };
}

function verdictOf(settledMarkets: number, interval: Expectancy['interval']): Expectancy['verdict'] {
  if (settledMarkets < MARKETS_MIN || interval === null) return 'proves-nothing';
  if (interval.low > 0) return 'gain';
  return interval.high < 0 ? 'loss' : 'not-distinguishable';
}
