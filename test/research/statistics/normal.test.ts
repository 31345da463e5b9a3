// The normal distribution and Student's t against reference values of SciPy 1.17.1.
import { describe, expect, it } from 'vitest';
import { normalCdf, normalQuantile, studentCdf, studentQuantile } from '../../../src/research/statistics/normal.ts';

describe('the quantiles of the normal distribution', () => {
  it.each([
    [0.75, 0.6744897501960817],
    [0.9, 1.2815515655446004],
    [0.95, 1.6448536269514722],
    [0.975, 1.959963984540054],
    [0.9975, 2.807033768343811],
    [0.999, 3.090232306167813],
  ])('of %f is %f', (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 12);
    expect(normalCdf(z)).toBeCloseTo(p, 12);
  });
});

describe('Student’s t', () => {
  it('has its 97.5th percentile at 2.5706 with 5 degrees of freedom', () => {
    expect(studentQuantile(0.975, 5)).toBeCloseTo(2.5705818356363146, 8);
    expect(studentCdf(2.5705818356363146, 5)).toBeCloseTo(0.975, 8);
  });
});
