// Invalid definitions, which no compiler has checked when they are written in JavaScript.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { strategyName } from '../../src/domain/ids.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';

const FITTING = { name: 'careless', params: z.strictObject({}), setup: () => ({}) };

const bindDefinition = (definition: object) => {
  const careless: typeof FITTING = { ...FITTING, ...definition };
  return defineStrategy(careless).bind(strategyName('me'), {});
};

describe('a definition with a wrong shape', () => {
  it.each<[string, object, RegExp]>([
    ['no name', { name: undefined }, /^name: expected a text, found nothing$/],
    [
      'parameters that are not a schema',
      { params: { a: 1 } },
      /^params: expected a schema, as z.strictObject.*, found object$/,
    ],
    ['no setup', { setup: undefined }, /^setup: expected a function, found nothing$/],
    ['a setup that returns nothing', { setup: () => undefined }, /^expected handlers, found nothing$/],
    [
      'a misspelt member, which would be ignored',
      { market: () => ({ series: ['A'] }) },
      /^expected one of name, description, params, saved, markets, setup, found market \(did you mean markets\?\)$/,
    ],
    [
      'a state that is saved without its schema, and would be lost',
      { setup: () => ({ save: () => ({ a: 1 }), restore() {} }) },
      /^saved: expected a schema of what save returns, found nothing$/,
    ],
    [
      'a schema of the state that is none',
      { saved: { bought: [] }, setup: () => ({ save: () => ({ bought: [] }), restore() {} }) },
      /^saved: expected a schema, as z.strictObject.*, found object$/,
    ],
    [
      'a schema of the state without save',
      { saved: z.number(), setup: () => ({ restore() {} }) },
      /^save: expected a function, found nothing$/,
    ],
    ['markets that are no function', { markets: { series: ['A'] } }, /^markets: expected a function, found object$/],
    [
      'an unknown handler',
      { setup: () => ({ onBok() {} }) },
      /^expected one of onStart, .*, found onBok \(did you mean onBook\?\)$/,
    ],
    ['a handler in other letter case', { setup: () => ({ onbook() {} }) }, /, found onbook \(did you mean onBook\?\)$/],
    [
      'an unknown handler in a class',
      {
        setup: () =>
          new (class {
            onTrade() {}
          })(),
      },
      /^expected one of onStart, .*, found onTrade$/,
    ],
    [
      'a handler that is not a function',
      { setup: () => ({ onBook: [] }) },
      /^onBook: expected a function, found list$/,
    ],
    [
      'an unknown member of a selector',
      { markets: () => ({ serie: ['A'] }) },
      /^markets: expected one of tickers, .*, found serie \(did you mean series\?\)$/,
    ],
    [
      'a name that is not in a list',
      { markets: () => ({ series: 'A' }) },
      /^markets.series: expected a list, found string$/,
    ],
    [
      'a text for a number',
      { markets: () => ({ spreadMin: '3' }) },
      /^markets.spreadMin: expected a number, found string$/,
    ],
  ])('is refused before it runs: %s', (_, definition, message) => {
    expect(() => bindDefinition(definition)).toThrow(message);
  });

  it('is accepted when members are left out or undefined', () => {
    const setup = () => ({ onBook: undefined, onFill() {}, onward: 3, helper() {} });
    expect(bindDefinition({ setup, markets: () => ({ series: undefined, where: () => true }) }).name).toBe('me');
    const ofClass = bindDefinition({
      setup: () =>
        new (class {
          onBook() {}
        })(),
    });
    expect('onBook' in ofClass.handlers).toBe(true);
  });
});
