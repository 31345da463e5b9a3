// Messages that a bot sends over its control socket to a console. Must never hold a key or a signature. Money
// (`…Micros`) is in millionths of a dollar, and prices are in ten-thousandths of a dollar. Quantities are in hundredths
// of a contract, and times (`…Us`) in microseconds since 1970.
import { z } from 'zod';

/** Version of these messages. Both ends use the lower of their two versions. */
export const FOLLOW_VERSION = 1;

const text = z.string();
const int = z.int();

/** The first line from a console. */
export const followRequestSchema = z.strictObject({
  type: z.literal('follow'),
  /** Highest version known to the console. */
  version: z.int().min(1),
  /** Most changes each second. */
  hz: z.int().min(1).max(10).default(4),
});
export type FollowRequest = z.output<typeof followRequestSchema>;

/** Most markets whose depth one connection may watch. */
export const WATCHED_MARKETS_MAX = 8;

/** A later line from the console: the markets whose details it wants. */
export const watchRequestSchema = z.strictObject({
  type: z.literal('watch'),
  markets: z.array(text.min(1).max(200)).max(WATCHED_MARKETS_MAX),
});
export type WatchRequest = z.output<typeof watchRequestSchema>;

/** A halt in force. `scope` is `account`, `strategy NAME` or `market TICKER`. */
export const liveHaltSchema = z.object({ scope: text, by: text, reason: text, sinceUs: int });

/** A limit and its use. */
export const limitUseSchema = z.object({
  limit: text,
  /** Strategy of the limit; `null` for a limit of the account. */
  strategy: z.nullable(text),
  /** Subject of the largest use: an event group or a market, for example. `null` for the whole account. */
  subject: z.nullable(text),
  unit: z.enum(['micros', 'qty', 'price', 'count']),
  used: int,
  allowed: int,
  /** True while an operator's temporary limit replaces the config's limit. */
  isOverridden: z.boolean(),
});

/** Profit of the account with one outcome of an event group, once open orders fill at their worst. */
export const groupOutcomeSchema = z.object({ outcome: text, profitMicros: int });

export const groupRiskSchema = z.object({
  group: text,
  /** Loss with the worst outcome. */
  worstMicros: int,
  allowedMicros: z.nullable(int),
  outcomes: z.array(groupOutcomeSchema),
});

/** A denial, or a reason given by a strategy. */
export const strategyRemarkSchema = z.object({
  atUs: int,
  kind: z.enum(['denied', 'reason', 'rejected']),
  ticker: z.nullable(text),
  /** Code of the denial; `null` for a reason. */
  code: z.nullable(text),
  text,
  /** Number of equal remarks. */
  count: int,
});

export const liveStrategySchema = z.object({
  name: text,
  params: text,
  haltedBy: z.nullable(text),
  orders: int,
  fills: int,
  filledQty: int,
  /** From the beginning of the strategy's ledger, like both profits. The counts are of this session. */
  feesMicros: int,
  canceled: int,
  rejected: int,
  unknown: int,
  /** Realized profit before fees. Both profits count from the beginning of the strategy's ledger. */
  realizedMicros: int,
  unrealizedMicros: int,
  denials: z.array(z.object({ code: text, count: int })),
  limits: z.array(limitUseSchema),
  /** Newest last; at most 20. */
  remarks: z.array(strategyRemarkSchema),
});

const budgetSchema = z.object({ available: z.number(), capacity: z.number() });

/** A session without its markets and orders. Sent whole after a change of any figure. */
export const liveSessionSchema = z.object({
  phase: text,
  halts: z.array(liveHaltSchema),
  account: z.object({
    isOpen: z.boolean(),
    equityMicros: int,
    cashMicros: int,
    reservedMicros: int,
    positionsValueMicros: int,
    realizedMicros: int,
    unrealizedMicros: int,
    feesMicros: int,
    profitMicros: int,
    /** Equity now less equity at the start of the UTC day; `null` until the account is open. */
    dayMicros: z.nullable(int),
    /** Equity now less the highest equity. */
    drawdownMicros: z.nullable(int),
    /** Loss with the worst outcome of every event group. */
    exposureMicros: int,
    exposureMaxMicros: z.nullable(int),
  }),
  feed: z.object({
    isUp: z.boolean(),
    ageMs: int,
    lagMs: int,
    connections: int,
    privateFault: z.nullable(text),
    /** Fault of the feed that forbids new orders, or `null`. */
    fault: z.nullable(text),
    gaps: int,
    resyncs: int,
    untrustedBooks: int,
  }),
  clock: z.object({ offsetMs: z.nullable(z.number()), boundMs: z.number(), loopLateMs: z.number() }),
  drift: z.object({ ageMs: z.nullable(int), qty: int, cashMicros: int, isDrift: z.boolean() }),
  budgets: z.object({
    read: budgetSchema,
    trade: budgetSchema,
    /** Units of the trade budget reserved for cancels. */
    cancelReserve: z.number(),
    /** Number of waiting commands by lane, their class of priority. */
    waiting: z.array(z.object({ lane: text, count: int })),
    inFlight: int,
    rateRefusals: z.object({ read: int, trade: int }),
  }),
  orders: z.object({ working: int, waiting: int, inFlight: int, unknown: int }),
  strategies: z.array(liveStrategySchema),
  limits: z.array(limitUseSchema),
  groups: z.array(groupRiskSchema),
  overrides: z.array(z.object({ limit: text, strategy: z.nullable(text), value: int, untilUs: int, reason: text })),
  alarms: z.array(z.object({ code: text, count: int, lastUs: int, text })),
  lastFillUs: z.nullable(int),
  marketCount: int,
  /** False while the exchange has paused trading; absent from a bot of an older version. */
  isExchangeTrading: z.optional(z.boolean()),
  /** Remarks that a person should know and no event reports; absent from a bot of an older version. */
  remarks: z.optional(z.array(text)),
  journalBytes: z.nullable(int),
});
export type LiveSessionPart = z.output<typeof liveSessionSchema>;

/** Facts of a market that rarely change. Sent once, and again after a change. */
export const marketFactsSchema = z.object({
  index: int,
  ticker: text,
  title: text,
  series: z.nullable(text),
  group: z.nullable(text),
  closesAtUs: z.nullable(int),
});
export type MarketFacts = z.output<typeof marketFactsSchema>;

/**
 * The figures of a market that change often. They are: index, status and trust; then best bid, best ask, our best bid
 * and our best ask, each with its quantity; then the position and the day's profit in micros. A price of -1 means no
 * price.
 */
export const marketCellsSchema = z.tuple([int, text, text, int, int, int, int, int, int, int, int, int, int]);
export type MarketCells = z.output<typeof marketCellsSchema>;

export const orderStateSchema = z.object({ state: text, atUs: int, why: text });

/** An order of the session. An ended order is sent once more. */
export const liveOrderSchema = z.object({
  clientOrderId: text,
  venueOrderId: z.nullable(text),
  strategy: text,
  ticker: text,
  side: z.enum(['buy', 'sell']),
  price: int,
  qty: int,
  filled: int,
  state: text,
  reason: text,
  madeUs: int,
  /** Hundredths of a contract ahead of our order; `null` when unknown. */
  queueAhead: z.nullable(int),
  isOpen: z.boolean(),
  /** Oldest first; at most 20. */
  states: z.array(orderStateSchema),
});
export type LiveOrder = z.output<typeof liveOrderSchema>;

/** An event of the session's log, numbered from 1. */
export const liveEventSchema = z.object({
  number: int,
  atUs: int,
  kind: z.enum([
    'phase',
    'alarm',
    'halt',
    'resume',
    'operator',
    'fill',
    'settlement',
    'market',
    'feed',
    'drift',
    'other',
  ]),
  severity: z.enum(['info', 'warning', 'critical']),
  ticker: z.nullable(text),
  strategy: z.nullable(text),
  clientOrderId: z.nullable(text),
  text,
  /** Terms of a fill, with the fill's own price. Other kinds of events have no terms. */
  fill: z.optional(z.object({ side: z.enum(['buy', 'sell']), price: int, qty: int })),
});
export type LiveEvent = z.output<typeof liveEventSchema>;

const levels = z.array(z.tuple([int, int]));

/** A watched market: depth, our orders, prints. */
export const marketDetailSchema = z.object({
  ticker: text,
  status: text,
  result: z.nullable(text),
  trust: text,
  trustReason: z.nullable(text),
  trustSinceUs: z.nullable(int),
  /** Price and quantity, the best price first; at most 25 levels. */
  bids: levels,
  asks: levels,
  orders: z.array(liveOrderSchema),
  position: z.object({ qty: int, costMicros: int, valueMicros: int, realizedMicros: int, feesMicros: int }),
  /** Newest last; at most 50. */
  prints: z.array(z.object({ atUs: int, side: z.enum(['buy', 'sell']), price: int, qty: int })),
  strategies: z.array(
    z.object({ name: text, isSelected: z.boolean(), why: z.nullable(text), remark: z.nullable(strategyRemarkSchema) }),
  ),
  fee: text,
});
export type MarketDetail = z.output<typeof marketDetailSchema>;

/** A line from the bot. `seq` counts the lines of a connection from 1. */
export const followFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    seq: int,
    version: int,
    /** Name of the bot's data folder. */
    bot: text,
    session: text,
    pid: int,
    program: text,
    profile: text,
    isPaper: z.boolean(),
    hasKey: z.boolean(),
    startedUs: int,
    atUs: int,
  }),
  z.object({ type: z.literal('session'), seq: int, atUs: int, session: liveSessionSchema }),
  z.object({ type: z.literal('facts'), seq: int, markets: z.array(marketFactsSchema) }),
  /** With `isSnapshot`, the list begins from nothing. With `hasMore`, more rows of the snapshot follow. */
  z.object({
    type: z.literal('markets'),
    seq: int,
    atUs: int,
    isSnapshot: z.boolean(),
    hasMore: z.boolean(),
    rows: z.array(marketCellsSchema),
  }),
  /** Indexes of markets that the bot dropped from memory. */
  z.object({ type: z.literal('dropped'), seq: int, markets: z.array(int) }),
  z.object({ type: z.literal('orders'), seq: int, isSnapshot: z.boolean(), orders: z.array(liveOrderSchema) }),
  z.object({ type: z.literal('events'), seq: int, events: z.array(liveEventSchema) }),
  /** Events left out because the connection was too slow. */
  z.object({ type: z.literal('lost'), seq: int, from: int, to: int }),
  z.object({ type: z.literal('detail'), seq: int, atUs: int, market: marketDetailSchema }),
  /** Sent once a second. */
  z.object({ type: z.literal('beat'), seq: int, atUs: int, loopLateMs: z.number() }),
  z.object({ type: z.literal('refused'), why: text }),
]);
export type FollowFrame = z.output<typeof followFrameSchema>;
