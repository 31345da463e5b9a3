// Ranks of trials, and the Pareto front of several objectives.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crowdingDistances, dominates, nonDominatedRanks } from '../../../src/research/search/pareto-front.ts';
import { paretoTrials, rankTrials } from '../../../src/research/search/trial-ranking.ts';
import { finishedTrial } from '../../support/research/test-functions.ts';

describe('non-dominated ranks', () => {
  it('count the fronts behind the first', () => {
    expect(
      nonDominatedRanks([
        [1, 5],
        [2, 2],
        [5, 1],
        [3, 3],
        [6, 6],
        [2, 6],
      ]),
    ).toEqual([0, 0, 0, 1, 2, 1]);
  });

  it('are one more than the highest rank that dominates', () => {
    const point = fc.tuple(fc.nat(6), fc.nat(6), fc.nat(6));
    fc.assert(
      fc.property(fc.array(point, { maxLength: 40 }), (points) => {
        const ranks = nonDominatedRanks(points);
        points.forEach((own, i) => {
          const above = points.flatMap((other, k) => (dominates(other, own) ? [ranks[k] ?? NaN] : []));
          expect(ranks[i]).toBe(Math.max(-1, ...above) + 1);
        });
      }),
    );
  });

  it('break ties by how far the neighbors are', () => {
    expect(
      crowdingDistances([
        [0, 4],
        [1, 2],
        [2, 1],
        [4, 0],
      ]),
    ).toEqual([Infinity, 1.25, 1.25, Infinity]);
  });
});

describe('the sequence of trials', () => {
  it('puts a value that is no number last, and keeps equal ones in sequence', () => {
    const trials = [NaN, 2, 1, 2].map((value, n) => finishedTrial(n, {}, value));
    expect(rankTrials(trials).map(({ n }) => n)).toEqual([2, 1, 3, 0]);
  });

  it('has a front of feasible trials', () => {
    const [a, b] = [finishedTrial(0, {}, 3), { ...finishedTrial(1, {}, 1), violations: [0.1] }];
    expect(paretoTrials([a, b, finishedTrial(2, {}, 2)]).map(({ n }) => n)).toEqual([2]);
  });
});
