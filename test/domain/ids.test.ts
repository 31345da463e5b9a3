// Names are never empty, and the table of tickers gives each market one dense number for good.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault, must } from '../../src/domain/assert.ts';
import {
  type MarketIndex,
  TickerTable,
  clientOrderId,
  eventTicker,
  seriesTicker,
  strategyName,
  ticker,
  tradeId,
  venueOrderId,
} from '../../src/domain/ids.ts';

describe('a name', () => {
  it.each([
    ['ticker', ticker],
    ['event ticker', eventTicker],
    ['series ticker', seriesTicker],
    ['client order id', clientOrderId],
    ['venue order id', venueOrderId],
    ['trade id', tradeId],
    ['strategy name', strategyName],
  ] as const)('of a %s is kept as it is and never empty', (what, name) => {
    expect(name('A-1')).toBe('A-1');
    expect(() => name('')).toThrow(`${what} is empty`);
  });
});

describe('the ticker table', () => {
  it('numbers markets densely in the order they are first heard of, as a plain list would', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 2 })), (names) => {
        const table = new TickerTable();
        const model: string[] = [];
        for (const name of names) {
          if (!model.includes(name)) model.push(name);
          expect(table.intern(ticker(name))).toBe(model.indexOf(name));
        }
        expect(table.size).toBe(model.length);
        for (const [index, name] of model.entries()) {
          expect(table.tickerOf(must(table.indexOf(name), name))).toBe(name);
          expect(table.indexOf(name)).toBe(index);
        }
      }),
    );
  });

  it('is not fooled by names that every object has', () => {
    const table = new TickerTable();
    expect(table.indexOf('constructor')).toBeUndefined();
    expect(table.intern(ticker('__proto__'))).toBe(0);
    expect(table.indexOf('__proto__')).toBe(0);
  });

  it('has no name for a number it never gave out', () => {
    expect(() => new TickerTable().tickerOf(0 as MarketIndex)).toThrow(AssertionFault);
  });
});

describe('what must be there', () => {
  it('is handed back, falsy or not, and its absence is named', () => {
    expect([must(0, 'zero'), must('', 'text'), must(false, 'claim')]).toEqual([0, '', false]);
    expect(() => must(undefined, 'the grid')).toThrow('the grid is missing');
    expect(() => must(null, 'the grid')).toThrow(AssertionFault);
  });
});
