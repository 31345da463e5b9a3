// The reality check and SPA against an independent script with ten resamples, and against tables whose answer is known.
import { describe, expect, it } from 'vitest';
import { ResampleDraws } from '../../../src/research/statistics/resample-draws.ts';
import { type ResamplePlan, stationaryPlan } from '../../../src/research/statistics/resampling.ts';
import { testSuperiority } from '../../../src/research/statistics/superior-ability.ts';
import { matrixOf } from '../../../src/research/statistics/trial-matrix.ts';

const X = [
  [0.5, -0.2, -0.9],
  [-1, 0.3, -0.6],
  [0.4, 0.7, -0.2],
  [0.8, -0.5, -1.3],
  [-0.2, 0.4, 0.1],
  [0.9, -0.3, -0.5],
  [-0.6, 0.2, -0.4],
  [0.3, 0.1, -1.2],
];
const INDEX_ROWS = '01234567 34501701 67012234 56704512 23123670 70145634 12346705 45234012 05670345 22345612'.split(
  ' ',
);

function listedPlan(): ResamplePlan {
  let next = 0;
  return {
    count: INDEX_ROWS.length,
    isExact: false,
    writeNext: (into) => into.set((INDEX_ROWS[next++] ?? '').split('').map(Number)),
  };
}

function expectValues(found: Float64Array, expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  for (const [i, value] of expected.entries()) expect(found[i]).toBeCloseTo(value, 5);
}

describe('three strategies over eight groups and ten resamples', () => {
  const found = testSuperiority(matrixOf(X), { plan: listedPlan(), restart: 1 / 3 });

  it('give the reality check of an independent script', () => {
    expect(found.realityStatistic).toBeCloseTo(0.3889087296526011, 12);
    const maxima = [
      0,
      -0.106066017,
      0.353553391,
      0.282842712,
      0.176776695,
      0.106066017,
      0,
      0.530330086,
      Math.SQRT1_2,
      0.601040764,
    ];
    expectValues(found.resampled.reality, maxima);
    expect(found.realityP).toBeCloseTo(0.3, 12);
  });

  it('give the spreads of the stationary bootstrap', () => {
    const spreads = [0.40026653464160716, 0.23153355895675776, 0.3182831369009083];
    for (const [k, spread] of spreads.entries()) expect(found.spreads[k]).toBeCloseTo(spread, 12);
    expect((found.spreads[0] ?? 0) ** 2 / 8).toBeCloseTo(0.020026662344250115, 12);
  });

  it('give SPA of an independent script', () => {
    expect(found.superiorStatistic).toBeCloseTo(1.0689049765848997, 12);
    expectValues(found.resampled.consistent, [0, 0, 1.527007, 0.305401, 0.441647, 0, 0, 1.221606, 1.76659, 2.290511]);
    expect(found.consistentP).toBeCloseTo(0.4, 12);
    expect(found.resampled.upper[3]).toBeCloseTo(0.888651, 6);
    expect(found.resampled.upper[5]).toBeCloseTo(0.333244, 6);
    expect(found.resampled.upper[7]).toBeCloseTo(1.666221, 6);
  });

  it('have a spread that simulated resamples confirm', () => {
    const plan = stationaryPlan(8, { seed: 4, restart: 1 / 3, draws: 200_000 });
    const chosen = new Int32Array(8);
    let [sum, squares] = [0, 0];
    for (let i = 0; i < plan.count; i++) {
      plan.writeNext(chosen);
      const mean = chosen.reduce((total, row) => total + (X[row]?.[0] ?? 0), 0) / 8;
      sum += mean;
      squares += mean * mean;
    }
    expect(squares / plan.count - (sum / plan.count) ** 2).toBeCloseTo(0.020026662344250115, 3);
  });
});

describe('other tables', () => {
  const noise = (seed: number, edge: number): number[][] => {
    const draws = new ResampleDraws(seed);
    return Array.from({ length: 80 }, () =>
      Array.from({ length: 20 }, (_, k) => draws.drawUniform() - 0.5 + (k === 7 ? edge : 0)),
    );
  };
  const pOf = (rows: readonly (readonly number[])[]): number =>
    testSuperiority(matrixOf(rows), {
      plan: stationaryPlan(rows.length, { seed: 1, restart: 1, draws: 999 }),
      restart: 1,
    }).consistentP;

  it('with an edge of one spread are recognized', () => expect(pOf(noise(2, 0.3))).toBeLessThan(0.01));

  it('without an edge are not', () => expect(pOf(noise(2, 0))).toBeGreaterThan(0.05));

  it('where no strategy trades have p = 1', () => expect(pOf(noise(2, 0).map((row) => row.map(() => 0)))).toBe(1));

  it('order the three ways to recenter', () => {
    const rows = noise(9, 0).map((row) => row.map((value, k) => value - k / 40));
    const { lowerP, consistentP, upperP } = testSuperiority(matrixOf(rows), {
      plan: stationaryPlan(80, { seed: 1, restart: 1, draws: 999 }),
      restart: 1,
    });
    expect(lowerP).toBeLessThanOrEqual(consistentP);
    expect(consistentP).toBeLessThanOrEqual(upperP);
  });
});
