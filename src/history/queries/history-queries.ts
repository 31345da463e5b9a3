// Questions to the history: sessions, trades, orders, timeline. Pages begin with the newest row. Amounts (`…Micros`)
// are in millionths of a dollar, prices in ten-thousandths. Quantities are in hundredths of a contract, times (`…Us`)
// in microseconds.
import { z } from 'zod';
import { contractsText } from '../../domain/amounts.ts';
import { qty } from '../../domain/units.ts';
import { CursorFault, type HistoryStore } from '../store/history-store.ts';
import { type HistoryFilter, type HistoryPage, type PageRequest, conditionsOf, readPage } from './history-filter.ts';

/** A session. */
export interface SessionRow {
  readonly session: string;
  readonly journal: string;
  readonly profile: string | null;
  readonly isPaper: 0 | 1;
  readonly startedUs: number;
  readonly endedUs: number | null;
  readonly lastUs: number;
  /** `open` until the end is known; `crashed` when another session began without an end, see also `markDeadSessions`. */
  readonly how: string;
  readonly version: string | null;
  readonly configHash: string | null;
  /** 0 when the session's first files are no longer kept. */
  readonly isWhole: 0 | 1;
  readonly cashStartMicros: number | null;
  readonly orders: number;
  readonly fills: number;
  readonly feeMicros: number;
  /** By the session's trades, and by payouts of what it held last. */
  readonly realizedMicros: number;
}

/** Lists sessions. */
export const listSessions = (
  store: HistoryStore,
  filter: HistoryFilter = {},
  page: PageRequest = {},
): HistoryPage<SessionRow> =>
  readPage<SessionRow>(
    store,
    {
      select: `SELECT s.id AS key, s.name AS session, s.journal, s.profile, s.is_paper AS isPaper,
        s.started_us AS startedUs, s.ended_us AS endedUs, s.last_us AS lastUs, s.how, s.version,
        s.config_hash AS configHash, s.is_whole AS isWhole, s.opened_cash_micros AS cashStartMicros,
        (SELECT count(*) FROM "order" o WHERE o.session_id = s.id) AS orders, coalesce(f.fills, 0) AS fills,
        coalesce(f.fees, 0) AS feeMicros, coalesce(f.realized, 0) + coalesce(p.realized, 0) AS realizedMicros
        FROM session s LEFT JOIN (SELECT session_id, count(*) AS fills, sum(fee_micros) AS fees,
          sum(realized_micros) AS realized FROM fill GROUP BY session_id) f ON f.session_id = s.id
        LEFT JOIN (SELECT session_id, sum(realized_micros) AS realized FROM payout GROUP BY session_id) p
          ON p.session_id = s.id`,
      conditions: conditionsOf(filter, { at: 's.started_us', session: 's.name' }),
      key: 's.id',
    },
    page,
  );

/** A trade of ours. */
export interface TradeRow {
  readonly tradeId: string;
  readonly atUs: number;
  /** By the venue's clock; `null` where the venue gives no time. */
  readonly venueUs: number | null;
  readonly session: string;
  readonly strategy: string;
  readonly ticker: string;
  readonly series: string | null;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly qty: number;
  readonly feeMicros: number;
  /** Change of cash before the fee. */
  readonly cashMicros: number;
  readonly realizedMicros: number;
  readonly isTaker: 0 | 1;
  readonly clientOrderId: string | null;
  readonly venueOrderId: string;
}

const TRADES = `SELECT f.id AS key, f.trade_id AS tradeId, f.at_us AS atUs, f.venue_us AS venueUs, s.name AS session,
  f.strategy, m.ticker, g.series, f.side, f.price, f.qty, f.fee_micros AS feeMicros, f.cash_micros AS cashMicros,
  f.realized_micros AS realizedMicros, f.is_taker AS isTaker, f.client_id AS clientOrderId, f.venue_id AS venueOrderId
  FROM fill f JOIN market m ON m.id = f.market_id JOIN session s ON s.id = f.session_id
  LEFT JOIN event_group g ON g.name = m.event_group`;

/** A list that was read shows its newest fill first, so the sequence of the rows is not that of the trades. */
const BY_TRADE_TIME = {
  key: 'f.id',
  time: {
    column: 'coalesce(f.venue_us, f.at_us)',
    ofKey: '(SELECT coalesce(venue_us, at_us) FROM fill WHERE id = ?)',
  },
};

/** Lists trades, the latest first. */
export const listTrades = (
  store: HistoryStore,
  filter: HistoryFilter = {},
  page: PageRequest = {},
): HistoryPage<TradeRow> => {
  const columns = {
    at: BY_TRADE_TIME.time.column,
    strategy: 'f.strategy',
    market: 'm.ticker',
    session: 's.name',
  };
  return readPage(store, { select: TRADES, conditions: conditionsOf(filter, columns), ...BY_TRADE_TIME }, page);
};

/** The names of all strategies that a session ran, or that have an order or a trade, sorted. */
export const listStrategies = (store: HistoryStore): string[] =>
  store
    .all<{ readonly name: string }>(
      `SELECT strategy AS name FROM fill UNION SELECT strategy FROM "order"
      UNION SELECT value FROM session, json_each(session.strategies) ORDER BY name`,
    )
    .map(({ name }) => name);

/** An order. */
export interface OrderRow {
  readonly clientOrderId: string;
  readonly venueOrderId: string | null;
  readonly session: string;
  readonly strategy: string;
  readonly ticker: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly qty: number;
  readonly filledQty: number;
  readonly state: string;
  readonly sentUs: number;
  readonly endedUs: number | null;
  readonly endWhy: string | null;
  /** Journal entry that led to the order. */
  readonly causeSeq: number | null;
}

const ORDERS = `SELECT o.id AS key, o.client_id AS clientOrderId, o.venue_id AS venueOrderId, s.name AS session,
  o.strategy, m.ticker, o.side, o.price, o.qty, o.filled AS filledQty, o.state, o.made_us AS sentUs,
  o.ended_us AS endedUs, o.end_why AS endWhy, o.cause_seq AS causeSeq
  FROM "order" o JOIN market m ON m.id = o.market_id JOIN session s ON s.id = o.session_id`;

/**
 * Lists orders, the newest first.
 * @param filter `open` as the state: every order that has not ended.
 */
export function listOrders(
  store: HistoryStore,
  filter: HistoryFilter & { readonly state?: string } = {},
  page: PageRequest = {},
): HistoryPage<OrderRow> {
  const columns = { at: 'o.made_us', strategy: 'o.strategy', market: 'm.ticker', session: 's.name' };
  const { sql, values } = conditionsOf(filter, columns);
  const ofState = stateCondition(filter.state);
  const conditions = { sql: sql + ofState.sql, values: [...values, ...ofState.values] };
  return readPage<OrderRow>(store, { select: ORDERS, conditions, key: 'o.id' }, page);
}

/** A state that an order reached. */
export interface OrderStateRow {
  readonly seq: number;
  readonly atUs: number;
  readonly state: string;
  readonly why: string;
}

/** An order with its states and fills. */
export interface OrderLife extends OrderRow {
  readonly states: readonly OrderStateRow[];
  readonly fills: readonly TradeRow[];
}

/** Finds an order by our id or the venue's; `null` for an order in no journal. */
export function findOrder(store: HistoryStore, id: string): OrderLife | null {
  const conditions = { sql: ' AND (o.client_id = ? OR o.venue_id = ?)', values: [id, id] };
  const [order] = readPage<OrderRow>(store, { select: ORDERS, conditions, key: 'o.id' }, { limit: 1 }).rows;
  if (order === undefined) return null;
  const states = store.all<OrderStateRow>(
    `SELECT t.seq, t.at_us AS atUs, t.state, t.why FROM order_state t JOIN "order" o ON o.id = t.order_id
      WHERE o.client_id = ? ORDER BY t.n`,
    [order.clientOrderId],
  );
  const ofOrder = { sql: ' AND f.client_id = ?', values: [order.clientOrderId] };
  const { rows: fills } = readPage<TradeRow>(store, { select: TRADES, conditions: ofOrder, ...BY_TRADE_TIME }, {});
  return { ...order, states, fills: fills.toReversed() };
}

/** Kinds of rows of the timeline. */
export const TIMELINE_KINDS = [
  'session',
  'alarm',
  'halt',
  'resume',
  'cancel-all',
  'flatten',
  'override',
  'feed',
  'clock',
  'journal',
  'settlement',
  'cash',
] as const;

/** Something that happened. */
export interface TimelineRow {
  readonly atUs: number;
  readonly session: string;
  readonly seq: number;
  /** One of `TIMELINE_KINDS`. */
  readonly kind: string;
  readonly code: string;
  readonly scope: string;
  readonly who: string;
  readonly text: string;
  readonly micros: number | null;
}

/** The condition of a state; none for all orders. */
function stateCondition(state: string | undefined): { readonly sql: string; readonly values: readonly string[] } {
  if (state === undefined) return { sql: '', values: [] };
  return state === 'open'
    ? { sql: ' AND o.ended_us IS NULL', values: [] }
    : { sql: ' AND o.state = ?', values: [state] };
}

/** Code of a position at an opening that differs from that of the journals. */
const UNEXPLAINED = 'not in the journals';

const isUnexplained = ({ kind, code }: TimelineRow): boolean => kind === 'journal' && code === UNEXPLAINED;

/** Names both quantities in contracts. The row's text has them in hundredths. */
function heldText({ text }: TimelineRow): string {
  const [theirs = '', ours = ''] = text.split(' ').map((part) => contractsText(qty(Number(part))));
  return `the venue held ${theirs} contracts, the journals give ${ours}`;
}

const ROWS_OF_TIMELINE = `SELECT e.at_us AS atUs, s.name AS session, e.seq, e.kind, e.code, e.scope, e.who, e.text,
    NULL AS micros, e.n FROM event e JOIN session s ON s.id = e.session_id
  UNION ALL SELECT t.at_us, coalesce(s.name, ''), 0, 'settlement', coalesce(m.result, ''), 'market ' || m.ticker,
    'venue', m.ticker || ' was paid out', t.paid_micros, 0
    FROM payout t JOIN market m ON m.id = t.market_id LEFT JOIN session s ON s.id = t.session_id
  UNION ALL SELECT c.at_us, s.name, 0, 'cash', c.kind, 'account', '', 'cash moved: ' || c.kind, c.micros, 0
    FROM cash_move c JOIN session s ON s.id = c.session_id
  UNION ALL SELECT s.opened_us, s.name, 0, 'journal', '${UNEXPLAINED}', 'market ' || m.ticker, '',
    a.theirs || ' ' || a.ours, NULL, 0
    FROM adjustment a JOIN session s ON s.id = a.session_id JOIN market m ON m.id = a.market_id`;
const TIMELINE_ORDER = 'atUs DESC, session DESC, seq DESC, kind, scope, n';
const AFTER_CURSOR = ` AND ((atUs, session, seq) < (?, ?, ?)
  OR ((atUs, session, seq) = (?, ?, ?) AND (kind, scope, n) > (?, ?, ?)))`;
const cursorSchema = z.tuple([z.int(), z.string(), z.int(), z.string(), z.string(), z.int()]);

/** A row with its number among the events of its journal entry. */
interface NumberedRow extends TimelineRow {
  readonly n: number;
}

/** Lists the timeline, the newest first. The cursor is the last row's place, so new rows move no page. */
export function listTimeline(
  store: HistoryStore,
  filter: HistoryFilter & { readonly kinds?: readonly string[] } = {},
  { limit = Number.MAX_SAFE_INTEGER, cursor }: PageRequest = {},
): HistoryPage<TimelineRow> {
  const { sql, values } = conditionsOf(filter, { at: 'atUs', session: 'session' });
  const kinds = filter.kinds ?? [];
  const ofKind = kinds.length === 0 ? '' : ` AND kind IN (${kinds.map(() => '?').join(', ')})`;
  const after = cursor === undefined ? [] : placeOf(cursor);
  const more = limit === Number.MAX_SAFE_INTEGER ? limit : limit + 1;
  const found = store.all<NumberedRow>(
    `SELECT * FROM (${ROWS_OF_TIMELINE})
      WHERE 1${sql}${ofKind}${after.length === 0 ? '' : AFTER_CURSOR} ORDER BY ${TIMELINE_ORDER} LIMIT ?`,
    [...values, ...kinds, ...after, more],
  );
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows: rows.map(timelineRow), next: last === undefined ? null : cursorOf(last) };
}

function timelineRow({ n: _n, ...row }: NumberedRow): TimelineRow {
  return isUnexplained(row) ? { ...row, text: heldText(row) } : row;
}

const cursorOf = ({ atUs, session, seq, kind, scope, n }: NumberedRow): string =>
  Buffer.from(JSON.stringify([atUs, session, seq, kind, scope, n])).toString('base64url');

/** The values that `AFTER_CURSOR` binds. */
function placeOf(cursor: string): (number | string)[] {
  const place = cursorSchema.safeParse(parsedOrNull(Buffer.from(cursor, 'base64url').toString()));
  if (!place.success) throw new CursorFault(cursor);
  const [atUs, session, seq, ...within] = place.data;
  return [atUs, session, seq, atUs, session, seq, ...within];
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
