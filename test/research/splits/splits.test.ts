// The splits of a study: worked examples, and properties over any units. No unit is on both sides, and the embargo holds.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import { lookAheadIn } from '../../../src/research/splits/look-ahead.ts';
import { combinations, foldSplits, pathsOf } from '../../../src/research/splits/purged-folds.ts';
import { type SplitUnit, groupsOfUnits, splitUnits } from '../../../src/research/splits/split-unit.ts';
import { splitAtTime } from '../../../src/research/splits/time-split.ts';
import { walkForwardWindows } from '../../../src/research/splits/walk-forward.ts';

const group = (name: string, [from, known]: readonly [number, number | null], cluster = name) => ({
  group: name,
  cluster,
  from: micros(from),
  known: known === null ? null : micros(known),
});

/** Six groups, each its own cluster. */
const SIX = splitUnits([
  group('A', [0, 3]),
  group('B', [2, 5]),
  group('C', [4, 6]),
  group('D', [5, 9]),
  group('E', [8, 10]),
  group('F', [10, 12]),
]);
const names = (units: readonly SplitUnit[]): string => groupsOfUnits(units).join('');

const anyUnits = fc
  .array(fc.tuple(fc.nat(50), fc.option(fc.nat(20), { freq: 8 }), fc.nat(12)), { minLength: 4, maxLength: 30 })
  .map((rows) =>
    splitUnits(
      rows.map(([from, life, cluster], n) => group(`G${n}`, [from, life === null ? null : from + life], `C${cluster}`)),
    ),
  );

describe('units', () => {
  it('keep the groups of a cluster together, from the first decision to the last result', () => {
    const units = splitUnits([
      group('A', [3, 5], 'X'),
      group('B', [1, 9], 'X'),
      group('C', [2, 4]),
      group('D', [0, null], 'Y'),
    ]);
    expect(units).toEqual([
      { key: 'C', groups: ['C'], from: 2, known: 4 },
      { key: 'X', groups: ['A', 'B'], from: 1, known: 9 },
      { key: 'Y', groups: ['D'], from: 0, known: null },
    ]);
  });

  it('join the groups that the study names as one cluster', () => {
    const units = splitUnits([group('A', [0, 1]), group('B', [2, 3]), group('C', [4, 5])], [['A', 'C']]);
    expect(units.map(({ groups }) => groups)).toEqual([['B'], ['A', 'C']]);
  });
});

describe('a split at a moment', () => {
  it('leaves out units that straddle it, begin in the embargo, or have no result', () => {
    const { before, after, neither } = splitAtTime(SIX, { cut: 6, embargo: 2 });
    expect([before, after, neither].map(names)).toEqual(['AB', 'EF', 'CD']);
    expect(names(splitAtTime(splitUnits([group('A', [9, null])]), { cut: 6, embargo: 2 }).neither)).toBe('A');
  });

  it('never trains on a result that comes after a tested unit begins', () => {
    fc.assert(
      fc.property(anyUnits, fc.nat(60), fc.nat(10), (units, cut, embargo) => {
        const { before, after, neither } = splitAtTime(units, { cut, embargo });
        for (const { known } of before)
          for (const { from } of after) expect(from - (known ?? 0)).toBeGreaterThan(embargo);
        expect([...before, ...after, ...neither].map(({ key }) => key).sort()).toEqual(
          units.map(({ key }) => key).sort(),
        );
      }),
    );
  });
});

const WALK = { start: 0, end: 12, train: 4, test: 4, step: 4, isAnchored: true, embargo: 1 };

describe('walk-forward windows', () => {
  it('train on the past and test each unit once: anchored', () => {
    const { windows, untested } = walkForwardWindows(SIX, WALK);
    expect(windows.map(({ cut, train, test }) => [cut, names(train), names(test)])).toEqual([
      [4, 'A', 'DE'],
      [8, 'ABC', 'F'],
    ]);
    expect(names(untested)).toBe('BC');
  });

  it('drop what is older than the training part: rolling', () => {
    const { windows } = walkForwardWindows(SIX, { ...WALK, isAnchored: false });
    expect(windows.map(({ train }) => names(train))).toEqual(['A', 'C']);
  });

  it('refuse a step that would test a unit twice', () => {
    expect(() => walkForwardWindows(SIX, { ...WALK, step: 3 })).toThrow('step: expected at least test, 4, found 3');
  });

  it('never test a unit twice, nor train on what is known after the cut', () => {
    fc.assert(
      fc.property(
        anyUnits,
        fc.record({
          train: fc.integer({ min: 1, max: 30 }),
          test: fc.integer({ min: 1, max: 20 }),
          gap: fc.nat(5),
          embargo: fc.nat(5),
          isAnchored: fc.boolean(),
        }),
        (units, { gap, ...shape }) => {
          const { windows } = walkForwardWindows(units, { ...shape, start: 0, end: 80, step: shape.test + gap });
          const tested = windows.flatMap(({ test }) => test.map(({ key }) => key));
          expect(new Set(tested).size).toBe(tested.length);
          for (const { cut, train, test } of windows) {
            for (const { known } of train) expect(known).toBeLessThan(cut);
            for (const { from } of test) expect(from).toBeGreaterThanOrEqual(cut + shape.embargo);
          }
        },
      ),
    );
  });
});

describe('purged folds', () => {
  const trainOf = (testBlock: number, embargo: number): string =>
    names(foldSplits(SIX, { blocks: 3, test: 1, embargo })[testBlock]?.train ?? []);

  // Worked by hand: blocks {A, B}, {C, D} and {E, F}.
  it('leave out training units that overlap the test, or begin in the embargo after it', () => {
    expect(trainOf(1, 0.5)).toBe('AF');
    expect(trainOf(1, 1)).toBe('A');
    expect(trainOf(0, 1)).toBe('EF');
    expect(trainOf(2, 1)).toBe('ABC');
  });

  it('have every combination of test blocks, and paths that test every block once', () => {
    expect(combinations(6, 2)).toHaveLength(15);
    const splits = combinations(6, 2).map((testBlocks) => ({ testBlocks }));
    const paths = pathsOf(splits);
    expect(paths).toHaveLength(5);
    for (const path of paths)
      expect(path.every((split, block) => splits[split]?.testBlocks.includes(block))).toBe(true);
    expect(new Set(paths.flatMap((path) => path.map((split, block) => `${split} ${block}`))).size).toBe(30);
    expect(pathsOf(combinations(10, 2).map((testBlocks) => ({ testBlocks })))).toHaveLength(9);
  });

  it('never train on a unit that overlaps a run of test blocks', () => {
    fc.assert(
      fc.property(anyUnits, fc.integer({ min: 2, max: 5 }), fc.nat(5), (units, blocks, embargo) => {
        fc.pre(units.filter(({ known }) => known !== null).length >= blocks);
        const sizes = Array.from({ length: blocks - 1 }, (_, index) => index + 1);
        for (const split of sizes.flatMap((test) => foldSplits(units, { blocks, test, embargo }))) {
          expect(lookAheadIn(split)).toBeNull();
          const pairs = split.train.flatMap((trained) => split.test.map((tested) => [trained, tested] as const));
          for (const [trained, tested] of pairs)
            expect((trained.known ?? 0) < tested.from || trained.from > (tested.known ?? 0) + embargo).toBe(true);
        }
      }),
    );
  });
});

describe('look-ahead', () => {
  const unit = (key: string, groups: string[]): SplitUnit => ({ key, groups, from: 0, known: 1 });

  it('is refused by the name of the group or the cluster that is on both sides', () => {
    const found = (train: SplitUnit, test: SplitUnit) => lookAheadIn({ train: [train], test: [test] });
    expect(found(unit('X', ['A']), unit('Y', ['A', 'B']))?.found).toBe('A on both');
    expect(found(unit('X', ['A']), unit('X', ['B']))?.found).toBe('cluster X on both, of which B to test');
    expect(found(unit('X', ['A']), unit('Y', ['B']))).toBeNull();
  });
});
