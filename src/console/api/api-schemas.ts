// Bodies of the console's HTTP API, for requests, answers and the OpenAPI document. Members with `Micros` are money in
// millionths of a dollar. Members with `Us` are microseconds since the Unix epoch. Prices are in ten-thousandths of a
// dollar. Quantities are in hundredths of a contract.
import { z } from '@hono/zod-openapi';
import { oneLine } from '../../base/one-line.ts';

const text = z.string();
const int = z.int();

/** A problem, in the form of RFC 9457. */
export const problemSchema = z
  .object({
    type: text,
    title: text,
    status: int,
    detail: text,
    instance: text,
    code: text,
    errors: z.optional(z.array(z.object({ path: text, message: text }))),
    retryAfterMs: z.optional(int),
  })
  .openapi('Problem');

export const roleSchema = z.enum(['reader', 'operator', 'scrape']).openapi('Role');

/** State of a bot's process. */
export const processSchema = z
  .object({
    /**
     * `no answer`: a process starts or runs, and has not sent this console anything yet. `stopped`: the process ended its last session
     * and itself. `dead`: it ended without that.
     */
    state: z.enum(['running', 'no answer', 'hangs', 'stopped', 'dead', 'never ran']),
    pid: z.nullable(int),
    /** Time of the last frame; else time of the last change in the data folder. */
    lastSeenUs: z.nullable(int),
    watchdog: z.enum(['running', 'absent', 'not needed']),
    /** Result of the watchdog's cancels after the bot died; `null` when there is none. */
    strike: z.nullable(z.object({ atUs: int, isDone: z.boolean(), canceled: int })),
    /** Kind and time of a stop; `null` in every other state. `text` continues the word "stopped". */
    ended: z.nullable(z.object({ isOrderly: z.boolean(), text, atUs: int })),
  })
  .openapi('Process');

/** One bot of the overview. A figure is `null` while it is unknown. `asOfUs` is the time of the figures. */
export const botRowSchema = z
  .object({
    bot: text,
    process: processSchema,
    asOfUs: z.nullable(int),
    session: z.nullable(text),
    profile: z.nullable(text),
    isPaper: z.boolean(),
    phase: z.nullable(text),
    halts: z.array(z.object({ scope: text, by: text, reason: text, sinceUs: int })),
    equityMicros: z.nullable(int),
    dayMicros: z.nullable(int),
    profitMicros: z.nullable(int),
    exposureMicros: z.nullable(int),
    exposureMaxMicros: z.nullable(int),
    feed: z.nullable(z.object({ isUp: z.boolean(), ageMs: int, lagMs: int })),
    budgets: z.nullable(
      z.object({
        read: z.object({ available: z.number(), capacity: z.number() }),
        trade: z.object({ available: z.number(), capacity: z.number() }),
      }),
    ),
    workingOrders: z.nullable(int),
    /** True: by the latest figures the exchange has paused trading, and no order is sent. */
    isExchangePaused: z.boolean(),
    /** Remarks on the exchange that a person should know and no event reports. */
    remarks: z.array(text),
    alarms: z.array(z.object({ code: text, count: int, lastUs: int, text })),
    lastFillUs: z.nullable(int),
    /** Equity over time, oldest first. At most 120 points. */
    /** `null`: the bot did not answer from then on. */
    equity: z.array(z.object({ atUs: int, micros: z.nullable(int) })),
  })
  .openapi('Bot');
export type BotRow = z.output<typeof botRowSchema>;

/** A row of the table of markets. A price is `null` when there is none. */
export const marketRowSchema = z
  .object({
    ticker: text,
    title: text,
    series: z.nullable(text),
    group: z.nullable(text),
    closesAtUs: z.nullable(int),
    status: text,
    trust: text,
    bid: z.nullable(int),
    bidQty: int,
    ask: z.nullable(int),
    askQty: int,
    ownBid: z.nullable(int),
    ownBidQty: int,
    ownAsk: z.nullable(int),
    ownAskQty: int,
    position: int,
    dayMicros: int,
  })
  .openapi('Market');
export type MarketRow = z.output<typeof marketRowSchema>;

export const MARKET_SORTS = ['ours', 'ticker', 'status', 'trust', 'bid', 'ask', 'position', 'day', 'closes'] as const;

/** A part of the sorted and filtered table of markets: `rows` begin at row `from`, of `total` rows. */
export const marketsPageSchema = z
  .object({ total: int, from: int, rows: z.array(marketRowSchema), asOfUs: z.nullable(int) })
  .openapi('MarketsPage');
export type MarketsPage = z.output<typeof marketsPageSchema>;

/** The chart of a market, as columns of equal length. A price is `null` where there was none. */
export const chartSchema = z
  .object({
    atUs: z.array(int),
    bid: z.array(z.nullable(int)),
    ask: z.array(z.nullable(int)),
    ownBid: z.array(z.nullable(int)),
    ownAsk: z.array(z.nullable(int)),
    fills: z.array(z.object({ atUs: int, side: z.enum(['buy', 'sell']), price: int, qty: int, clientOrderId: text })),
    gaps: z.array(z.object({ fromUs: int, toUs: int })),
  })
  .openapi('Chart');
export type Chart = z.output<typeof chartSchema>;

/**
 * A control, such as a halt, and its progress. `latched`: the control is accepted, and a halt is saved. `heard`: the
 * bot or its watchdog has answered. `canceling`: orders are being canceled. `confirmed`: the effect is proved.
 * `failed`: the control has failed, and the orders in `left` may still rest.
 */
export const actionSchema = z
  .object({
    actionId: text,
    bot: text,
    kind: z.enum(['halt', 'resume', 'cancel-all', 'flatten', 'override']),
    scope: text,
    state: z.enum(['latched', 'heard', 'canceling', 'confirmed', 'failed']),
    by: text,
    reason: z.nullable(text),
    text,
    canceled: int,
    left: z.array(z.object({ clientOrderId: z.nullable(text), venueOrderId: z.nullable(text), ticker: text })),
    /** Time of each state, by the name of the state. */
    at: z.record(text, int),
  })
  .openapi('Action');
export type Action = z.output<typeof actionSchema>;

/** The orders that a flatten would send, and their worst cost. */
export const flattenPreviewSchema = z
  .object({
    previewId: text,
    expiresUs: int,
    orders: z.array(z.object({ ticker: text, side: z.enum(['buy', 'sell']), price: int, qty: int, costMicros: int })),
    unclosed: z.array(z.object({ ticker: text, qty: int, why: text })),
    worstCostMicros: int,
  })
  .openapi('FlattenPreview');

const scopeText = text.min(1).max(300).describe('`account`, `strategy NAME` or `market TICKER`');
const actionId = z.uuid();
/** A person's words. They become one line: a list shows them, and a halt is never refused for their form. */
export const reason = text.overwrite(oneLine).min(1).max(1000);
export const haltBodySchema = z
  .strictObject({ scope: scopeText, reason: z.optional(reason), actionId })
  .openapi('Halt');
export const resumeBodySchema = z
  .strictObject({ scope: scopeText, reason, /** The scope, typed by the person. */ typed: text, actionId })
  .openapi('Resume');
export const cancelAllBodySchema = z.strictObject({ scope: scopeText, actionId }).openapi('CancelAll');
export const flattenBodySchema = z
  .strictObject({ previewId: text, /** The bot, typed by the person. */ typed: text, reason, actionId })
  .openapi('Flatten');
export const overrideBodySchema = z
  .strictObject({
    limit: text,
    /** The value is written in the unit of the config. */
    value: text,
    forMs: z
      .int()
      .min(1000)
      .max(7 * 86_400_000),
    strategy: z.optional(text),
    reason,
    typed: z.optional(text),
    actionId,
  })
  .openapi('Override');

/** The person who is logged in. */
export const sessionSchema = z
  .object({ name: text, role: roleSchema, expiresUs: int, bots: z.array(text) })
  .openapi('Session');
