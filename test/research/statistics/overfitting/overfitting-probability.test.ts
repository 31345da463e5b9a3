// The probability of overfitting against an independent script, a slow computation, and tables whose answer is known.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HalfFigure } from '../../../../src/research/statistics/overfitting/half-scores.ts';
import { overfittingByLuck } from '../../../../src/research/statistics/overfitting/overfitting-luck.ts';
import {
  blockCount,
  halvesOf,
  measureOverfitting,
} from '../../../../src/research/statistics/overfitting/overfitting-probability.ts';
import { ResampleDraws } from '../../../../src/research/statistics/resample-draws.ts';
import { type TrialMatrix, matrixOf } from '../../../../src/research/statistics/trial-matrix.ts';

const M = matrixOf([
  [-1.6, -1.2, -1.3, -0.3],
  [-2.2, -0.1, -0.9, 1],
  [1.1, 1.5, 0.9, 0],
  [1, 1.6, -0.6, 0.7],
  [0.1, 1.5, -0.7, -0.2],
  [0.5, 0.4, -1.5, 0.5],
  [0, -0.1, -0.1, 0.3],
  [-1.7, 1.7, -0.8, -2.1],
]);

function expectLogits(found: Float64Array, expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  for (const [i, logit] of expected.entries()) expect(found[i]).toBeCloseTo(logit, 6);
}

describe('the overfitting of an 8 × 4 table', () => {
  it('by the mean in 4 blocks equals an independent script', () => {
    const found = measureOverfitting(M, 'mean', 4);
    expectLogits(found.logits, [1.386294, -1.386294, 1.386294, 1.386294, 0.405465, 1.386294]);
    expect(found.probability).toBeCloseTo(1 / 6, 12);
    expect(found.lossProbability).toBeCloseTo(1 / 6, 12);
    expect(found.line?.slope).toBeCloseTo(-0.521877417691, 11);
    expect(found.line?.intercept).toBeCloseTo(0.775275079515, 11);
  });

  it('by the mean in 8 blocks equals an independent script', () => {
    const found = measureOverfitting(M, 'mean', 8);
    expect(found.halves).toBe(70);
    expect(found.probability).toBeCloseTo(8 / 70, 12);
    expect(found.meanLogit).toBeCloseTo(0.957332306805433, 11);
    expect(found.lossProbability).toBeCloseTo(11 / 70, 12);
  });

  it('by the Sharpe ratio in 4 blocks equals an independent script', () => {
    const found = measureOverfitting(M, 'sharpe', 4);
    expectLogits(found.logits, [-0.405465, -1.386294, 1.386294, 1.386294, 0.405465, 0.405465]);
    expect(found.probability).toBeCloseTo(1 / 3, 12);
    expect(found.line?.slope).toBeCloseTo(-0.518756099557, 11);
  });

  it('by a ratio over equal parts equals that by the mean', () => {
    const ratio = measureOverfitting({ ...M, under: M.over.map(() => 4) }, 'ratio', 8);
    const mean = measureOverfitting(M, 'mean', 8);
    expect([...ratio.logits]).toEqual([...mean.logits]);
  });
});

describe('halves of blocks', () => {
  it('are lexicographic, and complements mirror each other', () => {
    expect(halvesOf(4)).toEqual([0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100]);
    const halves = halvesOf(10);
    expect(halves.length).toBe(252);
    for (const [i, half] of halves.entries()) expect(half ^ (halves.at(-1 - i) ?? 0)).toBe(1023);
  });

  it.each([
    [11, null],
    [12, 4],
    [30, 10],
    [34, 10],
    [47, 14],
    [48, 16],
    [64, 16],
    [400, 16],
  ])('%i groups have %s blocks', (groups, blocks) => expect(blockCount(groups)).toBe(blocks));
});

/** The logits by plain loops over rows. */
function slowLogits({ groups, trials, over }: TrialMatrix, figure: HalfFigure, blocks: number): number[] {
  const figureOf = (rows: readonly number[], k: number): number => {
    const values = rows.map((row) => over[row * trials + k] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
    if (figure === 'mean') return mean;
    return variance < 1e-12 ? 0 : mean / Math.sqrt(variance);
  };
  return halvesOf(blocks).map((half) => {
    const isInside = (row: number): boolean => {
      const block = Array.from({ length: blocks }, (_, b) => b).findLast(
        (b) => Math.floor((b * groups) / blocks) <= row,
      );
      return ((half >>> (block ?? 0)) & 1) === 1;
    };
    const all = Array.from({ length: groups }, (_, row) => row);
    const inside = Array.from({ length: trials }, (_, k) => figureOf(all.filter(isInside), k));
    const outside = Array.from({ length: trials }, (_, k) =>
      figureOf(
        all.filter((row) => !isInside(row)),
        k,
      ),
    );
    const value = outside[inside.indexOf(Math.max(...inside))] ?? 0;
    const [below, equal] = [
      outside.filter((o) => o < value - 1e-9),
      outside.filter((o) => Math.abs(o - value) <= 1e-9),
    ];
    const rank = below.length + (equal.length + 1) / 2;
    return Math.log(rank / (trials + 1 - rank));
  });
}

describe('the overfitting of any table', () => {
  it('equals plain loops over rows, for uneven blocks too', () => {
    const tables = fc
      .record({ groups: fc.integer({ min: 8, max: 15 }), trials: fc.integer({ min: 2, max: 5 }), seed: fc.nat() })
      .map(({ groups, trials, seed }) => {
        const draws = new ResampleDraws(seed);
        return matrixOf(
          Array.from({ length: groups }, () => Array.from({ length: trials }, () => draws.drawUniform() - 0.5)),
        );
      });
    fc.assert(
      fc.property(tables, fc.constantFrom<HalfFigure>('mean', 'sharpe'), (matrix, figure) => {
        const fast = [...measureOverfitting(matrix, figure, 4).logits];
        for (const [i, logit] of slowLogits(matrix, figure, 4).entries()) expect(fast[i]).toBeCloseTo(logit, 9);
      }),
    );
  });

  it('is 0 where one trial is best in every row, and trials that never trade are ties', () => {
    const rows = Array.from({ length: 24 }, (_, row) => [0, 1 + (row % 2), 0, 0]);
    const found = measureOverfitting(matrixOf(rows), 'sharpe', 8);
    expect(found.probability).toBe(0);
    const idle = measureOverfitting(matrixOf(rows.map(() => [0, 0])), 'sharpe', 8);
    expect(idle.probability).toBe(1);
    expect(idle.line).toBeNull();
  });

  it('refuses blocks that it cannot halve', () => {
    expect(() => measureOverfitting(M, 'mean', 3)).toThrow('blocks: expected 2 to 16, even, found 3');
    expect(() => measureOverfitting(M, 'mean', 10)).toThrow('10 blocks of 8 rows');
  });
});

describe('the spread that pure luck has', () => {
  it('is around one half, and holds no edge of the table', () => {
    const draws = new ResampleDraws(5);
    const rows = Array.from({ length: 40 }, () =>
      Array.from({ length: 30 }, (_, k) => draws.drawUniform() - 0.5 + k / 20),
    );
    expect(measureOverfitting(matrixOf(rows), 'mean', 10).probability).toBeLessThan(0.05);
    const luck = overfittingByLuck(matrixOf(rows), { figure: 'mean', blocks: 10, seed: 3, flips: 60 });
    expect(luck.low).toBeLessThan(0.4);
    expect(luck.high).toBeGreaterThan(0.55);
    expect(overfittingByLuck(matrixOf(rows), { figure: 'mean', blocks: 10, seed: 3, flips: 60 })).toEqual(luck);
  });
});
