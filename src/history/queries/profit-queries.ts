// Profit and fees by day, strategy, market or series. Profit is cash of fills and payouts, less fees, plus the change
// of marks. Deposits are no part of it.
import type { HistoryStore } from '../store/history-store.ts';
import { type HistoryFilter, conditionsOf, endDayOf, firstDayOf } from './history-filter.ts';

/** Groups of a profit. */
export const PROFIT_GROUPS = ['day', 'strategy', 'market', 'series'] as const;
export type ProfitGroup = (typeof PROFIT_GROUPS)[number];

/** The profit of a group. Amounts in millionths of a dollar. */
export interface ProfitRow {
  /** A day as `2026-11-23`, or the name of a strategy, market or series; may be empty. */
  readonly group: string;
  readonly fills: number;
  /** Traded quantity in hundredths of a contract. */
  readonly contracts: number;
  /** Change of cash by fills before fees. */
  readonly cashMicros: number;
  readonly feeMicros: number;
  /** Payouts of settled markets. */
  readonly paidMicros: number;
  /** Change of the positions' value at their marks. Positions that came from elsewhere are left out. */
  readonly markMicros: number;
  readonly profitMicros: number;
}

const GROUP_SQL: Readonly<Record<ProfitGroup, string>> = {
  day: "date(k.day * 86400, 'unixepoch')",
  strategy: 'k.strategy',
  market: 'm.ticker',
  series: "coalesce(g.series, '')",
};

const SUMS = `sum(k.fills) AS fills, sum(k.contracts) AS contracts, sum(k.cash_micros) AS cashMicros,
  sum(k.fee_micros) AS feeMicros, sum(k.paid_micros) AS paidMicros,
  sum(k.profit_micros - k.cash_micros + k.fee_micros - k.paid_micros) AS markMicros, sum(k.profit_micros) AS profitMicros`;

/** Sums the profit by group. Times are rounded to whole UTC days. */
export function sumProfit(store: HistoryStore, by: ProfitGroup, filter: HistoryFilter = {}): ProfitRow[] {
  const { fromUs, toUs, strategy, market } = filter;
  const { sql, values } = conditionsOf(
    {
      ...(fromUs !== undefined && { fromUs: firstDayOf(fromUs) }),
      ...(toUs !== undefined && { toUs: endDayOf(toUs) }),
      ...(strategy !== undefined && { strategy }),
      ...(market !== undefined && { market }),
    },
    { at: 'k.day', strategy: 'k.strategy', market: 'm.ticker' },
  );
  return store.all<ProfitRow>(
    `SELECT ${GROUP_SQL[by]} AS "group", ${SUMS} FROM mark k JOIN market m ON m.id = k.market_id
      LEFT JOIN event_group g ON g.name = m.event_group WHERE 1${sql} GROUP BY 1 ORDER BY 1`,
    values,
  );
}

/** Fees of a group. */
export interface FeeRow {
  readonly group: string;
  readonly makerFills: number;
  readonly makerFeeMicros: number;
  readonly takerFills: number;
  readonly takerFeeMicros: number;
}

const FEE_GROUP_SQL: Readonly<Record<ProfitGroup, string>> = {
  ...GROUP_SQL,
  day: "date(coalesce(f.venue_us, f.at_us) / 1000000, 'unixepoch')",
  strategy: 'f.strategy',
};

/** Sums maker fees and taker fees by group. */
export function sumFees(store: HistoryStore, by: ProfitGroup, filter: HistoryFilter = {}): FeeRow[] {
  const columns = {
    at: 'coalesce(f.venue_us, f.at_us)',
    strategy: 'f.strategy',
    market: 'm.ticker',
    session: 's.name',
  };
  const { sql, values } = conditionsOf(filter, columns);
  return store.all<FeeRow>(
    `SELECT ${FEE_GROUP_SQL[by]} AS "group", sum(1 - f.is_taker) AS makerFills,
      sum((1 - f.is_taker) * f.fee_micros) AS makerFeeMicros, sum(f.is_taker) AS takerFills,
      sum(f.is_taker * f.fee_micros) AS takerFeeMicros
      FROM fill f JOIN market m ON m.id = f.market_id JOIN session s ON s.id = f.session_id
      LEFT JOIN event_group g ON g.name = m.event_group WHERE 1${sql} GROUP BY 1 ORDER BY 1`,
    values,
  );
}
