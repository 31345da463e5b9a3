// Sobol's points against reference values of SciPy 1.17.1: `qmc.Sobol(d, scramble=False)`.
import { describe, expect, it } from 'vitest';
import { SOBOL_DIMENSIONS, shiftedSobolPoint, sobolPoint } from '../../../../src/research/search/sobol/sobol-points.ts';
import { SOBOL_ROWS } from '../../../../src/research/search/sobol/sobol-table.ts';

/** Point 100 in 64 dimensions, times 2³². */
const HUNDREDTH = [
  1778384896, 1107296256, 3321888768, 3120562176, 3791650816, 3187671040, 100663296, 2046820352, 2717908992, 2986344448,
  1979711488, 2919235584, 2046820352, 3657433088, 1375731712, 2113929216, 2919235584, 3187671040, 3590324224,
  1442840576, 3254779904, 1711276032, 33554432, 2113929216, 100663296, 33554432, 4060086272, 2852126720, 1040187392,
  3120562176, 3053453312, 1778384896, 1107296256, 1107296256, 1577058304, 2852126720, 4194304000, 2046820352,
  3858759680, 570425344, 3053453312, 2852126720, 1778384896, 2113929216, 1107296256, 2583691264, 1174405120, 3053453312,
  3120562176, 2852126720, 3791650816, 3456106496, 301989888, 3590324224, 1644167168, 3321888768, 369098752, 1174405120,
  1778384896, 704643072, 2113929216, 100663296, 1979711488, 2785017856,
];

describe('Sobol’s points', () => {
  it('begin as in SciPy in three dimensions', () => {
    expect(Array.from({ length: 8 }, (_, n) => sobolPoint(n, 3))).toEqual([
      [0, 0, 0],
      [0.5, 0.5, 0.5],
      [0.75, 0.25, 0.25],
      [0.25, 0.75, 0.75],
      [0.375, 0.375, 0.625],
      [0.875, 0.875, 0.125],
      [0.625, 0.125, 0.875],
      [0.125, 0.625, 0.375],
    ]);
  });

  it('equal SciPy’s in eight dimensions', () => {
    expect(sobolPoint(5, 8)).toEqual([0.875, 0.875, 0.125, 0.375, 0.875, 0.625, 0.875, 0.375]);
    expect(sobolPoint(7, 8)).toEqual([0.125, 0.625, 0.375, 0.125, 0.125, 0.375, 0.625, 0.625]);
  });

  it('equal SciPy’s in every dimension of the table', () => {
    expect(SOBOL_DIMENSIONS).toBe(64);
    expect(sobolPoint(100, 64).map((x) => x * 2 ** 32)).toEqual(HUNDREDTH);
  });

  it('have the mean 0.4921875 over the first 64', () => {
    const points = Array.from({ length: 64 }, (_, n) => sobolPoint(n, 3));
    for (const d of [0, 1, 2]) expect(points.reduce((sum, point) => sum + (point[d] ?? NaN), 0) / 64).toBe(0.4921875);
  });

  it('come from the direction numbers of Joe and Kuo', () => {
    expect(SOBOL_ROWS.slice(0, 11)).toEqual([
      [3, 1],
      [7, 1, 3],
      [11, 1, 3, 1],
      [13, 1, 1, 1],
      [19, 1, 1, 3, 3],
      [25, 1, 3, 5, 13],
      [37, 1, 1, 5, 5, 17],
      [41, 1, 1, 5, 5, 5],
      [47, 1, 1, 7, 11, 19],
      [55, 1, 1, 5, 1, 1],
      [59, 1, 1, 1, 3, 11],
    ]);
  });
});

describe('shifted points', () => {
  it('have one point in each of 64 equal parts of every dimension, for any seed', () => {
    for (const seed of [0, 1, 7, 2 ** 40 + 3]) {
      const points = Array.from({ length: 64 }, (_, n) => shiftedSobolPoint(n, 64, seed));
      for (let d = 0; d < 64; d++)
        expect(new Set(points.map((point) => Math.floor((point[d] ?? NaN) * 64))).size).toBe(64);
    }
  });

  it('differ by seed and are never at a lower bound', () => {
    expect(shiftedSobolPoint(0, 4, 1)).not.toEqual(shiftedSobolPoint(0, 4, 2));
    expect(Math.min(...shiftedSobolPoint(0, 64, 1))).toBeGreaterThan(0);
  });
});
