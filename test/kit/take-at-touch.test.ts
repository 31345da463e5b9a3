// The order that could trade at once at the touch, in whole contracts, and its price after fees.
import { describe, expect, it } from 'vitest';
import type { Side } from '../../src/domain/orders/order.ts';
import { cents, contracts, micros, qty } from '../../src/domain/units.ts';
import { type Take, takeAt } from '../../src/kit/take-at-touch.ts';
import type { StrategyView } from '../../src/state/strategy-view.ts';
import { M0, aMarket } from '../support/engine/builders.ts';
import { aGroup, aSeries } from '../risk/rule-context.ts';
import { EngineHarness, aStrategy } from '../support/engine/engine-harness.ts';

/** A market bid 45 and offered 55, ten contracts each, and its strategy's view. */
function start(): { harness: EngineHarness; take: (side: Side, qtyMax?: number) => Take | null } {
  let view: StrategyView | null = null;
  const harness = new EngineHarness({
    strategies: [aStrategy({ onStart: (_event, seen) => void (view = seen) })],
    markets: [aMarket(0)],
  });
  harness.startTrading();
  const take = (side: Side, qtyMax = 400) => takeAt(view!, M0, { side, qtyMax: qty(qtyMax) });
  return { harness, take };
}

describe('an order at the touch', () => {
  it('buys at the ask and sells at the bid, at most what is wanted, its fee included', () => {
    const { take } = start();
    // 0.07 · 0.55 · 0.45 is 1.7325 cents a contract, either way.
    expect(take('buy')).toEqual({ market: M0, side: 'buy', price: cents(55), qty: contracts(4), net: 5673.25 });
    expect(take('sell')).toEqual({ market: M0, side: 'sell', price: cents(45), qty: contracts(4), net: 4326.75 });
  });

  it("is charged the venue's present fee", () => {
    const { harness, take } = start();
    harness.step({ kind: 'event-group', at: harness.now, group: aGroup(1) });
    const net = (series: Parameters<typeof aSeries>[0]): number | undefined => {
      harness.step({ kind: 'series', at: harness.now, series: aSeries(series) });
      return take('buy')?.net;
    };
    expect(net({ feeType: 'quadratic', feeMultiplierPercent: 50 })).toBe(5586.625);
    expect(net({ feeType: 'free' })).toBe(5500);
    // An unknown fee type is charged like the most expensive schedule.
    expect(net({ feeType: 'cubic' })).toBe(5673.25);
    expect(net({ feeType: 'quadratic' })).toBe(5673.25);
    const feesWaivedUntil = micros(harness.now + 1000);
    harness.step({ kind: 'market', at: harness.now, market: aMarket(0, { feesWaivedUntil }) });
    expect(take('buy')?.net).toBe(5500);
    harness.step({ kind: 'timer', at: feesWaivedUntil });
    expect(take('buy')?.net).toBe(5673.25);
  });

  it.each([
    [1e9, 1000],
    [1000, 1000],
    [999, 900],
    [100, 100],
    [99, null],
    [0, null],
    [-500, null],
  ])('has whole contracts of what is there: where %d are wanted, %d', (qtyMax, taken) => {
    expect(start().take('buy', qtyMax)?.qty ?? null).toBe(taken);
  });

  it('is null where there is no quote, no trading, or no live book', () => {
    const empty = start();
    empty.harness.venue.changeLevel(M0, 'ask', { price: cents(55), change: -1000 });
    empty.harness.run(20);
    expect([empty.take('buy'), empty.take('sell')?.price]).toEqual([null, cents(45)]);
    const halted = start();
    const { now } = halted.harness;
    halted.harness.step({ kind: 'market-changed', at: now, exchangeAt: null, market: M0, status: 'inactive' });
    expect(halted.take('buy')).toBeNull();
    const doubted = start();
    doubted.harness.step({ kind: 'feed-gap', at: now, markets: [M0], reason: 'sequence' });
    expect(doubted.take('sell')).toBeNull();
  });
});
