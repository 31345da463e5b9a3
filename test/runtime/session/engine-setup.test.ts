// Converts a bot's config and a venue's capabilities to the engine's options.
import { describe, expect, it } from 'vitest';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { ConfigValueFault } from '../../../src/base/config-value-fault.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import { TickerTable } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars, price } from '../../../src/domain/units.ts';
import type { EngineOptions } from '../../../src/engine.ts';
import type { RateLimit } from '../../../src/domain/rate-budget.ts';
import { NO_OPTIONAL_LIMITS, WATCH_ONLY } from '../../../src/risk/risk-limits.ts';
import { rateBackoff } from '../../../src/runtime/session/rate-backoff.ts';
import { sessionBatchMax, engineOptions } from '../../../src/runtime/session/engine-setup.ts';
import type { Venue } from '../../../src/venue.ts';
import { capabilitiesWith } from '../../support/sessions/capabilities.ts';

const LIMITS = `limits:
  { orderQtyMax: 20, orderCostMax: 30, positionQtyMax: 60, marketCostMax: 70, accountCostMax: 400,
    workingOrdersMax: 40, priceMin: 0.02, priceMax: 0.98, bookAgeMax: 15s, closeGuard: 1.5s, groupCostMax: 100,
    dailyLossMax: 100, drawdownMax: 200, ordersPerSecondMax: 50, priceDistanceMax: 0.6 }`;

const config = (more = ''): BotConfig =>
  parseYaml(
    `venue: { url: http://localhost }\nmarkets: { events: [RAIN, CITY], tickers: [A], series: [DAILY], settledGrace: 90s }\nlog: { file: a.log }\n${more}\n`,
    { file: 'bot.yaml', schema: botConfigSchema },
  );

const rolling = (count: number): RateLimit => ({ model: 'rolling-window', count, windowMs: 1000 });

function options(
  more: string,
  limits: { read: RateLimit; trade: RateLimit },
  { cost = 3, canAmend = true }: { readonly cost?: number; readonly canAmend?: boolean } = {},
): EngineOptions {
  const venue: Venue = {
    name: 'test',
    tickers: new TickerTable(),
    capabilities: {
      canAmend,
      canDecrease: true,
      dedupesClientIds: true,
      canPostOnly: true,
      canReduceOnly: true,
      timeInForce: ['gtc'],
      qtyStep: 100,
      priceMin: price(1),
      priceMax: price(9999),
      limits,
      cost: () => cost,
    },
    feed: undefined as never,
    gateway: undefined as never,
    normalizer: undefined as never,
  };
  return engineOptions({ config: config(more), venue, strategies: [], hasKey: true, observe: () => undefined });
}

const made = (more = '') => options(more, { read: rolling(20), trade: rolling(10) });

describe('budgets', () => {
  it('budgets are the config’s share of the venue’s limits, rounded down', () => {
    const { budgets } = made('budgets: { share: 0.75 }');
    expect(budgets.read).toEqual({ limit: { model: 'rolling-window', count: 15, windowMs: 1000 }, guardMs: 10 });
    expect(budgets.trade).toEqual({ limit: { model: 'rolling-window', count: 7, windowMs: 1000 }, guardMs: 10 });
  });

  it('budgets are never so small that nothing could be sent', () => {
    const { budgets } = options('budgets: { share: 0.01 }', { read: rolling(20), trade: rolling(10) }, { cost: 1 });
    expect([budgets.read.limit, budgets.trade.limit]).toMatchObject([{ count: 1 }, { count: 1 }]);
  });

  it('share a token bucket by its rate and its capacity', () => {
    const bucket = { model: 'token-bucket', refillPerSecond: 30, capacity: 60 } as const;
    const { budgets, cancelReserve } = options('budgets: { share: 0.5, cancelReserve: 0.25 }', {
      read: bucket,
      trade: bucket,
    });
    expect(budgets.trade.limit).toEqual({ model: 'token-bucket', refillPerSecond: 15, capacity: 30 });
    expect(cancelReserve).toBe(7);
  });

  it('the config’s own budgets replace the venue’s limits, without a share', () => {
    const { budgets, cancelReserve } = made('budgets: { share: 0.5, trade: { count: 50, window: 2.5s } }');
    expect(budgets.trade.limit).toEqual({ model: 'rolling-window', count: 50, windowMs: 2500 });
    expect(budgets.read.limit).toMatchObject({ count: 10 });
    expect(cancelReserve).toBe(10);
  });

  it('reserve a part of the trades for cancels, and none when configured so', () => {
    expect(made('budgets: { share: 1, cancelReserve: 0.39 }').cancelReserve).toBe(3);
    expect(made('budgets: { cancelReserve: 0 }').cancelReserve).toBe(0);
  });

  it('budgets leave room for an order beside the reserve, even with the smallest limit', () => {
    const { budgets, cancelReserve } = options(
      'budgets: { share: 1, cancelReserve: 0.9 }',
      {
        read: rolling(1),
        trade: rolling(1),
      },
      { cost: 1 },
    );
    expect(budgets.trade.limit).toMatchObject({ count: 1 });
    expect(cancelReserve).toBe(0);
  });

  it('a budget that can never hold an order beside the reserve is refused before the session begins', () => {
    const limits = { read: rolling(20), trade: rolling(10) };
    const tight = 'budgets: { share: 1, cancelReserve: 0.8 }';
    expect(() => options(tight, limits)).toThrow(ConfigValueFault);
    expect(() => options(tight, limits)).toThrow(
      'budgets.share: expected a larger trade budget, or less of it kept free by budgets.cancelReserve (a place costs 3, and 8 of 10 are kept free), found 1',
    );
    expect(() => options('budgets: { careShare: 0.1 }', limits)).toThrow(/a larger read budget.*careShare/);
    expect(() => options('budgets: { trade: { count: 2, window: 1s } }', limits)).toThrow(
      /^budgets.trade.count: expected a larger trade budget.* found 2$/,
    );
    expect(options('budgets: { share: 1, cancelReserve: 0.7 }', limits).cancelReserve).toBe(7);
  });

  it('give comparing and auditing their share of the reads', () => {
    expect(made('budgets: { share: 1, careShare: 0.25 }').careReserve).toBe(15);
    expect(made('budgets: { share: 1 }').careReserve).toBe(10);
  });

  it('use the venue’s costs', () => {
    expect(made().cost(undefined as never)).toBe(3);
  });
});

describe('other options', () => {
  it('the other options come from the config, in milliseconds where the engine counts in them', () => {
    const { timetable, orderDelayMsMax, graceMs, lookbackMs, inFlightMax, qtyStep, universe, backoff, ...rest } = made(
      'upkeep: { fills: 1.5s, audit: 250ms }\norders: { delayMax: 0.5s, grace: 4s, lookback: 1m }',
    );
    expect(timetable).toEqual({ fills: 1500, compare: 10_000, probe: 1000, audit: 250, markets: 15_000 });
    expect({ orderDelayMsMax, graceMs, lookbackMs }).toEqual({
      orderDelayMsMax: 500,
      graceMs: 4000,
      lookbackMs: 60_000,
    });
    expect(inFlightMax).toEqual({ read: 4, trade: 16 });
    expect(qtyStep).toBe(100);
    expect(universe).toEqual({ tickers: ['A'], events: ['RAIN', 'CITY'], series: ['DAILY'] });
    expect(rest.settledGraceMs).toBe(90_000);
    expect(backoff).toBe(rateBackoff);
  });

  it('limit risk by the config’s limits, unit for unit', () => {
    expect(made(LIMITS).limits).toEqual({
      orderQtyMax: contracts(20),
      orderCostMax: dollars(30),
      positionQtyMax: contracts(60),
      marketCostMax: dollars(70),
      accountCostMax: dollars(400),
      workingOrdersMax: 40,
      priceMin: cents(2),
      priceMax: cents(98),
      bookAgeMsMax: 15_000,
      closeGuardMs: 1500,
      groupCostMax: dollars(100),
      dailyLossMax: dollars(100),
      drawdownMax: dollars(200),
      ordersPerSecondMax: 50,
      priceDistanceMax: cents(60),
      ...NO_OPTIONAL_LIMITS,
    });
  });

  it('limit each strategy by its own limits, and orders by the venue’s terms', () => {
    const own =
      'dataFolder: d\nstrategies: [{ name: a, file: a.ts, limits: { orderQtyMax: 3 } }, { name: b, file: b.ts }]\n';
    const { strategyLimits, venueTerms } = made(`${own}${LIMITS}`);
    expect([...(strategyLimits ?? [])]).toEqual([
      ['a', { orderQtyMax: contracts(3) }],
      ['b', {}],
    ]);
    expect(venueTerms).toMatchObject({ canPostOnly: true, priceMin: 1, priceMax: 9999 });
  });

  it('allow no order where there are no limits', () => {
    expect(made().limits).toBe(WATCH_ONLY);
  });
});

describe('the way in which a quote moves', () => {
  const BY_AMEND = 'orders: { moveQuotesBy: amend }';

  it('is a cancel and a new order unless the config asks for amends', () => {
    expect(made().policy.canMove).toBe(false);
    expect(made('orders: { moveQuotesBy: cancel }').policy.canMove).toBe(false);
    expect(made(BY_AMEND).policy.canMove).toBe(true);
  });

  it('is refused at the start where the venue has no amends', () => {
    const limits = { read: rolling(20), trade: rolling(10) };
    const make = () => options(BY_AMEND, limits, { canAmend: false });
    expect(make).toThrow(ConfigValueFault);
    expect(make).toThrow('orders.moveQuotesBy: expected cancel, because this venue cannot amend orders, found "amend"');
    expect(options('', limits, { canAmend: false }).policy.canMove).toBe(false);
  });
});

describe('batches of orders', () => {
  const batchMaxOf = (more: string, batchMax: number): number =>
    sessionBatchMax(config(more), { ...capabilitiesWith(rolling(9)), batchMax });

  it('are as large as the venue takes them, if the config asks for them', () => {
    expect(batchMaxOf('', 20)).toBe(1);
    expect(batchMaxOf('orders: { batches: false }', 20)).toBe(1);
    expect(batchMaxOf('orders: { batches: true }', 20)).toBe(20);
  });

  it('are refused at the start where the venue takes one order at a time', () => {
    const ask = (): number => batchMaxOf('orders: { batches: true }', 1);
    expect(ask).toThrow(ConfigValueFault);
    expect(ask).toThrow('orders.batches: expected false, because this venue takes one order in a request, found true');
    expect(batchMaxOf('', 1)).toBe(1);
  });
});

describe('unexpected orders', () => {
  it('unexpected orders are handled carefully unless the config says otherwise', () => {
    expect(made().policy).toEqual({
      unknownMsMax: 30_000,
      unexpected: 'cancel',
      onDrift: 'halt',
      canShrink: true,
      canMove: false,
      canResend: false,
    });
    const own = 'orders: { unknownMax: 7s, unexpected: adopt, onDrift: alarm, resendUnknown: true }';
    expect(made(own).policy).toMatchObject({
      unknownMsMax: 7000,
      unexpected: 'adopt',
      onDrift: 'alarm',
      canResend: true,
    });
  });
});
