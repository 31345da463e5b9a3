// The engine and the venue's limits in a benchmarked backtest: every risk rule is on, limits and budgets are never
// reached, and the periodic work is that of a live session. Must never differ from a session's engine in anything but
// figures.
import { WORKLOAD_SERIES } from '../support/tapes/workload-rows.ts';
import type { BacktestEngineParts } from '../../backtest/backtest-run.ts';
import { dollars, qty } from '../../src/domain/units.ts';
import type { EngineOptions } from '../../src/engine.ts';
import { CAREFUL_POLICY } from '../../src/execution/orders/order-policy.ts';
import { rateBackoff } from '../../src/runtime/session/rate-backoff.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import type { RateLimit } from '../../src/venue.ts';
import { capabilitiesWith } from '../support/sessions/capabilities.ts';
import { wideLimits } from '../support/engine/builders.ts';

const WIDE: RateLimit = { model: 'token-bucket', refillPerSecond: 100_000, capacity: 100_000 };

/** A venue that can do everything and refuses nothing for rate. */
export const tapeCapabilities = capabilitiesWith(WIDE);

/** Options of an engine that trades every market of the generated tape. */
export function tapeEngineOptions(
  { tickers, observe }: Omit<BacktestEngineParts, 'capabilities'>,
  strategies: readonly BoundStrategy[],
): EngineOptions {
  const budget = { limit: WIDE, guardMs: 0 };
  return {
    tickers,
    strategies,
    limits: wideLimits({
      accountCostMax: dollars(500_000),
      workingOrdersMax: 20_000,
      groupCostMax: dollars(500_000),
      dailyLossMax: dollars(500_000),
      drawdownMax: dollars(500_000),
      touchJumpMax: 5000,
      ordersPerSecondMax: 100_000,
    }),
    universe: { tickers: [], events: [], series: [WORKLOAD_SERIES] },
    hasKey: true,
    budgets: { read: budget, trade: budget },
    cost: () => 1,
    cancelReserve: 1,
    careReserve: 0,
    inFlightMax: { read: 10, trade: 1000 },
    backoff: rateBackoff,
    qtyStep: qty(100),
    venueTerms: tapeCapabilities,
    orderDelayMsMax: 20_000,
    policy: CAREFUL_POLICY,
    graceMs: 3000,
    lookbackMs: 10_000,
    settledGraceMs: 60_000,
    timetable: { fills: 5000, compare: 10_000, probe: 1000, audit: 2000, markets: 15_000 },
    clock: { offsetWarnMs: 2000, offsetMsMax: 10_000 },
    observe,
  };
}
