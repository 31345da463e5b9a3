// Operator commands in the whole engine: halts, resumes, cancels, and closing every position.
import { describe, expect, it } from 'vitest';
import type { RestoredState, HaltScope, OperatorOrder } from '../../../src/domain/operator-order.ts';
import { NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import { cents, contracts, qty } from '../../../src/domain/units.ts';
import type { RiskLimits } from '../../../src/risk/risk-limits.ts';
import type { HaltChanged } from '../../../src/strategy/strategy-definition.ts';
import { M0, M1, aHalt, aMarket, wideLimits } from '../../support/engine/builders.ts';
import { World, type WorldOptions, aStrategy, quoter, depthQuoter } from '../../support/engine/world.ts';

const ACCOUNT: HaltScope = { type: 'account' };
const strategy = (name: string): HaltScope => ({ type: 'strategy', strategy: aStrategy({}, name).name });
const market = (number: number): HaltScope => ({ type: 'market', ticker: aMarket(number).ticker });

/** Two strategies that quote in two markets: eight orders. */
function quoting(options: WorldOptions = {}): World {
  const narrow = { bid: { price: cents(41), qty: contracts(5) }, ask: { price: cents(59), qty: contracts(5) } };
  const strategies = [aStrategy(quoter(), 'wide'), aStrategy(quoter(narrow), 'narrow')];
  const world = new World({ strategies, markets: [aMarket(0), aMarket(1)], ...options }).startTrading();
  touch(world);
  return world;
}

function touch(world: World): void {
  for (const index of [M0, M1]) world.venue.changeLevel(index, 'bid', { price: cents(44), change: 100 });
  world.run(50);
}

const order = (world: World, what: OperatorOrder): void => world.step({ kind: 'operator', at: world.now, order: what });
const halt = (world: World, scope: HaltScope): void =>
  order(world, { type: 'halt', scope, by: 'operator', reason: 'it looks odd' });
const resume = (world: World, scope: HaltScope): void => order(world, { type: 'resume', scope, reason: 'looked at' });

/** The number of orders at the venue by strategy. */
function resting(world: World): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { report } of world.venue.resting()) {
    const by = world.engine.state.orders.get(report.clientOrderId!)?.strategy ?? 'nobody';
    const key = `${by} ${report.market}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('a halt', () => {
  it('a halt of the account cancels everything and denies every order until it is resumed', () => {
    const world = quoting();
    expect(world.venue.resting()).toHaveLength(8);
    halt(world, ACCOUNT);
    world.run(100);
    expect(world.venue.resting()).toEqual([]);
    const placed = world.places().length;
    touch(world);
    expect(world.places()).toHaveLength(placed);
    expect(world.noticesOf('denied').at(-1)?.denial).toEqual({
      code: 'halted',
      scope: 'account',
      by: 'operator',
      reason: 'it looks odd',
    });
    resume(world, ACCOUNT);
    touch(world);
    expect(world.venue.resting()).toHaveLength(8);
  });

  it('a halt of a strategy or a market leaves the others alone', () => {
    const world = quoting();
    halt(world, strategy('wide'));
    world.run(100);
    expect(resting(world)).toEqual({ 'narrow 0': 2, 'narrow 1': 2 });
    halt(world, market(0));
    world.run(100);
    touch(world);
    expect(resting(world)).toEqual({ 'narrow 1': 2 });
    resume(world, strategy('wide'));
    touch(world);
    expect(resting(world)).toEqual({ 'narrow 1': 2, 'wide 1': 2 });
  });

  it('a halt ends only when its own scope is resumed', () => {
    const world = quoting();
    halt(world, ACCOUNT);
    halt(world, strategy('wide'));
    resume(world, ACCOUNT);
    touch(world);
    expect(resting(world)).toEqual({ 'narrow 0': 2, 'narrow 1': 2 });
  });

  it('a halt also cancels orders whose answers have not arrived yet', () => {
    const world = quoting();
    const strategies = [aStrategy(depthQuoter(), 'late')];
    const fresh = new World({ strategies }).startTrading();
    fresh.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    fresh.step(fresh.venue.takeNext()!);
    expect(fresh.engine.state.orders.allOpen().map(({ state }) => state)).toEqual(['in-flight', 'in-flight']);
    halt(fresh, ACCOUNT);
    fresh.run(200);
    expect(fresh.venue.resting()).toEqual([]);
    expect(fresh.engine.state.orders.openCount).toBe(0);
    expect(world.venue.resting()).toHaveLength(8);
  });

  it('a halt of an earlier session holds from the start, and is reported as carried over', () => {
    const carried: RestoredState = { ...NOTHING_RESTORED, halts: [aHalt({ scope: ACCOUNT, by: 'operator' })] };
    const world = new World({ strategies: [aStrategy(quoter())] });
    world.step({ kind: 'start', at: world.now, session: 's', carried });
    world.venue.feedUp();
    world.run(50);
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(100);
    expect(world.noticesOf('halt')).toMatchObject([{ isCarried: true }]);
    expect(world.places()).toEqual([]);
    resume(world, ACCOUNT);
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(100);
    expect(world.venue.resting()).toHaveLength(2);
  });

  it('a halt and its end are reported to the strategies that they concern', () => {
    const notices: (readonly [string, HaltChanged['type']])[] = [];
    const listener = (name: string) => aStrategy({ onHalt: ({ type }) => void notices.push([name, type]) }, name);
    const world = new World({ strategies: [listener('a'), listener('b')] }).startTrading();
    halt(world, strategy('a'));
    halt(world, ACCOUNT);
    order(world, { type: 'cancel-all', scope: ACCOUNT, reason: 'test' });
    resume(world, strategy('a'));
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
    const world = new World({ strategies: [failing] }).startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(50);
    expect(world.engine.halts.listHalts()).toMatchObject([
      { by: 'fault', reason: expect.stringMatching(/^Error: boom \(operator-commands\.test\.ts:\d+\)$/) },
    ]);
    isBroken = false;
    resume(world, strategy('maker'));
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(50);
    expect(world.venue.resting()).toHaveLength(2);
  });
});

describe('cancel-all', () => {
  it('cancel-all cancels what rests, halts nothing, and strategies may quote again', () => {
    const world = quoting();
    order(world, { type: 'cancel-all', scope: market(0), reason: 'test' });
    world.run(50);
    expect(resting(world)).toEqual({ 'narrow 1': 2, 'wide 1': 2 });
    expect(world.noticesOf('withdrawn')).toMatchObject([{ orders: 4, reason: 'test' }]);
    expect(world.engine.halts.listHalts()).toEqual([]);
    touch(world);
    expect(world.venue.resting()).toHaveLength(8);
  });
});

describe('flatten', () => {
  /** A world that holds some contracts of each of two markets. */
  function holding(limits: Partial<RiskLimits>, ...quantities: readonly number[]): World {
    const world = quoting({ engine: { limits: wideLimits(limits) } });
    quantities.forEach((contractsHeld, number) => {
      const side = contractsHeld > 0 ? 'buy' : 'sell';
      const mine = world.venue.resting().filter(({ report }) => report.market === number && report.side === side);
      let left = Math.abs(contractsHeld) * 100;
      for (const order of mine) {
        const take = Math.min(left, order.leaves);
        if (take > 0) world.venue.tradeOrder(order, take);
        left -= take;
      }
    });
    world.run(50);
    return world;
  }

  /** Fills the operator's orders a number of times, which the scripted venue does not do by itself. */
  function takeClosing(world: World, times: number): void {
    for (let time = 0; time < times; time++) {
      world.run(200);
      for (const resting of world.venue.resting()) {
        const order = world.engine.state.orders.get(resting.report.clientOrderId!);
        if (order?.strategy === 'operator') world.venue.tradeOrder(resting, resting.leaves);
      }
    }
    world.run(500);
  }

  const held = (world: World): number[] => [M0, M1].map((index) => world.venue.position(index).qty as number);

  it('flattening goes on when the venue refuses again and again, but not at full speed', () => {
    const world = holding({}, 6);
    world.venue.script = { place: () => 'reject' };
    order(world, { type: 'flatten', reason: 'enough' });
    world.run(60_000);
    const sent = world.places().filter((place) => place.strategy === 'operator').length;
    expect(sent).toBeGreaterThan(25);
    expect(sent).toBeLessThan(50);
    expect(world.engine.operator.unclosed).toMatchObject([
      { why: expect.stringContaining('closed nothing') as unknown },
    ]);
    world.venue.script = {};
    takeClosing(world, 15);
    expect(held(world)).toEqual([0, 0]);
  });

  it('flattening closes every position at the best prices, halts the account, and reports it', () => {
    const world = holding({}, 6, -3);
    expect(held(world)).toEqual([600, -300]);
    order(world, { type: 'flatten', reason: 'enough' });
    takeClosing(world, 1);
    expect(held(world)).toEqual([0, 0]);
    expect(world.venue.resting()).toEqual([]);
    expect(world.noticesOf('flattened')).toMatchObject([{ why: 'flat', unclosed: [] }]);
    expect(world.engine.halts.listHalts()).toMatchObject([{ scope: ACCOUNT, by: 'operator', reason: 'enough' }]);
    const closing = world.places().filter((place) => place.strategy === 'operator');
    expect(closing.map(({ side, price, timeInForce, reduceOnly }) => [side, price, timeInForce, reduceOnly])).toEqual([
      ['sell', cents(45), 'ioc', true],
      ['buy', cents(55), 'ioc', true],
    ]);
    touch(world);
    expect(world.venue.resting()).toEqual([]);
  });

  it('flattening goes on in a market that opens again, and gives up on one that has closed', () => {
    const world = holding({}, 6, -3);
    world.step({ kind: 'market-changed', at: world.now, exchangeAt: null, market: M0, status: 'inactive' });
    order(world, { type: 'flatten', reason: 'enough' });
    takeClosing(world, 1);
    expect(held(world)).toEqual([600, 0]);
    expect(world.engine.operator.unclosed).toMatchObject([
      { market: M0, qty: qty(600), why: 'the market is inactive' },
    ]);
    world.step({ kind: 'market-changed', at: world.now, exchangeAt: null, market: M0, status: 'closed' });
    world.run(1000);
    expect(world.noticesOf('flattened')).toMatchObject([{ unclosed: [{ market: M0, why: 'the market is closed' }] }]);
    expect(world.engine.operator.isFlattening).toBe(false);
  });

  it('flattening closes in parts that the limits allow', () => {
    const world = holding({ orderQtyMax: contracts(5) }, 8, 0);
    order(world, { type: 'flatten', reason: 'enough' });
    takeClosing(world, 4);
    expect(held(world)).toEqual([0, 0]);
    const closing = world.places().filter((place) => place.strategy === 'operator');
    expect(closing.map((place) => place.qty)).toEqual([400, 400]);
  });

  it('flattening reports positions that the rules do not let it close', () => {
    const world = holding({ priceMin: cents(35) }, 6, 0);
    for (const [at, change] of [
      [45, -1000],
      [44, -100],
      [30, 1000],
    ] as const)
      world.venue.changeLevel(M0, 'bid', { price: cents(at), change });
    order(world, { type: 'flatten', reason: 'enough' });
    takeClosing(world, 1);
    expect(held(world)[0]).toBe(600);
    expect(world.engine.operator.unclosed[0]?.why).toBe('price 30¢ is outside 35¢ to 99¢');
    expect(world.engine.operator.isFlattening).toBe(true);
  });

  it('flattening ends when the operator halts or resumes, and remaining positions stay open', () => {
    const world = holding({}, 6, 0);
    world.step({ kind: 'market-changed', at: world.now, exchangeAt: null, market: M0, status: 'inactive' });
    order(world, { type: 'flatten', reason: 'enough' });
    world.run(300);
    halt(world, ACCOUNT);
    expect(world.engine.operator.isFlattening).toBe(false);
    world.step({ kind: 'market-changed', at: world.now, exchangeAt: null, market: M0, status: 'active' });
    world.run(1000);
    expect(held(world)[0]).toBe(600);
  });
});
