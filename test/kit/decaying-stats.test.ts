// Decaying figures equal the weighted sums they stand for, and do not depend on how often a series tells.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromMillis } from '../../src/domain/units.ts';
import { Ewma, EwmaVariance } from '../../src/kit/decaying-stats.ts';
import { runs } from '../support/runs.ts';

const HALF_LIFE_MS = 100;

const series = fc
  .array(fc.tuple(fc.nat({ max: 300 }), fc.integer({ min: 0, max: 10_000 })), { minLength: 1, maxLength: 60 })
  .map((steps) => {
    let now = 0;
    return steps.map(([step, value]) => ({ ms: (now += step), value }));
  });

const weightOf = (ms: number, now: number): number => 0.5 ** ((now - ms) / HALF_LIFE_MS);

describe('a decaying mean', () => {
  it('is the mean and variance of all values, each by the weight its age leaves it', () => {
    fc.assert(
      fc.property(series, (told) => {
        const ewma = new Ewma({ halfLifeMs: HALF_LIFE_MS });
        for (const { ms, value } of told) ewma.add(fromMillis(ms), value);
        const now = told.at(-1)!.ms;
        const total = told.reduce((sum, { ms }) => sum + weightOf(ms, now), 0);
        const mean = told.reduce((sum, { ms, value }) => sum + weightOf(ms, now) * value, 0) / total;
        const variance = told.reduce((sum, { ms, value }) => sum + weightOf(ms, now) * (value - mean) ** 2, 0) / total;
        expect(ewma.weight).toBeCloseTo(total, 9);
        expect(ewma.mean).toBeCloseTo(mean, 6);
        expect(Math.abs(ewma.variance! - variance)).toBeLessThan(1e-6 * (1 + variance));
        expect(ewma.deviation).toBe(Math.sqrt(ewma.variance!));
      }),
      { numRuns: runs(60) },
    );
  });

  it('is halfway to a new level after a half-life of silence, weighed as one value against one', () => {
    const ewma = new Ewma({ halfLifeMs: HALF_LIFE_MS });
    expect([ewma.mean, ewma.variance, ewma.deviation, ewma.weight]).toEqual([null, null, null, 0]);
    ewma.add(fromMillis(0), 40);
    ewma.add(fromMillis(HALF_LIFE_MS), 70);
    expect(ewma.weight).toBe(1.5);
    expect(ewma.mean).toBeCloseTo(60, 12);
  });

  it('refuses what it could not reckon with', () => {
    const ewma = new Ewma({ halfLifeMs: HALF_LIFE_MS });
    ewma.add(fromMillis(5), 1);
    expect(() => ewma.add(fromMillis(4), 1)).toThrow('a value 1 of time 4000, after one of 5000, cannot be taken');
    expect(() => ewma.add(fromMillis(6), Number.POSITIVE_INFINITY)).toThrow('a value Infinity of time 6000');
    expect(() => new Ewma({ halfLifeMs: 0 })).toThrow('a half-life of 0 ms is none');
    expect(() => new EwmaVariance({ halfLifeMs: Number.NaN })).toThrow('a half-life of NaN ms is none');
    expect(ewma.mean).toBe(1);
  });
});

describe('a decaying variance', () => {
  it('is the squared steps by the time they took, each by the weight its age leaves it', () => {
    fc.assert(
      fc.property(series, (told) => {
        const variance = new EwmaVariance({ halfLifeMs: HALF_LIFE_MS });
        for (const { ms, value } of told) variance.add(fromMillis(ms), value);
        const now = told.at(-1)!.ms;
        let squares = 0;
        let seconds = 0;
        told.slice(1).forEach(({ ms, value }, i) => {
          squares += weightOf(ms, now) * (value - told[i]!.value) ** 2;
          seconds += (weightOf(ms, now) * (ms - told[i]!.ms)) / 1000;
        });
        if (seconds === 0) expect(variance.perSecond).toBeNull();
        else expect(Math.abs(variance.perSecond! - squares / seconds)).toBeLessThan(1e-9 * (1 + squares / seconds));
      }),
      { numRuns: runs(60) },
    );
  });

  it.each([1, 10, 1000])('does not depend on how often it is told: every %i ms', (everyMs) => {
    const variance = new EwmaVariance({ halfLifeMs: HALF_LIFE_MS });
    // A walk whose squared step grows with its time: 9 a second.
    const step = Math.sqrt((9 * everyMs) / 1000);
    for (let i = 0; i < 100; i++) variance.add(fromMillis(i * everyMs), i % 2 === 0 ? 0 : step);
    expect(variance.perSecond).toBeCloseTo(9, 9);
  });
});
