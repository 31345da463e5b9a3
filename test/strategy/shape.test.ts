// What an author gave that is not what it should be: no compiler looked at a strategy in JavaScript.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { strategyName } from '../../src/domain/ids.ts';
import { defineStrategy } from '../../src/strategy/define.ts';

const FITTING = { name: 'careless', params: z.strictObject({}), setup: () => ({}) };

const begun = (definition: object) => {
  const careless: typeof FITTING = { ...FITTING, ...definition };
  return defineStrategy(careless).bind(strategyName('me'), {});
};

describe('a strategy whose shape is wrong', () => {
  it.each<[string, object, RegExp]>([
    ['no name', { name: undefined }, /^name: expected a text, found nothing$/],
    [
      'parameters that are no schema',
      { params: { a: 1 } },
      /^params: expected a schema, as z.strictObject.*, found object$/,
    ],
    ['no setup', { setup: undefined }, /^setup: expected a function, found nothing$/],
    ['a setup that gives nothing', { setup: () => undefined }, /^expected handlers, found nothing$/],
    [
      'a handler that nobody knows',
      { setup: () => ({ onBok() {} }) },
      /^expected one of onStart, .*, found onBok \(did you mean onBook\?\)$/,
    ],
    ['one in other letters', { setup: () => ({ onbook() {} }) }, /, found onbook \(did you mean onBook\?\)$/],
    [
      'one in a class',
      {
        setup: () =>
          new (class {
            onTrade() {}
          })(),
      },
      /^expected one of onStart, .*, found onTrade$/,
    ],
    ['a handler that is none', { setup: () => ({ onBook: [] }) }, /^onBook: expected a function, found list$/],
    [
      'a selector of another word',
      { markets: () => ({ serie: ['A'] }) },
      /^markets: expected one of tickers, .*, found serie \(did you mean series\?\)$/,
    ],
    ['a name alone', { markets: () => ({ series: 'A' }) }, /^markets.series: expected a list, found string$/],
    [
      'a text for a number',
      { markets: () => ({ spreadMin: '3' }) },
      /^markets.spreadMin: expected a number, found string$/,
    ],
  ])('is refused before it runs: %s', (_, definition, told) => {
    expect(() => begun(definition)).toThrow(told);
  });

  it('is one that fits, when members are left out or undefined', () => {
    const setup = () => ({ onBook: undefined, onFill() {}, onward: 3, helper() {} });
    expect(begun({ setup, markets: () => ({ series: undefined, where: () => true }) }).name).toBe('me');
    const ofClass = begun({
      setup: () =>
        new (class {
          onBook() {}
        })(),
    });
    expect('onBook' in ofClass.handlers).toBe(true);
  });
});
