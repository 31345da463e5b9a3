// The engine that benchmarks trade with: the tests' engine, with budgets so wide that nothing ever waits for them, and no
// upkeep. Must never differ from a session's engine in anything but figures.
import type { MarketDefined } from '../../src/domain/event.ts';
import { type MarketIndex, type TickerTable, eventTicker } from '../../src/domain/ids.ts';
import { type Micros, fromSeconds, micros } from '../../src/domain/units.ts';
import { Engine, type EngineOptions } from '../../src/engine.ts';
import type { BudgetOptions } from '../../src/execution/budget.ts';
import { CAREFUL } from '../../src/execution/order-policy.ts';
import { rateBackoff } from '../../src/runtime/rate-backoff.ts';
import type { BoundStrategy } from '../../src/strategy/strategy.ts';
import { aMarket } from '../support/engine/builders.ts';
import { engineOptions } from '../support/engine/world.ts';

const WIDE: BudgetOptions = {
  limit: { model: 'token-bucket', refillPerSecond: 100_000, capacity: 100_000 },
  guardMs: 0,
};
const NEVER_MS = 1_000_000_000;

/** What sets the engine of a benchmark apart from one of the tests. */
export const wideOptions: Partial<EngineOptions> = {
  budgets: { read: WIDE, trade: WIDE },
  cancelReserve: 1,
  careReserve: 0,
  policy: CAREFUL,
  backoff: rateBackoff,
  timetable: { fills: NEVER_MS, compare: NEVER_MS, probe: NEVER_MS, audit: NEVER_MS, markets: NEVER_MS },
};

/** An engine of no universe: markets are told to it as events. */
export function tradingEngine(tickers: TickerTable, strategies: readonly BoundStrategy[]): Engine {
  const universe = { tickers: [], events: [], series: [] };
  return new Engine({ ...engineOptions(tickers, () => {}), ...wideOptions, universe, strategies });
}

/** The event that makes a market known: active, whole cents, open for an hour more. */
export function marketDefined(index: MarketIndex, tickers: TickerTable, at: Micros): MarketDefined {
  const named = { ticker: tickers.tickerOf(index), eventTicker: eventTicker('BENCH') };
  const closeAt = micros(at + fromSeconds(3600));
  return { kind: 'market', at, market: aMarket(index, { ...named, title: 'A market of the benchmark', closeAt }) };
}
