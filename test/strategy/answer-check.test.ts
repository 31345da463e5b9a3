// Invalid answers of a strategy, which no compiler has checked when it is written in JavaScript.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import { type Stage, stage } from '../../src/testing/stage.ts';

/** Makes a stage whose strategy answers a print, or every book, with `answer`. */
const answering = (to: 'onPrint' | 'onBook', answer: (market: number) => unknown): Stage => {
  const strategy = defineStrategy({
    name: 'careless',
    params: z.strictObject({}),
    setup: () => ({ [to]: ({ market }: { market: number }) => answer(market) as never }),
  });
  return stage(strategy, { markets: ['RAIN'] })
    .book('RAIN', { bids: [[40, 10]], asks: [[50, 10]] })
    .print('RAIN', { cents: 45, contracts: 1, taker: 'buy' });
};

type Answer = (market: number) => unknown;

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
  ])('halts the strategy with the reason: %s', (_, answer, reason) => {
    for (const to of ['onPrint', 'onBook'] as const)
      expect(answering(to, answer).halted).toBe(`it answered with ${reason}`);
  });

  it.each<[string, Answer]>([
    ['an order without a market', () => [{ type: 'place', side: 'buy' }]],
    ['an order without a price', (market) => [{ type: 'place', market, side: 'buy', qty: 100 }]],
    ['a quote without a price', (market) => [{ type: 'quote', market, bid: {}, ask: null }]],
    ['a cancel without an order', () => [{ type: 'cancel' }]],
  ])('is denied where its values are invalid: %s', (_, answer) => {
    const scene = answering('onPrint', answer);
    expect(scene.halted).toBeNull();
    expect(scene.denials).toHaveLength(1);
  });
});

describe('a promise of a strategy that is rejected later', () => {
  const rejected = (): Promise<never> => Promise.reject(new Error('no such page'));

  /** Returns the rejections that nobody has handled once all waiting work is done. */
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
      const scene = stage(strategy, { markets: ['RAIN'], saved: 1 }).advance(2000);
      expect(scene.halted).toMatch(new RegExp(`${name}: expected .*, found a promise \\(it must not be async\\)`));
    });
    expect(unhandled).toEqual([]);
  });
});
