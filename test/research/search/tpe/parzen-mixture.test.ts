// The densities of TPE against reference values computed with SciPy 1.17.1, equal to those of Optuna's class.
import { describe, expect, it } from 'vitest';
import type { Domain } from '../../../../src/research/search/search-space.ts';
import { scaleOf } from '../../../../src/research/search/space/param-values.ts';
import { trialDraws } from '../../../../src/research/search/trial-random.ts';
import { kernelWidths } from '../../../../src/research/search/tpe/numeric-kernels.ts';
import { logNormalMass, normalProbability } from '../../../../src/research/search/tpe/normal-mass.ts';
import { ParzenMixture, observationWeights } from '../../../../src/research/search/tpe/parzen-mixture.ts';
import { goodTrials } from '../../../../src/research/search/tpe/trial-split.ts';

const mixture = (domain: Domain, values: readonly (number | string)[]): ParzenMixture =>
  new ParzenMixture(
    [{ name: 'x', domain }],
    values.map((value) => [value]),
  );

const WIDE = { kind: 'float', low: 0, high: 1 } as const;
const WHOLE = { kind: 'int', low: 1, high: 5 } as const;
const LOG = { kind: 'float', low: 0.001, high: 10, log: true } as const;
const OPTIONS = { kind: 'choice', options: ['a', 'b', 'c'] } as const;

describe('the density of a continuous parameter', () => {
  it.each([
    [0, -0.08361665888876346],
    [0.1, 0.13842886971265933],
    [0.5, 0.0021478312458691473],
    [0.95, -0.29584450758531977],
  ])('at %f has the logarithm %f', (x, logarithm) => {
    expect(mixture(WIDE, [0.2, 0.9, 0.35]).logDensityAt([x])).toBeCloseTo(logarithm, 13);
  });

  it.each([
    [0.002, -2.5472513241638803],
    [0.05, -2.0093329349605553],
    [3, -2.4071247956604105],
  ])('in logarithms at %f has the logarithm %f', (x, logarithm) => {
    expect(mixture(LOG, [0.01, 1, 0.1]).logDensityAt([x])).toBeCloseTo(logarithm, 13);
  });

  it('has kernels as wide as the distance to the neighbors', () => {
    const widths = kernelWidths(Float64Array.of(0.2, 0.9, 0.35), scaleOf(WIDE));
    [0.2, 0.55, 0.55].forEach((width, i) => expect(widths[i]).toBeCloseTo(width, 15));
    expect([...kernelWidths(Float64Array.of(2, 2, 5), scaleOf(WHOLE))]).toEqual([1, 3, 3]);
  });

  it('measures the only kernel by the ends of the range', () => {
    expect([...kernelWidths(Float64Array.of(0.2), scaleOf(WIDE))]).toEqual([0.8]);
  });
});

describe('the mass of a whole number', () => {
  it.each([
    [1, 0.19522824318430523],
    [2, 0.25204426576355204],
    [3, 0.22491774677837528],
    [4, 0.1765340080944337],
    [5, 0.15127573617933374],
  ])('%i is %f', (x, mass) => {
    expect(Math.exp(mixture(WHOLE, [2, 2, 5]).logDensityAt([x]))).toBeCloseTo(mass, 14);
  });
});

describe('the mass of an option', () => {
  it.each([
    ['a', 1 / 3],
    ['b', 0.19047619047619047],
    ['c', 0.4761904761904762],
  ])('%s is %f', (option, mass) => {
    expect(Math.exp(mixture(OPTIONS, ['a', 'c', 'c']).logDensityAt([option]))).toBeCloseTo(mass, 14);
  });
});

describe('draws from a mixture', () => {
  it.each([
    ['whole numbers', WHOLE, [2, 2, 5], [1, 2, 3, 4, 5]],
    ['options', OPTIONS, ['a', 'c', 'c'], ['a', 'b', 'c']],
  ] as const)('of %s occur as often as the masses say', (_, domain, observed, values) => {
    const mixed = mixture(domain, observed);
    const draw = trialDraws(3, 0);
    const counts = new Map<unknown, number>();
    for (let i = 0; i < 20_000; i++) {
      const [value] = mixed.drawPoint(draw);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    for (const value of values)
      expect((counts.get(value) ?? 0) / 20_000).toBeCloseTo(Math.exp(mixed.logDensityAt([value])), 1.7);
  });

  it('of a continuous parameter stay in the range and have its mean', () => {
    const mixed = mixture(WIDE, [0.2, 0.9, 0.35]);
    const draw = trialDraws(4, 0);
    const drawn = Array.from({ length: 20_000 }, () => Number(mixed.drawPoint(draw)[0]));
    expect(drawn.every((x) => x >= 0 && x <= 1)).toBe(true);
    const grid = Array.from({ length: 1000 }, (_, i) => (i + 0.5) / 1000);
    const mean = grid.reduce((sum, x) => sum + (x * Math.exp(mixed.logDensityAt([x]))) / 1000, 0);
    expect(drawn.reduce((sum, x) => sum + x, 0) / 20_000).toBeCloseTo(mean, 1.8);
  });
});

describe('the weights of observations', () => {
  it('rise over the oldest of 30', () => {
    const weights = observationWeights(30);
    [1 / 30, 0.275, 0.5166667, 0.7583333, 1].forEach((weight, i) => expect(weights[i]).toBeCloseTo(weight, 7));
    expect(weights.slice(5)).toEqual(Array.from({ length: 25 }, () => 1));
    expect(observationWeights(24)).toEqual(Array.from({ length: 24 }, () => 1));
    expect(observationWeights(26)[0]).toBeCloseTo(1 / 26, 15);
  });

  it.each([
    [10, 1],
    [11, 2],
    [100, 10],
    [300, 25],
  ])('leave %i trials %i good ones', (count, good) => {
    expect(goodTrials(count)).toBe(good);
  });
});

describe('the mass of the normal distribution', () => {
  // Reference values: SciPy 1.17.1, `norm.cdf` and `log_ndtr`.
  it.each([
    [0, 0.5],
    [1, 0.8413447460685429],
    [-3, 0.0013498980316300933],
    [-8, 6.22096057427174e-16],
    [0.5, 0.6914624612740131],
  ])('below %f is %f', (x, p) => {
    expect(normalProbability(x) / p).toBeCloseTo(1, 13);
  });

  it.each([
    [40, 41, -804.6084420137538],
    [-41, -40, -804.6084420137538],
    [5, 6, -15.068446096529454],
    [-1, 2, -0.20016629432446262],
  ])('between %f and %f has the logarithm %f', (a, b, logarithm) => {
    expect(logNormalMass(a, b) / logarithm).toBeCloseTo(1, 12);
  });
});
