// The samples of an endless run are bounded and even, and figures that need every value lose nothing.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EquitySamples } from '../../../src/report/record/equity-samples.ts';
import { ForecastLog } from '../../../src/report/record/forecast-log.ts';
import { SpacedSample, EvenSample } from '../../../src/report/record/even-sample.ts';
import type { EquityNote } from '../../../src/report/record/run-record.ts';

const SECOND = 1_000_000;
const noteAt = (at: number, equity: number, locked = 0): EquityNote => ({
  at: at * SECOND,
  cash: equity,
  equity,
  locked,
});

function samplesOf(values: readonly number[]): EquitySamples {
  const samples = new EquitySamples(null);
  values.forEach((equity, at) => samples.addSample(noteAt(at, equity), at * SECOND));
  return samples;
}

/** The deepest fall and the longest time without a new peak, by comparing every pair. */
function bruteForce(values: readonly number[]): { depth: number; underwater: number } {
  let depth = 0;
  let underwater = 0;
  values.forEach((peak, from) => {
    let until = from;
    for (let at = from; at < values.length; at++) {
      const value = values[at] ?? 0;
      if (at > from && value >= peak) {
        if (until > from) underwater = Math.max(underwater, at - from);
        break;
      }
      depth = Math.max(depth, peak - value);
      if (at > from) until = at;
      if (at === values.length - 1 && until > from) underwater = Math.max(underwater, at - from);
    }
  });
  return { depth, underwater };
}

describe('the equity samples', () => {
  it('finds the deepest drawdown, with its peak, its trough and its recovery', () => {
    const samples = samplesOf([100, 120, 90, 110, 80, 119, 120, 119]);
    expect(samples.figures()).toMatchObject({
      looks: 8,
      drawdown: { depth: 40, peak: 120, peakAt: SECOND, troughAt: 4 * SECOND, recoveredAt: 6 * SECOND },
      underwaterMax: 5 * SECOND,
    });
  });

  it('finds the same drawdown and time under water as brute force', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 80 }), (values) => {
        const { drawdown, underwaterMax } = samplesOf(values).figures();
        const expected = bruteForce(values);
        expect(drawdown?.depth ?? 0).toBe(expected.depth);
        expect(underwaterMax).toBe(expected.underwater * SECOND);
      }),
    );
  });

  it('holds a bounded number of points, with the highest and the lowest among them, in order of time', () => {
    const samples = new EquitySamples(null);
    const extremes = { high: 0, low: 0 };
    let equity = 0;
    for (let at = 0; at < 60_000; at++) {
      equity += ((at * 7919) % 13) - 6;
      const shown = at === 31_337 ? 1_000_000 : at === 40_001 ? -1_000_000 : equity;
      samples.addSample(noteAt(at, shown), at * SECOND);
      extremes.high = Math.max(extremes.high, shown);
      extremes.low = Math.min(extremes.low, shown);
    }
    const points = samples.points();
    expect(points.length).toBeLessThanOrEqual(4001);
    expect(points.length).toBeGreaterThan(1500);
    expect(Math.max(...points.map((point) => point.equity))).toBe(extremes.high);
    expect(Math.min(...points.map((point) => point.equity))).toBe(extremes.low);
    expect(points.every((point, at) => at === 0 || point.at > (points[at - 1]?.at ?? 0))).toBe(true);
    expect(points[0]?.at).toBe(0);
    expect(points.at(-1)?.at).toBe(59_999 * SECOND);
  });

  it('adds up locked capital over time', () => {
    const samples = new EquitySamples(null);
    samples.addSample(noteAt(0, 0, 2_000_000), 0);
    samples.addSample(noteAt(86_400, 0, 1_000_000), 86_400 * SECOND);
    samples.addSample(noteAt(2 * 86_400, 0, 0), 2 * 86_400 * SECOND);
    expect(samples.figures()).toMatchObject({ lockedDollarDays: 3, lockedMax: 2_000_000, lockedMaxAt: 0 });
  });

  it('samples on a grid that widens, and says when the next sample is due', () => {
    const known = new EquitySamples(4000 * SECOND);
    known.addSample(noteAt(5, 0), 5 * SECOND);
    expect(known.dueAt).toBe(6 * SECOND);
    known.addSample(noteAt(6, 0), 100.5 * SECOND);
    expect(known.dueAt).toBe(102 * SECOND);
    expect(known.points().map(({ at }) => at / SECOND)).toEqual([5, 6, 100.5]);
  });
});

describe('a sample that arrives late', () => {
  it('gets the time of the previous one, so that a plot does not go back', () => {
    const samples = new EquitySamples(null);
    samples.addSample(noteAt(5, 10), 7.5 * SECOND);
    samples.addSample(noteAt(7, 12), 7 * SECOND);
    expect(samples.points().map(({ at, equity }) => [at / SECOND, equity])).toEqual([
      [5, 10],
      [7.5, 12],
    ]);
  });
});

describe('an even sample', () => {
  it('holds all items while they are few, and then an even sample in their order', () => {
    const few = new EvenSample<number>(10);
    for (let item = 0; item < 10; item++) few.push(item);
    expect(few.items).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const many = new EvenSample<number>(1000);
    for (let item = 0; item < 100_000; item++) many.push(item);
    expect(many.pushedCount).toBe(100_000);
    expect(many.items.length).toBeLessThanOrEqual(1000);
    expect(many.items.length).toBeGreaterThan(300);
    expect([...many.items].sort((a, b) => a - b)).toEqual(many.items);
    const early = many.items.filter((item) => item < 50_000).length;
    expect(early / many.items.length).toBeGreaterThan(0.4);
    expect(early / many.items.length).toBeLessThan(0.6);
    const odd = many.items.filter((item) => item % 2 === 1).length;
    expect(odd / many.items.length).toBeGreaterThan(0.4);
    expect(odd / many.items.length).toBeLessThan(0.6);
  });
});

describe('a sample spaced in time', () => {
  it('holds at most its maximum, at the distances that this takes', () => {
    const spaced = new SpacedSample<{ at: number }>(50, 10);
    for (let at = 0; at < 100_000; at += 3) spaced.push({ at });
    expect(spaced.items.length).toBeLessThanOrEqual(50);
    expect(spaced.items.length).toBeGreaterThan(20);
    expect(spaced.items.every(({ at }, n) => n === 0 || at - (spaced.items[n - 1]?.at ?? 0) >= 10)).toBe(true);
  });
});

it('a sample spaced in time holds at most its maximum when items are far apart', () => {
  const spaced = new SpacedSample<{ at: number }>(3, 1);
  for (let at = 0; at < 10_000; at += 1000) {
    spaced.push({ at });
    expect(spaced.items.length).toBeLessThanOrEqual(3);
  }
});

describe('the forecast log', () => {
  it('stays bounded however many markets are forecast however often', () => {
    const log = new ForecastLog();
    for (let round = 0; round < 30; round++)
      for (let market = 0; market < 3000; market++)
        log.push({ at: round * SECOND * 2, strategy: 'maker', ticker: `M-${market}`, probability: 0.5, market: null });
    const notes = log.notes();
    expect(notes.length).toBeLessThanOrEqual(45_000);
    expect(new Set(notes.map(({ ticker }) => ticker)).size).toBe(3000);
  });
});
