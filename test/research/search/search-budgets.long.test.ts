// Searches find the optimum of test functions within the budgets published for Optuna 5: over 20 fixed seeds each, so that a test
// passes or fails for ever.
import { describe, expect, it } from 'vitest';
import { type SamplerChoice, samplerFor } from '../../../src/research/search/sampler-choice.ts';
import { trialDraws } from '../../../src/research/search/trial-random.ts';
import { normalQuantile } from '../../../src/research/statistics/normal.ts';
import type { EndedTrial } from '../../../src/research/trial/study-trial.ts';
import {
  BRANIN,
  HARTMANN,
  type TestFunction,
  lowestOf,
  medianOf,
  searchTrials,
} from '../../support/research/test-functions.ts';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);

const searches = (kind: SamplerChoice['kind'], { space, valueOf }: TestFunction): readonly (readonly EndedTrial[])[] =>
  SEEDS.map((seed) => searchTrials(samplerFor({ kind }, space, seed), valueOf, { trials: 200 }));

const medianAfter = (runs: readonly (readonly EndedTrial[])[], trials: number): number =>
  medianOf(runs.map((run) => lowestOf(run, trials)));

const countBelow = (runs: readonly (readonly EndedTrial[])[], bound: number): number =>
  runs.filter((run) => lowestOf(run) <= bound).length;

// Bounds on medians: that of Optuna’s multivariate TPE, plus 2 % of the range to that of random search.
describe('TPE', () => {
  it('finds the minimum of Branin’s function', () => {
    const runs = searches('tpe', BRANIN);
    expect(medianAfter(runs, 100)).toBeLessThanOrEqual(0.417 + 0.02 * (0.778 - 0.417));
    expect(medianAfter(runs, 200)).toBeLessThanOrEqual(0.401 + 0.02 * (0.513 - 0.401));
    expect(countBelow(runs, 0.43)).toBeGreaterThanOrEqual(18);
  });

  it('finds the minimum of Hartmann’s function in six dimensions', () => {
    const runs = searches('tpe', HARTMANN);
    expect(medianAfter(runs, 100)).toBeLessThanOrEqual(-3.228 + 0.02 * (3.228 - 2.123));
    expect(medianAfter(runs, 200)).toBeLessThanOrEqual(-3.292 + 0.02 * (3.292 - 2.258));
    expect(countBelow(runs, -3.1)).toBeGreaterThanOrEqual(16);
  });

  it('finds a good point of Branin’s function under noise of one unit', () => {
    const truths = SEEDS.map((seed) => {
      const noisy = (n: number): number => normalQuantile(trialDraws(seed + 5000, n)());
      const sampler = samplerFor({ kind: 'tpe' }, BRANIN.space, seed);
      const run = searchTrials(sampler, (params, n) => BRANIN.valueOf(params) + noisy(n), { trials: 200 });
      const best = run.find(({ values }) => values[0] === lowestOf(run));
      return BRANIN.valueOf(best?.params ?? {});
    });
    expect(medianOf(truths)).toBeLessThanOrEqual(0.75);
  });

  it('finds the minimum of Branin’s function with four trials open at once', () => {
    const lowest = SEEDS.map((seed) => {
      const sampler = samplerFor({ kind: 'tpe' }, BRANIN.space, seed);
      return lowestOf(searchTrials(sampler, BRANIN.valueOf, { trials: 200, lag: 4 }));
    });
    expect(medianOf(lowest)).toBeLessThanOrEqual(0.41);
  });
});

describe('CMA-ES', () => {
  it('finds the minima of Branin’s and Hartmann’s functions', () => {
    expect(countBelow(searches('cma', BRANIN), 0.41)).toBeGreaterThanOrEqual(18);
    expect(countBelow(searches('cma', HARTMANN), -3.05)).toBeGreaterThanOrEqual(18);
  });
});
