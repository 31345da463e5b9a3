// Importance of parameters by PED-ANOVA, against values computed with SciPy 1.17.1 from its formulas.
import { describe, expect, it } from 'vitest';
import { paramImportances } from '../../../../src/research/search/importance/ped-anova.ts';
import { valueDensity } from '../../../../src/research/search/importance/value-histogram.ts';
import type { SearchSpace } from '../../../../src/research/search/search-space.ts';
import { RandomSampler } from '../../../../src/research/search/random-sampler.ts';
import { finishedTrial, searchTrials } from '../../../support/research/test-functions.ts';

const SPACE: SearchSpace = [
  { name: 'a', domain: { kind: 'int', low: 0, high: 19 } },
  { name: 'b', domain: { kind: 'int', low: 0, high: 19 } },
  { name: 'c', domain: { kind: 'choice', options: [0, 1, 2] } },
];
const TRIALS = Array.from({ length: 20 }, (_, i) => {
  const [a, b] = [(7 * i) % 20, (13 * i) % 20];
  return finishedTrial(i, { a, b, c: Math.floor(i / 3) % 3 }, Math.abs(a - 4) + 0.01 * b);
});

describe('the density of values', () => {
  it('equals the reference for options', () => {
    const density = valueDensity(
      { kind: 'choice', options: [0, 1, 2] },
      TRIALS.flatMap(({ params }) => params['c'] ?? []),
    );
    [0.3696145124716553, 0.31519274376417233, 0.31519274376417233].forEach((share, i) =>
      expect(density[i]).toBeCloseTo(share, 13),
    );
  });

  it('equals the reference for whole numbers', () => {
    const density = valueDensity({ kind: 'int', low: 0, high: 19 }, [4, 5]);
    const expected = [0.01551017416385146, 0.015883948483510872, 0.019748682472859307, 0.09029509802649674];
    [...expected, 0.2726389651278453, 0.2728492062858659].forEach((share, i) =>
      expect(density[i]).toBeCloseTo(share, 12),
    );
  });

  it.each(['int', 'float'] as const)('has the sum 1 in logarithms of a range of kind %s', (kind) => {
    const density = valueDensity({ kind, low: 1, high: 1000, log: true }, [1, 3, 30, 999, 1000]);
    expect(density).toHaveLength(kind === 'int' ? 11 : 50);
    expect(density.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  });
});

describe('the importance of parameters', () => {
  it('equals the reference', () => {
    const found = paramImportances(SPACE, TRIALS);
    expect(found.map(({ name }) => name)).toEqual(['b', 'a', 'c']);
    [0.4960399319257012, 0.4834581505365486, 0.020501917537750033].forEach((importance, i) =>
      expect(found[i]?.importance).toBeCloseTo(importance, 10),
    );
  });

  it('is largest for the parameter that decides', () => {
    const space: SearchSpace = ['x', 'y', 'z'].map((name) => ({ name, domain: { kind: 'float', low: -10, high: 10 } }));
    const trials = searchTrials(
      new RandomSampler(space, 1),
      (params) => Number(params['x']) ** 2 + Number(params['y']) / 50,
      {
        trials: 400,
      },
    );
    const [first] = paramImportances(space, trials);
    expect(first?.name).toBe('x');
    expect(first?.importance).toBeGreaterThan(0.8);
  });

  it('is unknown with fewer than ten trials, and leaves out trials without the parameter', () => {
    const inner: SearchSpace = [...SPACE.slice(0, 1), { name: 'd', domain: { kind: 'int', low: 1, high: 2 } }];
    expect(paramImportances(inner, TRIALS.slice(0, 9))).toEqual([
      { name: 'a', importance: null, trials: 9 },
      { name: 'd', importance: null, trials: 0 },
    ]);
    expect(paramImportances(inner, TRIALS)).toEqual([
      { name: 'a', importance: 1, trials: 20 },
      { name: 'd', importance: null, trials: 0 },
    ]);
  });

  it('is unknown without a difference', () => {
    const alike = TRIALS.map(({ params }, n) => finishedTrial(n, params, 1));
    expect(paramImportances(SPACE, alike).map(({ importance }) => importance)).toEqual([null, null, null]);
  });
});
