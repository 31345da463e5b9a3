// A window's figures equal those of a library over the same values, whatever was added and removed before.
import * as fc from 'fast-check';
import { max, mean, min, quantile, sampleVariance } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { type Micros, fromMillis } from '../../src/domain/units.ts';
import { RollingStats, windowState } from '../../src/kit/rolling-stats.ts';
import { runCount } from '../support/runner/property-runs.ts';

const ms = (milliseconds: number): Micros => fromMillis(milliseconds);

interface Entry {
  readonly at: Micros;
  readonly value: number;
}

/** A series with times that repeat and jump, and values of very different sizes. */
const series = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constant(0), fc.nat({ max: 40 }), fc.nat({ max: 500 })),
      fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.double({ min: -1e9, max: 1e9, noNaN: true })),
    ),
    { minLength: 1, maxLength: 120 },
  )
  .map((steps): readonly Entry[] => {
    let now = 0;
    return steps.map(([step, value]) => ({ at: ms((now += step)), value: value + 0 }));
  });

/** The values of the window in the most direct form. */
function held(entries: readonly Entry[], windowMs: number, capacity: number): number[] {
  const now = entries.at(-1)!.at;
  // Values that had room when they were added are still there: all have the same lifetime, so they leave in order.
  return entries
    .filter(({ at }) => at >= now - ms(windowMs))
    .slice(-capacity)
    .map(({ value }) => value);
}

/** Equal but for the last digits of the greatest number in the computation. */
function expectClose(actual: number | null, wanted: number, scale: number): void {
  expect(Math.abs((actual ?? Number.NaN) - wanted)).toBeLessThanOrEqual(1e-12 * scale + 1e-12);
}

describe('a window', () => {
  it('has the figures of the values that it holds', () => {
    fc.assert(
      fc.property(
        series,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 40 }),
        (entries, windowMs, capacity) => {
          const stats = new RollingStats({ windowMs, capacity });
          entries.forEach(({ at, value }, i) => {
            stats.add(at, value);
            const values = held(entries.slice(0, i + 1), windowMs, capacity);
            const size = Math.max(...values.map(Math.abs));
            expect(stats.values()).toEqual(values);
            expect(stats.count).toBe(values.length);
            expectClose(stats.mean, mean(values), size);
            expect([stats.min, stats.max]).toEqual([min(values), max(values)]);
            expect([stats.first, stats.last, stats.lastAt]).toEqual([values[0], value, at]);
            if (values.length > 1) expectClose(stats.variance, sampleVariance(values), size * size);
            expect(stats.quantile(0.3)).toBe(quantile(values, 0.3));
          });
        },
      ),
      { numRuns: runCount(60) },
    );
  });

  it('keeps its digits when a huge value leaves', () => {
    const stats = new RollingStats({ windowMs: 1000, capacity: 100 });
    stats.add(ms(0), 1e15);
    for (let i = 0; i < 50; i++) stats.add(ms(10 + i), 5000 + (i % 2));
    expect(stats.variance).toBeGreaterThan(1e25);
    stats.expire(ms(1005));
    expect(stats.count).toBe(50);
    expect(stats.mean).toBeCloseTo(5000.5, 9);
    expect(stats.variance).toBeCloseTo(sampleVariance(stats.values()), 9);
  });

  it('drops old values when it gets the time', () => {
    const stats = new RollingStats({ windowMs: 100, capacity: 10 });
    stats.add(ms(0), 1);
    stats.add(ms(60), 3);
    stats.expire(ms(100));
    expect(stats.count).toBe(2);
    stats.expire(ms(101));
    expect([stats.count, stats.mean, stats.variance, stats.first]).toEqual([1, 3, null, 3]);
    stats.expire(ms(1000));
    expect([stats.count, stats.mean, stats.deviation, stats.quantile(0.5)]).toEqual([0, null, null, null]);
    expect([stats.min, stats.max, stats.first, stats.last, stats.lastAt]).toEqual([null, null, null, null, null]);
  });

  it('keeps a negative zero as zero, as JSON does', () => {
    const stats = new RollingStats({ windowMs: 300, capacity: 2 });
    stats.add(ms(0), -0);
    expect([stats.values(), stats.state.told]).toEqual([[0], [[0, 0]]]);
  });

  it('continues after a restart as if there had been none, to the last digit', () => {
    fc.assert(
      fc.property(series, series, fc.integer({ min: 1, max: 40 }), (before, after, capacity) => {
        const options = { windowMs: 300, capacity };
        const stats = new RollingStats(options);
        for (const { at, value } of before) stats.add(at, value);
        const saved: unknown = JSON.parse(JSON.stringify(stats.state));
        const other = new RollingStats(options, windowState.parse(saved));
        expect(other.state).toEqual(saved);
        const last = before.at(-1)!.at;
        for (const { at, value } of after) for (const each of [stats, other]) each.add((last + at) as Micros, value);
        const figures = (each: RollingStats) => [
          each.count,
          each.mean,
          each.variance,
          each.min,
          each.max,
          each.values(),
        ];
        expect(figures(other)).toEqual(figures(stats));
      }),
      { numRuns: runCount(60) },
    );
  });

  it('has its deviation in the unit of the values', () => {
    const stats = new RollingStats({ windowMs: 100, capacity: 10 });
    for (const value of [2, 4, 4, 4, 5, 5, 7, 9]) stats.add(ms(0), value);
    expect(stats.deviation).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });

  it('refuses values that it could not compute with', () => {
    const stats = new RollingStats({ windowMs: 100, capacity: 10 });
    stats.add(ms(5), 1);
    expect(() => stats.add(ms(4), 1)).toThrow('a value 1 at time 4000 comes after a value of a later time');
    expect(() => stats.add(ms(6), Number.NaN)).toThrow('a value NaN at time 6000 is not finite');
    expect(() => stats.quantile(1.5)).toThrow('a quantile of 1.5 is not within 0..1');
    expect(() => new RollingStats({ windowMs: 0, capacity: 1 })).toThrow('a window of 0 ms is not positive');
    expect(() => new RollingStats({ windowMs: 1, capacity: 0.5 })).toThrow('a window cannot hold 0.5 values');
    expect(stats.values()).toEqual([1]);
  });
});
