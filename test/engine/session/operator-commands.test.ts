// Operator commands in the whole engine: halts, resumes, cancels, and closing every position.
import { describe, expect, it } from 'vitest';
import type { RestoredState, HaltScope, OperatorOrder } from '../../../src/domain/operator-order.ts';
import { NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import { cents, contracts, micros, qty } from '../../../src/domain/units.ts';
import type { RiskLimits } from '../../../src/risk/risk-limits.ts';
import type { HaltChanged } from '../../../src/strategy/strategy-definition.ts';
import { M0, M1, aHalt, aMarket, wideLimits } from '../../support/engine/builders.ts';
import {
  EngineHarness,
  type EngineHarnessOptions,
  aStrategy,
  quoter,
  depthQuoter,
} from '../../support/engine/engine-harness.ts';

const ACCOUNT: HaltScope = { type: 'account' };
const strategy = (name: string): HaltScope => ({ type: 'strategy', strategy: aStrategy({}, name).name });
const market = (number: number): HaltScope => ({ type: 'market', ticker: aMarket(number).ticker });

/** Two strategies that quote in two markets: eight orders. */
function quoting(options: EngineHarnessOptions = {}): EngineHarness {
  const narrow = { bid: { price: cents(41), qty: contracts(5) }, ask: { price: cents(59), qty: contracts(5) } };
  const strategies = [aStrategy(quoter(), 'wide'), aStrategy(quoter(narrow), 'narrow')];
  const harness = new EngineHarness({ strategies, markets: [aMarket(0), aMarket(1)], ...options }).startTrading();
  touch(harness);
  return harness;
}

function touch(harness: EngineHarness): void {
  for (const index of [M0, M1]) harness.venue.changeLevel(index, 'bid', { price: cents(44), change: 100 });
  harness.run(50);
}

const order = (harness: EngineHarness, what: OperatorOrder): void =>
  harness.step({ kind: 'operator', at: harness.now, order: what });
const halt = (harness: EngineHarness, scope: HaltScope): void =>
  order(harness, { type: 'halt', scope, by: 'operator', reason: 'it looks odd' });
const resume = (harness: EngineHarness, scope: HaltScope): void =>
  order(harness, { type: 'resume', scope, reason: 'looked at' });

/** The number of orders at the venue by strategy. */
function resting(harness: EngineHarness): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { report } of harness.venue.resting()) {
    const by = harness.engine.state.orders.get(report.clientOrderId!)?.strategy ?? 'nobody';
    const key = `${by} ${report.market}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('a halt', () => {
  it('a halt of the account cancels everything and denies every order until it is resumed', () => {
    const harness = quoting();
    expect(harness.venue.resting()).toHaveLength(8);
    halt(harness, ACCOUNT);
    harness.run(100);
    expect(harness.venue.resting()).toEqual([]);
    const placed = harness.places().length;
    touch(harness);
    expect(harness.places()).toHaveLength(placed);
    expect(harness.noticesOf('denied').at(-1)?.denial).toEqual({
      code: 'halted',
      scope: 'account',
      by: 'operator',
      reason: 'it looks odd',
    });
    resume(harness, ACCOUNT);
    touch(harness);
    expect(harness.venue.resting()).toHaveLength(8);
  });

  it('a halt that was saved earlier has that time, and no halt has a time that is still to come', () => {
    const harness = quoting();
    const saved = micros(harness.now - 20_000_000);
    order(harness, { type: 'halt', scope: ACCOUNT, by: 'operator', reason: 'asleep', since: saved });
    order(harness, { type: 'halt', scope: market(0), by: 'watchdog', reason: 'odd', since: micros(harness.now + 9) });
    const halts = harness.engine.halts.listHalts();
    expect(halts.map(({ since }) => since)).toEqual([saved, harness.now]);
  });

  it('a halt of a strategy or a market leaves the others alone', () => {
    const harness = quoting();
    halt(harness, strategy('wide'));
    harness.run(100);
    expect(resting(harness)).toEqual({ 'narrow 0': 2, 'narrow 1': 2 });
    halt(harness, market(0));
    harness.run(100);
    touch(harness);
    expect(resting(harness)).toEqual({ 'narrow 1': 2 });
    resume(harness, strategy('wide'));
    touch(harness);
    expect(resting(harness)).toEqual({ 'narrow 1': 2, 'wide 1': 2 });
  });

  it('a halt ends only when its own scope is resumed', () => {
    const harness = quoting();
    halt(harness, ACCOUNT);
    halt(harness, strategy('wide'));
    resume(harness, ACCOUNT);
    touch(harness);
    expect(resting(harness)).toEqual({ 'narrow 0': 2, 'narrow 1': 2 });
  });

  it('a halt also cancels orders whose answers have not arrived yet', () => {
    const harness = quoting();
    const strategies = [aStrategy(depthQuoter(), 'late')];
    const fresh = new EngineHarness({ strategies }).startTrading();
    fresh.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    fresh.step(fresh.venue.takeNext()!);
    expect(fresh.engine.state.orders.allOpen().map(({ state }) => state)).toEqual(['in-flight', 'in-flight']);
    halt(fresh, ACCOUNT);
    fresh.run(200);
    expect(fresh.venue.resting()).toEqual([]);
    expect(fresh.engine.state.orders.openCount).toBe(0);
    expect(harness.venue.resting()).toHaveLength(8);
  });

  it('a halt of an earlier session holds from the start, and is reported as carried over', () => {
    const carried: RestoredState = { ...NOTHING_RESTORED, halts: [aHalt({ scope: ACCOUNT, by: 'operator' })] };
    const harness = new EngineHarness({ strategies: [aStrategy(quoter())] });
    harness.step({ kind: 'start', at: harness.now, session: 's', carried });
    harness.venue.feedUp();
    harness.run(50);
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(100);
    expect(harness.noticesOf('halt')).toMatchObject([{ isCarried: true }]);
    expect(harness.places()).toEqual([]);
    resume(harness, ACCOUNT);
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(100);
    expect(harness.venue.resting()).toHaveLength(2);
  });

  it('another reason of the operator for a halt in force is reported, with the time of the halt', () => {
    const harness = quoting();
    halt(harness, ACCOUNT);
    harness.run(100);
    halt(harness, ACCOUNT);
    order(harness, { type: 'halt', scope: ACCOUNT, by: 'operator', reason: 'the books look odd' });
    const [first, second, ...others] = harness.noticesOf('halt').map((notice) => notice.halt);
    expect(second).toEqual({ ...first, reason: 'the books look odd' });
    expect(others).toEqual([]);
  });

  it('a halt and its end are reported to the strategies that they concern', () => {
    const notices: (readonly [string, HaltChanged['type']])[] = [];
    const listener = (name: string) => aStrategy({ onHalt: ({ type }) => void notices.push([name, type]) }, name);
    const harness = new EngineHarness({ strategies: [listener('a'), listener('b')] }).startTrading();
    halt(harness, strategy('a'));
    halt(harness, ACCOUNT);
    order(harness, { type: 'cancel-all', scope: ACCOUNT, reason: 'test' });
    resume(harness, strategy('a'));
    expect(notices).toEqual([
      ['a', 'halted'],
      ['a', 'halted'],
      ['b', 'halted'],
      ['a', 'withdrawn'],
      ['b', 'withdrawn'],
      ['a', 'resumed'],
    ]);
  });

  it('the halt of a failed strategy ends when it is resumed by name, and it is called again', () => {
    let isBroken = true;
    const handlers = quoter();
    const failing = aStrategy({
      onBook: (event, view) => {
        if (isBroken) throw new Error('boom');
        return handlers.onBook?.(event, view);
      },
    });
    const harness = new EngineHarness({ strategies: [failing] }).startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(50);
    expect(harness.engine.halts.listHalts()).toMatchObject([
      { by: 'fault', reason: expect.stringMatching(/^Error: boom \(operator-commands\.test\.ts:\d+\)$/) },
    ]);
    isBroken = false;
    resume(harness, strategy('maker'));
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(50);
    expect(harness.venue.resting()).toHaveLength(2);
  });
});

describe('cancel-all', () => {
  it('cancel-all cancels what rests, halts nothing, and strategies may quote again', () => {
    const harness = quoting();
    order(harness, { type: 'cancel-all', scope: market(0), reason: 'test' });
    harness.run(50);
    expect(resting(harness)).toEqual({ 'narrow 1': 2, 'wide 1': 2 });
    expect(harness.noticesOf('withdrawn')).toMatchObject([{ orders: 4, reason: 'test' }]);
    expect(harness.engine.halts.listHalts()).toEqual([]);
    touch(harness);
    expect(harness.venue.resting()).toHaveLength(8);
  });
});

describe('flatten', () => {
  /** A harness that holds some contracts of each of two markets. */
  function holding(limits: Partial<RiskLimits>, ...quantities: readonly number[]): EngineHarness {
    const harness = quoting({ engine: { limits: wideLimits(limits) } });
    quantities.forEach((contractsHeld, number) => {
      const side = contractsHeld > 0 ? 'buy' : 'sell';
      const mine = harness.venue.resting().filter(({ report }) => report.market === number && report.side === side);
      let left = Math.abs(contractsHeld) * 100;
      for (const order of mine) {
        const take = Math.min(left, order.leaves);
        if (take > 0) harness.venue.tradeOrder(order, take);
        left -= take;
      }
    });
    harness.run(50);
    return harness;
  }

  /** Fills the operator's orders a number of times, which the scripted venue does not do by itself. */
  function takeClosing(harness: EngineHarness, times: number): void {
    for (let time = 0; time < times; time++) {
      harness.run(200);
      for (const resting of harness.venue.resting()) {
        const order = harness.engine.state.orders.get(resting.report.clientOrderId!);
        if (order?.strategy === 'operator') harness.venue.tradeOrder(resting, resting.leaves);
      }
    }
    harness.run(500);
  }

  const held = (harness: EngineHarness): number[] =>
    [M0, M1].map((index) => harness.venue.position(index).qty as number);

  it('flattening goes on when the venue refuses again and again, but not at full speed', () => {
    const harness = holding({}, 6);
    harness.venue.script = { place: () => 'reject' };
    order(harness, { type: 'flatten', reason: 'enough' });
    harness.run(60_000);
    const sent = harness.places().filter((place) => place.strategy === 'operator').length;
    expect(sent).toBeGreaterThan(25);
    expect(sent).toBeLessThan(50);
    expect(harness.engine.operator.unclosed).toMatchObject([
      { why: expect.stringContaining('closed nothing') as unknown },
    ]);
    harness.venue.script = {};
    takeClosing(harness, 15);
    expect(held(harness)).toEqual([0, 0]);
  });

  it('flattening closes every position at the best prices, halts the account, and reports it', () => {
    const harness = holding({}, 6, -3);
    expect(held(harness)).toEqual([600, -300]);
    order(harness, { type: 'flatten', reason: 'enough' });
    takeClosing(harness, 1);
    expect(held(harness)).toEqual([0, 0]);
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.noticesOf('flattened')).toMatchObject([{ why: 'flat', unclosed: [] }]);
    expect(harness.engine.halts.listHalts()).toMatchObject([{ scope: ACCOUNT, by: 'operator', reason: 'enough' }]);
    const closing = harness.places().filter((place) => place.strategy === 'operator');
    expect(closing.map(({ side, price, timeInForce, reduceOnly }) => [side, price, timeInForce, reduceOnly])).toEqual([
      ['sell', cents(45), 'ioc', true],
      ['buy', cents(55), 'ioc', true],
    ]);
    touch(harness);
    expect(harness.venue.resting()).toEqual([]);
  });

  it('flattening goes on while an order that is being canceled may still fill', () => {
    const harness = holding({}, 0, 0);
    harness.venue.script = { cancel: () => 'vanish' };
    order(harness, { type: 'flatten', reason: 'enough' });
    harness.run(500);
    expect(harness.engine.operator.isFlattening).toBe(true);
    const [filled] = harness.venue.resting().filter(({ report }) => report.market === 0 && report.side === 'buy');
    harness.venue.tradeOrder(filled!, filled!.leaves);
    harness.venue.script = {};
    takeClosing(harness, 300);
    expect(harness.venue.resting()).toEqual([]);
    expect(held(harness)).toEqual([0, 0]);
    expect(harness.noticesOf('flattened')).toMatchObject([{ why: 'flat', unclosed: [] }]);
  });

  it('flattening goes on in a market that opens again, and gives up on one that has closed', () => {
    const harness = holding({}, 6, -3);
    harness.step({ kind: 'market-changed', at: harness.now, exchangeAt: null, market: M0, status: 'inactive' });
    order(harness, { type: 'flatten', reason: 'enough' });
    takeClosing(harness, 1);
    expect(held(harness)).toEqual([600, 0]);
    expect(harness.engine.operator.unclosed).toMatchObject([
      { market: M0, qty: qty(600), why: 'the market is inactive' },
    ]);
    harness.step({ kind: 'market-changed', at: harness.now, exchangeAt: null, market: M0, status: 'closed' });
    harness.run(1000);
    expect(harness.noticesOf('flattened')).toMatchObject([{ unclosed: [{ market: M0, why: 'the market is closed' }] }]);
    expect(harness.engine.operator.isFlattening).toBe(false);
  });

  it('flattening closes in parts that the limits allow', () => {
    const harness = holding({ orderQtyMax: contracts(5) }, 8, 0);
    order(harness, { type: 'flatten', reason: 'enough' });
    takeClosing(harness, 4);
    expect(held(harness)).toEqual([0, 0]);
    const closing = harness.places().filter((place) => place.strategy === 'operator');
    expect(closing.map((place) => place.qty)).toEqual([400, 400]);
  });

  it('flattening reports positions that the rules do not let it close', () => {
    const harness = holding({ priceMin: cents(35) }, 6, 0);
    for (const [at, change] of [
      [45, -1000],
      [44, -100],
      [30, 1000],
    ] as const)
      harness.venue.changeLevel(M0, 'bid', { price: cents(at), change });
    order(harness, { type: 'flatten', reason: 'enough' });
    takeClosing(harness, 1);
    expect(held(harness)[0]).toBe(600);
    expect(harness.engine.operator.unclosed[0]?.why).toBe('price 30¢ is outside 35¢ to 99¢');
    expect(harness.engine.operator.isFlattening).toBe(true);
  });

  /** A harness that flattens a position in a market which does not trade at the moment. */
  function waiting(): EngineHarness {
    const harness = holding({}, 6, 0);
    harness.step({ kind: 'market-changed', at: harness.now, exchangeAt: null, market: M0, status: 'inactive' });
    order(harness, { type: 'flatten', reason: 'enough' });
    harness.run(300);
    return harness;
  }

  const SCOPES = { account: ACCOUNT, strategy: strategy('wide'), market: market(0) };
  const HALTS = (['fault', 'risk', 'watchdog', 'operator'] as const).flatMap((by) =>
    (['strategy', 'market', 'account'] as const).map((scope) => [scope, by] as const),
  );
  const isEnding = ([scope, by]: (typeof HALTS)[number]): boolean => by === 'operator' && scope === 'account';

  it.each(HALTS.filter((each) => !isEnding(each)))('flattening outlasts a halt of scope %s by %s', (scope, by) => {
    const harness = waiting();
    order(harness, { type: 'halt', scope: SCOPES[scope], by, reason: 'meanwhile' });
    expect(harness.engine.operator.isFlattening).toBe(true);
    expect(harness.engine.halts.isHalted(SCOPES[scope])).toBe(true);
    harness.step({ kind: 'market-changed', at: harness.now, exchangeAt: null, market: M0, status: 'active' });
    takeClosing(harness, 5);
    expect(held(harness)).toEqual([0, 0]);
    expect(harness.noticesOf('flattened')).toMatchObject([{ why: 'flat' }]);
  });

  it.each<[string, OperatorOrder]>([
    ['halted', { type: 'halt', scope: ACCOUNT, by: 'operator', reason: 'it looks odd' }],
    ['resumed', { type: 'resume', scope: ACCOUNT, reason: 'it looks odd' }],
  ])('flattening ends when the operator has %s the account, and remaining positions stay open', (done, ending) => {
    const harness = waiting();
    order(harness, ending);
    expect(harness.engine.operator.isFlattening).toBe(false);
    expect(harness.noticesOf('flattened')).toMatchObject([
      { why: `${done}: it looks odd`, unclosed: [{ market: M0, qty: 600 }] },
    ]);
    harness.step({ kind: 'market-changed', at: harness.now, exchangeAt: null, market: M0, status: 'active' });
    harness.run(1000);
    expect(held(harness)[0]).toBe(600);
  });
});
