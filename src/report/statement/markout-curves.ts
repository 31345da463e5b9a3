// Profit of a contract some time after the trade, before fees. A quote ahead at once and behind a minute later was
// picked off. Intervals are over event groups.
import { QTY_PER_CONTRACT } from '../../domain/units.ts';
import { type RatioPart, ratio, ratioInterval } from './intervals.ts';
import type { MarketsByTicker } from './report-lines.ts';
import type { MarkoutCurve, MarkoutHorizon, MarkoutPoint } from './report.ts';
import type { FillsNote, MarketNote, RunRecord } from '../record/run-record.ts';
import { isSettledNote } from './profit-split.ts';

/** Sums over trades with a known later price. `edge2` is twice their profit at that price. */
interface LaterEdge {
  readonly fills: number;
  readonly qty: number;
  readonly edge2: number;
}

const NONE: LaterEdge = { fills: 0, qty: 0, edge2: 0 };

const HORIZONS: Readonly<Record<MarkoutHorizon, (sum: FillsNote, market: MarketNote) => LaterEdge>> = {
  trade: ({ known }) => ({ fills: known.fills, qty: known.qty, edge2: known.mid2 - 2 * known.paid }),
  '1s': ({ after1s }) => after1s,
  '1m': ({ after1m }) => after1m,
  close: ({ known }, { closeMid2 }) =>
    closeMid2 === null ? NONE : { fills: known.fills, qty: known.qty, edge2: known.net * closeMid2 - 2 * known.paid },
  settlement: (sum, market) =>
    isSettledNote(market) ? { fills: sum.fills, qty: sum.qty, edge2: 2 * (sum.net * market.mark - sum.paid) } : NONE,
};
const NAMES: readonly MarkoutHorizon[] = ['trade', '1s', '1m', 'close', 'settlement'];

/** Returns three curves: all trades, maker trades and taker trades. */
export function markoutCurves(record: RunRecord, markets: MarketsByTicker): MarkoutCurve[] {
  return (['all', 'maker', 'taker'] as const).map((of) => {
    const sums = record.fillSums.filter(({ liquidity }) => of === 'all' || liquidity === of);
    return {
      of,
      fills: sums.reduce((total, { fills }) => total + fills, 0),
      points: NAMES.map((horizon) => pointOf(horizon, sums, markets)),
    };
  });
}

function pointOf(horizon: MarkoutHorizon, sums: readonly FillsNote[], markets: MarketsByTicker): MarkoutPoint {
  const groups = new Map<string, RatioPart>();
  let fills = 0;
  let qty = 0;
  let edge2 = 0;
  for (const sum of sums) {
    const market = markets.get(sum.ticker);
    const later = market === undefined ? NONE : HORIZONS[horizon](sum, market);
    if (market === undefined || later.fills === 0) continue;
    fills += later.fills;
    qty += later.qty;
    edge2 += later.edge2;
    const part = groups.get(market.eventTicker) ?? { over: 0, under: 0 };
    const over = part.over + (later.edge2 / 2) * QTY_PER_CONTRACT;
    groups.set(market.eventTicker, { over, under: part.under + later.qty });
  }
  const perContract = ratio((edge2 / 2) * QTY_PER_CONTRACT, qty);
  return { horizon, fills, qty, perContract, interval: ratioInterval([...groups.values()]) };
}

/** Returns the curves worth showing. The curve of all trades needs both maker and taker trades. */
export const distinctCurves = (curves: readonly MarkoutCurve[]): MarkoutCurve[] =>
  curves.filter(({ of, fills }) => fills > 0 && (of !== 'all' || curves.every((each) => each.fills > 0)));
