// What the benchmarks make of their figures: of work that is done in stretches, each as fast as it went in any run.
import { describe, expect, it } from 'vitest';
import { rateOf, timed, undisturbedRate } from './bench/stretches.ts';

describe('work done in stretches', () => {
  it('is told as things a second over all of it', () => {
    expect(
      rateOf([
        { things: 100, ms: 10 },
        { things: 300, ms: 30 },
        { things: 200, ms: 20 },
      ]),
    ).toBe(10_000);
  });

  it('goes undisturbed as fast as each stretch went in any run, though no run was undisturbed', () => {
    const runs = [
      [10, 55, 20],
      [18, 30, 40],
      [11, 31, 39],
    ].map((run) => run.map((ms, at) => ({ things: [100, 300, 200][at] ?? 0, ms })));
    expect(undisturbedRate(runs)).toBe(10_000);
    expect(Math.max(...runs.map(rateOf))).toBeLessThan(10_000);
  });

  it('is that of the only run where there is one', () => {
    expect(undisturbedRate([[{ things: 6, ms: 2 }]])).toBe(3000);
  });

  it('is refused where runs did not do the same', () => {
    const run = [{ things: 1, ms: 1 }];
    expect(() => undisturbedRate([run, [{ things: 2, ms: 1 }]])).toThrow(/the same/);
    expect(() => undisturbedRate([run, [...run, ...run]])).toThrow(/the same/);
  });

  it('is counted by whoever does it', () => {
    const stretch = timed(() => 7);
    expect(stretch.things).toBe(7);
    expect(stretch.ms).toBeGreaterThanOrEqual(0);
  });
});
