// Figures of a session as a bot publishes them, for tests of metrics.
import type { LiveSessionPart } from '../../../src/runtime/follow/follow-messages.ts';

type LimitUse = LiveSessionPart['limits'][number];

const use = (limit: string, used: number, allowed: number): LimitUse => ({
  limit,
  strategy: null,
  subject: null,
  unit: 'micros',
  used,
  allowed,
  isOverridden: false,
});

/** A session that trades, with one halted strategy, a private feed that is down, and a drift. */
export function liveSession(): LiveSessionPart {
  return {
    phase: 'trading',
    halts: [{ scope: 'strategy maker', by: 'operator', reason: 'a test', sinceUs: 1 }],
    account: {
      isOpen: true,
      equityMicros: 1_000_500_000,
      cashMicros: 900_000_000,
      reservedMicros: 0,
      positionsValueMicros: 100_500_000,
      realizedMicros: 0,
      unrealizedMicros: 0,
      feesMicros: 0,
      profitMicros: 0,
      dayMicros: -2_250_000,
      drawdownMicros: -2_250_000,
      exposureMicros: 40_000_000,
      exposureMaxMicros: 400_000_000,
    },
    feed: {
      isUp: true,
      ageMs: 120,
      lagMs: 4,
      connections: 1,
      privateFault: 'fills: refused',
      fault: 'private feed down: fills: refused',
      gaps: 2,
      resyncs: 1,
      untrustedBooks: 1,
    },
    clock: { offsetMs: -3, boundMs: 5, loopLateMs: 1 },
    drift: { ageMs: 1000, qty: 150, cashMicros: -20_000, isDrift: true },
    budgets: {
      read: { available: 30, capacity: 40 },
      trade: { available: 10, capacity: 40 },
      cancelReserve: 8,
      waiting: ['cancel', 'reduce', 'new', 'probe', 'read', 'care'].map((lane) => ({ lane, count: 0 })),
      inFlight: 1,
      rateRefusals: { read: 0, trade: 2 },
    },
    orders: { working: 2, waiting: 0, inFlight: 1, unknown: 1 },
    strategies: [
      {
        name: 'maker',
        params: '{}',
        haltedBy: 'a test',
        orders: 4,
        fills: 1,
        filledQty: 100,
        feesMicros: 0,
        canceled: 0,
        rejected: 0,
        unknown: 1,
        realizedMicros: 0,
        unrealizedMicros: 0,
        denials: [],
        limits: [{ ...use('orderQtyMax', 1000, 2000), strategy: 'maker', unit: 'qty' }],
        remarks: [],
      },
    ],
    limits: [use('dailyLossMax', 25_000_000, 100_000_000), use('workingOrdersMax', 1, 0)],
    groups: [],
    overrides: [],
    alarms: [{ code: 'drift', count: 1, lastUs: 1, text: 'a difference' }],
    lastFillUs: null,
    marketCount: 3,
    journalBytes: 123_456,
  };
}
