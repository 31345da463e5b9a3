// Clopper and Pearson's bound against its definition: at the bound, as few as were found come with the probability that the
// confidence leaves. The reference values solve the sum of binomial probabilities by bisection, in Python.
import { describe, expect, it } from 'vitest';
import { binomialUpperBound } from '../../../src/research/statistics/binomial-bound.ts';

describe('the upper bound on a probability', () => {
  it.each([
    [2, 50, 0.95, 0.12061415542204462],
    [4, 200, 0.95, 0.045180414994718525],
    [6, 200, 0.95, 0.058349760375910276],
    [682, 925, 0.975, 0.7654065582415249],
  ])('of %i in %i with confidence %f is %f', (found, all, confidence, bound) => {
    expect(binomialUpperBound({ found, all }, confidence)).toBeCloseTo(bound, 8);
  });

  it.each([1, 10, 59, 1000])('of none in %i has a closed form', (all) => {
    expect(binomialUpperBound({ found: 0, all }, 0.95)).toBeCloseTo(1 - 0.05 ** (1 / all), 10);
  });

  it('is 1 where all were found, and where nothing was tried', () => {
    expect(binomialUpperBound({ found: 3, all: 3 }, 0.95)).toBe(1);
    expect(binomialUpperBound({ found: 0, all: 0 }, 0.95)).toBe(1);
  });
});
