// Converts a bot's config and a venue's capabilities to the engine's options.
import type { BotConfig } from '../../config/bot-config.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';
import { eventTicker, seriesTicker, strategyName, ticker } from '../../domain/ids.ts';
import { type Micros, qty } from '../../domain/units.ts';
import type { EngineOptions } from '../../engine.ts';
import { type RateLimit, capacityOf } from '../../domain/rate-budget.ts';
import type { Observer } from '../../execution/engine-notice.ts';
import type { OrderPolicy } from '../../execution/orders/order-policy.ts';
import { WATCH_ONLY } from '../../risk/risk-limits.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import type { Venue } from '../../venue.ts';
import { checkBudgets } from './budget-check.ts';
import { rateBackoff } from './rate-backoff.ts';

/** The parts of a config that decide what the engine does. A journal's manifest holds them all. */
export const SETUP_MEMBERS = ['markets', 'strategies', 'limits', 'budgets', 'orders', 'upkeep', 'clock'] as const;
export type SetupConfig = Pick<BotConfig, (typeof SETUP_MEMBERS)[number]>;

/** The parts of a session's setup. */
export interface SetupOptions {
  readonly config: SetupConfig;
  readonly venue: Pick<Venue, 'capabilities' | 'tickers'>;
  readonly strategies: readonly BoundStrategy[];
  readonly hasKey: boolean;
  readonly observe: Observer;
}

/**
 * Added to the time over which requests are counted: two clocks never run equally fast, and the venue may count in
 * whole milliseconds.
 */
const WINDOW_GUARD_MS = 10;

/**
 * Converts the setup to the engine's options.
 * @throws {ConfigValueFault} when a budget can never hold some kind of request, or quotes should move by amends, and the
 *   venue has none.
 */
export function engineOptions({ config, venue, strategies, hasKey, observe }: SetupOptions): EngineOptions {
  const { budgets, orders, upkeep } = config;
  const trade = budgetLimit(venue.capabilities.limits.trade, budgets, budgets.trade);
  const read = budgetLimit(venue.capabilities.limits.read, budgets, budgets.read);
  const options: EngineOptions = {
    tickers: venue.tickers,
    strategies,
    limits: config.limits ?? WATCH_ONLY,
    strategyLimits: new Map(config.strategies.map(({ name, limits = {} }) => [strategyName(name), limits])),
    capital: new Map(
      config.strategies.flatMap(({ name, capital }) => (capital === undefined ? [] : [[strategyName(name), capital]])),
    ),
    universe: universe(config.markets),
    hasKey,
    budgets: { read: { limit: read, guardMs: WINDOW_GUARD_MS }, trade: { limit: trade, guardMs: WINDOW_GUARD_MS } },
    cost: venue.capabilities.cost,
    cancelReserve: Math.floor(capacityOf(trade) * budgets.cancelReserve),
    careReserve: Math.floor(capacityOf(read) * (1 - budgets.careShare)),
    inFlightMax: { read: budgets.readsInFlightMax, trade: budgets.tradesInFlightMax },
    backoff: rateBackoff,
    qtyStep: qty(venue.capabilities.qtyStep),
    venueTerms: venue.capabilities,
    canReadFeeChanges: venue.capabilities.canReadFeeChanges ?? false,
    canReadQueue: venue.capabilities.canReadQueue ?? false,
    orderDelayMsMax: millis(orders.delayMax),
    graceMs: millis(orders.grace),
    lookbackMs: millis(orders.lookback),
    policy: policyOf(orders, venue.capabilities),
    settledGraceMs: millis(config.markets.settledGrace),
    timetable: {
      fills: millis(upkeep.fills),
      compare: millis(upkeep.compare),
      probe: millis(upkeep.probe),
      audit: millis(upkeep.audit),
      markets: millis(upkeep.markets),
    },
    clock: { offsetWarnMs: millis(config.clock.offsetWarn), offsetMsMax: millis(config.clock.offsetMax) },
    observe,
  };
  checkBudgets(options, budgets);
  return options;
}

const policyOf = (orders: BotConfig['orders'], capabilities: Venue['capabilities']): OrderPolicy => ({
  unknownMsMax: millis(orders.unknownMax),
  unexpected: orders.unexpected,
  onDrift: orders.onDrift,
  canShrink: capabilities.canDecrease,
  canMove: canMoveQuotes(orders, capabilities),
  canResend: orders.resendUnknown && capabilities.dedupesClientIds,
});

function canMoveQuotes({ moveQuotesBy }: BotConfig['orders'], { canAmend }: Venue['capabilities']): boolean {
  if (moveQuotesBy === 'amend' && !canAmend)
    throw new ConfigValueFault(
      { place: 'orders.moveQuotesBy', value: moveQuotesBy },
      'cancel, because this venue cannot amend orders',
    );
  return moveQuotesBy === 'amend';
}

/**
 * Refuses a config that every session would refuse at its start.
 * @throws {ConfigValueFault} as `engineOptions` and `sessionBatchMax` do.
 */
export function checkSetup(setup: Pick<SetupOptions, 'config' | 'venue' | 'hasKey'>): void {
  engineOptions({ ...setup, strategies: [], observe: () => undefined });
  sessionBatchMax(setup.config, setup.venue.capabilities);
}

/**
 * The most orders that a session sends in one request.
 * @throws {ConfigValueFault} when the config asks for batches of a venue that has none.
 */
export function sessionBatchMax(
  { orders }: Pick<BotConfig, 'orders'>,
  { batchMax = 1 }: Venue['capabilities'],
): number {
  if (orders.batches && batchMax < 2)
    throw new ConfigValueFault(
      { place: 'orders.batches', value: orders.batches },
      'false, because this venue takes one order in a request',
    );
  return orders.batches ? batchMax : 1;
}

const universe = ({ tickers, events, series }: BotConfig['markets']): EngineOptions['universe'] => ({
  tickers: tickers.map(ticker),
  events: events.map(eventTicker),
  series: series.map(seriesTicker),
});

const millis = (duration: Micros): number => Math.ceil(duration / 1000);

/** Returns the rate limit of a session: the config's own limit, or else the config's share of the venue's limit. */
export function budgetLimit(
  venue: RateLimit,
  { share }: BotConfig['budgets'],
  configured: BotConfig['budgets']['trade'],
): RateLimit {
  if (configured) return { model: 'rolling-window', count: configured.count, windowMs: millis(configured.window) };
  if (venue.model === 'rolling-window') return { ...venue, count: Math.max(1, Math.floor(venue.count * share)) };
  return {
    ...venue,
    refillPerSecond: Math.max(1, Math.floor(venue.refillPerSecond * share)),
    capacity: Math.max(1, Math.floor(venue.capacity * share)),
  };
}
