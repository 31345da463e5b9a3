// Invalid answers of a strategy, which no compiler has checked when it is written in JavaScript.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Intent } from '../../src/domain/intent.ts';
import { answerFault } from '../../src/strategy/answer-check.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import { type Stage, stage } from '../../src/testing/stage.ts';

/** Makes a stage whose strategy answers a print, or every book, with `answer`. */
const answering = (to: 'onPrint' | 'onBook', answer: (market: number) => unknown): Stage => {
  const strategy = defineStrategy({
    name: 'careless',
    params: z.strictObject({}),
    setup: () => ({ [to]: ({ market }: { market: number }) => answer(market) as never }),
  });
  const scene = stage(strategy, { markets: ['RAIN'] });
  if (scene.halted === null) scene.book('RAIN', { bids: [[40, 10]], asks: [[50, 10]] });
  return scene.halted === null ? scene.print('RAIN', { cents: 45, contracts: 1, taker: 'buy' }) : scene;
};

type Answer = (market: number) => unknown;

function asMistake(): never {
  throw new Error('a mistake');
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}

const ORDER = { type: 'place', side: 'buy', price: 4000, qty: 100 };
const QUOTE = { type: 'quote', bid: { price: 4000, qty: 100 }, ask: null };
const NO_QUOTE = { type: 'quote', bid: null, ask: null };
const FORECAST = { type: 'forecast', probability: 6200 };
const NOT_A_TIME = 'not a time in whole microseconds';
const NOT_A_MARKET = 'not the number of a market';
const NOT_A_PROBABILITY = 'not a whole number from 0 to 10000';

/** Intents with a member of a wrong kind, and their description. */
const ODD_MEMBERS: readonly (readonly [object, string])[] = [
  [{ ...ORDER, market: '0' }, 'a place whose market is "0", not a number'],
  [{ ...ORDER, price: '4000' }, 'a place whose price is "4000", not a number'],
  [{ ...ORDER, price: 4000n }, 'a place whose price is 4000n, not a number'],
  [{ ...ORDER, price: Symbol('p') }, 'a place whose price is Symbol(p), not a number'],
  [{ ...ORDER, qty: '100' }, 'a place whose qty is "100", not a number'],
  [{ ...ORDER, qty: {} }, 'a place whose qty is an object, not a number'],
  [{ ...ORDER, timeInForce: Symbol('t') }, 'a place whose timeInForce is Symbol(t), not a text'],
  [{ ...ORDER, postOnly: 'no' }, 'a place whose postOnly is "no", not true or false'],
  [{ ...ORDER, reduceOnly: 1 }, 'a place whose reduceOnly is 1, not true or false'],
  [{ ...ORDER, timeInForce: 'gtd', expiresAt: Infinity }, `a place whose expiresAt is Infinity, ${NOT_A_TIME}`],
  [
    { ...ORDER, timeInForce: 'gtd', expiresAt: 2e15 + 0.5 },
    `a place whose expiresAt is 2000000000000000.5, ${NOT_A_TIME}`,
  ],
  [{ ...ORDER, validUntil: Number.NaN }, `a place whose validUntil is NaN, ${NOT_A_TIME}`],
  [{ ...ORDER, validUntil: null }, `a place whose validUntil is null, ${NOT_A_TIME}`],
  [{ ...ORDER, reason: 5n }, 'a place whose reason is 5n, not a text'],
  [{ ...ORDER, postonly: true }, 'a place with an unknown member postonly (did you mean postOnly?)'],
  [{ ...ORDER, reduce_only: true }, 'a place with an unknown member reduce_only (did you mean reduceOnly?)'],
  [{ ...ORDER, timeinforce: 'ioc' }, 'a place with an unknown member timeinforce (did you mean timeInForce?)'],
  [{ ...QUOTE, priceTolerence: 100 }, 'a quote with an unknown member priceTolerence (did you mean priceTolerance?)'],
  [{ type: 'cancel-all', markets: [0] }, 'a cancel-all with an unknown member markets (did you mean market?)'],
  [{ ...QUOTE, market: '0' }, 'a quote whose market is "0", not a number'],
  [{ ...QUOTE, bid: { price: '4000', qty: 100 } }, 'a quote whose price is "4000", not a number'],
  [{ ...QUOTE, ask: { price: 5000, qty: 100n } }, 'a quote whose qty is 100n, not a number'],
  [{ ...QUOTE, priceTolerance: '1' }, 'a quote whose priceTolerance is "1", not a number'],
  [{ ...QUOTE, qtyTolerance: Number.NaN }, 'a quote whose qtyTolerance is NaN, not a number'],
  [{ ...NO_QUOTE, market: 99 }, `a quote whose market is 99, ${NOT_A_MARKET}`],
  [{ ...NO_QUOTE, market: 0.5 }, `a quote whose market is 0.5, ${NOT_A_MARKET}`],
  [{ type: 'cancel-all', market: 99 }, `a cancel-all whose market is 99, ${NOT_A_MARKET}`],
  [{ type: 'cancel-all', market: null }, `a cancel-all whose market is null, ${NOT_A_MARKET}`],
  [{ type: 'cancel', clientOrderId: 5n }, 'a cancel whose clientOrderId is 5n, not a text'],
  [{ type: 'decrease', clientOrderId: 'x', leavesQty: '1' }, 'a decrease whose leavesQty is "1", not a number'],
  [{ type: 'timer', name: Symbol('n'), at: 5 }, 'a timer whose name is Symbol(n), not a text'],
  [{ type: 'timer', name: 'n', at: 0.5 }, `a timer whose at is 0.5, ${NOT_A_TIME}`],
  [{ type: 'timer', name: 'n', at: 5n }, `a timer whose at is 5n, ${NOT_A_TIME}`],
  [{ ...FORECAST, market: 99 }, `a forecast whose market is 99, ${NOT_A_MARKET}`],
  [{ ...FORECAST, market: -1 }, `a forecast whose market is -1, ${NOT_A_MARKET}`],
  [{ ...FORECAST, probability: Number.NaN }, `a forecast whose probability is NaN, ${NOT_A_PROBABILITY}`],
  [{ ...FORECAST, probability: 20_000 }, `a forecast whose probability is 20000, ${NOT_A_PROBABILITY}`],
  [{ ...FORECAST, probability: 0.62 }, `a forecast whose probability is 0.62, ${NOT_A_PROBABILITY}`],
  [{ ...FORECAST, probability: 'high' }, `a forecast whose probability is "high", ${NOT_A_PROBABILITY}`],
];

describe('an answer that cannot be carried out', () => {
  it.each<[string, Answer, string]>([
    ['a promise', () => Promise.resolve([]), 'a promise (a handler must not be async), which is not a list of intents'],
    ['a single intent without a list', () => ({ type: 'cancel-all' }), 'an object, which is not a list of intents'],
    ['null', () => null, 'null, which is not a list of intents'],
    ['a number', () => 5, '5, which is not a list of intents'],
    ['a list of undefined', () => [null], 'an intent that is null'],
    ['an unknown intent', () => [{ type: 'plaze' }], 'an intent of type "plaze"'],
    ['a name that every object has', () => [{ type: 'toString' }], 'an intent of type "toString"'],
    [
      'half a quote',
      (market) => [{ type: 'quote', market, bid: null }],
      'a quote whose ask is undefined, not null or a price and a qty',
    ],
    ['an order without a side', (market) => [{ type: 'place', market, side: 'by' }], 'a place whose side is "by"'],
    ...ODD_MEMBERS.map(([members, words]): [string, Answer, string] => [
      words,
      (market) => [{ market, ...members }],
      words,
    ]),
  ])('halts the strategy with the reason: %s', (_, answer, reason) => {
    for (const to of ['onPrint', 'onBook'] as const)
      expect(answering(to, answer).halted).toBe(`it answered with ${reason}`);
  });

  it.each<[string, unknown]>([
    ['a proxy', new Proxy([], { get: asMistake })],
    ['an intent that is a proxy', [new Proxy({}, { get: asMistake })]],
    ['a proxy that was revoked', revoked()],
  ])('is described although it cannot be read: %s', (_, answer) => {
    expect(answerFault(answer as Intent[], 1)).toMatch(/^it answered with a value that cannot be read: \w*Error: /);
  });

  it.each<[string, Answer]>([
    ['an order without a market', () => [{ type: 'place', side: 'buy' }]],
    ['an order without a price', (market) => [{ type: 'place', market, side: 'buy', qty: 100 }]],
    ['a quote without a price', (market) => [{ type: 'quote', market, bid: {}, ask: null }]],
    ['a cancel without an order', () => [{ type: 'cancel' }]],
    ['an order in an unknown market', () => [{ ...ORDER, market: 99 }]],
    ['a quote in an unknown market', () => [{ ...QUOTE, market: 99 }]],
    ['a price that is not a number', (market) => [{ ...ORDER, market, price: Number.NaN }]],
    ['a price that is null', (market) => [{ ...ORDER, market, price: null }]],
    ['a negative price', (market) => [{ ...ORDER, market, price: -4000 }]],
    ['a fraction of a price', (market) => [{ ...ORDER, market, price: 4000.5 }]],
    ['a fraction of a qty', (market) => [{ ...ORDER, market, qty: 0.5 }]],
    ['a qty without end', (market) => [{ ...ORDER, market, qty: Infinity }]],
  ])('is denied where its values are invalid: %s', (_, answer) => {
    const scene = answering('onPrint', answer);
    expect(scene.halted).toBeNull();
    expect(scene.denials).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['a quote that stays wherever it rests', (market) => [{ ...QUOTE, market, priceTolerance: Infinity }]],
    ['a forecast of an impossible event', (market) => [{ ...FORECAST, market, probability: 0 }]],
    ['a cancel of everything', () => [{ type: 'cancel-all', market: undefined, reason: undefined }]],
    ['a member of its own, to read with the outcome', (market) => [{ ...ORDER, market, note: 'x', size: 3, asset: 1 }]],
    ['an order without optional terms', (market) => [{ ...ORDER, market, expiresAt: null, postOnly: undefined }]],
  ])('is accepted where its values are valid: %s', (_, answer) => {
    const scene = answering('onPrint', answer);
    expect(scene.halted).toBeNull();
    expect(scene.denials).toEqual([]);
  });
});

describe('a promise of a strategy that is rejected later', () => {
  const rejected = (): Promise<never> => Promise.reject(new Error('no such page'));

  /** Returns the rejections without a handler once all waiting work is done. */
  async function unhandledAfter(work: () => void): Promise<unknown[]> {
    const unhandled: unknown[] = [];
    const onRejection = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', onRejection);
    work();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    process.off('unhandledRejection', onRejection);
    return unhandled;
  }

  it.each<[string, Answer]>([
    ['the answer', rejected],
    ['an intent', () => [null, rejected()]],
    ['a level of a quote', (market) => [{ type: 'quote', market, bid: rejected(), ask: rejected() }]],
    [
      'a thrown value',
      () => {
        throw rejected() as unknown as Error;
      },
    ],
  ])('halts the strategy and ends nothing: %s', async (_, answer) => {
    for (const to of ['onPrint', 'onBook'] as const)
      expect(await unhandledAfter(() => expect(answering(to, answer).halted).not.toBeNull())).toEqual([]);
  });

  const definition = { name: 'careless', params: z.strictObject({}), setup: () => ({}) };

  it.each<[string, object, RegExp]>([
    ['setup', { setup: rejected }, /^setup: expected handlers, found a promise \(it must not be async\)$/],
    ['markets', { markets: rejected }, /^markets: expected a selector, found a promise \(it must not be async\)$/],
  ])('is refused as the result of %s', async (_, members, message) => {
    const strategy = defineStrategy({ ...definition, ...members });
    expect(await unhandledAfter(() => expect(() => stage(strategy)).toThrow(message))).toEqual([]);
  });

  it.each<[string, object]>([
    ['where', { markets: () => ({ where: rejected }) }],
    ['save', { saved: z.any(), setup: () => ({ save: rejected, restore: () => undefined }) }],
    ['restore', { saved: z.any(), setup: () => ({ save: () => 1, restore: rejected }) }],
  ])('halts the strategy as the result of %s', async (name, members) => {
    const strategy = defineStrategy({ ...definition, ...members });
    const unhandled = await unhandledAfter(() => {
      const scene = stage(strategy, { markets: ['RAIN'], saved: 1 });
      if (scene.halted === null) scene.advance(2000);
      expect(scene.halted).toMatch(new RegExp(`${name}: expected .*, found a promise \\(it must not be async\\)`));
    });
    expect(unhandled).toEqual([]);
  });
});
