// Positions and cash against the venue's, continuously: lag raises no alarm, missed fills are found, and unexplained
// differences stop trading.
import { describe, expect, it } from 'vitest';
import { cents, contracts, money } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { M0, M1, aMarket } from '../../support/engine/builders.ts';
import { World, aStrategy, quoter } from '../../support/engine/world.ts';

/** A world with resting quotes on both sides. */
function resting(onDrift: 'alarm' | 'halt' = 'halt', markets = [aMarket(0)]): World {
  const engine = { policy: { ...CAREFUL_POLICY, onDrift } };
  const world = new World({ strategies: [aStrategy(quoter())], markets, engine }).startTrading();
  world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
  return world.run(10);
}
const drifts = (world: World): unknown[] => world.notices.filter(({ type }) => type.endsWith('-drift'));
const suspicions = (world: World): string[] =>
  world.noticesOf('suspicion').map(({ change, why }) => `${change}: ${why}`);

describe('comparisons while orders rest', () => {
  it('comparisons find and explain a fill that neither the feed nor a list reported in time', () => {
    const world = resting();
    let isBehind = true;
    world.venue.script.reportsFill = () => false;
    world.venue.script.reportsOrder = () => false;
    world.venue.script.answers = (_, truth) => (truth.kind === 'fills' && isBehind ? { ...truth, rows: [] } : truth);
    world.venue.tradeOrder(world.venue.resting()[0]!, 300);
    world.run(3500);
    isBehind = false;
    world.run(10_000);
    expect(drifts(world)).toEqual([]);
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
    expect(suspicions(world)[0]).toBe("raised: differs from the venue's figure");
    expect(suspicions(world).at(-1)).toMatch(/^explained/);
    expect(world.engine.session.ledger.comparison).toMatchObject({ qty: 0, cash: 0, isDrift: false });
  });

  it('comparisons accept a list that lags behind our figures', () => {
    const world = resting();
    const late: { at: number; truth: Parameters<NonNullable<World['venue']['script']['answers']>>[1] }[] = [];
    world.venue.script.answers = (_, truth) => {
      if (truth.kind !== 'positions') return truth;
      late.push({ at: world.now, truth });
      const old = late.findLast(({ at }) => at <= world.now - 1_500_000) ?? late[0]!;
      return old.truth.kind === 'positions' ? { ...truth, rows: old.truth.rows } : truth;
    };
    for (let i = 0; i < 20; i++) {
      const [order] = world.venue.resting();
      if (order) world.venue.tradeOrder(order, 100);
      world.run(900);
    }
    world.run(6000);
    expect(drifts(world)).toEqual([]);
    expect(world.noticesOf('halt')).toEqual([]);
  });

  it('comparisons never take one empty list for flat, and explain a single wrong one', () => {
    const world = resting();
    world.venue.tradeOrder(world.venue.resting()[0]!, 300);
    world.run(10);
    let count = 0;
    world.venue.script.answers = (_, truth) =>
      truth.kind === 'positions' && (count += 1) === 1 ? { ...truth, rows: [] } : truth;
    world.run(12_000);
    expect(count).toBeGreaterThan(1);
    expect(drifts(world)).toEqual([]);
    expect(world.engine.state.portfolio.position(M0).qty).toBe(contracts(3));
    expect(suspicions(world)).toEqual([
      "raised: differs from the venue's figure",
      "explained: the venue's figure is ours again",
    ]);
  });

  it('comparisons explain a position that only one wrong list showed, in a market never traded', () => {
    const world = resting('halt', [aMarket(0), aMarket(1)]);
    let count = 0;
    world.venue.script.answers = (_, truth) =>
      truth.kind === 'positions' && (count += 1) === 1
        ? { ...truth, rows: [{ market: M1, ...FLAT, qty: contracts(3) }] }
        : truth;
    world.run(12_000);
    expect(count).toBeGreaterThan(1);
    expect(drifts(world)).toEqual([]);
    expect(suspicions(world)).toEqual([
      "raised: differs from the venue's figure",
      "explained: the venue's figure is ours again",
    ]);
  });

  it('a position that stays unexplained halts the account once, with the figures, and cancels what rests', () => {
    const world = resting();
    world.venue.tradeOrder(world.venue.resting()[0]!, 300);
    world.run(10);
    world.venue.script.answers = (_, truth) => (truth.kind === 'positions' ? { ...truth, rows: [] } : truth);
    world.run(30_000);
    expect(world.noticesOf('position-drift')).toEqual([{ type: 'position-drift', market: M0, ours: 300, theirs: 0 }]);
    expect(world.noticesOf('alarm').filter(({ code }) => code === 'drift')).toHaveLength(1);
    expect(world.noticesOf('halt')).toHaveLength(1);
    expect(world.noticesOf('halt')[0]!.halt.reason).toContain('3 of M-0 are held here and 0 at the venue');
    expect(world.venue.resting()).toEqual([]);
    expect(world.engine.session.ledger.comparison).toMatchObject({ qty: 300, markets: 1, isDrift: true });
  });

  it('an unexplained position only raises an alarm when the config says so', () => {
    const world = resting('alarm');
    world.venue.script.answers = (_, truth) =>
      truth.kind === 'positions'
        ? { ...truth, rows: [{ market: M0, qty: contracts(7), cost: money(1), realized: money(0), fees: money(0) }] }
        : truth;
    world.run(30_000);
    expect(world.noticesOf('alarm').filter(({ code }) => code === 'drift')).toHaveLength(1);
    expect(world.noticesOf('halt')).toEqual([]);
    expect(world.venue.resting()).toHaveLength(2);
  });

  it('comparisons find a second loss of cash once nothing rests and cash is known to the cent', () => {
    const world = resting();
    const lose = (amount: number): void => {
      world.venue.cash = money(world.venue.cash - amount);
      world.run(25_000);
    };
    lose(5_000_000);
    expect(world.noticesOf('cash-drift')).toHaveLength(1);
    expect(world.venue.resting()).toEqual([]);
    world.run(25_000);
    expect(world.noticesOf('cash-drift')).toHaveLength(1);
    lose(7_000_000);
    const [, second, ...more] = world.noticesOf('cash-drift');
    expect(second!.ours - second!.theirs).toBe(12_000_000);
    expect(more).toEqual([]);
  });

  it('comparisons find a loss of cash while orders rest, beyond what the venue may reserve for them', () => {
    const world = resting();
    world.venue.cash = money(world.venue.cash - 5_000_000);
    world.run(30_000);
    expect(world.noticesOf('cash-drift')).toHaveLength(1);
    expect(world.noticesOf('halt')).toHaveLength(1);
  });

  it('the collateral of an order that was just canceled is not taken for a loss', () => {
    const world = resting();
    for (let i = 0; i < 40; i++) {
      world.venue.answerDelay = 200_000;
      world.step({
        kind: 'operator',
        at: world.now,
        order: { type: 'cancel-all', scope: { type: 'account' }, reason: 't' },
      });
      world.run(300);
      world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
      world.run(500);
    }
    expect(drifts(world)).toEqual([]);
  });

  it('a settlement that only the list of settlements reports explains a difference', () => {
    const world = resting();
    world.venue.tradeOrder(world.venue.resting()[0]!, 300);
    world.run(10);
    world.venue.feedDown();
    world.venue.settleMarket(M0, cents(100));
    world.venue.script.read = ({ target }) => (['markets', 'market', 'event'].includes(target.what) ? 'fail' : 'do');
    world.venue.feedUp();
    world.run(20_000);
    expect(drifts(world)).toEqual([]);
    expect(world.engine.state.portfolio.position(M0).qty).toBe(0);
    expect(world.engine.state.portfolio.cash).toBe(world.venue.cash);
    expect(world.noticesOf('settled')).toHaveLength(1);
  });

  it('comparisons leave room for probes: care never takes more than its share', () => {
    const limit = { model: 'rolling-window', count: 6, windowMs: 1000 } as const;
    const trade = { model: 'rolling-window', count: 100, windowMs: 1000 } as const;
    const world = new World({
      engine: {
        budgets: { read: { limit, guardMs: 0 }, trade: { limit: trade, guardMs: 0 } },
        careReserve: 4,
        timetable: { fills: 60_000, compare: 1000, probe: 1000, audit: 200, markets: 60_000 },
      },
    }).startTrading();
    world.run(10_000);
    const care = world.sent.filter(({ command }) => command.type === 'read' && command.lane === 'care');
    for (const { at } of care)
      expect(care.filter((read) => read.at > at - 1_000_000 && read.at <= at).length).toBeLessThanOrEqual(2);
    expect(care.length).toBeGreaterThan(10);
  });
});

describe('the comparison at the end', () => {
  it('the last comparison checks again before it calls a lagging list a difference', () => {
    const world = resting();
    world.venue.tradeOrder(world.venue.resting()[0]!, 300);
    world.run(10);
    let count = 0;
    world.step({ kind: 'stop', at: world.now, reason: 'test' });
    world.venue.script.answers = (_, truth) =>
      truth.kind === 'balance' && (count += 1) === 1 ? { ...truth, available: money(truth.available - 77) } : truth;
    world.run(12_000);
    expect(count).toBeGreaterThan(1);
    expect(world.engine.session.phase).toBe('stopped');
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });
});

describe('an account being opened', () => {
  it('an opening account reads positions twice when the first list shows none', () => {
    const world = new World();
    let count = 0;
    const order = world.venue.foreignOrder(M0, 'buy', cents(50));
    world.venue.tradeOrder(order, 500);
    world.venue.script.answers = (_, truth) =>
      truth.kind === 'positions' && (count += 1) === 1 ? { ...truth, rows: [] } : truth;
    world.startTrading().run(5000);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
  });
});
