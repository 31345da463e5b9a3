// The closing taker, through the real engine with a scripted venue: it buys at quotes that have not moved while time
// ran out.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import { cents, contracts, fromSeconds } from '../../src/domain/units.ts';
import { stage } from '../../src/testing/stage.ts';
import strategy from '../../strategies/closing-taker.ts';
import { BEGIN, M0, aMarket } from '../support/engine/builders.ts';
import { EngineHarness } from '../support/engine/engine-harness.ts';

interface Setting {
  /** Best bid and ask, in cents. */
  readonly touch?: readonly [bid: number, ask: number];
  readonly params?: Record<string, unknown>;
  /** Seconds from the start to the close. */
  readonly closesIn?: number;
}

/** A market with a touch of ten contracts each that closes in a minute, and the strategy in it. */
function start({ touch: [bid, ask] = [88, 92], params = {}, closesIn = 60 }: Setting = {}): EngineHarness {
  const bound = strategy.bind(strategyName('closing'), params);
  const closeAt = fromSeconds(BEGIN / 1_000_000 + closesIn);
  const harness = new EngineHarness({ strategies: [bound], markets: [aMarket(0, { closeAt })] });
  harness.venue.script.place = () => 'take';
  harness.venue.changeLevel(M0, 'bid', { price: cents(45), change: -1000 });
  harness.venue.changeLevel(M0, 'ask', { price: cents(55), change: -1000 });
  harness.venue.changeLevel(M0, 'bid', { price: cents(bid), change: 1000 });
  harness.venue.changeLevel(M0, 'ask', { price: cents(ask), change: 1000 });
  return harness.startTrading();
}

const orders = (harness: EngineHarness): string[] =>
  harness.places().map((each) => `${each.side} ${each.qty / 100} at ${each.price / 100} ${each.timeInForce}`);

describe('the closing taker', () => {
  it('buys the nearly certain side once it is more likely than its quote says, though no quote moves', () => {
    const harness = start().run(29_000);
    expect(orders(harness)).toEqual([]);
    harness.run(5000);
    expect(orders(harness)).toEqual(['buy 10 at 92 ioc']);
  });

  it('sells what is nearly certain not to happen', () => {
    expect(orders(start({ touch: [8, 12] }).run(34_000))).toEqual(['sell 10 at 8 ioc']);
  });

  it.each<[string, Setting]>([
    ['the close is far', { closesIn: 3000 }],
    ['no outcome is likely enough', { touch: [48, 52] }],
    ['the required edge is larger', { params: { edgeCents: 20 } }],
    ['the required probability is higher', { params: { sureMin: 0.999 } }],
  ])('does nothing when %s', (_name, setting) => {
    expect(orders(start(setting).run(34_000))).toEqual([]);
  });

  it('restarts its clock when the quote moves, because it is not stale then', () => {
    const harness = start().run(30_000);
    const placed = harness.places().length;
    harness.venue.changeLevel(M0, 'bid', { price: cents(89), change: 1000 });
    harness.run(1000);
    expect(harness.places()).toHaveLength(placed);
  });

  it('holds at most its limit and sends no order while another is working', () => {
    const harness = start({ params: { qtyContractsMax: 4 } }).run(50_000);
    expect(orders(harness)).toEqual(['buy 4 at 92 ioc']);
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(4));
  });

  it('leaves a market alone for a while after a denial', () => {
    const harness = start({ params: { qtyContractsMax: 100_000, deniedWaitMs: 4000 } });
    harness.venue.changeLevel(M0, 'ask', { price: cents(92), change: 10_000_000 });
    harness.run(31_000);
    const first = harness.noticesOf('denied').length;
    expect(first).toBeGreaterThan(0);
    harness.run(2500);
    expect(harness.noticesOf('denied')).toHaveLength(first);
    harness.run(2500);
    expect(harness.noticesOf('denied').length).toBeGreaterThan(first);
  });

  it('does nothing with a book that is not live, or after the close', () => {
    const harness = start();
    harness.run(29_500);
    harness.venue.feedDown();
    harness.run(4000);
    expect(orders(harness)).toEqual([]);
    expect(orders(start({ closesIn: 0.02 }).run(5000))).toEqual([]);
  });

  it('buys after a restart, too, though no quote moves', () => {
    const scene = stage(strategy, { markets: [{ ticker: 'RAIN', closesInMs: 60_000 }] });
    scene
      .book('RAIN', { bids: [[88, 10]], asks: [[92, 10]] })
      .advance(20_000)
      .restart()
      .advance(15_000);
    expect(scene.position('RAIN').qty).toBe(contracts(10));
  });

  it('sets no timer while the close is far, and one for each market when it is near', () => {
    const scene = stage(strategy, { markets: [{ ticker: 'RAIN', closesInMs: 600_000 }] });
    scene.book('RAIN', { bids: [[88, 10]], asks: [[92, 10]] }).advance(500_000);
    expect(scene.newIntents()).toEqual([]);
    scene.advance(60_000);
    expect(scene.newIntents()).toMatchObject([{ type: 'timer', name: 'RAIN' }]);
  });

  it('wakes when a quote is sure enough, though it moved shortly before', () => {
    const scene = stage(strategy, { markets: [{ ticker: 'RAIN', closesInMs: 60_000 }] });
    scene.book('RAIN', { bids: [[88, 10]], asks: [[92, 10]] }).advance(29_900);
    scene.newIntents();
    scene.book('RAIN', { bids: [[89, 10]], asks: [[93, 10]] });
    const sureAt = scene.market('RAIN').closeAt - fromSeconds(30);
    expect(scene.newIntents()).toMatchObject([{ type: 'timer', name: 'RAIN', at: sureAt }]);
  });

  it('does not look at a quote while its market is left, because the close has moved', () => {
    const harness = start().run(10_000);
    harness.venue.listMarket(aMarket(0, { closeAt: fromSeconds(BEGIN / 1_000_000 + 600) }));
    harness.venue.changeLevel(M0, 'bid', { price: cents(88), change: 1000 });
    harness.venue.changeLevel(M0, 'ask', { price: cents(92), change: 1000 });
    harness.run(30_000);
    expect(harness.engine.strategyRunner.allStrategies()[0]?.view.markets).toEqual([]);
    expect(harness.engine.strategyRunner.timerAt()).toBeNull();
  });

  it('continues from its saved state', () => {
    const saved = { stood: [['M-0', { mid: 9000, since: BEGIN - 90_000_000, sureAt: BEGIN + 5 }]], waits: {} };
    const bound = strategy.bind(strategyName('closing'), {});
    bound.persistence?.restore(saved, { now: BEGIN } as never);
    expect(bound.persistence?.save()).toEqual(saved);
  });
});
