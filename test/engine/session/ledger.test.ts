// Positions and cash against the venue's, continuously: lag raises no alarm, missed fills are found, and unexplained
// differences stop trading.
import { describe, expect, it } from 'vitest';
import { cents, contracts, money } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { M0, M1, aMarket } from '../../support/engine/builders.ts';
import { EngineHarness, aStrategy, quoter } from '../../support/engine/engine-harness.ts';

/** A harness with resting quotes on both sides. */
function resting(onDrift: 'alarm' | 'halt' = 'halt', markets = [aMarket(0)]): EngineHarness {
  const engine = { policy: { ...CAREFUL_POLICY, onDrift } };
  const harness = new EngineHarness({ strategies: [aStrategy(quoter())], markets, engine }).startTrading();
  harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
  return harness.run(10);
}
const drifts = (harness: EngineHarness): unknown[] => harness.notices.filter(({ type }) => type.endsWith('-drift'));
const suspicions = (harness: EngineHarness): string[] =>
  harness.noticesOf('suspicion').map(({ change, why }) => `${change}: ${why}`);

describe('comparisons while orders rest', () => {
  it('comparisons find and explain a fill that neither the feed nor a list reported in time', () => {
    const harness = resting();
    let isBehind = true;
    harness.venue.script.reportsFill = () => false;
    harness.venue.script.reportsOrder = () => false;
    harness.venue.script.answers = (_, truth) => (truth.kind === 'fills' && isBehind ? { ...truth, rows: [] } : truth);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(3500);
    isBehind = false;
    harness.run(10_000);
    expect(drifts(harness)).toEqual([]);
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
    expect(suspicions(harness)[0]).toBe("raised: differs from the venue's figure");
    expect(suspicions(harness).at(-1)).toMatch(/^explained/);
    expect(harness.engine.session.ledger.comparison).toMatchObject({ qty: 0, cash: 0, isDrift: false });
  });

  it('comparisons accept a list that lags behind our figures', () => {
    const harness = resting();
    const late: { at: number; truth: Parameters<NonNullable<EngineHarness['venue']['script']['answers']>>[1] }[] = [];
    harness.venue.script.answers = (_, truth) => {
      if (truth.kind !== 'positions') return truth;
      late.push({ at: harness.now, truth });
      const old = late.findLast(({ at }) => at <= harness.now - 1_500_000) ?? late[0]!;
      return old.truth.kind === 'positions' ? { ...truth, rows: old.truth.rows } : truth;
    };
    for (let i = 0; i < 20; i++) {
      const [order] = harness.venue.resting();
      if (order) harness.venue.tradeOrder(order, 100);
      harness.run(900);
    }
    harness.run(6000);
    expect(drifts(harness)).toEqual([]);
    expect(harness.noticesOf('halt')).toEqual([]);
  });

  it('comparisons never take one empty list for flat, and explain a single wrong one', () => {
    const harness = resting();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(10);
    let count = 0;
    harness.venue.script.answers = (_, truth) =>
      truth.kind === 'positions' && (count += 1) === 1 ? { ...truth, rows: [] } : truth;
    harness.run(12_000);
    expect(count).toBeGreaterThan(1);
    expect(drifts(harness)).toEqual([]);
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(3));
    expect(suspicions(harness)).toEqual([
      "raised: differs from the venue's figure",
      "explained: the venue's figure is ours again",
    ]);
  });

  it('comparisons explain a position that only one wrong list showed, in a market never traded', () => {
    const harness = resting('halt', [aMarket(0), aMarket(1)]);
    let count = 0;
    harness.venue.script.answers = (_, truth) =>
      truth.kind === 'positions' && (count += 1) === 1
        ? { ...truth, rows: [{ market: M1, ...FLAT, qty: contracts(3) }] }
        : truth;
    harness.run(12_000);
    expect(count).toBeGreaterThan(1);
    expect(drifts(harness)).toEqual([]);
    expect(suspicions(harness)).toEqual([
      "raised: differs from the venue's figure",
      "explained: the venue's figure is ours again",
    ]);
  });

  it('a position that stays unexplained halts the account once, with the figures, and cancels what rests', () => {
    const harness = resting();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(10);
    harness.venue.script.answers = (_, truth) => (truth.kind === 'positions' ? { ...truth, rows: [] } : truth);
    harness.run(30_000);
    expect(harness.noticesOf('position-drift')).toEqual([{ type: 'position-drift', market: M0, ours: 300, theirs: 0 }]);
    expect(harness.noticesOf('alarm').filter(({ code }) => code === 'drift')).toHaveLength(1);
    expect(harness.noticesOf('halt')).toHaveLength(1);
    expect(harness.noticesOf('halt')[0]!.halt.reason).toContain('3 of M-0 are held here and 0 at the venue');
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.engine.session.ledger.comparison).toMatchObject({ qty: 300, markets: 1, isDrift: true });
  });

  it('an unexplained position only raises an alarm when the config says so', () => {
    const harness = resting('alarm');
    harness.venue.script.answers = (_, truth) =>
      truth.kind === 'positions'
        ? { ...truth, rows: [{ market: M0, qty: contracts(7), cost: money(1), realized: money(0), fees: money(0) }] }
        : truth;
    harness.run(30_000);
    expect(harness.noticesOf('alarm').filter(({ code }) => code === 'drift')).toHaveLength(1);
    expect(harness.noticesOf('halt')).toEqual([]);
    expect(harness.venue.resting()).toHaveLength(2);
  });

  it('comparisons find a second loss of cash once nothing rests and cash is known to the cent', () => {
    const harness = resting();
    const lose = (amount: number): void => {
      harness.venue.cash = money(harness.venue.cash - amount);
      harness.run(25_000);
    };
    lose(5_000_000);
    expect(harness.noticesOf('cash-drift')).toHaveLength(1);
    expect(harness.venue.resting()).toEqual([]);
    harness.run(25_000);
    expect(harness.noticesOf('cash-drift')).toHaveLength(1);
    lose(7_000_000);
    const [, second, ...more] = harness.noticesOf('cash-drift');
    expect(second!.ours - second!.theirs).toBe(12_000_000);
    expect(more).toEqual([]);
  });

  it('comparisons find a loss of cash while orders rest, beyond what the venue may reserve for them', () => {
    const harness = resting();
    harness.venue.cash = money(harness.venue.cash - 5_000_000);
    harness.run(30_000);
    expect(harness.noticesOf('cash-drift')).toHaveLength(1);
    expect(harness.noticesOf('halt')).toHaveLength(1);
  });

  it('the collateral of an order that was just canceled is not taken for a loss', () => {
    const harness = resting();
    for (let i = 0; i < 40; i++) {
      harness.venue.answerDelay = 200_000;
      harness.step({
        kind: 'operator',
        at: harness.now,
        order: { type: 'cancel-all', scope: { type: 'account' }, reason: 't' },
      });
      harness.run(300);
      harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
      harness.run(500);
    }
    expect(drifts(harness)).toEqual([]);
  });

  it('a settlement that only the list of settlements reports explains a difference', () => {
    const harness = resting();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(10);
    harness.venue.feedDown();
    harness.venue.settleMarket(M0, cents(100));
    harness.venue.script.read = ({ target }) => (['markets', 'market', 'event'].includes(target.what) ? 'fail' : 'do');
    harness.venue.feedUp();
    harness.run(20_000);
    expect(drifts(harness)).toEqual([]);
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(0);
    expect(harness.engine.state.portfolio.cash).toBe(harness.venue.cash);
    expect(harness.noticesOf('settled')).toHaveLength(1);
  });

  it('comparisons leave room for probes: care never takes more than its share', () => {
    const limit = { model: 'rolling-window', count: 6, windowMs: 1000 } as const;
    const trade = { model: 'rolling-window', count: 100, windowMs: 1000 } as const;
    const harness = new EngineHarness({
      engine: {
        budgets: { read: { limit, guardMs: 0 }, trade: { limit: trade, guardMs: 0 } },
        careReserve: 4,
        timetable: { fills: 60_000, compare: 1000, probe: 1000, audit: 200, markets: 60_000 },
      },
    }).startTrading();
    harness.run(10_000);
    const care = harness.sent.filter(({ command }) => command.type === 'read' && command.lane === 'care');
    for (const { at } of care)
      expect(care.filter((read) => read.at > at - 1_000_000 && read.at <= at).length).toBeLessThanOrEqual(2);
    expect(care.length).toBeGreaterThan(10);
  });
});

describe('the comparison at the end', () => {
  it('the last comparison checks again before it calls a lagging list a difference', () => {
    const harness = resting();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(10);
    let count = 0;
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    harness.venue.script.answers = (_, truth) =>
      truth.kind === 'balance' && (count += 1) === 1 ? { ...truth, available: money(truth.available - 77) } : truth;
    harness.run(12_000);
    expect(count).toBeGreaterThan(1);
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });
});

describe('an account being opened', () => {
  it('an opening account reads positions twice when the first list shows none', () => {
    const harness = new EngineHarness();
    let count = 0;
    const order = harness.venue.foreignOrder(M0, 'buy', cents(50));
    harness.venue.tradeOrder(order, 500);
    harness.venue.script.answers = (_, truth) =>
      truth.kind === 'positions' && (count += 1) === 1 ? { ...truth, rows: [] } : truth;
    harness.startTrading().run(5000);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
  });
});
