// The median pruner and successive halving.
import { describe, expect, it } from 'vitest';
import { HalvingPruner } from '../../../../src/research/search/pruning/halving-pruner.ts';
import { MedianPruner } from '../../../../src/research/search/pruning/median-pruner.ts';
import { isPruned } from '../../../../src/research/search/sampler.ts';
import type { EndedTrial, TrialEnd } from '../../../../src/research/trial/study-trial.ts';

/** A trial whose intermediate value after `i` event groups is the i-th, from 1. */
const trialOf = (n: number, values: readonly number[], end: TrialEnd = 'finished'): EndedTrial => ({
  n,
  params: {},
  end,
  values: end === 'finished' ? values.slice(-1) : [],
  violations: [],
  intermediate: values.map((value, i) => ({ groups: i + 1, value })),
});

const FIVE = [1, 2, 3, 4, 5].map((value, n) => trialOf(n, [value, 10 * value]));

describe('the median pruner', () => {
  it('ends a trial that is worse than the median after as many event groups', () => {
    const pruner = new MedianPruner();
    expect([3, 3.1].map((value) => isPruned(value, pruner.limitAt(1, FIVE)))).toEqual([false, true]);
    expect([30, 30.1].map((value) => isPruned(value, pruner.limitAt(2, FIVE)))).toEqual([false, true]);
  });

  it('does not judge before enough trials have finished, nor during the warm-up', () => {
    expect(isPruned(99, new MedianPruner().limitAt(1, FIVE.slice(1)))).toBe(false);
    expect(isPruned(99, new MedianPruner({ startup: 4 }).limitAt(1, FIVE.slice(1)))).toBe(true);
    expect(isPruned(99, new MedianPruner({ warmup: 2 }).limitAt(1, FIVE))).toBe(false);
  });

  it('leaves out pruned trials and ends a trial without a number', () => {
    const pruned = [0, 1, 2].map((n) => trialOf(9 + n, [-100], 'pruned'));
    expect(isPruned(3, new MedianPruner().limitAt(1, [...FIVE, ...pruned]))).toBe(false);
    expect(isPruned(NaN, new MedianPruner().limitAt(1, FIVE))).toBe(true);
  });
});

describe('successive halving', () => {
  const eleven = Array.from({ length: 11 }, (_, n) => trialOf(n, [n + 1, n + 1, n + 1, n + 1], 'pruned'));

  it('lets the best quarter of a rung go on', () => {
    const pruner = new HalvingPruner({ min: 1 });
    // With the trial there are twelve values, so the best three go on.
    expect([2.5, 3.5].map((value) => isPruned(value, pruner.limitAt(1, eleven)))).toEqual([false, true]);
  });

  it('has the same limit on a queue as in a thread for the first trial at a rung', () => {
    const limit = new HalvingPruner({ min: 1 }).limitAt(1, []);
    expect(limit).not.toBeNull();
    expect(JSON.parse(JSON.stringify(limit))).toBe(limit);
  });

  it('judges at rungs only', () => {
    const pruner = new HalvingPruner({ min: 2, reduction: 3 });
    const long = Array.from({ length: 9 }, (_, n) =>
      trialOf(
        n,
        Array.from({ length: 20 }, () => n),
      ),
    );
    const judged = Array.from({ length: 20 }, (_, i) => i + 1).filter((groups) =>
      isPruned(99, pruner.limitAt(groups, long)),
    );
    expect(judged).toEqual([2, 6, 18]);
  });

  it('lets the best of fewer go on', () => {
    const pruner = new HalvingPruner({ min: 1 });
    expect(isPruned(5, pruner.limitAt(1, []))).toBe(false);
    expect([0.5, 1, 1.5].map((value) => isPruned(value, pruner.limitAt(1, eleven.slice(0, 2))))).toEqual([
      false,
      false,
      true,
    ]);
    expect(isPruned(NaN, pruner.limitAt(1, []))).toBe(true);
  });

  it('refuses rungs that do not rise', () => {
    expect(() => new HalvingPruner({ min: 0 })).toThrow('asha.min: expected 1 or more, found 0');
    expect(() => new HalvingPruner({ min: 1, reduction: 1 })).toThrow('asha.reduction: expected 2 or more, found 1');
  });
});
