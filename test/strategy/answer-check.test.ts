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
