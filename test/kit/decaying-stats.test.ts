// Decaying figures equal the weighted sums that define them, and do not depend on how often a series has values.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromMillis } from '../../src/domain/units.ts';
import { Ewma, EwmaVariance } from '../../src/kit/decaying-stats.ts';
import { runCount } from '../support/runner/property-runs.ts';

const HALF_LIFE_MS = 100;

const series = fc
  .array(fc.tuple(fc.nat({ max: 300 }), fc.integer({ min: 0, max: 10_000 })), { minLength: 1, maxLength: 60 })
  .map((steps) => {
    let now = 0;
    return steps.map(([step, value]) => ({ ms: (now += step), value }));
  });

const weightOf = (ms: number, now: number): number => 0.5 ** ((now - ms) / HALF_LIFE_MS);

describe('a decaying mean', () => {
  it('is the mean and variance of all values, each weighted by its age', () => {
    fc.assert(
      fc.property(series, (values) => {
        const ewma = new Ewma({ halfLifeMs: HALF_LIFE_MS });
        for (const { ms, value } of values) ewma.add(fromMillis(ms), value);
        const now = values.at(-1)!.ms;
        const total = values.reduce((sum, { ms }) => sum + weightOf(ms, now), 0);
        const mean = values.reduce((sum, { ms, value }) => sum + weightOf(ms, now) * value, 0) / total;
        const variance =
          values.reduce((sum, { ms, value }) => sum + weightOf(ms, now) * (value - mean) ** 2, 0) / total;
        expect(ewma.weight).toBeCloseTo(total, 9);
        expect(ewma.mean).toBeCloseTo(mean, 6);
        expect(Math.abs(ewma.variance! - variance)).toBeLessThan(1e-6 * (1 + variance));
        expect(ewma.deviation).toBe(Math.sqrt(ewma.variance!));
      }),
      { numRuns: runCount(60) },
    );
  });

  it('counts a value half after one half-life, so a new value moves the mean two thirds of the way', () => {
    const ewma = new Ewma({ halfLifeMs: HALF_LIFE_MS });
    expect([ewma.mean, ewma.variance, ewma.deviation, ewma.weight]).toEqual([null, null, null, 0]);
    ewma.add(fromMillis(0), 40);
    ewma.add(fromMillis(HALF_LIFE_MS), 70);
    expect(ewma.weight).toBe(1.5);
    expect(ewma.mean).toBeCloseTo(60, 12);
  });

  it('refuses values that it could not compute with', () => {
    const ewma = new Ewma({ halfLifeMs: HALF_LIFE_MS });
    ewma.add(fromMillis(5), 1);
    expect(() => ewma.add(fromMillis(4), 1)).toThrow('a value 1 at time 4000, after one at 5000, is refused');
    expect(() => ewma.add(fromMillis(6), Number.POSITIVE_INFINITY)).toThrow('a value Infinity at time 6000');
    expect(() => new Ewma({ halfLifeMs: 0 })).toThrow('a half-life of 0 ms is not positive');
    expect(() => new EwmaVariance({ halfLifeMs: Number.NaN })).toThrow('a half-life of NaN ms is not positive');
    expect(ewma.mean).toBe(1);
  });
});

describe('a decaying variance', () => {
  it('is the squared steps divided by the time they took, each weighted by its age', () => {
    fc.assert(
      fc.property(series, (values) => {
        const variance = new EwmaVariance({ halfLifeMs: HALF_LIFE_MS });
        for (const { ms, value } of values) variance.add(fromMillis(ms), value);
        const now = values.at(-1)!.ms;
        let squares = 0;
        let seconds = 0;
        values.slice(1).forEach(({ ms, value }, i) => {
          squares += weightOf(ms, now) * (value - values[i]!.value) ** 2;
          seconds += (weightOf(ms, now) * (ms - values[i]!.ms)) / 1000;
        });
        if (seconds === 0) expect(variance.perSecond).toBeNull();
        else expect(Math.abs(variance.perSecond! - squares / seconds)).toBeLessThan(1e-9 * (1 + squares / seconds));
      }),
      { numRuns: runCount(60) },
    );
  });

  it.each([1, 10, 1000])('does not depend on the number of values: every %i ms', (everyMs) => {
    const variance = new EwmaVariance({ halfLifeMs: HALF_LIFE_MS });
    // A walk whose squared step grows with its time: 9 a second.
    const step = Math.sqrt((9 * everyMs) / 1000);
    for (let i = 0; i < 100; i++) variance.add(fromMillis(i * everyMs), i % 2 === 0 ? 0 : step);
    expect(variance.perSecond).toBeCloseTo(9, 9);
  });
});
