// Bodies of the views of one bot, and the events of the live stream. Units as in `api-schemas.ts`.
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

/** The login: a token of the token file, or the one-time code of the printed link. */
export const loginBodySchema = z
  .union([z.strictObject({ token: secret }), z.strictObject({ code: secret })])
  .openapi('Login');

export const botsSchema = z.object({ bots: z.array(botRowSchema) }).openapi('Bots');

/** `cursor` is `null` when no further rows follow. */
export const ordersPageSchema = z
  .object({ orders: z.array(liveOrderSchema), cursor: z.nullable(text), asOfUs })
  .openapi('OrdersPage');

export const orderSchema = z.object({ order: liveOrderSchema, asOfUs }).openapi('OrderDetail');

export const strategiesSchema = z.object({ strategies: z.array(liveStrategySchema), asOfUs }).openapi('Strategies');

const sessionParts = liveSessionSchema.shape;

/** Limits are sorted by their use, the most used first. */
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

/** The bodies of the stream's events, by event. Those of a bot's frames are the frames themselves. */
export const LIVE_EVENTS = {
  /** All bots. Sent by `GET /live` only. */
  overview: botsSchema,
  hello,
  session,
  marketsPage: marketsPageSchema,
  detail,
  orders,
  events,
  beat,
  /** The bot's process does not answer. Repeated each second, until it answers again. */
  gone: z.object({ atUs: int, process: processSchema }),
  /** Something that the page must know: events that the stream could not carry. */
  notice: z.object({ atUs: int, code: z.enum(['lost', 'no-such-market']), text }),
} as const;
export type LiveEventName = keyof typeof LIVE_EVENTS;
export type LiveBody<Name extends LiveEventName> = z.output<(typeof LIVE_EVENTS)[Name]>;

/** One event of the stream, as the OpenAPI document describes it. */
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

/** Parameters of the path. */
export const botParams = z.object({ bot: text.min(1).max(200) });
export const marketParams = botParams.extend({ ticker: text.min(1).max(200) });
export const orderParams = botParams.extend({ id: text.min(1).max(200) });
export const actionParams = botParams.extend({ id: text.min(1).max(200) });

/** Sort, filter and window of the table of markets. */
export const marketsQuery = z.object({
  q: filterText,
  sort: z.enum(['ours', 'ticker', 'status', 'trust', 'bid', 'ask', 'position', 'day', 'closes']).default('ours'),
  ours: flag,
  /** First row and the row after the last one. */
  from: wholeNumber(1_000_000, 0),
  to: wholeNumber(1_000_000, 100),
});
export type MarketsQuery = z.output<typeof marketsQuery>;

export const chartQuery = z.object({
  /** Times in microseconds since the Unix epoch. Without `from`, everything that is kept. */
  from: wholeNumber(Number.MAX_SAFE_INTEGER, 0),
  to: wholeNumber(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  /** Greatest number of points. */
  points: wholeNumber(5000, 1000),
});
export type ChartQuery = z.output<typeof chartQuery>;

export const ordersQuery = z.object({
  state: filterText,
  market: filterText,
  strategy: filterText,
  /** Open orders only. */
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
