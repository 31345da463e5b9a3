// The bootstrap over event groups: every resample of six groups against an independent script, BCa against SciPy 1.17.1,
// lengths of blocks against arch 8.0.0.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { dependsOnNeighbor, meanBlockLength } from '../../../src/research/statistics/block-length.ts';
import {
  bcaInterval,
  percentileInterval,
  quantileOf,
  resampleFigure,
  studentInterval,
} from '../../../src/research/statistics/bootstrap.ts';
import { intervalOf } from '../../../src/research/statistics/figure-interval.ts';
import {
  figureValue,
  meanFigure,
  ratioDifference,
  ratioFigure,
  standardError,
  totalFigure,
} from '../../../src/research/statistics/group-figures.ts';
import { ResampleDraws } from '../../../src/research/statistics/resample-draws.ts';
import { independentPlan, stationaryPlan } from '../../../src/research/statistics/resampling.ts';

const GROUPS = [[1.2, -0.5], [0.8], [-2.0, 0.3, 0.4], [1.5], [0.2, 0.9], [-0.7]];
const SUMS = GROUPS.map((values) => values.reduce((sum, value) => sum + value, 0));
const PARTS = GROUPS.map((values, i) => ({ over: SUMS[i] ?? 0, under: values.length }));
const seed = 1;

describe('every resample of six groups', () => {
  const plan = () => independentPlan(6, { seed });

  it('gives the total of an independent script', () => {
    const found = resampleFigure(totalFigure(SUMS), plan());
    expect(found.sorted.length).toBe(46_656);
    expect(found.isExact).toBe(true);
    expect(found.value).toBeCloseTo(2.1, 12);
    expect(found.mean).toBeCloseTo(2.1, 10);
    expect(found.sd).toBeCloseTo(2.456623699307649, 10);
    expect(percentileInterval(found, 0.95).low).toBeCloseTo(-3, 10);
    expect(percentileInterval(found, 0.95).high).toBeCloseTo(6.6, 10);
    expect(percentileInterval(found, 0.9).low).toBeCloseTo(-2.2, 10);
    expect(percentileInterval(found, 0.9).high).toBeCloseTo(6, 10);
    expect(found.shareAtMostZero).toBeCloseTo(0.20955504115226337, 12);
  });

  it('gives the mean by observation of an independent script', () => {
    const figure = ratioFigure(PARTS);
    const found = resampleFigure(figure, plan());
    expect(found.value).toBeCloseTo(0.21, 12);
    expect(found.sd).toBeCloseTo(0.2743740495623683, 10);
    expect(percentileInterval(found, 0.95).low).toBeCloseTo(-0.228571428571, 10);
    expect(percentileInterval(found, 0.95).high).toBeCloseTo(0.8, 10);
    expect(standardError(figure)).toBeCloseTo(0.29201369830882934, 12);
    expect(studentInterval(figure, 0.95).low).toBeCloseTo(-0.5406451086296594, 8);
    expect(studentInterval(figure, 0.95).high).toBeCloseTo(0.9606451086296596, 8);
  });

  it.each([
    [[0.7, 0.8, -1.3, 1.5, 1.1, -0.7], -3.6, 6.3],
    [[0.7, 0.8, 0.1, 2.5, 0.3, -0.4], 0.7, 9.9],
  ])('gives the BCa interval that SciPy’s levels give, of %j', (values, low, high) => {
    const figure = totalFigure(values);
    const found = bcaInterval(figure, resampleFigure(figure, plan()), 0.95);
    expect(found.low).toBeCloseTo(low, 9);
    expect(found.high).toBeCloseTo(high, 9);
  });

  it('gives the differences of two paired sides', () => {
    const [a, b] = [
      [1, 0.4, -0.3, 2.1, 0.6, -0.8],
      [0.2, 0.5, -0.9, 1, 0.9, -1.5],
    ];
    const found = resampleFigure(totalFigure((a ?? []).map((value, i) => value - (b?.[i] ?? 0))), plan());
    expect(found.value).toBeCloseTo(2.8, 12);
    expect(found.sd).toBeCloseTo(1.2220201853215573, 10);
    expect(percentileInterval(found, 0.95).low).toBeCloseTo(0.4, 10);
    expect(percentileInterval(found, 0.95).high).toBeCloseTo(5.1, 10);
    expect(found.shareAtMostZero).toBeCloseTo(0.015067729766803841, 12);
  });
});

describe('drawn resamples', () => {
  it('come near to all resamples', () => {
    const values = [...SUMS, 0.4];
    const found = resampleFigure(totalFigure(values), independentPlan(7, { seed }));
    const mean = values.reduce((sum, value) => sum + value, 0) / 7;
    const exact = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
    expect(found.isExact).toBe(false);
    expect(found.sorted.length).toBe(9_999);
    expect(found.sd / exact).toBeCloseTo(1, 1);
    expect(found.mean).toBeCloseTo(mean * 7, 1);
  });

  it('are the same for one seed and differ for others', () => {
    const drawn = (of: number): Int32Array => {
      const into = new Int32Array(20);
      independentPlan(20, { seed: of }).writeNext(into);
      return into;
    };
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
  });

  it('of blocks continue to the next group as often as asked', () => {
    const plan = stationaryPlan(50, { seed, restart: 0.25, draws: 400 });
    const chosen = new Int32Array(50);
    let next = 0;
    for (let i = 0; i < plan.count; i++) {
      plan.writeNext(chosen);
      for (let k = 1; k < 50; k++) if (chosen[k] === ((chosen[k - 1] ?? 0) + 1) % 50) next += 1;
    }
    expect(next / (400 * 49)).toBeCloseTo(0.75 + 0.25 / 50, 2);
  });
});

describe('random streams', () => {
  it('of neighboring seeds and numbers are uniform and unlike each other', () => {
    const firsts = Array.from({ length: 4_000 }, (_, i) => new ResampleDraws(Math.floor(i / 40), i % 40).drawUniform());
    const mean = firsts.reduce((sum, value) => sum + value, 0) / firsts.length;
    const product = firsts.reduce((sum, value, i) => sum + (value - 0.5) * ((firsts[i + 1] ?? 0.5) - 0.5), 0);
    expect(mean).toBeCloseTo(0.5, 1.7);
    // The correlation of neighbors has a standard error of 1 / √4000.
    expect(Math.abs(product / firsts.length / (1 / 12))).toBeLessThan(0.05);
    expect(new Set(firsts).size).toBe(4_000);
  });
});

describe('the length of blocks', () => {
  const steps = Array.from({ length: 100 }, (_, i) => ((i * 53) % 97) / 97 - 0.5);

  it('equals that of arch 8.0.0 for a random walk, a mild dependence, and series at its bound', () => {
    let level = 0;
    expect(meanBlockLength(steps.map((step) => (level += step)))).toBeCloseTo(13.629691650300966, 9);
    let last = 0;
    const mild = steps.map((step, i) => (last = i === 0 ? step : 0.5 * last + (steps[(i * i) % 97] ?? 0)));
    expect(meanBlockLength(mild)).toBeCloseTo(4.103275491195907, 9);
    const even = Array.from({ length: 80 }, (_, i) => ((i * 37) % 101) / 101 - 0.5);
    expect(meanBlockLength(even)).toBeCloseTo(27, 9);
  });

  it('is needed only where neighbors depend on each other', () => {
    const draws = new ResampleDraws(6);
    const noise = Array.from({ length: 60 }, () => draws.drawUniform());
    expect(dependsOnNeighbor(noise)).toBe(false);
    expect(dependsOnNeighbor(noise.map((_, i) => Math.floor(i / 6) % 2))).toBe(true);
    expect(dependsOnNeighbor([0, 0, 0, 0, 0, 0, 0, 0, 0])).toBe(false);
  });
});

describe('the interval that leads', () => {
  const drawn = (count: number): number[] => {
    const draws = new ResampleDraws(12);
    return Array.from({ length: count }, () => (draws.drawUniform() < 0.3 ? 0.7 : -0.3));
  };

  it('is Student’s t below 30 groups and BCa from 30 on', () => {
    const few = must(intervalOf(totalFigure(drawn(29)), { seed }), 'an interval');
    expect([few.lead.method, few.beside.method]).toEqual(['student', 'percentile']);
    const many = must(intervalOf(totalFigure(drawn(30)), { seed }), 'an interval');
    expect([many.lead.method, many.beside.method]).toEqual(['bca', 'student']);
    expect(many.resamples).toBe(9_999);
  });

  it('draws blocks where neighbors depend on each other, and is wider', () => {
    const draws = new ResampleDraws(8);
    let last = 0;
    const sticky = Array.from({ length: 60 }, () => (last = 0.7 * last + draws.drawUniform() - 0.5));
    const found = must(intervalOf(meanFigure(sticky), { seed }), 'an interval');
    expect(found.lead.method).toBe('stationary');
    expect(found.blockLength).toBeGreaterThan(2);
    expect(found.lead.high - found.lead.low).toBeGreaterThan(1.2 * (found.beside.high - found.beside.low));
  });

  it('is absent for one group, and where there is nothing to divide by', () => {
    expect(intervalOf(totalFigure([4]), { seed })).toBeNull();
    expect(
      intervalOf(
        ratioFigure([
          { over: 1, under: 2 },
          { over: 0, under: 0 },
        ]),
        { seed },
      ),
    ).toBeNull();
    expect(
      intervalOf(
        ratioFigure([
          { over: 1, under: 0 },
          { over: 2, under: 0 },
        ]),
        { seed },
      ),
    ).toBeNull();
  });

  it('holds the true value in about 95 of 100 samples at long odds, where the percentile interval does less often', () => {
    const held = { lead: 0, percentile: 0 };
    for (let sample = 0; sample < 300; sample++) {
      const draws = new ResampleDraws(77, sample);
      const values = Array.from(
        { length: 40 },
        () => (1 + draws.drawIndex(3)) * ((draws.drawUniform() < 0.12 ? 1 : 0) - 0.12),
      );
      const figure = meanFigure(values);
      const { lead } = must(intervalOf(figure, { seed: sample, draws: 799 }), 'an interval');
      const percentile = percentileInterval(
        resampleFigure(figure, independentPlan(40, { seed: sample, draws: 799 })),
        0.95,
      );
      if (lead.low <= 0 && lead.high >= 0) held.lead += 1;
      if (percentile.low <= 0 && percentile.high >= 0) held.percentile += 1;
    }
    expect(held.lead / 300).toBeGreaterThan(0.91);
    expect(held.lead).toBeGreaterThan(held.percentile);
  });
});

describe('figures over groups', () => {
  it('a ratio scales with what it counts, a difference of a side with itself is 0', () => {
    const parts = fc.array(
      fc.record({ over: fc.integer({ min: -1e6, max: 1e6 }), under: fc.integer({ min: 1, max: 500 }) }),
      {
        minLength: 2,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(parts, (list) => {
        const figure = ratioFigure(list);
        const doubled = ratioFigure(list.map(({ over, under }) => ({ over: 2 * over, under })));
        expect(figureValue(doubled)).toBeCloseTo(2 * figureValue(figure), 6);
        const difference = ratioDifference(list, list);
        expect(figureValue(difference)).toBe(0);
        expect(standardError(difference)).toBeCloseTo(0, 9);
      }),
    );
  });

  it('a difference of ratios is not a ratio of differences', () => {
    const first = [
      { over: 6, under: 2 },
      { over: 2, under: 2 },
    ];
    const second = [
      { over: 1, under: 1 },
      { over: 3, under: 1 },
    ];
    expect(figureValue(ratioDifference(first, second))).toBe(0);
  });

  it('a quantile is the smallest value that a share does not exceed', () => {
    const values = Float64Array.from({ length: 20 }, (_, i) => i + 1);
    expect([0.05, 0.95, 0.951, 0, 1].map((p) => quantileOf(values, p))).toEqual([1, 19, 20, 1, 20]);
  });
});
