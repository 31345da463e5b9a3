// Momentum on prints, through the real engine with a scripted venue: when it enters, on which side, and when it exits.
import { describe, expect, it } from 'vitest';
import { strategyName, tradeId } from '../../src/domain/ids.ts';
import type { Intent } from '../../src/domain/intent.ts';
import { cents, contracts } from '../../src/domain/units.ts';
import { stage } from '../../src/testing/stage.ts';
import strategy from '../../strategies/print-momentum.ts';
import { M0, aMarket } from '../support/engine/builders.ts';
import { EngineHarness } from '../support/engine/engine-harness.ts';

/** A market bid 54 and offered 56, and the strategy in it. */
function start(params: Record<string, unknown> = {}): EngineHarness {
  const bound = strategy.bind(strategyName('momentum'), { entryDeviations: 0.5, ...params });
  const harness = new EngineHarness({ strategies: [bound], markets: [aMarket(0)] });
  harness.venue.script.place = () => 'take';
  harness.venue.changeLevel(M0, 'bid', { price: cents(54), change: 1000 });
  harness.venue.changeLevel(M0, 'ask', { price: cents(55), change: -1000 });
  harness.venue.changeLevel(M0, 'ask', { price: cents(56), change: 1000 });
  return harness.startTrading();
}

let trades = 0;
/** Trades at each of the prices, a second apart. */
function prints(harness: EngineHarness, ...prices: readonly number[]): EngineHarness {
  for (const at of prices) {
    const id = tradeId(`t-${trades++}`);
    harness.venue.emitEvent({
      kind: 'print',
      exchangeAt: harness.now,
      market: M0,
      tradeId: id,
      side: 'buy',
      price: cents(at),
      qty: contracts(1),
    });
    harness.run(1000);
  }
  return harness;
}

const orders = (harness: EngineHarness): string[] =>
  harness.places().map((each) => `${each.side} ${each.qty / 100} at ${each.price / 100} ${each.timeInForce}`);
const held = (harness: EngineHarness): number => harness.engine.state.portfolio.position(M0).qty / 100;

const QUIET = Array.from({ length: 12 }, () => 50);

describe('momentum', () => {
  it('buys when prices rise, and sells when they fall', () => {
    expect(orders(prints(start(), ...QUIET, 53, 55))).toEqual(['buy 5 at 56 ioc']);
    expect(orders(prints(start(), ...QUIET, 47, 45))).toEqual(['sell 5 at 54 ioc']);
  });

  it('does the opposite when it fades', () => {
    expect(orders(prints(start({ mode: 'fade' }), ...QUIET, 53, 55))).toEqual(['sell 5 at 54 ioc']);
  });

  it.each<[string, readonly number[], Record<string, unknown>]>([
    ['nothing moves', [...QUIET, 50, 50], {}],
    ['it has seen too little', [50, 50, 55], {}],
    ['the move is small compared with usual ones', [50, 58, 42, 57, 43, 58, 42, 50, 57, 43, 56, 52], {}],
    ['the touch is too wide', [...QUIET, 53, 55], { spreadMaxCents: 1 }],
  ])('does nothing when %s', (_name, prices, params) => {
    expect(orders(prints(start(params), ...prices))).toEqual([]);
  });

  it('exits after a while although nothing trades', () => {
    const harness = prints(start({ holdMs: 5000 }), ...QUIET, 53, 55);
    expect(held(harness)).toBe(5);
    harness.run(5000);
    expect(orders(harness)).toEqual(['buy 5 at 56 ioc', 'sell 5 at 54 ioc']);
    expect(held(harness)).toBe(0);
  });

  it('exits after a restart, too, although nothing trades', () => {
    const params = { entryDeviations: 0.5, holdMs: 30_000 };
    const scene = stage(strategy, { params, markets: ['RAIN'] });
    scene.book('RAIN', { bids: [[54, 10]], asks: [[56, 10]] });
    for (const price of [...QUIET, 53, 55])
      scene.print('RAIN', { cents: price, contracts: 1, taker: 'buy' }).advance(1000);
    expect(scene.position('RAIN').qty).toBe(contracts(5));
    scene.restart();
    expect(scene.position('RAIN').qty).toBe(contracts(5));
    scene.advance(31_000);
    expect(scene.position('RAIN').qty).toBe(0);
  });

  it('wakes at the end of the time, though something trades shortly before', () => {
    const params = { entryDeviations: 0.5, holdMs: 5000 };
    const scene = stage(strategy, { params, markets: ['RAIN'] });
    scene.book('RAIN', { bids: [[54, 10]], asks: [[56, 10]] });
    for (const price of [...QUIET, 53, 55])
      scene.print('RAIN', { cents: price, contracts: 1, taker: 'buy' }).advance(1000);
    const timers = (): Intent[] => scene.newIntents().filter(({ type }) => type === 'timer');
    const [exit] = timers();
    expect(exit).toBeDefined();
    scene.advance(3700).print('RAIN', { cents: 56, contracts: 1, taker: 'buy' });
    expect(timers()).toEqual([exit]);
  });

  it('exits as soon as the means meet', () => {
    const harness = prints(start({ holdMs: 600_000 }), ...QUIET, 53, 55);
    expect(held(harness)).toBe(5);
    prints(harness, 48, 48, 48);
    expect(orders(harness).at(1)).toBe('sell 5 at 54 ioc');
  });

  it('exits once there is a bid again, although nothing trades', () => {
    const harness = prints(start({ holdMs: 600_000 }), ...QUIET, 53, 55);
    harness.venue.changeLevel(M0, 'bid', { price: cents(54), change: -1000 });
    harness.venue.changeLevel(M0, 'bid', { price: cents(45), change: -1000 });
    prints(harness, 48, 48, 48);
    expect(held(harness)).toBe(5);
    harness.venue.changeLevel(M0, 'bid', { price: cents(54), change: 1000 });
    harness.run(2000);
    expect(held(harness)).toBe(0);
  });

  it('takes at most what is there and what it may hold', () => {
    const thin = start({ qtyContracts: 12 });
    prints(thin, ...QUIET, 53, 55, 56);
    expect(orders(thin)).toEqual(['buy 10 at 56 ioc']);
  });

  it('waits after a denial', () => {
    const harness = start({ qtyContracts: 1_000_000 });
    harness.venue.changeLevel(M0, 'ask', { price: cents(56), change: 100_000_000 });
    prints(harness, ...QUIET, 53, 55);
    const first = harness.noticesOf('denied').length;
    expect(first).toBe(1);
    expect(prints(harness, 56, 57, 58).noticesOf('denied')).toHaveLength(first);
  });

  it('does nothing with a book that is not live', () => {
    const harness = prints(start(), ...QUIET);
    harness.step({ kind: 'feed-gap', at: harness.now, markets: [M0], reason: 'sequence' });
    const print = { exchangeAt: null, market: M0, tradeId: tradeId('gap'), side: 'buy', qty: contracts(1) } as const;
    harness.step({ kind: 'print', at: harness.now, price: cents(60), ...print });
    expect(orders(harness)).toEqual([]);
  });

  it('continues from its saved state as if it had never stopped', () => {
    const [first, again] = [{}, {}].map((params) => strategy.bind(strategyName('momentum'), params));
    const market = aMarket(0);
    const view = {
      now: 0,
      market: () => market,
      orders: () => [],
      own: () => ({ qty: 0 }),
      book: () => ({ spread: null }),
    } as never;
    const printAll = (bound: typeof first, at: number, price: number): void => {
      bound!.handlers.onPrint?.({ kind: 'print', at, market: M0, price } as never, view);
    };
    [50, 52, 51].forEach((price, second) => printAll(first, second * 1_000_000, cents(price)));
    again!.persistence?.restore(JSON.parse(JSON.stringify(first!.persistence?.save())), view);
    for (const each of [first, again]) printAll(each, 9_000_000, cents(55));
    expect(again!.persistence?.save()).toEqual(first!.persistence?.save());
  });
});
