// Notices of the engine as records of `run --json`, for programs. Pure. docs/reference/run-records.md describes the
// members. Amounts are whole numbers in the units of domain/units.ts.
import { scopeText } from '../../app/operate/halt-text.ts';
import { describeDenial } from '../../domain/denial.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Intent } from '../../domain/intent.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Micros } from '../../domain/units.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { DenialCount } from '../../runtime/session/repeated-denials.ts';
import { noticeText } from './notice-text.ts';

/** A record: its type and its members. */
export type RunRecord = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The wall-clock time of a record: ISO 8601 in UTC, and microseconds since the Unix epoch. */
export const timeMembers = (at: Micros): { readonly at: string; readonly atUs: Micros } => ({
  at: new Date(at / 1000).toISOString(),
  atUs: at,
});

/** Renders a notice as a record. `null` for a notice without use to programs. */
export function noticeRecord(notice: Notice, tickers: TickerTable): RunRecord | null {
  switch (notice.type) {
    case 'order':
      return orderRecord(notice, tickers);
    case 'fill':
      return fillRecord(notice, tickers);
    case 'denied':
      return deniedRecord(notice, tickers);
    case 'alarm': {
      const { type, code, text, figures } = notice;
      return { type, code, text, figures };
    }
    case 'phase':
      return withText(notice, tickers, { phase: notice.phase, why: notice.why });
    case 'feed':
    case 'private-feed':
      return { type: notice.type, isUp: notice.isUp, reason: notice.reason };
    case 'halt':
    case 'resumed':
    case 'withdrawn':
    case 'flattening':
    case 'flattened':
    case 'override':
      return operatorRecord(notice, tickers);
    case 'trust':
    case 'market':
    case 'settled':
      return marketRecord(notice, tickers);
    case 'rate-limited':
    case 'read-failed':
    case 'position-drift':
    case 'cash-drift':
      return troubleRecord(notice, tickers);
    case 'approved':
    case 'barred':
    case 'books':
    case 'canceled-for-us':
    case 'evicted':
    case 'forecast':
    case 'losses':
    case 'reconciled':
    case 'saved':
    case 'surprise':
    case 'suspicion':
    case 'unexpected-order':
      return null;
  }
}

const withText = (notice: Notice, tickers: TickerTable, members: Readonly<Record<string, unknown>>): RunRecord => ({
  type: notice.type,
  ...members,
  text: noticeText(notice, tickers),
});

const orderIds = ({ strategy, clientOrderId, venueOrderId }: Order): object => ({
  strategy,
  clientOrderId,
  venueOrderId,
});

function orderRecord({ order, from, to, why }: Extract<Notice, { type: 'order' }>, tickers: TickerTable): RunRecord {
  const { market, side, price, qty, filledQty } = order;
  const terms = { ticker: tickers.tickerOf(market), side, price, qty, filledQty };
  return { type: 'order', ...orderIds(order), ...terms, from, to, why };
}

function fillRecord({ fill, order, position }: Extract<Notice, { type: 'fill' }>, tickers: TickerTable): RunRecord {
  const { side, price, qty, fee, liquidity, tradeId } = fill;
  const ids = order === null ? { strategy: null, clientOrderId: null, venueOrderId: null } : orderIds(order);
  const ofOrder = { orderState: order?.state ?? null, filledQty: order?.filledQty ?? null };
  const figures = { tradeId, ticker: tickers.tickerOf(fill.market), side, price, qty, fee, liquidity };
  return { type: 'fill', ...ids, ...figures, ...ofOrder, position: position.qty };
}

function deniedRecord(
  { strategy, denial, intent }: Extract<Notice, { type: 'denied' }>,
  tickers: TickerTable,
): RunRecord {
  const ticker = tickerOfIntent(intent, tickers);
  return {
    type: 'denied',
    strategy,
    code: denial.code,
    text: describeDenial(denial),
    ticker,
    count: 1,
    denial,
    intent,
  };
}

/** Renders a number of equal denials. The first equal denial has an earlier record. */
export function repeatedDenialRecord(
  { strategy, code, market, text, count, span }: DenialCount,
  tickers: TickerTable,
): RunRecord {
  const ticker = market === null ? null : tickers.tickerOf(market);
  return { type: 'denied', strategy, code, text, ticker, count, spanMs: Math.round(span / 1000) };
}

const tickerOfIntent = (intent: Intent, tickers: TickerTable): string | null =>
  'market' in intent ? tickers.tickerOf(intent.market) : null;

const scopeMembers = (scope: HaltScope): object => ({
  scope: scopeText(scope),
  strategy: scope.type === 'strategy' ? scope.strategy : null,
  ticker: scope.type === 'market' ? scope.ticker : null,
});

type OperatorNotice = Extract<
  Notice,
  { type: 'halt' | 'resumed' | 'withdrawn' | 'flattening' | 'flattened' | 'override' }
>;

function operatorRecord(notice: OperatorNotice, tickers: TickerTable): RunRecord {
  const record = (members: object): RunRecord => withText(notice, tickers, { ...members });
  switch (notice.type) {
    case 'halt': {
      const { scope, by, reason, since } = notice.halt;
      const began = new Date(since / 1000).toISOString();
      return record({ ...scopeMembers(scope), by, reason, since: began, isCarried: notice.isCarried });
    }
    case 'resumed':
      return record({ ...scopeMembers(notice.scope), reason: notice.reason, lifted: notice.lifted.length });
    case 'withdrawn':
      return record({ ...scopeMembers(notice.scope), reason: notice.reason, orders: notice.orders });
    case 'flattening':
      return record({ reason: notice.reason, positions: notice.positions });
    case 'flattened': {
      const unclosed = notice.unclosed.map(({ market, qty, why }) => ({ ticker: tickers.tickerOf(market), qty, why }));
      return record({ why: notice.why, unclosed });
    }
    case 'override': {
      const { limit, value, strategy, until, reason } = notice.override;
      const ends = new Date(until / 1000).toISOString();
      return record({ limit, value, strategy, until: ends, reason, change: notice.change, why: notice.why });
    }
  }
}

type MarketNotice = Extract<Notice, { type: 'trust' | 'market' | 'settled' }>;

function marketRecord(notice: MarketNotice, tickers: TickerTable): RunRecord {
  switch (notice.type) {
    case 'trust': {
      const { trust, reason } = notice;
      return { type: 'trust', ticker: tickers.tickerOf(notice.market), trust, reason };
    }
    case 'market': {
      const { ticker, status } = notice.market;
      return withText(notice, tickers, { ticker, status, before: notice.before });
    }
    case 'settled': {
      const { ticker, result } = notice.market;
      return withText(notice, tickers, { ticker, result: result ?? null, held: notice.held, paid: notice.paid });
    }
  }
}

type TroubleNotice = Extract<Notice, { type: 'rate-limited' | 'read-failed' | 'position-drift' | 'cash-drift' }>;

function troubleRecord(notice: TroubleNotice, tickers: TickerTable): RunRecord {
  switch (notice.type) {
    case 'rate-limited': {
      const { budget, retryAfter } = notice;
      return withText(notice, tickers, { budget, retryAfterMs: retryAfter === null ? null : retryAfter / 1000 });
    }
    case 'read-failed':
      return withText(notice, tickers, { what: notice.what, reason: notice.reason, isRefused: notice.isRefused });
    case 'position-drift': {
      const { market, ours, theirs } = notice;
      return withText(notice, tickers, { ticker: tickers.tickerOf(market), ours, theirs });
    }
    case 'cash-drift':
      return withText(notice, tickers, { ours: notice.ours, theirs: notice.theirs });
  }
}
