// The Sharpe ratio over groups, deflated by the number of trials, against the papers' examples and an independent script.
import { describe, expect, it } from 'vitest';
import {
  deflatedSharpe,
  effectiveTrials,
  expectedMaximum,
  groupsToSettle,
  luckSharpe,
  maximumMoments,
  recognizableSharpe,
  sharpeVariance,
} from '../../../src/research/statistics/deflated-sharpe.ts';
import {
  minimumTrackRecord,
  probabilisticSharpe,
  returnFigures,
} from '../../../src/research/statistics/sharpe-ratio.ts';
import { matrixOf } from '../../../src/research/statistics/trial-matrix.ts';
import { must } from '../../../src/base/assert.ts';

const RETURNS = [0.012, -0.004, 0.021, 0.003, -0.015, 0.008, 0.017, -0.022, 0.011, 0.006, -0.003, 0.014];

describe('the Sharpe ratio of twelve returns', () => {
  const figures = must(returnFigures(RETURNS), 'figures');

  it('has the moments of an independent script', () => {
    expect(figures.groups).toBe(12);
    expect(figures.sharpe).toBeCloseTo(0.30910890806751, 12);
    expect(figures.skewness).toBeCloseTo(-0.7122237302745431, 12);
    expect(figures.kurtosis).toBeCloseTo(2.5558043056159736, 12);
  });

  it('exceeds a benchmark with the probability of an independent script', () => {
    expect(probabilisticSharpe(figures, 0)).toBeCloseTo(0.8197184614880271, 12);
    expect(probabilisticSharpe(figures, 0.1)).toBeCloseTo(0.7318801751145596, 12);
    expect(minimumTrackRecord(figures, 0)).toBeCloseTo(36.60219014237272, 9);
    expect(minimumTrackRecord(figures, 0.1)).toBeCloseTo(78.79553805440898, 9);
    expect(minimumTrackRecord(figures, 0.4)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    [10, 0.31491966026915, 0.49314362187629884],
    [400, 0.5969603009625873, 0.19726901802846686],
  ])('is deflated by %i trials', (trials, luck, deflated) => {
    expect(luckSharpe({ trials, variance: 0.04 }).mean).toBeCloseTo(luck, 12);
    expect(deflatedSharpe(figures, { trials, variance: 0.04 })).toBeCloseTo(deflated, 12);
  });

  it('is absent without spread', () => {
    expect(returnFigures([3, 3, 3])).toBeNull();
    expect(returnFigures([0, 0, 0])).toBeNull();
    expect(returnFigures([0.1, 0.1, 0.1, 0.1, 0.1, 0.1])).toBeNull();
    expect(returnFigures([1])).toBeNull();
    expect(returnFigures([])).toBeNull();
  });
});

describe('the expected best of useless trials', () => {
  it.each([
    [2, 0.5197553442805939, 0.5641895835477566],
    [10, 1.57459830134575, 1.538752730835173],
    [45, 2.2356401777664052, 2.2077195639984457],
    [100, 2.5306028932016846, 2.507593636441689],
    [200, 2.765523904633547, 2.746042447455155],
    [400, 2.9848015048129364, 2.968178182093709],
    [1000, 3.255121513652723, 3.2414357691334756],
  ])('of %i is that of the paper’s formula, and nearly the exact one', (trials, approximate, exact) => {
    expect(expectedMaximum(trials)).toBeCloseTo(approximate, 12);
    expect(maximumMoments(trials).mean).toBeCloseTo(exact, 10);
  });

  it.each([
    [2, 0.8256452711765563],
    [10, 0.586808165639057],
    [100, 0.42942381581115596],
    [400, 0.37721099139662717],
  ])('has the spread of SciPy’s quadrature for %i trials', (trials, sd) => {
    expect(maximumMoments(trials).sd).toBeCloseTo(sd, 9);
  });

  it('is 0 for one trial', () => expect(expectedMaximum(1)).toBe(0));
});

describe('the example of the paper of 2014', () => {
  const days = 1250;
  const variance = 1 / 2 / 250;
  const figures = { groups: days, sharpe: 2.5 / Math.sqrt(250), skewness: -3, kurtosis: 10 };

  it('deflates an annual ratio of 2.5', () => {
    expect(luckSharpe({ trials: 100, variance }).mean).toBeCloseTo(0.11317200186513214, 12);
    expect(deflatedSharpe(figures, { trials: 100, variance })).toBeCloseTo(0.9003968344493903, 12);
    expect(deflatedSharpe(figures, { trials: 46, variance })).toBeCloseTo(0.9505017068755787, 12);
    const normal = { ...figures, skewness: 0, kurtosis: 3 };
    expect(deflatedSharpe(normal, { trials: 88, variance })).toBeCloseTo(0.9504908166760139, 12);
  });
});

describe('the minimum track records of the paper of 2012', () => {
  it.each([
    ['daily', 250, 0, 3, 2.731],
    ['weekly', 52, 0, 3, 2.829],
    ['monthly', 12, 0, 3, 3.24],
    ['monthly and skewed', 12, -0.72, 5.78, 4.991],
  ])('are in years, %s', (_, periods, skewness, kurtosis, years) => {
    const figures = { groups: 2, sharpe: 2 / Math.sqrt(periods), skewness, kurtosis };
    expect(minimumTrackRecord(figures, 1 / Math.sqrt(periods)) / periods).toBeCloseTo(years, 3);
  });
});

describe('the number of independent trials', () => {
  it('is (Σλ)² / Σλ² of the correlations', () => {
    // Three columns whose correlations are .9, .1 and .2, from the Cholesky factor of that matrix on orthogonal columns.
    const base = [
      [1, 1, 1],
      [1, -1, -1],
      [-1, 1, -1],
      [-1, -1, 1],
    ];
    const second = Math.sqrt(1 - 0.81);
    const third = (0.2 - 0.09) / second;
    const last = Math.sqrt(1 - 0.01 - third ** 2);
    const rows = base.map(([a = 0, b = 0, c = 0]) => [a, 0.9 * a + second * b, 0.1 * a + third * b + last * c]);
    expect(effectiveTrials(matrixOf(rows))).toBeCloseTo(1.9067796610169492, 12);
  });

  it('counts equal trials once, and leaves out those that never vary', () => {
    const rows = [3, -1, 2, 5].map((value) => [value, 2 * value, -value, 0]);
    expect(effectiveTrials(matrixOf(rows))).toBeCloseTo(1, 12);
    expect(effectiveTrials(matrixOf([[0], [0]]))).toBeNull();
  });
});

describe('the variance of trials', () => {
  it('is assumed below ten trials, and estimated from ten on', () => {
    expect(sharpeVariance([0.1, 0.9, 0.5], 26)).toBe(1 / 25);
    expect(sharpeVariance([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 26)).toBeCloseTo(55 / 6, 12);
  });
});

describe('the groups that would settle it', () => {
  const figures = { groups: 34, sharpe: 0.71, skewness: 0, kurtosis: 3 };
  const pool = { trials: 412, variance: 1 / 33 };

  it('bring the deflated ratio just above 0.95', () => {
    const settled = groupsToSettle(figures, pool);
    expect(settled).toBe(48);
    const deflatedAt = (groups: number): number =>
      deflatedSharpe({ ...figures, groups }, { trials: 412, variance: 1 / (groups - 1) });
    expect(deflatedAt(settled)).toBeGreaterThan(0.95);
    expect(deflatedAt(settled - 1)).toBeLessThan(0.95);
  });

  it('are infinite for a ratio that is not positive', () =>
    expect(groupsToSettle({ ...figures, sharpe: 0 }, pool)).toBe(Number.POSITIVE_INFINITY));
});

describe('the smallest ratio that is recognized', () => {
  it.each([30, 60, 120])('is 6 / √%i with 400 trials', (groups) =>
    expect(recognizableSharpe(groups, 400) * Math.sqrt(groups)).toBeCloseTo(6, 1),
  );
});
