// Strategies in the whole engine: failures, endless answers, answers given while a plan is carried out, and lanes.
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/domain/intent.ts';
import { type Micros, cents, contracts } from '../../../src/domain/units.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { M0, after, aMarket, wideLimits } from '../../support/engine/builders.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import { EngineHarness, aQuote, aStrategy, depthQuoter } from '../../support/engine/engine-harness.ts';

/** The halt of the failing strategy. */
const FAILED = { scope: { type: 'strategy', strategy: 'failing' }, by: 'fault' };

describe('a failing strategy', () => {
  const failing = (handlers: Handlers): EngineHarness =>
    new EngineHarness({
      strategies: [
        aStrategy(handlers, 'failing'),
        aStrategy(depthQuoter({ bid: { price: cents(35), qty: contracts(2) }, ask: null }), 'sound'),
      ],
    }).startTrading();

  it('a failing strategy alone is halted, and its orders are canceled', () => {
    let calls = 0;
    const harness = failing({
      onBook: ({ isTouch }) => {
        if (isTouch) return [];
        calls += 1;
        if (calls > 1) throw new TypeError('bad luck');
        return [aQuote()];
      },
    });
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    expect(harness.venue.resting()).toHaveLength(3);
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    expect(harness.engine.halts.listHalts()).toMatchObject([
      { ...FAILED, reason: expect.stringMatching(/^TypeError: bad luck \(strategies\.test\.ts:\d+\)$/) },
    ]);
    expect(harness.venue.resting().map(({ report }) => report.price)).toEqual([cents(35)]);
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    expect(calls).toBe(2);
  });

  it('nothing is sent of an answer during which the strategy failed', () => {
    const harness = failing(
      once([buy(), buy({ price: cents(41) })], {
        onIntentOutcome: () => {
          throw new Error('cannot hear this');
        },
      }),
    );
    print(harness);
    harness.run(50);
    expect(harness.engine.halts.listHalts()).toMatchObject([FAILED]);
    expect(harness.places().filter(({ strategy }) => strategy === 'failing')).toEqual([]);
    expect(harness.engine.state.orders.openCount).toBe(0);
  });

  it('a strategy that answers every denial with the same order is halted, but not the session', () => {
    const tooBig = buy({ qty: contracts(5000) });
    const harness = failing(once([tooBig], { onIntentOutcome: () => [tooBig] }));
    print(harness);
    harness.run(50);
    expect(harness.engine.halts.listHalts()).toMatchObject([
      { ...FAILED, reason: 'it answers the outcomes of its intents in an endless loop' },
    ]);
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(50);
    expect(harness.venue.resting()).toHaveLength(1);
  });

  it('a strategy that sets timers without end is halted, with the reason', () => {
    let count = 0;
    const many = (): Intent[] =>
      Array.from({ length: 5000 }, () => ({ type: 'timer', name: `t-${(count += 1)}`, at: after(3_600_000) }));
    const harness = new EngineHarness({ strategies: [aStrategy({ onBook: many })] }).startTrading();
    for (let i = 0; i < 4; i++) {
      harness.venue.changeLevel(M0, 'bid', { price: cents(30), change: 100 });
      harness.run(10);
    }
    expect(harness.noticesOf('halt').map(({ halt }) => halt.reason)).toEqual(['it has more than 10000 timers running']);
    expect(count).toBeLessThanOrEqual(15_000);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'a strategy that sets a timer to an invalid time is halted: %s',
    (at) => {
      const harness = new EngineHarness({
        strategies: [aStrategy(once([{ type: 'timer', name: 'soon', at: at as Micros }]))],
      }).startTrading();
      print(harness);
      harness.run(1000);
      expect(harness.noticesOf('halt').map(({ halt }) => halt.reason)).toEqual([
        `it answered with a timer whose at is ${at}, not a time in whole microseconds`,
      ]);
      expect(harness.engine.wakeAt()).toBeGreaterThan(harness.now);
    },
  );

  it('a strategy that keeps moving its timer on is called once a step', () => {
    let calls = 0;
    const harness = new EngineHarness({
      strategies: [
        aStrategy({
          onStart: () => [{ type: 'timer', name: 't', at: after(10) }],
          onTimer: (_, view) => {
            calls += 1;
            return calls < 50 ? [{ type: 'timer', name: 't', at: view.now }] : [];
          },
        }),
      ],
    });
    harness.start();
    harness.step({ kind: 'timer', at: after(10) });
    expect(calls).toBe(1);
  });
});

describe('answers while a plan is carried out', () => {
  it('never lead to two quotes on one side', () => {
    const pairs = new Set<string>();
    const quotes = [aQuote(), aQuote({ bid: { price: cents(41), qty: contracts(5) } })];
    let turn = 0;
    const handlers: Handlers = {
      onBook: () => [quotes[turn++ % 2]!],
      onIntentOutcome: (outcome) => (outcome.kind === 'approved' && turn < 20 ? [quotes[turn++ % 2]!] : undefined),
      onOrder: (_, view) => {
        for (const side of ['buy', 'sell'] as const)
          if (view.orders(M0).filter((order) => order.side === side).length > 1) pairs.add(`two on ${side}`);
      },
    };
    const harness = new EngineHarness({ strategies: [aStrategy(handlers)] }).startTrading();
    for (let i = 0; i < 10; i++) {
      harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
      harness.run(0.5);
    }
    harness.run(20);
    expect([...pairs]).toEqual([]);
    expect(harness.venue.resting()).toHaveLength(2);
  });
});

describe('limits and lanes', () => {
  it('a full position can be closed by the reduce lane while new orders are denied', () => {
    const limits = wideLimits({ positionQtyMax: contracts(10) });
    const sell = buy({ side: 'sell', price: cents(60) });
    const harness = new EngineHarness({
      strategies: [aStrategy(once([buy({ price: cents(60) })], { onFill: () => [buy(), sell] }))],
      engine: { limits },
    }).startTrading();
    print(harness);
    harness.run(10);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 1000);
    harness.run(10);
    expect(harness.noticesOf('denied').map(({ denial }) => denial.code)).toEqual(['position-above-limit']);
    expect(harness.places().map(({ side, lane }) => [side, lane])).toEqual([
      ['buy', 'new'],
      ['sell', 'reduce'],
    ]);
  });

  it('client order ids consist of session, strategy and count, and never repeat', () => {
    const harness = new EngineHarness({
      strategies: [aStrategy(depthQuoter()), aStrategy(depthQuoter(), 'second')],
      markets: [aMarket(0), aMarket(1)],
    }).startTrading();
    for (let i = 0; i < 5; i++) {
      harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
      harness.run(10);
      for (const order of harness.venue.resting()) harness.venue.tradeOrder(order, order.leaves);
      harness.run(10);
    }
    const ids = harness.places().map((command) => command.clientOrderId);
    expect(ids).toHaveLength(20);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^s-[01]-[0-9a-z]+$/.test(id))).toBe(true);
    expect(harness.engine.state.portfolio.fillCount).toBe(20);
  });
});
