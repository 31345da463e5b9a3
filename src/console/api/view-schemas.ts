// Bodies of a bot's views, and of the live stream. The units are those of `api-schemas.ts`.
import { z } from '@hono/zod-openapi';
import {
  followFrameSchema,
  limitUseSchema,
  liveEventSchema,
  liveOrderSchema,
  liveSessionSchema,
  liveStrategySchema,
  marketDetailSchema,
  strategyRemarkSchema,
} from '../../runtime/follow/follow-messages.ts';
import { botRowSchema, marketsPageSchema, processSchema } from './api-schemas.ts';

const text = z.string();
const int = z.int();
const asOfUs = z.nullable(int);

const secret = text.min(1).max(200);

/** A login with a token of the token file, or with the one-time code of the printed link. */
export const loginBodySchema = z
  .union([z.strictObject({ token: secret }), z.strictObject({ code: secret })])
  .openapi('Login');

export const botsSchema = z.object({ bots: z.array(botRowSchema) }).openapi('Bots');

/** A page of orders. `cursor` is `null` on the last page. */
export const ordersPageSchema = z
  .object({ orders: z.array(liveOrderSchema), cursor: z.nullable(text), asOfUs })
  .openapi('OrdersPage');

export const orderSchema = z.object({ order: liveOrderSchema, asOfUs }).openapi('OrderDetail');

export const strategiesSchema = z.object({ strategies: z.array(liveStrategySchema), asOfUs }).openapi('Strategies');

const sessionParts = liveSessionSchema.shape;

/** Limits of the account and the strategies, the most used first. */
export const riskSchema = z
  .object({
    account: sessionParts.account,
    limits: z.array(limitUseSchema),
    groups: sessionParts.groups,
    overrides: sessionParts.overrides,
    asOfUs,
  })
  .openapi('Risk');

export const feedSchema = z
  .object({
    feed: sessionParts.feed,
    clock: sessionParts.clock,
    drift: sessionParts.drift,
    budgets: sessionParts.budgets,
    asOfUs,
  })
  .openapi('Feed');

export const timelineSchema = z.object({ events: z.array(liveEventSchema), asOfUs }).openapi('Timeline');

export const denialsSchema = z
  .object({
    denials: z.array(z.object({ strategy: text, code: text, count: int })),
    /** Newest first. */
    remarks: z.array(strategyRemarkSchema.extend({ strategy: text })),
    asOfUs,
  })
  .openapi('Denials');

export const marketSchema = z.object({ market: marketDetailSchema, asOfUs }).openapi('MarketDetail');

export const readySchema = z.object({ isReady: z.boolean() }).openapi('Ready');

const [hello, session, , , , orders, events, , detail, beat] = followFrameSchema.options;

/** Bodies of the live stream, by the name of the event. */
export const LIVE_EVENTS = {
  /** All bots, and the console's present time. `GET /live` sends this event. */
  overview: botsSchema.extend({ atUs: int }).openapi('Overview'),
  hello,
  session,
  marketsPage: marketsPageSchema,
  detail,
  orders,
  events,
  beat,
  /** The bot's process does not answer. The event is repeated meanwhile. */
  gone: z.object({ atUs: int, process: processSchema, isPaper: z.boolean() }),
  /** A remark of the console about the stream, such as a loss of events. */
  notice: z.object({ atUs: int, code: z.enum(['lost', 'no-such-market']), text }),
} as const;
export type LiveEventName = keyof typeof LIVE_EVENTS;
export type LiveBody<Name extends LiveEventName> = z.output<(typeof LIVE_EVENTS)[Name]>;

/** One event of the stream, for the OpenAPI document. */
export const liveMessageSchema = z
  .union([
    z.object({ event: z.literal('overview'), data: LIVE_EVENTS.overview }),
    z.object({ event: z.literal('hello'), data: LIVE_EVENTS.hello }),
    z.object({ event: z.literal('session'), data: LIVE_EVENTS.session }),
    z.object({ event: z.literal('marketsPage'), data: LIVE_EVENTS.marketsPage }),
    z.object({ event: z.literal('detail'), data: LIVE_EVENTS.detail }),
    z.object({ event: z.literal('orders'), data: LIVE_EVENTS.orders }),
    z.object({ event: z.literal('events'), data: LIVE_EVENTS.events }),
    z.object({ event: z.literal('beat'), data: LIVE_EVENTS.beat }),
    z.object({ event: z.literal('gone'), data: LIVE_EVENTS.gone }),
    z.object({ event: z.literal('notice'), data: LIVE_EVENTS.notice }),
  ])
  .openapi('LiveMessage');

const flag = z
  .enum(['true', 'false'])
  .optional()
  .transform((word) => word === 'true');
const wholeNumber = (max: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/)
    .optional()
    .transform((digits) => Math.min(max, Number(digits ?? usual)));

const ROWS_MAX = 1000;
const filterText = text.max(200).optional();

export const botParams = z.object({ bot: text.min(1).max(200) });
export const marketParams = botParams.extend({ ticker: text.min(1).max(200) });
export const orderParams = botParams.extend({ id: text.min(1).max(200) });
export const actionParams = botParams.extend({ id: text.min(1).max(200) });

/** Sorting, filter and rows of the table of markets. */
export const marketsQuery = z.object({
  q: filterText,
  sort: z.enum(['ours', 'ticker', 'status', 'trust', 'bid', 'ask', 'position', 'day', 'closes']).default('ours'),
  ours: flag,
  /** The first row, and the row after the last. */
  from: wholeNumber(1_000_000, 0),
  to: wholeNumber(1_000_000, 100),
});
export type MarketsQuery = z.output<typeof marketsQuery>;

export const chartQuery = z.object({
  /** Microseconds since the Unix epoch. @default all points that are kept. */
  from: wholeNumber(Number.MAX_SAFE_INTEGER, 0),
  to: wholeNumber(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  points: wholeNumber(5000, 1000),
});
export type ChartQuery = z.output<typeof chartQuery>;

export const ordersQuery = z.object({
  state: filterText,
  market: filterText,
  strategy: filterText,
  open: flag,
  limit: wholeNumber(ROWS_MAX, 200),
  cursor: filterText,
});
export type OrdersQuery = z.output<typeof ordersQuery>;

export const timelineQuery = z.object({
  from: wholeNumber(Number.MAX_SAFE_INTEGER, 0),
  to: wholeNumber(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  /** Kinds of events, separated by commas. */
  kind: filterText,
  limit: wholeNumber(ROWS_MAX, 500),
});
export type TimelineQuery = z.output<typeof timelineQuery>;

export const denialsQuery = z.object({ strategy: filterText });

export const liveQuery = marketsQuery.extend({
  view: z.enum(['session', 'markets', 'market', 'orders', 'events']).default('session'),
  market: filterText,
});
export type LiveQuery = z.output<typeof liveQuery>;
