// The engine that benchmarks trade with: the tests' engine with budgets that are never reached, and no periodic work.
// Must never differ from a session's engine in anything but figures.
import type { MarketDefined } from '../../src/domain/event.ts';
import { type MarketIndex, type TickerTable, eventTicker } from '../../src/domain/ids.ts';
import { type Micros, fromSeconds, micros } from '../../src/domain/units.ts';
import { Engine, type EngineOptions } from '../../src/engine.ts';
import type { BudgetOptions } from '../../src/domain/rate-budget.ts';
import type { Observer } from '../../src/execution/engine-notice.ts';
import { CAREFUL_POLICY } from '../../src/execution/orders/order-policy.ts';
import { rateBackoff } from '../../src/runtime/session/rate-backoff.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import { aMarket } from '../support/engine/builders.ts';
import { engineOptions } from '../support/engine/engine-harness.ts';

const WIDE: BudgetOptions = {
  limit: { model: 'token-bucket', refillPerSecond: 100_000, capacity: 100_000 },
  guardMs: 0,
};
const NEVER_MS = 1_000_000_000;

/** The options in which a benchmark's engine differs from a test's. */
export const wideOptions: Partial<EngineOptions> = {
  budgets: { read: WIDE, trade: WIDE },
  cancelReserve: 1,
  careReserve: 0,
  policy: CAREFUL_POLICY,
  backoff: rateBackoff,
  timetable: { fills: NEVER_MS, compare: NEVER_MS, probe: NEVER_MS, audit: NEVER_MS, markets: NEVER_MS },
};

/** An engine without a universe: markets come as events. */
export function tradingEngine(
  tickers: TickerTable,
  strategies: readonly BoundStrategy[],
  observe: Observer = () => {},
): Engine {
  const universe = { tickers: [], events: [], series: [] };
  return new Engine({ ...engineOptions(tickers, observe), ...wideOptions, universe, strategies });
}

/** The event that defines a market: active, whole cents, open for another hour. */
export function marketDefined(index: MarketIndex, tickers: TickerTable, at: Micros): MarketDefined {
  const named = { ticker: tickers.tickerOf(index), eventTicker: eventTicker('BENCH') };
  const closeAt = micros(at + fromSeconds(3600));
  return { kind: 'market', at, market: aMarket(index, { ...named, title: 'A market of the benchmark', closeAt }) };
}
