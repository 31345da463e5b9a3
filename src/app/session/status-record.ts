// How a running session stands, as one record of plain data for `presage status`, and as lines for people. Pure.
import { z } from 'zod';
import { scopeText } from '../operate/halt-text.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import { contractsText, dollarsText } from '../../domain/amounts.ts';
import {
  MONEY_DECIMALS,
  QTY_DECIMALS,
  formatMoney,
  formatQty,
  money,
  parseScaled,
  qty,
  subtractMoney,
} from '../../domain/units.ts';
import type { LiveSession } from '../../runtime/session/live-session.ts';

const text = z.string();
const budget = z.looseObject({ available: z.number(), capacity: z.number() });
const statusSchema = z.looseObject({
  session: text,
  phase: text,
  elapsedMs: z.number(),
  halts: z.array(z.looseObject({ scope: text, by: text, reason: text, since: text })),
  orders: z.looseObject({ working: z.number(), waiting: z.number(), inFlight: z.number() }),
  feed: z.looseObject({ isUp: z.boolean(), ageMs: z.number(), fault: z.nullable(text) }),
  budgets: z.looseObject({ read: budget, trade: budget }),
  clock: z.looseObject({ offsetMs: z.nullable(z.number()), boundMs: z.number(), loopLateMs: z.number() }),
  drift: z.looseObject({ ageMs: z.nullable(z.number()), contracts: text, cash: text, isDrift: z.boolean() }),
  losses: z.nullable(z.looseObject({ day: text, sinceDayBegan: text, sincePeak: text })),
  account: z.looseObject({ equity: text, cash: text, pledged: text, profit: text }),
  positions: z.array(z.looseObject({ ticker: text, qty: text })),
  unclosed: z.array(text),
  alarms: z.record(z.string(), z.number()),
});

/** A session's standing as it is told. */
export type StatusRecord = z.output<typeof statusSchema>;

/** What is told of a session. */
export function statusOf(session: LiveSession, snapshot: SessionSnapshot): StatusRecord {
  const { engine, tally } = session;
  const { account, drift } = snapshot;
  const { lossFigures: standing } = engine.risk;
  return {
    session: session.sessionName,
    phase: snapshot.phase,
    elapsedMs: snapshot.elapsedMs,
    halts: engine.halts.listHalts().map(({ scope, by, reason, since }) => {
      return { scope: scopeText(scope), by, reason, since: new Date(since / 1000).toISOString() };
    }),
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
    losses: standing && {
      day: standing.day,
      sinceDayBegan: formatMoney(subtractMoney(account.equity, standing.dayEquity)),
      sincePeak: formatMoney(subtractMoney(account.equity, standing.peakEquity)),
    },
    account: {
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
  };
}

/** What a bot told, read again; `null` when it is of another version. */
export const parseStatus = (record: unknown): StatusRecord | null => statusSchema.safeParse(record).data ?? null;

/** A standing, for people. */
export function statusLines(status: StatusRecord): string[] {
  const { orders, feed, clock, budgets, account, losses } = status;
  const left = (of: { available: number; capacity: number }): string => `${of.available}/${of.capacity}`;
  const alarms = Object.entries(status.alarms).map(([code, count]) => `${code} ${count}`);
  return [
    `session ${status.session}: ${status.phase}, for ${Math.round(status.elapsedMs / 1000)} s`,
    ...(status.halts.length === 0 ? ['not halted'] : []),
    ...status.halts.map(({ scope, by, reason, since }) => `${scope} is HALTED by ${by} since ${since}: ${reason}`),
    `orders   ${orders.working} working, ${orders.waiting} waiting, ${orders.inFlight} in flight`,
    `feed     ${feed.isUp ? `up, ${feed.ageMs} ms old` : 'DOWN'}${feed.fault === null ? '' : `; ${feed.fault}`}`,
    `clock    ${clock.offsetMs === null ? 'not compared yet' : `${clock.offsetMs} ms off, give or take ${clock.boundMs}`}; the loop is ${clock.loopLateMs} ms late`,
    `budgets  reads ${left(budgets.read)}, trades ${left(budgets.trade)}`,
    `account  equity ${dollars(account.equity)}, cash ${dollars(account.cash)}, pledged ${dollars(account.pledged)}, profit ${dollars(account.profit)}`,
    ...status.positions.map(({ ticker, qty }) => `holds    ${contracts(qty)} ${ticker}`),
    ...(losses === null
      ? []
      : [`today    ${dollars(losses.sinceDayBegan)}, from the peak ${dollars(losses.sincePeak)} (at marks)`]),
    `drift    ${driftText(status.drift)}`,
    ...status.unclosed.map((line) => `closing  ${line}`),
    ...(alarms.length === 0 ? [] : [`alarms   ${alarms.join(', ')}`]),
  ];
}

function driftText({ ageMs, contracts: held, cash, isDrift }: StatusRecord['drift']): string {
  if (ageMs === null) return 'not compared yet';
  const state = isDrift ? 'UNEXPLAINED' : 'as compared';
  return `${contracts(held)} contracts, ${dollars(cash)}: ${state} ${Math.round(ageMs / 1000)} s ago`;
}

/** Amounts of a record, which are plain decimals, for people. */
const dollars = (text: string): string => dollarsText(money(parseScaled(text, MONEY_DECIMALS) ?? 0));
const contracts = (text: string): string => contractsText(qty(parseScaled(text, QTY_DECIMALS) ?? 0));
