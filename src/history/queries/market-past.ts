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
  const days = { firstDay: kept?.first ?? 0, lastDay: Math.min(dayOf(fromUs), kept?.last ?? -1) };
  return [...quoteBefore(store, market, { atUs: fromUs, ...days }), ...rows.toReversed()];
}

/** The last best prices before a time, also of an earlier day, down to the first day kept. */
function quoteBefore(store: HistoryStore, market: number, { atUs, firstDay, lastDay }: BeforeTime): readonly Quote[] {
  const sql = 'SELECT at_us AS atUs, bid, ask FROM quote WHERE day = ? AND market_id = ? AND at_us < ?';
  for (let day = lastDay; day >= firstDay; day--) {
    const found = store.all<Quote>(`${sql} ORDER BY minute DESC LIMIT 1`, [day, market, atUs]);
    if (found.length > 0) return found;
  }
  return [];
}

interface BeforeTime {
  readonly atUs: number;
  readonly firstDay: number;
  readonly lastDay: number;
}

/** A session that began to have data, or ended to. */
interface Mark {
  readonly atUs: number;
  readonly session: number;
  readonly isUp: 0 | 1;
}

/** Times in which no session had data, and the last entry, from the sessions and the losses of their feeds. */
function coverageOf(store: HistoryStore, span: TimeSpan): Pick<MarketPast, 'gaps' | 'lastUs'> {
  const { fromUs, toUs } = span;
  const marks = marksIn(store, span);
  // Where there are more marks than are read, the first one read says which sessions run.
  const running = runningAt(store, marks.length < PAST_ROWS_MAX ? fromUs : (marks[0]?.atUs ?? fromUs));
  const gaps: { fromUs: number; toUs: number }[] = [];
  let lostUs: number | null = running.size === 0 ? fromUs : null;
  for (const { atUs, session, isUp } of marks) {
    if (isUp === 1) running.add(session);
    else running.delete(session);
    if (running.size === 0) lostUs ??= atUs;
    else {
      if (lostUs !== null && atUs > lostUs) gaps.push({ fromUs: lostUs, toUs: atUs });
      lostUs = null;
    }
  }
  if (lostUs !== null && lostUs < toUs) gaps.push({ fromUs: lostUs, toUs });
  const [last] = store.all<{ atUs: number | null }>(
    'SELECT max(last_us) AS atUs FROM session WHERE started_us <= ? AND last_us >= ?',
    [toUs, fromUs],
  );
  return { gaps, lastUs: Math.min(toUs, last?.atUs ?? fromUs) };
}

/** The newest marks of a span, the oldest first. Of those at one time, a session's beginning is first and its end last. */
function marksIn(store: HistoryStore, { fromUs, toUs }: TimeSpan): Mark[] {
  return store
    .all<Mark>(
      `SELECT atUs, session, isUp FROM (
        SELECT started_us AS atUs, id AS session, 1 AS isUp, 0 AS part, 0 AS seq FROM session
        UNION ALL SELECT last_us, id, 0, 2, 0 FROM session
        UNION ALL SELECT at_us, session_id, code = 'up', 1, seq FROM event WHERE kind = 'feed')
      WHERE atUs >= ? AND atUs <= ? ORDER BY atUs DESC, part DESC, seq DESC LIMIT ${PAST_ROWS_MAX}`,
      [fromUs, toUs],
    )
    .toReversed();
}

/** The sessions that had data just before a time. */
function runningAt(store: HistoryStore, atUs: number): Set<number> {
  const sessions = store.all<{ session: number; feed: string | null }>(
    `SELECT id AS session, (SELECT code FROM event e WHERE e.session_id = s.id AND kind = 'feed' AND at_us < ?
        ORDER BY seq DESC, n DESC LIMIT 1) AS feed
      FROM session s WHERE started_us < ? AND last_us >= ?`,
    [atUs, atUs, atUs],
  );
  return new Set(sessions.filter(({ feed }) => feed !== 'down').map(({ session }) => session));
}
