// The figures of one bot as plain numbers: the answer to `metrics` on its control socket. Must never hold a ticker, an
// id, a reason or an address.
import { z } from 'zod';
import type { LiveSessionPart } from '../runtime/follow/follow-messages.ts';
import { INPUT_KINDS, type MeterFigures, ORDER_STAGES, RESYNC_STEPS } from '../runtime/session/session-meter.ts';
import { GC_KINDS, type MachineFigures } from './machine-meter.ts';
import { OTHER_STRATEGIES } from './strategy-counts.ts';
import type { TradeCounts } from './trade-counts.ts';

const number = z.number();
const text = z.string();
const latency = z.object({ counts: z.array(number).readonly(), sum: number });
const counts = z.array(z.object({ strategy: text, label: text, count: number }));
const perBudget = z.object({ read: number, trade: number });
const maybe = z.nullable(number);

/** Amounts are in millionths of a dollar, quantities in hundredths of a contract, histograms in microseconds. */
export const botFiguresSchema = z.object({
  phase: text,
  isReady: z.boolean(),
  halts: z.object({ account: number, strategy: number, market: number }),
  /** Equity and cash are `null` before the account is open. */
  equity: maybe,
  dayProfit: maybe,
  exposure: number,
  cash: maybe,
  limits: z.array(z.object({ strategy: text, limit: text, ratio: number })),
  feed: z.object({ isUp: z.boolean(), isPrivateUp: z.boolean(), ageMs: number, lagMs: number }),
  gaps: number,
  untrustedBooks: number,
  clockOffsetMs: maybe,
  drift: z.object({ cash: number, qty: number }),
  budgets: z.object({ available: perBudget, refusals: perBudget }),
  lanes: z.array(z.object({ lane: text, count: number })),
  unknownOrders: number,
  alarms: z.array(z.object({ code: text, count: number })),
  journalBytes: maybe,
  trades: z.object({ orders: counts, fills: counts, quantities: counts, fees: counts, denials: counts }),
  meter: z.object({
    inputs: z.record(z.enum(INPUT_KINDS), number),
    stages: z.record(z.enum(ORDER_STAGES), latency),
    journalWrites: latency,
    resyncs: z.record(z.enum(RESYNC_STEPS), number),
  }),
  /** Deliveries of alerts; absent when the bot sends none. */
  alerts: z.optional(
    z.object({ sent: z.array(z.object({ target: text, result: text, count: number })).readonly(), waiting: number }),
  ),
  machine: z.object({
    loopLag: z.nullable(z.object({ p50: number, p99: number, max: number })),
    loopUse: maybe,
    residentBytes: number,
    heapBytes: number,
    diskFreeBytes: maybe,
    gc: z.nullable(z.record(z.enum(GC_KINDS), latency)),
  }),
});
export type BotFigures = z.output<typeof botFiguresSchema>;

/** Parses figures that a bot has sent. Returns `null` for figures of another version. */
export const parseBotFigures = (figures: unknown): BotFigures | null =>
  botFiguresSchema.safeParse(figures).data ?? null;

/** The measurements of one bot. */
export interface FigureSources {
  readonly session: LiveSessionPart;
  readonly trades: TradeCounts;
  readonly meter: MeterFigures;
  readonly machine: MachineFigures;
}

/**
 * Maximum number of strategies' limits with a series of their own. Further limits are counted under the strategy
 * `other`, with the largest use of each.
 */
export const STRATEGY_LIMITS_MAX = 80;

/** Puts the measurements of a bot together. */
export function botFigures({ session, trades, meter, machine }: FigureSources): BotFigures {
  const { account, feed, clock, drift, budgets, orders, journalBytes } = session;
  return {
    phase: session.phase,
    isReady: session.phase === 'trading' && feed.fault === null,
    halts: haltCounts(session),
    equity: account.isOpen ? account.equityMicros : null,
    dayProfit: account.dayMicros,
    exposure: account.exposureMicros,
    cash: account.isOpen ? account.cashMicros : null,
    limits: limitRatios(session),
    feed: { isUp: feed.isUp, isPrivateUp: feed.privateFault === null, ageMs: feed.ageMs, lagMs: feed.lagMs },
    gaps: feed.gaps,
    untrustedBooks: feed.untrustedBooks,
    clockOffsetMs: clock.offsetMs,
    drift: { cash: drift.cashMicros, qty: drift.qty },
    budgets: {
      available: { read: shareOf(budgets.read), trade: shareOf(budgets.trade) },
      refusals: { ...budgets.rateRefusals },
    },
    lanes: budgets.waiting.map(({ lane, count }) => ({ lane, count })),
    unknownOrders: orders.unknown,
    alarms: session.alarms.map(({ code, count }) => ({ code, count })),
    journalBytes,
    trades: {
      orders: trades.orders.list(),
      fills: trades.fills.list(),
      quantities: trades.quantities.list(),
      fees: trades.fees.list(),
      denials: trades.denials.list(),
    },
    meter,
    machine,
  };
}

function haltCounts({ halts }: LiveSessionPart): BotFigures['halts'] {
  const countOf = (kind: string): number => halts.filter(({ scope }) => scope.split(' ')[0] === kind).length;
  return { account: countOf('account'), strategy: countOf('strategy'), market: countOf('market') };
}

/** Use of each limit as a share. Any use of a limit of 0 is a full use. */
function limitRatios({ limits, strategies }: LiveSessionPart): BotFigures['limits'] {
  const ratioOf = ({ limit, used, allowed }: LiveSessionPart['limits'][number]): { limit: string; ratio: number } => ({
    limit,
    ratio: allowed > 0 ? used / allowed : used > 0 ? 1 : 0,
  });
  const own = strategies.flatMap((strategy) =>
    strategy.limits.map((use) => ({ strategy: strategy.name, ...ratioOf(use) })),
  );
  const others = new Map<string, number>();
  for (const { limit, ratio } of own.slice(STRATEGY_LIMITS_MAX))
    others.set(limit, Math.max(others.get(limit) ?? 0, ratio));
  return [
    ...limits.map((use) => ({ strategy: '', ...ratioOf(use) })),
    ...own.slice(0, STRATEGY_LIMITS_MAX),
    ...[...others].map(([limit, ratio]) => ({ strategy: OTHER_STRATEGIES, limit, ratio })),
  ];
}

const shareOf = ({ available, capacity }: { readonly available: number; readonly capacity: number }): number =>
  capacity > 0 ? available / capacity : 0;
