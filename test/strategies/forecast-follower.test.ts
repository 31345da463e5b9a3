// The forecast follower, through the real engine with a scripted venue: what it buys, how much, and when it stops.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import { cents, contracts } from '../../src/domain/units.ts';
import strategy from '../../strategies/forecast-follower.ts';
import { M0, aMarket } from '../support/engine/builders.ts';
import { EngineHarness } from '../support/engine/engine-harness.ts';

const FILE = 'ticker,probability\nM-0,0.70\n';

/** A market bid 45 and offered 55, and a forecast of it. The session starts a thousand seconds after the epoch. */
function start(params: Record<string, unknown> = {}): EngineHarness {
  const bound = strategy.bind(strategyName('forecasts'), { forecasts: FILE, ...params });
  const harness = new EngineHarness({ strategies: [bound], markets: [aMarket(0)] });
  harness.venue.script.place = () => 'take';
  return moveTouch(harness.startTrading());
}

/** Changes the touch. */
function moveTouch(harness: EngineHarness, bid = 45): EngineHarness {
  harness.venue.changeLevel(M0, 'bid', { price: cents(bid), change: 100 });
  return harness.run(50);
}

const orders = (harness: EngineHarness): string[] =>
  harness.places().map((each) => `${each.side} ${each.qty / 100} at ${each.price / 100} ${each.timeInForce}`);
const forecasts = (harness: EngineHarness): number[] =>
  harness.noticesOf('forecast').map(({ forecast }) => forecast.probability);

describe('the forecast follower', () => {
  it('buys an ask below the forecast, and sells a bid above it', () => {
    expect(orders(start())[0]).toBe('buy 10 at 55 ioc');
    expect(orders(start({ forecasts: 'ticker,probability\nM-0,0.3\n' }))[0]).toBe('sell 10 at 45 ioc');
  });

  it('stakes a fraction of Kelly’s share of its bankroll, and no more however often it checks', () => {
    // At 55 cents with a fee of 1.73 Kelly stakes (0.7 − 0.5673) / (1 − 0.5673) of the bankroll: 30.7 %.
    const harness = start({ kellyFraction: 0.1 });
    expect(orders(harness)).toEqual(['buy 5 at 55 ioc']);
    for (const bid of [46, 47, 48]) moveTouch(harness.run(1000), bid);
    expect(orders(harness)).toHaveLength(1);
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
  });

  it.each([
    ['the price is within its edge', { forecasts: 'ticker,probability\nM-0,0.58\n' }],
    ['the forecast is within the spread', { forecasts: 'ticker,probability\nM-0,0.5\n' }],
    ['the file does not name the market', { forecasts: 'ticker,probability\nM-9,0.9\n' }],
    ['the stake is less than a contract', { bankrollDollars: 1 }],
  ])('does nothing when %s', (_name, params) => {
    expect(orders(start(params))).toEqual([]);
  });

  it('does not use a row before its time, and uses it from then on', () => {
    const file = 'ticker,probability,at\nM-0,0.5,1970-01-01T00:00:00Z\nM-0,0.9,1970-01-01T00:16:45Z\n';
    const harness = start({ forecasts: file });
    expect([orders(harness), forecasts(harness)]).toEqual([[], [5000]]);
    moveTouch(harness.run(4000));
    expect(orders(harness)).toEqual([]);
    moveTouch(harness.run(1000));
    expect(forecasts(harness)).toEqual([5000, 9000]);
    expect(orders(harness)[0]).toMatch(/^buy/);
  });

  it('sharpens forecasts: favorites become more likely, longshots less', () => {
    const sharpened = (probability: number): number[] =>
      forecasts(start({ forecasts: `ticker,probability\nM-0,${probability}\n`, sharpening: 1.2 }));
    expect([sharpened(0.8), sharpened(0.5), sharpened(0.1)]).toEqual([[8407], [5000], [668]]);
  });

  it('publishes a forecast once', () => {
    expect(forecasts(moveTouch(moveTouch(start(), 46), 47))).toEqual([7000]);
  });

  it('refuses a file that it cannot parse, with the place', () => {
    expect(() => start({ forecasts: 'ticker,probability\nM-0,1.7\n' })).toThrow(/line 2/);
  });

  it('waits after a denial', () => {
    const harness = start({ bankrollDollars: 1_000_000, qtyContractsMax: 1_000_000 });
    harness.venue.changeLevel(M0, 'ask', { price: cents(55), change: 100_000_000 });
    const first = harness.run(1000).noticesOf('denied').length;
    expect(first).toBeGreaterThan(0);
    expect(moveTouch(harness, 46).noticesOf('denied')).toHaveLength(first);
  });

  it('does not publish a forecast again that was published before a restart', () => {
    const bound = strategy.bind(strategyName('forecasts'), { forecasts: FILE });
    const saved = { told: [['M-0', 0.7]], waits: { 'M-0': 5 } };
    bound.persistence?.restore(saved, {} as never);
    expect(bound.persistence?.save()).toEqual(saved);
  });
});
