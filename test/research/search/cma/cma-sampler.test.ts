// CMA-ES against reference values computed with NumPy from Hansen's tutorial, and as a sampler.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CmaSampler } from '../../../../src/research/search/cma/cma-sampler.ts';
import { cmaSettings } from '../../../../src/research/search/cma/cma-settings.ts';
import { type CmaState, firstState, nextState } from '../../../../src/research/search/cma/cma-state.ts';
import { eigenOf } from '../../../../src/research/search/cma/symmetric-matrix.ts';
import { BRANIN, finishedTrial, searchTrials } from '../../../support/research/test-functions.ts';

const DIRECTIONS = [
  [0.5, -1],
  [1, 0.25],
  [-0.75, 0.5],
  [0, 1.5],
  [-1.25, -0.5],
  [0.25, 0.75],
];

const valueOf = ([x = 0, y = 0]: readonly number[]): number => (x - 0.2) ** 2 + 3 * (y - 0.7) ** 2;

/** The state after a generation of the points m + σz, best first. */
function nextOf(state: CmaState): CmaState {
  const points = DIRECTIONS.map((z) => z.map((each, d) => (state.mean[d] ?? 0) + state.step * each));
  return nextState(
    cmaSettings(2),
    state,
    points.sort((a, b) => valueOf(a) - valueOf(b)),
  );
}

function expectClose(actual: readonly (number | undefined)[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, i) => expect(value).toBeCloseTo(expected[i] ?? NaN, 12));
}

describe('the constants of CMA-ES in two dimensions', () => {
  it('equal those of the reference', () => {
    const settings = cmaSettings(2);
    expect(settings.generation).toBe(6);
    expectClose(settings.weights, [0.6370425712412168, 0.28457025743803294, 0.07838717132075033]);
    expectClose(
      [settings.effective, settings.stepRate, settings.stepDamping, settings.pathRate],
      [2.0286114646100617, 0.44620498737831715, 1.4462049873783172, 0.6245545390268264],
    );
    expectClose([settings.rankOneRate, settings.rankManyRate], [0.1548153998964136, 0.057859085071916304]);
  });
});

describe('the state of CMA-ES', () => {
  const first = nextOf(firstState([0.5, 0.5], 0.2));

  it('equals the reference after one generation', () => {
    expectClose(first.mean, [0.408362972879855, 0.6608334100536442]);
    expectClose([first.step], [0.1924403046714906]);
    expectClose(
      first.covariance.flat(),
      [0.8649801092788775, -0.1123779550363153, -0.1123779550363153, 1.0106069752267133],
    );
    expectClose(first.stepPath, [-0.5433810706824387, 0.9536956108568981]);
    expectClose(first.covariancePath, [-0.604849471133373, 1.0615796481915551]);
  });

  it('equals the reference after two generations', () => {
    const second = nextOf(first);
    expectClose(second.mean, [0.2517362019866288, 0.7060619881303952]);
    expectClose([second.step], [0.20557168837891446]);
    expectClose(
      second.covariance.flat(),
      [0.9900114660351841, -0.2339829351209191, -0.2339829351209191, 0.8893427441037904],
    );
  });
});

describe('the eigenvalues and eigenvectors of a symmetric matrix', () => {
  it('make the matrix again', () => {
    const entries = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 36, maxLength: 36 });
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 6 }), (raw, size) => {
        const matrix = Array.from({ length: size }, (_, i) =>
          Array.from({ length: size }, (__, j) => raw[6 * Math.min(i, j) + Math.max(i, j)] ?? 0),
        );
        const { values, vectors } = eigenOf(matrix);
        for (let i = 0; i < size; i++)
          for (let j = 0; j < size; j++) {
            const sum = values.reduce((s, value, k) => s + value * (vectors[i]?.[k] ?? 0) * (vectors[j]?.[k] ?? 0), 0);
            expect(sum).toBeCloseTo(matrix[i]?.[j] ?? NaN, 9);
          }
      }),
    );
  });
});

describe('CMA-ES as a sampler', () => {
  it('sees whole generations only', () => {
    const sampler = new CmaSampler(BRANIN.space, 1);
    expect([0, 5, 6, 11, 12].map((n) => sampler.countSeen(n))).toEqual([0, 0, 6, 6, 12]);
    expect(() => sampler.propose({ n: 6, ended: [] })).toThrow('trial 6: expected 6 ended trials for CMA-ES, found 0');
  });

  it('proposes the same from trials alone as after it proposed every trial', () => {
    const trials = searchTrials(new CmaSampler(BRANIN.space, 3), BRANIN.valueOf, { trials: 60 });
    for (const n of [0, 7, 30, 59]) {
      const fresh = new CmaSampler(BRANIN.space, 3);
      expect(fresh.propose({ n, ended: trials.slice(0, fresh.countSeen(n)) })).toEqual(trials[n]?.params);
    }
  });

  it('notices that an earlier trial is another one', () => {
    const sampler = new CmaSampler(BRANIN.space, 3);
    const trials = searchTrials(sampler, BRANIN.valueOf, { trials: 12 });
    const other = trials.map((trial) => finishedTrial(trial.n, trial.params, -(trial.values[0] ?? 0)));
    const proposed = sampler.propose({ n: 12, ended: other });
    expect(proposed).toEqual(new CmaSampler(BRANIN.space, 3).propose({ n: 12, ended: other }));
    expect(proposed).not.toEqual(sampler.propose({ n: 12, ended: trials }));
  });

  it('draws choices at random and refuses a space without numbers', () => {
    const mode = { name: 'mode', domain: { kind: 'choice', options: ['a', 'b'] } } as const;
    const trials = searchTrials(new CmaSampler([mode, ...BRANIN.space], 1), BRANIN.valueOf, { trials: 24 });
    expect(new Set(trials.map(({ params }) => params['mode']))).toEqual(new Set(['a', 'b']));
    expect(() => new CmaSampler([mode], 1)).toThrow('space: expected a numeric parameter for CMA-ES, found none');
  });
});
