// Confidence intervals against tables, by hand, and by how often they hold the true value.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { describe, expect, it } from 'vitest';
import { meanInterval, ratio, ratioInterval, sumInterval, tQuantile } from '../../../src/report/statement/intervals.ts';

describe('the quantile of Student’s t', () => {
  it.each([
    [1, 12.7062],
    [2, 4.3027],
    [10, 2.2281],
    [30, 2.0423],
    [31, 2.0395],
    [40, 2.0211],
    [60, 2.0003],
    [120, 1.9799],
    [1_000_000, 1.96],
  ])('equals the tables for %i degrees of freedom', (freedom, expected) => {
    expect(Math.abs(tQuantile(freedom) - expected)).toBeLessThan(1.5e-4);
  });

  it('falls with every degree of freedom', () => {
    for (let freedom = 1; freedom < 200; freedom++) expect(tQuantile(freedom)).toBeGreaterThan(tQuantile(freedom + 1));
  });
});

describe('intervals', () => {
  it('intervals equal the textbook for a mean and a sum', () => {
    // Mean 3, standard deviation √2.5, so a standard error of √0.5; t of 4 degrees 2.7764.
    const half = 2.7764 * Math.sqrt(0.5);
    expect(meanInterval([1, 2, 3, 4, 5])).toEqual({ low: 3 - half, high: 3 + half, groups: 5 });
    expect(sumInterval([1, 2, 3, 4, 5])?.low).toBeCloseTo(5 * (3 - half), 12);
  });

  it('intervals of a ratio over equal parts equal those of the mean', () => {
    const values = [1, 5, 2, 8];
    const mean = meanInterval(values);
    const parts = ratioInterval(values.map((over) => ({ over: over * 7, under: 7 })));
    expect(parts?.low).toBeCloseTo(mean?.low ?? Number.NaN, 12);
    expect(parts?.high).toBeCloseTo(mean?.high ?? Number.NaN, 12);
  });

  it('intervals are null for fewer than two groups, or for nothing', () => {
    expect(meanInterval([])).toBeNull();
    expect(meanInterval([4])).toBeNull();
    expect(sumInterval([4])).toBeNull();
    expect(ratioInterval([{ over: 1, under: 2 }])).toBeNull();
    expect(
      ratioInterval([
        { over: 1, under: 2 },
        { over: 0, under: 0 },
      ]),
    ).toBeNull();
    expect(ratio(1, 0)).toBeNull();
  });

  it('intervals hold the true value in 95 of 100 runs of binary payoffs in clusters', () => {
    const generator = xoroshiro128plus(20);
    const draw = (): number => uniformFloat64(generator);
    const runs = 2000;
    const chance = 0.4;
    let held = 0;
    for (let run = 0; run < runs; run++) {
      // Twenty event groups of one to five markets that all resolve alike: a contract pays 1 − p or −p.
      const parts = Array.from({ length: 20 }, () => {
        const under = 1 + Math.floor(draw() * 5);
        return { over: under * ((draw() < chance ? 1 : 0) - chance), under };
      });
      const interval = ratioInterval(parts);
      if (interval && interval.low <= 0 && interval.high >= 0) held += 1;
    }
    expect(held / runs).toBeGreaterThan(0.92);
    expect(held / runs).toBeLessThan(0.98);
  });

  it('intervals do not hold it when every market is counted as independent', () => {
    const generator = xoroshiro128plus(21);
    const draw = (): number => uniformFloat64(generator);
    let held = 0;
    for (let run = 0; run < 500; run++) {
      const groups = Array.from({ length: 20 }, () => (draw() < 0.4 ? 0.6 : -0.4));
      const markets = groups.flatMap((each) => [each, each, each, each, each]);
      const interval = meanInterval(markets);
      if (interval && interval.low <= 0 && interval.high >= 0) held += 1;
    }
    expect(held / 500).toBeLessThan(0.75);
  });
});
