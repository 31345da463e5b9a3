// Routes of a bot's history: sessions, trades, orders, profit, fees, alarms. The units are those of `api-schemas.ts`.
import { createRoute, z } from '@hono/zod-openapi';
import { COMMON_PROBLEMS } from './read-routes.ts';
import { ORDER_QUERY_STATES } from '../../history/facts/fact-rows.ts';
import { chartSchema } from './api-schemas.ts';
import { botParams, chartQuery, marketParams, orderParams } from './view-schemas.ts';

const text = z.string();
const int = z.int();
const flag = z.union([z.literal(0), z.literal(1)]);
const side = z.enum(['buy', 'sell']);

const sessionRow = z
  .object({
    session: text,
    journal: text,
    profile: z.nullable(text),
    isPaper: flag,
    startedUs: int,
    endedUs: z.nullable(int),
    lastUs: int,
    how: text,
    version: z.nullable(text),
    configHash: z.nullable(text),
    /** 0: the first files of the session are gone. */
    isWhole: flag,
    cashStartMicros: z.nullable(int),
    orders: int,
    fills: int,
    feeMicros: int,
    realizedMicros: int,
  })
  .openapi('HistorySession');

const tradeRow = z
  .object({
    tradeId: text,
    atUs: int,
    venueUs: z.nullable(int),
    session: text,
    strategy: text,
    ticker: text,
    series: z.nullable(text),
    side,
    price: int,
    qty: int,
    feeMicros: int,
    cashMicros: int,
    realizedMicros: int,
    isTaker: flag,
    clientOrderId: z.nullable(text),
    venueOrderId: text,
  })
  .openapi('HistoryTrade');

const orderRow = z
  .object({
    clientOrderId: text,
    venueOrderId: z.nullable(text),
    session: text,
    strategy: text,
    ticker: text,
    side,
    price: int,
    qty: int,
    filledQty: int,
    state: text,
    sentUs: int,
    endedUs: z.nullable(int),
    endWhy: z.nullable(text),
    causeSeq: z.nullable(int),
  })
  .openapi('HistoryOrder');
export type HistoryOrder = z.output<typeof orderRow>;

const orderLife = orderRow
  .extend({
    states: z.array(z.object({ seq: int, atUs: int, state: text, why: text })),
    fills: z.array(tradeRow),
  })
  .openapi('HistoryOrderLife');

const heldRow = z
  .object({
    ticker: text,
    qty: int,
    costMicros: int,
    realizedMicros: int,
    feeMicros: int,
    mark: int,
    valueMicros: int,
    atUs: int,
  })
  .openapi('HistoryPosition');
export type HistoryPosition = z.output<typeof heldRow>;

const profitRow = z
  .object({
    group: text,
    fills: int,
    contracts: int,
    cashMicros: int,
    feeMicros: int,
    paidMicros: int,
    markMicros: int,
    profitMicros: int,
  })
  .openapi('HistoryProfit');
export type HistoryProfit = z.output<typeof profitRow>;

const feeRow = z
  .object({ group: text, makerFills: int, makerFeeMicros: int, takerFills: int, takerFeeMicros: int })
  .openapi('HistoryFees');

const eventRow = z
  .object({
    atUs: int,
    session: text,
    seq: int,
    kind: text,
    code: text,
    scope: text,
    who: text,
    text,
    micros: z.nullable(int),
  })
  .openapi('HistoryEvent');

const moment = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .optional();
const name = text.min(1).max(200).optional();

/** Filter, page and format of a request for history. Times are microseconds since the Unix epoch. */
export const historyQuery = z.object({
  from: moment,
  to: moment,
  strategy: name,
  market: name,
  session: name,
  /** Only orders in this state; `open`: every order that has not ended. */
  state: z.enum(ORDER_QUERY_STATES).optional(),
  /** Kinds of events, separated by commas. */
  kind: name,
  by: z.enum(['day', 'strategy', 'market', 'series']).default('day'),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,3}$/)
    .optional()
    .transform((digits) => Math.min(1000, Number(digits ?? 200))),
  cursor: z
    .string()
    .regex(/^[\w-]{1,600}$/)
    .optional(),
  format: z.enum(['json', 'csv', 'parquet']).default('json'),
});
export type HistoryQuery = z.output<typeof historyQuery>;

const page = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row), next: z.nullable(text) });

const file = z.string().openapi({ format: 'binary' });

const rows = <Schema extends z.ZodType>(schema: Schema) => ({
  200: {
    content: {
      'application/json': { schema },
      'text/csv': { schema: file },
      'application/vnd.apache.parquet': { schema: file },
    },
    description: 'The rows, the newest first',
  },
  ...COMMON_PROBLEMS,
});

const request = { params: botParams, query: historyQuery };

const listRoute = <const List extends string, Row extends z.ZodType>(list: List, summary: string, row: Row) =>
  createRoute({
    method: 'get',
    path: `/api/v1/bots/{bot}/history/${list}`,
    summary,
    request,
    responses: rows(page(row)),
  });

export const historySessionsRoute = listRoute('sessions', 'Sessions of all journals', sessionRow);

export const historyTradesRoute = listRoute('trades', 'Our trades', tradeRow);

export const historyOrdersRoute = listRoute('orders', 'Our orders', orderRow);

export const historyOrderRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/history/orders/{id}',
  summary: 'One order of any session, with its states and fills',
  request: { params: orderParams },
  responses: {
    200: { content: { 'application/json': { schema: orderLife } }, description: 'The order' },
    ...COMMON_PROBLEMS,
  },
});

export const historyPositionsRoute = listRoute('positions', 'Positions as of the last entry of the journals', heldRow);

export const historyProfitRoute = listRoute('pnl', 'Profit by day, strategy, market or series', profitRow);

export const historyFeesRoute = listRoute('fees', 'Fees by day, strategy, market or series', feeRow);

export const historyAlarmsRoute = listRoute(
  'alarms',
  'Sessions, halts, operator’s actions, alarms and settlements of all journals',
  eventRow,
);

export const historyChartRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/history/markets/{ticker}/chart',
  summary: 'Best prices of a market and our own, with our fills, from the journals',
  description:
    'In the form of the live chart, for the time before the console or the page was opened. Prices are the last of each ' +
    'minute and are kept for three days; fills and orders are kept for good. At most 5000 quotes, orders and fills of ' +
    'the span are read, the newest.',
  request: { params: marketParams, query: chartQuery },
  responses: {
    200: { content: { 'application/json': { schema: chartSchema } }, description: 'Columns of equal length' },
    ...COMMON_PROBLEMS,
  },
});
