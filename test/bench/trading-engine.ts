// The engine that benchmarks trade with: limits and budgets so wide that nothing ever waits for them, no upkeep.
// Must never differ from a session's engine in anything but figures.
import type { MarketDefined } from '../../src/domain/event.ts';
import { type MarketIndex, type TickerTable, eventTicker } from '../../src/domain/ids.ts';
import { CENT_GRID } from '../../src/domain/price-grid.ts';
import { type Micros, cents, contracts, dollars, fromSeconds, micros, qty } from '../../src/domain/units.ts';
import { Engine } from '../../src/engine.ts';
import type { BudgetOptions } from '../../src/execution/budget.ts';
import { CAREFUL } from '../../src/execution/order-policy.ts';
import { rateBackoff } from '../../src/runtime/rate-backoff.ts';
import { NO_OPTIONAL_LIMITS } from '../../src/risk/limits.ts';
import type { BoundStrategy } from '../../src/strategy/strategy.ts';

const WIDE: BudgetOptions = {
  limit: { model: 'token-bucket', refillPerSecond: 100_000, capacity: 100_000 },
  guardMs: 0,
};
const NEVER_MS = 1_000_000_000;

/** An engine of no universe: markets are told to it as events. */
export function tradingEngine(tickers: TickerTable, strategies: readonly BoundStrategy[]): Engine {
  return new Engine({
    tickers,
    strategies,
    limits: {
      orderQtyMax: contracts(1000),
      orderCostMax: dollars(1000),
      positionQtyMax: contracts(10_000),
      marketCostMax: dollars(10_000),
      accountCostMax: dollars(100_000),
      workingOrdersMax: 1000,
      priceMin: cents(1),
      priceMax: cents(99),
      bookAgeMsMax: 60_000,
      closeGuardMs: 1000,
      groupCostMax: dollars(10_000),
      dailyLossMax: dollars(100_000),
      drawdownMax: dollars(100_000),
      ordersPerSecondMax: 10_000,
      priceDistanceMax: 9999,
      ...NO_OPTIONAL_LIMITS,
    },
    universe: { tickers: [], events: [], series: [] },
    hasKey: true,
    budgets: { read: WIDE, trade: WIDE },
    cost: () => 1,
    cancelReserve: 1,
    careReserve: 0,
    policy: CAREFUL,
    inFlightMax: { read: 10, trade: 10 },
    backoff: rateBackoff,
    qtyStep: qty(100),
    venueTerms: {
      canPostOnly: true,
      canReduceOnly: true,
      timeInForce: ['gtc', 'gtd', 'ioc', 'fok'],
      priceMin: cents(1),
      priceMax: cents(99),
    },
    orderDelayMsMax: 2000,
    graceMs: 2000,
    lookbackMs: 10_000,
    settledGraceMs: 60_000,
    timetable: { fills: NEVER_MS, compare: NEVER_MS, probe: NEVER_MS, audit: NEVER_MS, markets: NEVER_MS },
    clock: { offsetWarnMs: 2000, offsetMsMax: 10_000 },
    observe: () => {},
  });
}

/** The event that makes a market known: active, whole cents, open for an hour more. */
export function marketDefined(index: MarketIndex, tickers: TickerTable, at: Micros): MarketDefined {
  const market = {
    ticker: tickers.tickerOf(index),
    index,
    eventTicker: eventTicker('BENCH'),
    title: 'A market of the benchmark',
    status: 'active',
    openAt: fromSeconds(0),
    closeAt: micros(at + fromSeconds(3600)),
    canCloseEarly: true,
    grid: CENT_GRID,
    result: null,
    settlementValue: null,
  } as const;
  return { kind: 'market', at, market };
}
