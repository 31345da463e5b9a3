// tidy: table. A made-up session for the page's tests and screenshots: every part that the page shows has figures.
import type { BotRow } from '../../../src/console/api/api-schemas.ts';
import type { LiveEvent, LiveSessionPart } from '../../../src/runtime/follow/follow-messages.ts';
import { HOUR_US, MINUTE_US, SECOND_US } from './demo-markets.ts';

type Limit = LiveSessionPart['limits'][number];

type Use = readonly [used: number, allowed: number];

const limit = (name: string, [used, allowed]: Use, more: Partial<Limit> = {}): Limit => ({
  limit: name,
  strategy: null,
  subject: null,
  unit: 'micros',
  used,
  allowed,
  isOverridden: false,
  ...more,
});

/** Figures that move, and texts that a test replaces. */
export interface DemoFigures {
  readonly nowUs: number;
  readonly step: number;
  readonly marketCount: number;
  readonly working: number;
  readonly halts: LiveSessionPart['halts'];
  /** A text that a strategy gave. */
  readonly reason: string;
}

/** The session's part of the live stream. */
export function demoSession({ nowUs, step, marketCount, working, halts, reason }: DemoFigures): LiveSessionPart {
  const drift = Math.round(Math.sin(step / 9) * 400_000);
  return {
    phase: 'trading',
    halts,
    account: {
      isOpen: true,
      equityMicros: 6_120_204_117 + drift,
      cashMicros: 5_410_882_300,
      reservedMicros: 212_400_000,
      positionsValueMicros: 709_321_817 + drift,
      realizedMicros: 102_218_400,
      unrealizedMicros: 18_002_117 + drift,
      feesMicros: 14_070_000,
      profitMicros: 120_220_517 + drift,
      dayMicros: 31_104_117 + drift,
      drawdownMicros: -8_412_000,
      exposureMicros: 1_861_300_000,
      exposureMaxMicros: 3_000_000_000,
    },
    ...health(step),
    orders: { working, waiting: 3, inFlight: 4, unknown: 0 },
    strategies: [quoter(nowUs, reason), ladder(nowUs)],
    limits: [
      limit('exposureMax', [1_861_300_000, 3_000_000_000]),
      limit('dailyLossMax', [0, 50_000_000]),
      limit('groupCostMax', [57_200_000, 60_000_000], { subject: 'RAIN-OSLO-26NOV23' }),
      limit('ordersPerMinuteMax', [212, 600], { unit: 'count' }),
      limit('positionMax', [1_800, 10_000], { unit: 'qty', subject: 'SNOW-LIMA-26NOV23-T9' }),
      limit('orderQtyMax', [2_000, 2_000], { unit: 'qty', isOverridden: true }),
    ],
    groups: groups(),
    overrides: [
      {
        limit: 'orderQtyMax',
        strategy: null,
        value: 2_000,
        untilUs: nowUs + 12 * MINUTE_US,
        reason: 'larger size for the close',
      },
    ],
    alarms: [
      {
        code: 'feed-lag',
        count: 3,
        lastUs: nowUs - 2 * HOUR_US,
        text: 'Messages arrived 1 240 ms late. Quotes were pulled. It is over: look at the network if it comes back.',
      },
    ],
    lastFillUs: nowUs - 12 * SECOND_US,
    marketCount,
    journalBytes: 612_400_000,
  };
}

/** Feed, clock and budgets. */
const health = (step: number): Pick<LiveSessionPart, 'feed' | 'clock' | 'drift' | 'budgets'> => ({
  feed: {
    isUp: true,
    ageMs: 120 + (step % 5) * 60,
    lagMs: 42,
    connections: 3,
    privateFault: null,
    fault: null,
    gaps: 2,
    resyncs: 5,
    untrustedBooks: 3,
  },
  clock: { offsetMs: 3.2, boundMs: 8.4, loopLateMs: 0.6 },
  drift: { ageMs: 14_200, qty: 0, cashMicros: 0, isDrift: false },
  budgets: {
    read: { available: 84, capacity: 100 },
    trade: { available: 236, capacity: 300 },
    cancelReserve: 60,
    waiting: [
      { lane: 'cancels', count: 0 },
      { lane: 'quotes', count: 3 },
      { lane: 'takes', count: 0 },
    ],
    inFlight: 4,
    rateRefusals: { read: 0, trade: 1 },
  },
});

const quoter = (nowUs: number, reason: string): LiveSessionPart['strategies'][number] => ({
  name: 'quoter',
  params: JSON.stringify({ edge: 1.5, size: 5, series: ['RAIN', 'SNOW'] }),
  haltedBy: null,
  orders: 1_912,
  fills: 188,
  filledQty: 94_000,
  feesMicros: 11_900_000,
  canceled: 1_690,
  rejected: 2,
  unknown: 0,
  realizedMicros: 96_004_200,
  unrealizedMicros: 17_220_117,
  denials: [
    { code: 'group-cost-above-limit', count: 97 },
    { code: 'market-closing', count: 14 },
    { code: 'rate-above-limit', count: 3 },
  ],
  limits: [
    limit('costMax', [212_000_000, 400_000_000], { strategy: 'quoter' }),
    limit('openOrdersMax', [24, 40], { strategy: 'quoter', unit: 'count' }),
  ],
  remarks: [
    {
      atUs: nowUs - 8 * MINUTE_US,
      kind: 'reason',
      ticker: 'RAIN-OSLO-26NOV23-T0',
      code: null,
      text: reason,
      count: 41,
    },
    {
      atUs: nowUs - 3 * MINUTE_US,
      kind: 'rejected',
      ticker: 'SNOW-OSLO-26NOV23-T1',
      code: 'post-only-cross',
      text: 'The exchange refused it: the order would have crossed.',
      count: 2,
    },
    {
      atUs: nowUs - 20 * SECOND_US,
      kind: 'denied',
      ticker: 'RAIN-OSLO-26NOV23-T0',
      code: 'group-cost-above-limit',
      text: 'the group would cost 62.00, at most 60.00 is allowed',
      count: 97,
    },
  ],
});

const ladder = (nowUs: number): LiveSessionPart['strategies'][number] => ({
  name: 'ladder',
  params: JSON.stringify({ levels: 4, step: 1 }),
  haltedBy: null,
  orders: 308,
  fills: 21,
  filledQty: 10_500,
  feesMicros: 2_170_000,
  canceled: 280,
  rejected: 0,
  unknown: 0,
  realizedMicros: -6_214_200,
  unrealizedMicros: 782_000,
  denials: [{ code: 'spread-too-wide', count: 412 }],
  limits: [limit('costMax', [341_000_000, 350_000_000], { strategy: 'ladder' })],
  remarks: [
    {
      atUs: nowUs - 2 * SECOND_US,
      kind: 'denied',
      ticker: 'HIGHTEMP-OSLO-26NOV23-T2',
      code: 'spread-too-wide',
      text: 'the spread is 3 cents, at most 2 is allowed',
      count: 412,
    },
  ],
});

const groups = (): LiveSessionPart['groups'] => [
  {
    group: 'RAIN-OSLO-26NOV23',
    worstMicros: 57_200_000,
    allowedMicros: 60_000_000,
    outcomes: [
      { outcome: 'T0 yes', profitMicros: -57_200_000 },
      { outcome: 'T64 yes', profitMicros: 12_400_000 },
      { outcome: 'none of them', profitMicros: 31_050_000 },
    ],
  },
  {
    group: 'SNOW-LIMA-26NOV23',
    worstMicros: 18_240_000,
    allowedMicros: 60_000_000,
    outcomes: [
      { outcome: 'T9 yes', profitMicros: 4_100_000 },
      { outcome: 'T9 no', profitMicros: -18_240_000 },
    ],
  },
];

/** Events of the session's log; `reason` is the text of a halt. */
export function demoEvents(nowUs: number, reason: string): LiveEvent[] {
  const base = { ticker: null, strategy: null, clientOrderId: null } as const;
  const ticker = 'RAIN-OSLO-26NOV23-T0';
  const rows: Omit<LiveEvent, 'number'>[] = [
    { ...base, atUs: nowUs - 5 * HOUR_US, kind: 'phase', severity: 'info', text: 'The session began to trade.' },
    {
      ...base,
      atUs: nowUs - 2 * HOUR_US,
      kind: 'alarm',
      severity: 'warning',
      text: 'feed-lag: messages arrived 1 240 ms late.',
    },
    {
      ...base,
      atUs: nowUs - 2 * HOUR_US + 90 * SECOND_US,
      kind: 'feed',
      severity: 'info',
      text: 'The feed is on time again.',
    },
    {
      ...base,
      atUs: nowUs - 70 * MINUTE_US,
      kind: 'halt',
      severity: 'critical',
      text: `account halted by ada: ${reason}`,
    },
    {
      ...base,
      atUs: nowUs - 66 * MINUTE_US,
      kind: 'resume',
      severity: 'info',
      text: 'account resumed by ada: looked at it, all flat',
    },
    {
      ...base,
      atUs: nowUs - 40 * MINUTE_US,
      kind: 'settlement',
      severity: 'info',
      ticker,
      text: 'Settled YES: 20 contracts paid 20.00.',
    },
    {
      ...base,
      atUs: nowUs - 9 * MINUTE_US,
      kind: 'operator',
      severity: 'info',
      text: 'ada set orderQtyMax to 20 for 30 minutes.',
    },
    {
      atUs: nowUs - 12 * SECOND_US,
      kind: 'fill',
      severity: 'info',
      ticker,
      strategy: 'quoter',
      clientOrderId: 'a1-q-0001',
      text: 'Bought 5 at 43.',
    },
  ];
  return rows.map((row, at) => ({ ...row, number: at + 1 }));
}

/** Equity over the last two hours for the spark line. */
const equityLine = (nowUs: number, from: number): { atUs: number; micros: number }[] =>
  Array.from({ length: 60 }, (_, at) => ({
    atUs: nowUs - (60 - at) * 2 * MINUTE_US,
    micros: Math.round(from + Math.sin(at / 7) * 6_000_000 + at * 410_000),
  }));

/** The bots beside the live one: one halted, one dead, one stopped. */
export function otherBots(nowUs: number, reason: string): BotRow[] {
  const base: BotRow = {
    bot: 'nba',
    process: { state: 'running', pid: 4711, lastSeenUs: nowUs, watchdog: 'running', strike: null, ended: null },
    asOfUs: nowUs,
    session: '20261123-090000',
    profile: 'demo',
    isPaper: false,
    phase: 'trading',
    halts: [{ scope: 'account', by: 'risk', reason, sinceUs: nowUs - 22 * MINUTE_US }],
    equityMicros: 4_361_902_200,
    dayMicros: -50_120_000,
    profitMicros: 88_400_000,
    exposureMicros: 411_000_000,
    exposureMaxMicros: 3_000_000_000,
    feed: { isUp: true, ageMs: 300, lagMs: 51 },
    budgets: { read: { available: 90, capacity: 100 }, trade: { available: 300, capacity: 300 } },
    workingOrders: 0,
    isExchangePaused: false,
    remarks: [],
    alarms: [],
    lastFillUs: nowUs - 23 * MINUTE_US,
    equity: equityLine(nowUs, 4_361_902_200).map(({ atUs, micros }, at) => ({ atUs, micros: micros - at * 1_400_000 })),
  };
  const dead: BotRow = {
    ...base,
    bot: 'old',
    process: {
      state: 'dead',
      pid: null,
      lastSeenUs: nowUs - 5 * HOUR_US,
      watchdog: 'absent',
      strike: null,
      ended: null,
    },
    asOfUs: nowUs - 5 * HOUR_US,
    isPaper: true,
    halts: [],
    equityMicros: 1_000_000_000,
    dayMicros: 0,
    exposureMicros: null,
    feed: null,
    budgets: null,
    workingOrders: null,
    isExchangePaused: false,
    remarks: [],
    lastFillUs: null,
    equity: [],
  };
  const ended = { isOrderly: true, text: 'in order', atUs: nowUs - 2 * HOUR_US };
  const stopped: BotRow = {
    ...dead,
    bot: 'rain',
    process: { state: 'stopped', pid: null, lastSeenUs: ended.atUs, watchdog: 'absent', strike: null, ended },
    asOfUs: ended.atUs,
  };
  return [base, dead, stopped];
}

/** The row of the live bot in the overview. */
export function demoRow(session: LiveSessionPart, nowUs: number): BotRow {
  const { account, feed, budgets, orders, alarms, lastFillUs, halts, phase } = session;
  return {
    bot: 'demo',
    process: { state: 'running', pid: 4242, lastSeenUs: nowUs, watchdog: 'running', strike: null, ended: null },
    asOfUs: nowUs,
    session: '20261123-110000',
    profile: 'demo',
    isPaper: false,
    phase,
    halts,
    equityMicros: account.equityMicros,
    dayMicros: account.dayMicros,
    profitMicros: account.profitMicros,
    exposureMicros: account.exposureMicros,
    exposureMaxMicros: account.exposureMaxMicros,
    feed: { isUp: feed.isUp, ageMs: feed.ageMs, lagMs: feed.lagMs },
    budgets: { read: budgets.read, trade: budgets.trade },
    workingOrders: orders.working,
    isExchangePaused: false,
    remarks: session.remarks ?? [],
    alarms,
    lastFillUs,
    equity: equityLine(nowUs, account.equityMicros - 24_000_000),
  };
}
