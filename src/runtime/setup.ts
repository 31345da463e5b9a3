// Turns a bot's config and a venue's capabilities into what the engine is made of.
import type { BotConfig } from '../config/bot-config.ts';
import { eventTicker, ticker } from '../domain/ids.ts';
import { type Micros, qty } from '../domain/units.ts';
import type { EngineOptions } from '../engine.ts';
import type { RateLimit } from '../execution/budget.ts';
import type { Observer } from '../execution/notice.ts';
import { WATCH_ONLY } from '../risk/watch-only.ts';
import type { BoundStrategy } from '../strategy/strategy.ts';
import type { Venue } from '../venue.ts';
import { rateBackoff } from './rate-backoff.ts';

/** What a session is put together from. */
export interface SetupOptions {
  readonly config: Pick<BotConfig, 'markets' | 'limits' | 'budgets' | 'orders' | 'upkeep'>;
  readonly venue: Venue;
  readonly strategies: readonly BoundStrategy[];
  readonly hasKey: boolean;
  readonly observe: Observer;
}

/** Clocks do not run at quite the same pace, and the venue may count its window in whole milliseconds. */
const WINDOW_GUARD_MS = 10;

/** The engine's options. */
export function engineOptions({ config, venue, strategies, hasKey, observe }: SetupOptions): EngineOptions {
  const { budgets, orders, upkeep } = config;
  const trade = budgetLimit(venue.capabilities.limits.trade, budgets, budgets.trade);
  const read = budgetLimit(venue.capabilities.limits.read, budgets, budgets.read);
  return {
    tickers: venue.tickers,
    strategies,
    limits: config.limits ?? WATCH_ONLY,
    universe: { tickers: config.markets.tickers.map(ticker), events: config.markets.events.map(eventTicker) },
    hasKey,
    budgets: { read: { limit: read, guardMs: WINDOW_GUARD_MS }, trade: { limit: trade, guardMs: WINDOW_GUARD_MS } },
    cost: venue.capabilities.cost,
    cancelReserve: Math.floor(capacityOf(trade) * budgets.cancelReserve),
    inFlightMax: { read: budgets.readsInFlightMax, trade: budgets.tradesInFlightMax },
    backoff: rateBackoff,
    qtyStep: qty(venue.capabilities.qtyStep),
    orderDelayMsMax: millis(orders.delayMax),
    graceMs: millis(orders.grace),
    lookbackMs: millis(orders.lookback),
    timetable: {
      fills: millis(upkeep.fills),
      compare: millis(upkeep.compare),
      probe: millis(upkeep.probe),
      audit: millis(upkeep.audit),
      markets: millis(upkeep.markets),
    },
    observe,
  };
}

const millis = (duration: Micros): number => Math.ceil(duration / 1000);

const capacityOf = (limit: RateLimit): number => (limit.model === 'rolling-window' ? limit.count : limit.capacity);

/** Our share of the venue's limit, or what the config puts in its place. */
function budgetLimit(venue: RateLimit, { share }: BotConfig['budgets'], own: BotConfig['budgets']['trade']): RateLimit {
  if (own) return { model: 'rolling-window', count: own.count, windowMs: millis(own.window) };
  if (venue.model === 'rolling-window') return { ...venue, count: Math.max(1, Math.floor(venue.count * share)) };
  return {
    ...venue,
    refillPerSecond: Math.max(1, Math.floor(venue.refillPerSecond * share)),
    capacity: Math.max(1, Math.floor(venue.capacity * share)),
  };
}
