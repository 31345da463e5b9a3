// Results of a split, from results of trials by event group: who wins each window, the joined curve, paths, and what stays
// untested. Figures are worked by hand.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import { type SplitTrial, splitResults } from '../../../src/research/splits/split-results.ts';
import type { SplitShape } from '../../../src/research/splits/split-shape.ts';
import type { GroupResult } from '../../../src/research/trial/study-trial.ts';

const SPANS = { A: [0, 3], B: [2, 5], C: [4, 6], D: [5, 9], E: [8, 10], F: [10, 12] } as const;
const NAMES = Object.keys(SPANS) as (keyof typeof SPANS)[];
const PROFIT = { figure: 'profit', isMaximized: true };

const groupOf = (name: keyof typeof SPANS, profit: number): GroupResult => ({
  group: name,
  cluster: name,
  from: micros(SPANS[name][0]),
  known: micros(SPANS[name][1]),
  profit,
  fees: 0,
  qty: 100,
  fills: 1,
  lockedDollarDays: 1,
});

/** A trial with these profits of A to F. */
const trialOf = (n: number, profits: readonly number[]): SplitTrial => ({
  n,
  groups: NAMES.map((name, index) => groupOf(name, profits[index] ?? 0)),
});

const resultsOf = (shape: SplitShape, trials: readonly SplitTrial[], objective = PROFIT) =>
  splitResults({ split: { shape, together: [], search: NAMES, held: [] }, trials, objective });

const WALK: SplitShape = {
  kind: 'walk-forward',
  start: 0,
  end: 13,
  train: 4,
  test: 4,
  step: 4,
  isAnchored: true,
  embargo: 1,
};

describe('walk-forward results', () => {
  // Windows: {A} then {D, E}; {A, B, C} then {F}.
  const trials = [
    trialOf(0, [5, -9, -9, 1, 2, 100]),
    trialOf(1, [4, 3, 3, 50, 50, -7]),
    trialOf(2, [1, 1, 1, 0, 0, 0]),
  ];

  it('run the winner of each training part on its test part, and join them in the sequence of settlement', () => {
    expect(resultsOf(WALK, trials)).toEqual({
      kind: 'walk-forward',
      windows: [
        { cut: 4, testBlocks: [], trainGroups: 1, testGroups: 2, winner: 0, inside: 5, outside: 1.5, rank: 2 },
        { cut: 8, testBlocks: [], trainGroups: 3, testGroups: 1, winner: 1, inside: 10 / 3, outside: -7, rank: 3 },
      ],
      trials: 3,
      curve: [
        { at: 9, group: 'D', winner: 0, profit: 1 },
        { at: 10, group: 'E', winner: 0, profit: 3 },
        { at: 12, group: 'F', winner: 1, profit: -4 },
      ],
      paths: [],
      inside: 15 / 4,
      outside: -4 / 3,
      changes: 1,
      untested: ['B', 'C'],
    });
  });

  it('choose the least of a figure that is minimized', () => {
    const results = resultsOf(WALK, trials, { figure: 'profit', isMaximized: false });
    expect(results?.windows.map(({ winner, rank }) => [winner, rank])).toEqual([
      [2, 1],
      [0, 3],
    ]);
  });

  it('never depend on what the winner does in the test part', () => {
    const table = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(table, { minLength: 1, maxLength: 6 }), fc.integer({ min: -99, max: 99 }), (rows, last) => {
        const winners = (of: readonly (readonly number[])[]) =>
          resultsOf(
            WALK,
            of.map((row, n) => trialOf(n, row)),
          )?.windows.map(({ winner }) => winner);
        // D, E and F are tested: no training part has them.
        expect(winners(rows.map((row, n) => [...row.slice(0, 3), last * n, last - n, n]))).toEqual(winners(rows));
      }),
    );
  });
});

describe('results of combinatorial folds', () => {
  const folds = (blocks: number, test: number): SplitShape => ({ kind: 'folds', blocks, test, embargo: 0 });
  const windowsOf = (results: ReturnType<typeof resultsOf>) =>
    results?.windows.map(({ testBlocks, trainGroups, winner }) => [testBlocks, trainGroups, winner]);

  it('have each path test every block once, by the winner of the split that tests it', () => {
    // The splits test {A, B}, {C, D} and {E, F}. They train on {E, F}, {A, F} and {A, B, C}.
    const trials = [trialOf(0, [9, 1, 2, 4, 8, 1]), trialOf(1, [0, 10, 20, 40, 80, 5])];
    const results = resultsOf(folds(3, 1), trials);
    expect(windowsOf(results)).toEqual([
      [[0], 2, 1],
      [[1], 2, 0],
      [[2], 3, 1],
    ]);
    expect(results?.paths).toEqual([0 + 10 + 2 + 4 + 80 + 5]);
    expect(results?.curve).toEqual([]);
  });

  it('have no winner where nothing is left to train on, and no path through such a split', () => {
    // The splits test {A, B, C, D}, {A, B, E, F} and {C, D, E, F}. The second trains on nothing: C and D overlap the test.
    const results = resultsOf(folds(3, 2), [trialOf(0, [9, 1, 2, 4, 8, 1]), trialOf(1, [0, 10, 20, 40, 80, 5])]);
    expect(windowsOf(results)).toEqual([
      [[0, 1], 1, 1],
      [[0, 2], 0, null],
      [[1, 2], 1, 0],
    ]);
    expect(results?.paths).toEqual([]);
  });
});

it('a split has no results before a trial has finished', () => {
  expect(resultsOf(WALK, [])).toBeNull();
});
