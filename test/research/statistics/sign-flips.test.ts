// The permutation test of paired differences, and two runs compared by group, against an independent script.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/domain/units.ts';
import { must } from '../../../src/base/assert.ts';
import { compareRatios, compareTotals, pairGroups } from '../../../src/research/statistics/paired-groups.ts';
import { adjustForLooks, signFlipTest } from '../../../src/research/statistics/sign-flips.ts';
import type { GroupResult } from '../../../src/research/trial/study-trial.ts';

const seed = 3;

describe('sign flips', () => {
  it('equal an independent script for eight differences', () => {
    const found = signFlipTest([0.7, 1.1, -0.4, 2, 0.3, -0.2, 0.9, 0.5], { seed });
    expect(found.oneSided).toBe(0.02734375);
    expect(found.twoSided).toBe(0.0546875);
    expect([found.patterns, found.isExact]).toEqual([256, true]);
  });

  it('say the smallest probability that six groups allow', () => {
    expect(signFlipTest([1, 2, 3, 4, 5, 6], { seed })).toMatchObject({ twoSided: 2 / 64, smallest: 2 / 64 });
  });

  it('give 1 without a difference', () => {
    expect(signFlipTest([0, 0, 0], { seed })).toMatchObject({ sum: 0, twoSided: 1, oneSided: 1, smallest: 1 });
    expect(signFlipTest([], { seed }).twoSided).toBe(1);
  });

  it('drawn for 17 groups come near to the exact ones for 16', () => {
    const values = Array.from({ length: 16 }, (_, i) => ((i * 7) % 11) - 3.5);
    const exact = signFlipTest(values, { seed });
    const drawn = signFlipTest([...values, 1e-12], { seed });
    expect([exact.isExact, drawn.isExact, drawn.patterns]).toEqual([true, false, 99_999]);
    expect(drawn.twoSided).toBeCloseTo(exact.twoSided, 2);
  });

  it('are never 0 when drawn, and reach all of more than 32 groups', () => {
    const found = signFlipTest(
      Array.from({ length: 70 }, () => 1),
      { seed, patterns: 999 },
    );
    expect(found.twoSided).toBe(1 / 1000);
    expect(
      signFlipTest(
        Array.from({ length: 70 }, (_, i) => (i < 33 ? 1 : -1)),
        { seed, patterns: 999 },
      ).twoSided,
    ).toBeGreaterThan(0.3);
  });

  it('have the same two-sided probability for either side', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 9 }), (values) => {
        const [one, other] = [values, values.map((value) => -value)].map((each) => signFlipTest(each, { seed }));
        expect(other?.twoSided).toBe(one?.twoSided);
        expect(one?.twoSided).toBeGreaterThanOrEqual(one?.smallest ?? 0);
      }),
    );
  });

  it('are adjusted for looks at a sealed test', () => {
    expect(adjustForLooks(0.02, 3)).toBeCloseTo(0.06, 12);
    expect(adjustForLooks(0.4, 3)).toBe(1);
    expect(() => adjustForLooks(0.4, 0)).toThrow('looks: expected at least 1, found 0');
  });
});

const result = (group: string, profit: number, qty = 100): GroupResult => ({
  group,
  cluster: group,
  from: 0 as Micros,
  known: group.charCodeAt(0) as Micros,
  profit,
  fees: 0,
  qty,
  fills: 1,
  lockedDollarDays: 1,
});

describe('two runs by group', () => {
  const A = [1, 0.4, -0.3, 2.1, 0.6, -0.8].map((profit, i) => result('ABCDEF'.charAt(i), profit));
  const B = [0.2, 0.5, -0.9, 1, 0.9, -1.5].map((profit, i) => result('ABCDEF'.charAt(i), profit));

  it('differ as in an independent script', () => {
    const { test, interval } = compareTotals(pairGroups(A, B.toReversed()), ({ profit }) => profit, { seed });
    expect(test.sum).toBeCloseTo(2.8, 12);
    expect([test.twoSided, test.oneSided]).toEqual([0.125, 0.0625]);
    expect(interval?.shareAtMostZero).toBeCloseTo(0.015067729766803841, 12);
    expect(interval?.beside.low).toBeCloseTo(0.4, 9);
  });

  it('name the groups of one side alone, and leave them out', () => {
    const paired = pairGroups([...A, result('X', 500)], [...B, result('Y', -500)]);
    expect([paired.firstOnly, paired.secondOnly]).toEqual([['X'], ['Y']]);
    expect(paired.pairs.map(({ group }) => group).join('')).toBe('ABCDEF');
    expect(compareTotals(paired, ({ profit }) => profit, { seed }).test.sum).toBeCloseTo(2.8, 12);
  });

  it('of one run with itself have no difference, and p is 1', () => {
    const paired = pairGroups(A, A);
    const { test, interval } = compareTotals(paired, ({ profit }) => profit, { seed });
    expect(test.twoSided).toBe(1);
    expect([interval?.value, interval?.lead.low, interval?.lead.high]).toEqual([0, 0, 0]);
    const ratio = must(
      compareRatios(paired, ({ profit, qty }) => ({ over: profit, under: qty }), { seed }),
      'a ratio',
    );
    expect([ratio.value, ratio.beside.low, ratio.beside.high]).toEqual([0, 0, 0]);
  });

  it('have the difference of their ratios', () => {
    const twice = A.map(({ group, profit }) => result(group, profit, 200));
    const found = compareRatios(pairGroups(A, twice), ({ profit, qty }) => ({ over: profit, under: qty }), { seed });
    expect(found?.value).toBeCloseTo(3 / 600 - 3 / 1200, 12);
  });
});
