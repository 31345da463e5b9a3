// The status of a running session as one record of plain data, for `presage status`. Pure.
import { z } from 'zod';
import { scopeText } from '../operate/halt-text.ts';
import { namedLimitText } from '../../risk/limit-text.ts';
import type { LimitOverride } from '../../domain/operator-order.ts';
import { findLimit } from '../../risk/risk-limits.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import { formatMoney, formatQty, subtractMoney } from '../../domain/units.ts';
import type { LiveSession } from '../../runtime/session/live-session.ts';

const text = z.string();
const budget = z.looseObject({ available: z.number(), capacity: z.number() });
const statusSchema = z.looseObject({
  session: text,
  phase: text,
  elapsedMs: z.number(),
  halts: z.array(z.looseObject({ scope: text, by: text, reason: text, since: text })),
  /** Limits that an operator has changed for a time. A bot of an older version sends none. */
  overrides: z
    .array(z.looseObject({ limit: text, strategy: z.nullable(text), value: text, until: text, reason: text }))
    .default([]),
  orders: z.looseObject({ working: z.number(), waiting: z.number(), inFlight: z.number() }),
  feed: z.looseObject({ isUp: z.boolean(), ageMs: z.number(), fault: z.nullable(text) }),
  budgets: z.looseObject({ read: budget, trade: budget }),
  clock: z.looseObject({ offsetMs: z.nullable(z.number()), boundMs: z.number(), loopLateMs: z.number() }),
  drift: z.looseObject({ ageMs: z.nullable(z.number()), contracts: text, cash: text, isDrift: z.boolean() }),
  /** `sincePeak` is what `drawdownMax` limits: both of its figures are at the prices at which positions could be sold. */
  losses: z.nullable(z.looseObject({ day: text, sinceDayBegan: text, sincePeak: text })),
  account: z.looseObject({ isOpen: z.boolean().default(true), equity: text, cash: text, pledged: text, profit: text }),
  positions: z.array(z.looseObject({ ticker: text, qty: text })),
  unclosed: z.array(text),
  alarms: z.record(z.string(), z.number()),
  /** Facts about the venue for a person. A bot of an older version sends none. */
  remarks: z.array(text).default([]),
});

/** The status of a session, as it is sent. Amounts are plain decimals. */
export type StatusRecord = z.output<typeof statusSchema>;

/** The parts of a session that its status reads. */
export type StatusSource = Pick<LiveSession, 'engine' | 'tally' | 'sessionName' | 'remarks'>;

const PAUSED = 'the exchange has paused trading: no order is sent until it trades again';

/** Returns the status of a session. */
export function statusOf(session: StatusSource, snapshot: SessionSnapshot): StatusRecord {
  const { engine, tally } = session;
  const { account, drift } = snapshot;
  const { lossFigures: losses, dayProfit, checkedEquity } = engine.risk;
  return {
    session: session.sessionName,
    phase: snapshot.phase,
    elapsedMs: snapshot.elapsedMs,
    halts: engine.halts.listHalts().map(({ scope, by, reason, since }) => {
      return { scope: scopeText(scope), by, reason, since: new Date(since / 1000).toISOString() };
    }),
    overrides: engine.risk.limits.overrides.map(overrideRecord),
    orders: { ...snapshot.orders },
    feed: { ...snapshot.feed, fault: engine.feedWatch.blockingFault() },
    budgets: { read: { ...snapshot.budgets.read }, trade: { ...snapshot.budgets.trade } },
    clock: { ...snapshot.clock },
    drift: {
      ageMs: drift.ageMs,
      contracts: formatQty(drift.qty),
      cash: formatMoney(drift.cash),
      isDrift: drift.isDrift,
    },
    losses:
      losses === null || dayProfit === null || checkedEquity === null
        ? null
        : {
            day: losses.day,
            sinceDayBegan: formatMoney(dayProfit),
            sincePeak: formatMoney(subtractMoney(checkedEquity, losses.peakEquity)),
          },
    account: {
      isOpen: account.isOpen,
      equity: formatMoney(account.equity),
      cash: formatMoney(account.cash),
      pledged: formatMoney(account.pledged),
      profit: formatMoney(account.profit),
    },
    positions: account.positions
      .filter(({ qty }) => qty !== 0)
      .map(({ ticker, qty }) => ({ ticker, qty: formatQty(qty) })),
    unclosed: engine.operator.isFlattening
      ? engine.operator.unclosed.map(({ market, why }) => `${engine.state.tickers.tickerOf(market)}: ${why}`)
      : [],
    alarms: Object.fromEntries(tally.alarms),
    remarks: [...(engine.state.exchange.isTrading ? [] : [PAUSED]), ...session.remarks()],
  };
}

function overrideRecord({ limit, strategy, value, until, reason }: LimitOverride): StatusRecord['overrides'][number] {
  const info = findLimit(limit);
  return {
    limit: info?.configName ?? limit,
    strategy,
    value: namedLimitText(limit, value),
    until: new Date(until / 1000).toISOString(),
    reason,
  };
}

/** Parses a received status. Returns `null` when the record does not fit. */
export const parseStatus = (record: unknown): StatusRecord | null => statusSchema.safeParse(record).data ?? null;
