// The past of one market, for its chart: best prices, our fills, our orders, and the times without data. Must never
// answer without a bound on rows.
import { dayOf } from '../account/daily-fold.ts';
import type { HistoryStore } from '../store/history-store.ts';

/** A span of time in microseconds. Both ends are included. */
export interface TimeSpan {
  readonly fromUs: number;
  readonly toUs: number;
}

/** A market's past within a span of time, the oldest first. Prices in ten-thousandths of a dollar. */
export interface MarketPast {
  /** Last best prices of each minute. The first row may lie before the span. `null` where a side was empty. */
  readonly quotes: readonly { readonly atUs: number; readonly bid: number | null; readonly ask: number | null }[];
  readonly fills: readonly {
    readonly atUs: number;
    readonly side: 'buy' | 'sell';
    readonly price: number;
    readonly qty: number;
    readonly clientOrderId: string;
  }[];
  /** Times during which our orders were open. `toUs` is `null` while an order is open. */
  readonly orders: readonly {
    readonly fromUs: number;
    readonly toUs: number | null;
    readonly side: 'buy' | 'sell';
    readonly price: number;
  }[];
  /** Times without a session, or with the feed down. */
  readonly gaps: readonly TimeSpan[];
  /** Time of the last journal entry in the span. */
  readonly lastUs: number;
}

/** Most fills, orders and quotes within the span, each. */
export const PAST_ROWS_MAX = 5000;

/** Reads the past of a market. An unknown market has no past. */
export function readMarketPast(store: HistoryStore, ticker: string, span: TimeSpan): MarketPast {
  const { fromUs, toUs } = span;
  const [market] = store.all<{ id: number }>('SELECT id FROM market WHERE ticker = ?', [ticker]);
  const id = market?.id ?? -1;
  return {
    quotes: quotesOf(store, id, span),
    fills: store
      .all<MarketPast['fills'][number]>(
        `SELECT at_us AS atUs, side, price, qty, coalesce(client_id, venue_id) AS clientOrderId FROM fill
          WHERE market_id = ? AND at_us >= ? AND at_us <= ? ORDER BY id DESC LIMIT ${PAST_ROWS_MAX}`,
        [id, fromUs, toUs],
      )
      .toReversed(),
    orders: store
      .all<MarketPast['orders'][number]>(
        `SELECT made_us AS fromUs, ended_us AS toUs, side, price FROM "order"
          WHERE market_id = ? AND made_us <= ? AND (ended_us IS NULL OR ended_us >= ?) AND state <> 'not-sent'
          ORDER BY id DESC LIMIT ${PAST_ROWS_MAX}`,
        [id, toUs, fromUs],
      )
      .toReversed(),
    ...coverageOf(store, span),
  };
}

type Quote = MarketPast['quotes'][number];

function quotesOf(store: HistoryStore, market: number, { fromUs, toUs }: TimeSpan): readonly Quote[] {
  const [kept] = store.all<{ first: number | null; last: number | null }>(
    'SELECT (SELECT min(day) FROM quote) AS first, (SELECT max(day) FROM quote) AS last',
  );
  const first = Math.max(dayOf(fromUs), kept?.first ?? 0);
  const select = 'SELECT at_us AS atUs, bid, ask FROM quote WHERE day = ? AND market_id = ?';
  const rows: Quote[] = [];
  for (let day = Math.min(dayOf(toUs), kept?.last ?? -1); day >= first && rows.length < PAST_ROWS_MAX; day--) {
    const sql = `${select} AND at_us >= ? AND at_us <= ? ORDER BY minute DESC LIMIT ?`;
    rows.push(...store.all<Quote>(sql, [day, market, fromUs, toUs, PAST_ROWS_MAX - rows.length]));
  }
  const earlier = `${select} AND at_us < ? ORDER BY minute DESC LIMIT 1`;
  return [...store.all<Quote>(earlier, [first, market, fromUs]), ...rows.toReversed()];
}

interface Mark {
  readonly atUs: number;
  readonly isUp: 0 | 1;
}

/** Times without data, and the last entry, from the sessions and the losses of their feeds. */
function coverageOf(store: HistoryStore, { fromUs, toUs }: TimeSpan): Pick<MarketPast, 'gaps' | 'lastUs'> {
  const marks = store
    .all<Mark>(
      `SELECT * FROM (SELECT started_us AS atUs, 1 AS isUp FROM session WHERE started_us <= ? AND last_us >= ?
      UNION ALL SELECT last_us, 0 FROM session WHERE started_us <= ? AND last_us >= ?
      UNION ALL SELECT at_us, code = 'up' FROM event WHERE kind = 'feed' AND at_us <= ? AND at_us >= ?)
      ORDER BY atUs DESC, isUp DESC LIMIT ${PAST_ROWS_MAX}`,
      [toUs, fromUs, toUs, fromUs, toUs, fromUs],
    )
    .toReversed();
  const [before] = store.all<{ code: string }>(
    "SELECT code FROM event WHERE kind = 'feed' AND at_us < ? ORDER BY at_us DESC, session_id DESC, seq DESC LIMIT 1",
    [fromUs],
  );
  const lost: Mark[] = before?.code === 'down' ? [{ atUs: fromUs, isUp: 0 }] : [];
  const passed = marks.toSpliced(firstAfter(marks, fromUs), 0, ...lost);
  const gaps: { fromUs: number; toUs: number }[] = [];
  let lostUs: number | null = fromUs;
  for (const { atUs, isUp } of passed) {
    if (isUp === 0) lostUs ??= atUs;
    else {
      if (lostUs !== null && atUs > lostUs) gaps.push({ fromUs: lostUs, toUs: atUs });
      lostUs = null;
    }
  }
  const lastUs = Math.min(toUs, marks.at(-1)?.atUs ?? fromUs);
  if (lostUs !== null && lostUs < toUs) gaps.push({ fromUs: lostUs, toUs });
  return { gaps, lastUs };
}

function firstAfter(marks: readonly Mark[], atUs: number): number {
  const index = marks.findIndex((mark) => mark.atUs >= atUs);
  return index < 0 ? marks.length : index;
}
