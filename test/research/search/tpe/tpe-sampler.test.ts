// TPE as a sampler: what a proposal depends on, and which trials count as good.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchSpace } from '../../../../src/research/search/search-space.ts';
import { spaceFaults } from '../../../../src/research/search/space/space-check.ts';
import { TpeSampler } from '../../../../src/research/search/tpe/tpe-sampler.ts';
import { splitTrials } from '../../../../src/research/search/tpe/trial-split.ts';
import type { EndedTrial } from '../../../../src/research/trial/study-trial.ts';
import { BRANIN, finishedTrial, searchTrials } from '../../../support/research/test-functions.ts';

const NESTED: SearchSpace = [
  { name: 'mode', domain: { kind: 'choice', options: ['plain', 'inventory'] } },
  { name: 'target', domain: { kind: 'int', low: 10, high: 200 }, when: { mode: 'inventory' } },
  { name: 'edge', domain: { kind: 'float', low: 1, high: 9, step: 0.5 } },
];

describe('a proposal of TPE', () => {
  it('depends on the seed, the number and the trials alone', () => {
    const trials = searchTrials(new TpeSampler(BRANIN.space, { seed: 5 }), BRANIN.valueOf, { trials: 40, lag: 4 });
    for (const n of [9, 20, 39]) {
      const ended = trials.slice(0, n - 3);
      const open = trials.slice(n - 3, n).map(({ params }) => params);
      expect(new TpeSampler(BRANIN.space, { seed: 5 }).propose({ n, ended, open })).toEqual(trials[n]?.params);
    }
  });

  it('is Sobol’s point until ten trials have ended', () => {
    const trials = searchTrials(new TpeSampler(BRANIN.space, { seed: 5 }), BRANIN.valueOf, { trials: 12 });
    const failed = trials.map((trial): EndedTrial => ({ ...trial, end: 'failed', values: [] }));
    const sampler = new TpeSampler(BRANIN.space, { seed: 5 });
    const at = (ended: readonly EndedTrial[]) => sampler.propose({ n: 12, ended, open: [] });
    expect(at(failed)).toEqual(at(trials.slice(0, 9)));
    expect(at(trials.slice(0, 10))).not.toEqual(at(trials.slice(0, 9)));
  });

  it('keeps away from open trials', () => {
    const space: SearchSpace = [{ name: 'x', domain: { kind: 'choice', options: ['a', 'b', 'c', 'd'] } }];
    const ended = Array.from({ length: 40 }, (_, n) => finishedTrial(n, { x: 'abcd'[n % 4] ?? 'a' }, n % 4));
    const open = Array.from({ length: 200 }, () => ({ x: 'a' }));
    const share = (others: readonly { readonly x: string }[]): number =>
      Array.from({ length: 50 }, (_, seed) =>
        new TpeSampler(space, { seed }).propose({ n: 40 + others.length, ended, open: others }),
      ).filter(({ x }) => x === 'a').length;
    expect(share([])).toBe(50);
    expect(share(open)).toBeLessThan(10);
  });

  it('gives conditional parameters where they apply, within their ranges', () => {
    expect(spaceFaults(NESTED)).toEqual([]);
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (seed, isMultivariate) => {
        const sampler = new TpeSampler(NESTED, { seed, isMultivariate });
        const valueOf = (params: EndedTrial['params']): number =>
          Number(params['target'] ?? 80) + Number(params['edge']);
        for (const { params } of searchTrials(sampler, valueOf, { trials: 30, lag: 3 })) {
          expect('target' in params).toBe(params['mode'] === 'inventory');
          expect(Number.isInteger(Number(params['edge']) * 2)).toBe(true);
          const target = Number(params['target'] ?? 10);
          expect(target >= 10 && target <= 200 && Number.isInteger(target)).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('moves to the better of two modes', () => {
    const valueOf = (params: EndedTrial['params']): number =>
      params['mode'] === 'inventory' ? Math.abs(Number(params['target']) - 150) : 100;
    const trials = searchTrials(new TpeSampler(NESTED, { seed: 2 }), valueOf, { trials: 80 });
    const late = trials.slice(40).filter(({ params }) => params['mode'] === 'inventory');
    expect(late.length).toBeGreaterThan(25);
    expect(Math.min(...late.map(({ values }) => values[0] ?? Infinity))).toBeLessThanOrEqual(5);
  });

  it('follows the front of two objectives', () => {
    const space: SearchSpace = [
      { name: 'x', domain: { kind: 'float', low: -10, high: 10 } },
      { name: 'y', domain: { kind: 'float', low: -10, high: 10 } },
    ];
    const sampler = new TpeSampler(space, { seed: 4 });
    const ended: EndedTrial[] = [];
    for (let n = 0; n < 120; n++) {
      const params = sampler.propose({ n, ended, open: [] });
      const [x, y] = [Number(params['x']), Number(params['y'])];
      ended.push({ ...finishedTrial(n, params, 0), values: [x * x + y * y, (x - 2) * (x - 2) + y * y] });
    }
    const near = (trials: readonly EndedTrial[]): number =>
      trials.filter(({ values: [a = 0, b = 0] }) => a + b < 12).length;
    expect(near(ended.slice(80))).toBeGreaterThan(3 * Math.max(1, near(ended.slice(0, 40))));
  });
});

describe('the good trials', () => {
  const pruned = (n: number, groups: number, value: number): EndedTrial => ({
    ...finishedTrial(n, { n }, 0),
    end: 'pruned',
    values: [],
    intermediate: [{ groups, value }],
  });
  const infeasible = (n: number, violation: number): EndedTrial => ({
    ...finishedTrial(n, { n }, -100),
    violations: [-5, violation],
  });
  const rest = Array.from({ length: 30 }, (_, i) => infeasible(100 + i, 50));
  const goodOf = (trials: readonly EndedTrial[]): unknown[] =>
    splitTrials([...trials, ...rest], []).below.map((params) => params['n']);

  it('are the feasible ones, then those pruned last, then those that violate least', () => {
    expect(goodOf([infeasible(0, 1), pruned(1, 3, 0), pruned(2, 9, 7), finishedTrial(3, { n: 3 }, 999)])).toEqual([
      0, 1, 2, 3,
    ]);
    expect(
      goodOf([finishedTrial(0, { n: 0 }, 1), pruned(1, 3, 0), pruned(2, 9, 7), pruned(3, 9, 6), pruned(4, 3, 1)]),
    ).toEqual([0, 1, 2, 3]);
    expect(goodOf([infeasible(0, 3), infeasible(1, 2), infeasible(2, 1), infeasible(3, 0.5)])).toEqual([0, 1, 2, 3]);
  });

  it('never include a failed or an open one', () => {
    const failed: EndedTrial = { ...finishedTrial(0, { n: 0 }, 0), end: 'failed', values: [] };
    const split = splitTrials([failed, finishedTrial(1, { n: 1 }, 5)], [{ n: 2 }]);
    expect(split).toEqual({ below: [{ n: 1 }], above: [{ n: 0 }, { n: 2 }] });
  });
});
