// Removing the margin: sums of one, the equations of each method, and their effect on longshots.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Probability, probability } from '../../src/domain/units.ts';
import { type MarginMethod, fairProbabilities } from '../../src/kit/fair-probabilities.ts';

const METHODS: readonly MarginMethod[] = ['proportional', 'power', 'shin'];
const total = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);
const quoted = (...values: readonly number[]): readonly Probability[] => values.map(probability);

const quotes = fc
  .array(fc.integer({ min: 1, max: 9999 }), { minLength: 2, maxLength: 12 })
  .map((prices) => prices.map((each) => probability(each / 10_000)));
/** Quotes with a margin, which `shin` needs. */
const rich = quotes.filter((each) => total(each) > 1.0001);

describe.each(METHODS)('fair probabilities, %s', (method) => {
  it('sum to one and keep the order of the quotes', () => {
    fc.assert(
      fc.property(quotes, (implied) => {
        const fair = fairProbabilities(implied, method);
        expect(total(fair)).toBeCloseTo(1, 12);
        implied.forEach((a, i) =>
          implied.forEach((b, j) => {
            if (a < b) expect(fair[i]!).toBeLessThanOrEqual(fair[j]!);
            if (a === b) expect(fair[i]).toBe(fair[j]);
          }),
        );
      }),
    );
  });

  it('do not change quotes that already sum to one', () => {
    for (const [i, each] of fairProbabilities(quoted(0.5, 0.3, 0.2), method).entries())
      expect(each).toBeCloseTo([0.5, 0.3, 0.2][i]!, 9);
  });

  it('are one for a single outcome, and zero for an outcome without a quote', () => {
    expect(fairProbabilities(quoted(0.4), method)).toEqual([1]);
    expect(fairProbabilities(quoted(0.6, 0, 0.6), method)[1]).toBe(0);
  });

  it('need a positive quote', () => {
    expect(() => fairProbabilities([], method)).toThrow('none of 0 outcomes is quoted above zero');
    expect(() => fairProbabilities(quoted(0, 0), method)).toThrow('none of 2 outcomes is quoted above zero');
  });
});

describe('the methods', () => {
  it('are refused with the known ones when the name is another', () => {
    const refused = (method: unknown) => () => fairProbabilities(quoted(0.6, 0.6), method as never);
    const expected = 'method: expected one of proportional, power, shin, found';
    expect(refused('shinn')).toThrow(`${expected} shinn (did you mean shin?)`);
    expect(refused('toString')).toThrow(`${expected} toString`);
    expect(refused(null)).toThrow(`${expected} null`);
  });

  it('proportional: keep the ratios of the quotes', () => {
    expect(fairProbabilities(quoted(0.6, 0.6))).toEqual([0.5, 0.5]);
    const [a, b, c] = fairProbabilities(quoted(0.2, 0.4, 0.9));
    expect([b! / a!, c! / a!]).toEqual([expect.closeTo(2, 12), expect.closeTo(4.5, 12)]);
  });

  it('power: raise all to one exponent', () => {
    fc.assert(
      fc.property(quotes, (implied) => {
        const fair = fairProbabilities(implied, 'power');
        // Measured at an outcome that is neither almost certain nor almost impossible: the logarithms of those have few
        // digits.
        const from = fair.indexOf(fair.toSorted((x, y) => Math.abs(x - 0.3) - Math.abs(y - 0.3))[0]!);
        const exponent = Math.log(fair[from]!) / Math.log(implied[from]!);
        for (const [i, each] of fair.entries()) expect(each).toBeCloseTo(implied[i]! ** exponent, 9);
      }),
    );
  });

  it('shin: find one share of insiders that explains every quote', () => {
    fc.assert(
      fc.property(rich, (implied) => {
        const fair = fairProbabilities(implied, 'shin');
        const booked = total(implied);
        // By Shin's pricing the share of insiders z follows from each quote: quote² / booked = z·p + (1 − z)·p².
        const parts = fair.map((p, i) => (implied[i]! ** 2 / booked - p * p) / (p * (1 - p)));
        for (const [i, each] of parts.entries()) if (fair[i]! < 0.999) expect(each).toBeCloseTo(parts[0]!, 3);
      }),
    );
  });

  it('shin: take the same off both of two outcomes', () => {
    const [a, b] = fairProbabilities(quoted(0.7, 0.4), 'shin');
    expect([a, b]).toEqual([expect.closeTo(0.65, 9), expect.closeTo(0.35, 9)]);
  });

  it('power and shin: take more off longshots than in proportion', () => {
    const implied = quoted(0.9, 0.12, 0.05);
    const [proportional, power, shin] = METHODS.map((method) => fairProbabilities(implied, method)[2]!);
    expect(power).toBeLessThan(proportional!);
    expect(shin).toBeLessThan(proportional!);
  });

  it('power and shin: refuse a quote of a dollar', () => {
    for (const method of ['power', 'shin'] as const)
      expect(() => fairProbabilities(quoted(1, 0.2), method)).toThrow('an outcome is quoted at a dollar: 1, 0.2');
    expect(fairProbabilities(quoted(1, 0.25))).toEqual([0.8, 0.2]);
  });
});
