// The markets of a generated stream have the names that a selector asks for, all of them.
import { describe, expect, it } from 'vitest';
import { generateMarkets } from '../../../src/certify/streams/generated-markets.ts';
import type { Recipe } from '../../../src/certify/streams/stream-recipe.ts';

const draw = (from: number): number => from;
const recipe = (more: Partial<Recipe>): Recipe => ({ seconds: 60, groups: 2, isSettling: false, ...more }) as Recipe;

describe('the markets of a stream', () => {
  it.each([1, 5, 40])('have the %i tickers that a selector asks for, each once', (count) => {
    const tickers = Array.from({ length: count }, (_, index) => `ASKED-${index}`);
    for (const isSettling of [false, true])
      for (const isExclusive of [true, false]) {
        const markets = generateMarkets(recipe({ isSettling }), draw, { tickers, isExclusive });
        const names = markets.map(({ ticker }) => ticker);
        expect(new Set(names).size).toBe(names.length);
        expect(tickers.filter((ticker) => !names.includes(ticker))).toEqual([]);
      }
  });

  it('are the same as without tickers when there are enough of them', () => {
    const plain = generateMarkets(recipe({ groups: 3 }), draw, {});
    const named = generateMarkets(recipe({ groups: 3 }), draw, { tickers: ['A'] });
    expect(named.map(({ ticker: _name, ...rest }) => rest)).toEqual(plain.map(({ ticker: _name, ...rest }) => rest));
  });
});
