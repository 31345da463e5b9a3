// Estimates become prices of the grid: bids never above, asks never below. Log-odds convert both ways.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CENT_GRID, DECI_CENT_GRID, TAPERED_DECI_CENT_GRID } from '../../src/domain/price-grid.ts';
import { cents, complement, price, probability } from '../../src/domain/units.ts';
import {
  askOnGrid,
  bidOnGrid,
  impliedProbability,
  logistic,
  logit,
  nearestPrice,
  parityGap,
  worthOf,
} from '../../src/kit/fair-prices.ts';
import { runCount } from '../support/runner/property-runs.ts';

const grid = fc.constantFrom(CENT_GRID, DECI_CENT_GRID, TAPERED_DECI_CENT_GRID);
const ratio = fc.oneof(fc.integer({ min: -200, max: 10_200 }), fc.double({ min: -200, max: 10_200, noNaN: true }));

describe('prices on a grid', () => {
  it('are the highest bid that is at most the ratio, and the lowest ask that is at least the ratio', () => {
    fc.assert(
      fc.property(grid, ratio, (on, wanted) => {
        const prices = [...on.priceByCell];
        expect(bidOnGrid(on, wanted)).toBe(prices.findLast((each) => each <= wanted) ?? null);
        expect(askOnGrid(on, wanted)).toBe(prices.find((each) => each >= wanted) ?? null);
      }),
      { numRuns: runCount(300) },
    );
  });

  it('stay within the grid however far the ratio is beyond it', () => {
    expect(bidOnGrid(CENT_GRID, Number.POSITIVE_INFINITY)).toBe(cents(99));
    expect(askOnGrid(CENT_GRID, Number.NEGATIVE_INFINITY)).toBe(cents(1));
    expect(bidOnGrid(CENT_GRID, Number.NEGATIVE_INFINITY)).toBeNull();
    expect(askOnGrid(CENT_GRID, Number.POSITIVE_INFINITY)).toBeNull();
  });

  it('are the price itself for the worth of a probability in whole cents, whatever floating point makes of it', () => {
    for (let count = 1; count < 100; count++) {
      const worth = worthOf(probability(count / 100));
      expect([bidOnGrid(CENT_GRID, worth), askOnGrid(CENT_GRID, worth)]).toEqual([cents(count), cents(count)]);
    }
  });

  it('are refused for a value that is not a number', () => {
    expect(() => bidOnGrid(CENT_GRID, Number.NaN)).toThrow('a bid that is not a number');
    expect(() => askOnGrid(CENT_GRID, Number.NaN)).toThrow('an ask that is not a number');
  });
});

describe('a probability', () => {
  it('is the share of a dollar that YES is worth, and converts back', () => {
    expect(impliedProbability(4250)).toBe(0.425);
    expect(worthOf(probability(0.425))).toBe(4250);
    expect(nearestPrice(probability(0.42507))).toBe(price(4251));
    expect([nearestPrice(probability(0)), nearestPrice(probability(1))]).toEqual([0, 10_000]);
    expect(() => impliedProbability(10_001)).toThrow('probability 1.0001 is not a number in 0..1');
    expect(() => probability(Number.NaN)).toThrow('probability NaN is not a number in 0..1');
  });

  it('converts to log-odds and back', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true }), (chance) => {
        expect(logistic(logit(probability(chance)))).toBeCloseTo(chance, 12);
        expect(logit(probability(chance))).toBeCloseTo(Math.log(chance / (1 - chance)), 6);
      }),
    );
  });

  it('is certain at infinite log-odds', () => {
    expect([logistic(Number.POSITIVE_INFINITY), logistic(Number.NEGATIVE_INFINITY)]).toEqual([1, 0]);
    expect([logit(probability(1)), logit(probability(0))]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
    expect(() => logistic(Number.NaN)).toThrow('probability NaN');
  });
});

describe('a pair of YES and NO', () => {
  it('costs a dollar where one is the complement of the other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), (yes) => parityGap(price(yes), complement(price(yes))) === 0),
    );
    expect(parityGap(cents(60), complement(cents(55)))).toBe(500);
    expect(parityGap(cents(50), complement(cents(55)))).toBe(-500);
  });
});
