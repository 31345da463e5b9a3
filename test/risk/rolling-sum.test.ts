// Sums over a moving window, compared with a plain list of every amount.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { micros } from '../../src/domain/units.ts';
import { RollingSum } from '../../src/risk/rolling-sum.ts';
import { runCount } from '../support/runner/property-runs.ts';

const WINDOW = 100;
const aStep = fc.record({ wait: fc.nat(40), amount: fc.integer({ min: 1, max: 9 }), isLook: fc.boolean() });

it('a rolling sum equals the sum of a plain list over the window', () => {
  fc.assert(
    fc.property(fc.array(aStep, { maxLength: 400, size: 'max' }), (steps) => {
      const sum = new RollingSum(WINDOW);
      const all: { at: number; amount: number }[] = [];
      let now = 0;
      for (const { wait, amount, isLook } of steps) {
        now += wait;
        if (!isLook) {
          sum.addAmount(micros(now), amount);
          all.push({ at: now, amount });
        }
        const expected = all.filter(({ at }) => at > now - WINDOW).reduce((total, each) => total + each.amount, 0);
        expect(sum.totalAt(micros(now))).toBe(expected);
      }
    }),
    { numRuns: runCount(50) },
  );
});

it('a rolling sum is zero once it is cleared', () => {
  const sum = new RollingSum(WINDOW);
  sum.addAmount(micros(1), 5);
  sum.clear();
  expect(sum.totalAt(micros(2))).toBe(0);
  sum.addAmount(micros(3), 2);
  expect(sum.totalAt(micros(3))).toBe(2);
});
