// Names are never empty, and the ticker table gives each market one dense number while it is followed.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault, must } from '../../src/base/assert.ts';
import {
  type MarketIndex,
  type Ticker,
  TickerTable,
  clientOrderId,
  eventTicker,
  seriesTicker,
  strategyName,
  ticker,
  tradeId,
  venueOrderId,
} from '../../src/domain/ids.ts';

describe('names', () => {
  it.each([
    ['ticker', ticker],
    ['event ticker', eventTicker],
    ['series ticker', seriesTicker],
    ['client order id', clientOrderId],
    ['venue order id', venueOrderId],
    ['trade id', tradeId],
    ['strategy name', strategyName],
  ] as const)('a %s keeps its text and is never empty', (what, name) => {
    expect(name('A-1')).toBe('A-1');
    expect(() => name('')).toThrow(`${what} is empty`);
  });
});

describe('the ticker table', () => {
  it('the ticker table numbers markets densely in order of discovery, as a plain list would', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 2 })), (names) => {
        const table = new TickerTable();
        const model: string[] = [];
        for (const name of names) {
          if (!model.includes(name)) model.push(name);
          expect(table.internTicker(ticker(name))).toBe(model.indexOf(name));
        }
        expect(table.size).toBe(model.length);
        for (const [index, name] of model.entries()) {
          expect(table.tickerOf(must(table.indexOf(name), name))).toBe(name);
          expect(table.indexOf(name)).toBe(index);
        }
      }),
    );
  });

  it('the ticker table is not fooled by property names that every object has', () => {
    const table = new TickerTable();
    expect(table.indexOf('constructor')).toBeUndefined();
    expect(table.internTicker(ticker('__proto__'))).toBe(0);
    expect(table.indexOf('__proto__')).toBe(0);
  });

  it('the ticker table reuses released numbers, so that it grows no larger than the markets followed at a time', () => {
    const table = new TickerTable();
    const followed: Ticker[] = [];
    const versions = new Set<number>();
    for (let i = 0; i < 10_000; i++) {
      followed.push(ticker(`M-${i}`));
      table.internTicker(ticker(`M-${i}`));
      const oldest = followed.length > 50 ? must(followed.shift(), 'oldest') : null;
      if (oldest !== null) table.releaseIndex(must(table.indexOf(oldest), oldest));
      versions.add(table.version);
    }
    expect(table.count).toBe(50);
    expect(table.size).toBeLessThan(120);
    expect(new Set(followed.map((name) => table.indexOf(name))).size).toBe(50);
    expect(followed.every((name) => table.tickerOf(must(table.indexOf(name), name)) === name)).toBe(true);
    expect(versions.size).toBeGreaterThan(9_000);
  });

  it('a released number waits before it is reused, and its ticker is unknown', () => {
    const table = new TickerTable();
    const index = table.internTicker(ticker('A'));
    table.releaseIndex(index);
    expect(table.indexOf('A')).toBeUndefined();
    expect(() => table.tickerOf(index)).toThrow(AssertionFault);
    expect(() => table.releaseIndex(index)).toThrow(AssertionFault);
    expect(table.internTicker(ticker('A'))).not.toBe(index);
  });

  it('the ticker table has no name for a number it never assigned', () => {
    expect(() => new TickerTable().tickerOf(0 as MarketIndex)).toThrow(AssertionFault);
  });
});

describe('must', () => {
  it('must returns a present value, falsy or not, and names an absent one', () => {
    expect([must(0, 'zero'), must('', 'text'), must(false, 'claim')]).toEqual([0, '', false]);
    expect(() => must(undefined, 'the grid')).toThrow('the grid is missing');
    expect(() => must(null, 'the grid')).toThrow(AssertionFault);
  });
});
