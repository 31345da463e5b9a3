// Rates of work timed in stretches: the undisturbed rate takes each stretch at its fastest in any run.
import { describe, expect, it } from 'vitest';
import { rateOf, timed, undisturbedRate } from './bench/stretches.ts';

describe('work timed in stretches', () => {
  it('the rate is the number of items per second over all stretches', () => {
    expect(
      rateOf([
        { things: 100, ms: 10 },
        { things: 300, ms: 30 },
        { things: 200, ms: 20 },
      ]),
    ).toBe(10_000);
  });

  it('the undisturbed rate takes each stretch at its fastest, though no run was undisturbed', () => {
    const runs = [
      [10, 55, 20],
      [18, 30, 40],
      [11, 31, 39],
    ].map((run) => run.map((ms, at) => ({ things: [100, 300, 200][at] ?? 0, ms })));
    expect(undisturbedRate(runs)).toBe(10_000);
    expect(Math.max(...runs.map(rateOf))).toBeLessThan(10_000);
  });

  it('the undisturbed rate of a single run is its rate', () => {
    expect(undisturbedRate([[{ things: 6, ms: 2 }]])).toBe(3000);
  });

  it('the undisturbed rate is refused when the runs did different work', () => {
    const run = [{ things: 1, ms: 1 }];
    expect(() => undisturbedRate([run, [{ things: 2, ms: 1 }]])).toThrow(/the same/);
    expect(() => undisturbedRate([run, [...run, ...run]])).toThrow(/the same/);
  });

  it('an act counts its own items', () => {
    const stretch = timed(() => 7);
    expect(stretch.things).toBe(7);
    expect(stretch.ms).toBeGreaterThanOrEqual(0);
  });
});
