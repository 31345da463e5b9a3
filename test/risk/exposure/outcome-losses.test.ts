// The worst loss of an event group: by hand, and compared with every outcome and every set of fills.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Strike, StrikeType } from '../../../src/domain/market.ts';
import { type OutcomeLosses, lossesByOutcome, worstLoss } from '../../../src/risk/exposure/outcome-losses.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const stake = (no: number, yes: number, strike: Strike | null = null): OutcomeLosses => ({ no, yes, strike });
const above = (floor: number): Strike => ({ type: 'greater', floor, cap: null });
const between = (floor: number, cap: number): Strike => ({ type: 'between', floor, cap });

describe('the worst loss of a group', () => {
  it('is zero where nothing is held', () => {
    expect(worstLoss([], true)).toBe(0);
    expect(worstLoss([stake(0, 0)], false)).toBe(0);
  });

  it('adds up the losses of independent markets', () => {
    expect(worstLoss([stake(4, -6), stake(-2, 3)], false)).toBe(7);
  });

  it('lets at most one of exclusive markets come true', () => {
    // Sold for 40 each: whichever comes true, one dollar is paid for three times 40 cents.
    const sold = [stake(-40, 60), stake(-40, 60), stake(-40, 60)];
    expect(worstLoss(sold, true)).toBe(-20);
    expect(worstLoss(sold, false)).toBe(180);
    const bought = [stake(30, -70), stake(30, -70), stake(30, -70)];
    expect(worstLoss(bought, true)).toBe(90);
  });

  it('uses that a number above 40 is above 30 too', () => {
    // Bought "above 30" at 60, sold "above 40" at 50: between the two both pay, elsewhere ten is lost.
    const spread = [stake(60, -40, above(30)), stake(-50, 50, above(40))];
    expect(worstLoss(spread, false)).toBe(10);
    expect(
      worstLoss(
        spread.map((each) => ({ ...each, strike: null })),
        false,
      ),
    ).toBe(110);
  });

  it('lets either of two ranges hold where they meet, because the wire does not say which', () => {
    const bought = [stake(-10, 50, between(0, 10)), stake(-10, 50, between(10, 20))];
    expect(worstLoss(bought, false)).toBe(100);
    expect(worstLoss([stake(-10, 50, between(0, 9)), stake(-10, 50, between(10, 20))], false)).toBe(40);
  });

  it('counts markets without a strike at their own worst outcome', () => {
    expect(worstLoss([stake(5, -5, above(1)), stake(-5, 5, above(1)), stake(3, 7)], false)).toBe(7);
  });
});

const named = (...stakes: readonly OutcomeLosses[]) => stakes.map((each, at) => ({ ...each, name: `M-${at}` }));

describe('the losses by outcome', () => {
  it('of exclusive markets are those of each market that resolves YES, and of none', () => {
    expect(lossesByOutcome(named(stake(-40, 60), stake(-40, 50)), true)).toEqual([
      { outcome: 'none of them', loss: -80 },
      { outcome: 'M-0 resolves YES', loss: 20 },
      { outcome: 'M-1 resolves YES', loss: 10 },
    ]);
  });

  it('of markets with strikes are those of each range of the number, and of each number between', () => {
    expect(lossesByOutcome(named(stake(60, -40, above(30)), stake(-50, 50, above(40))), false)).toEqual([
      { outcome: 'below 30', loss: 10 },
      { outcome: 'exactly 30', loss: 10 },
      { outcome: 'between 30 and 40', loss: -90 },
      { outcome: 'exactly 40', loss: -90 },
      { outcome: 'above 40', loss: 10 },
    ]);
  });

  it('of independent markets are those of YES and NO of each, with the others at their worst', () => {
    expect(lossesByOutcome(named(stake(4, -6), stake(-2, 3)), false)).toEqual([
      { outcome: 'M-0 resolves YES', loss: -3 },
      { outcome: 'M-0 resolves NO', loss: 7 },
      { outcome: 'M-1 resolves YES', loss: 7 },
      { outcome: 'M-1 resolves NO', loss: 2 },
    ]);
  });
});

const aStrike = fc.oneof(
  fc.record({
    type: fc.constantFrom<StrikeType>('greater', 'greater_or_equal'),
    floor: fc.integer({ min: 0, max: 6 }),
    cap: fc.constant(null),
  }),
  fc.record({
    type: fc.constantFrom<StrikeType>('less', 'less_or_equal'),
    floor: fc.constant(null),
    cap: fc.integer({ min: 0, max: 6 }),
  }),
  fc
    .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 3 }))
    .map(([floor, width]): Strike => ({ type: 'between', floor, cap: floor + width })),
);
const money = fc.integer({ min: -100, max: 100 });
const aStake = (strike: fc.Arbitrary<Strike | null>): fc.Arbitrary<OutcomeLosses> =>
  fc.record({ no: money, yes: money, strike });

/** True when a number makes a market YES; `null` where either may hold. */
function answer({ type, floor, cap }: Strike, at: number): boolean | null {
  const [low, high] = [floor ?? Number.NEGATIVE_INFINITY, cap ?? Number.POSITIVE_INFINITY];
  switch (type) {
    case 'greater':
      return at > low;
    case 'greater_or_equal':
      return at >= low;
    case 'less':
      return at < high;
    case 'less_or_equal':
      return at <= high;
    case 'between':
      return at === low || at === high ? null : at > low && at < high;
  }
}

/** Every number from below the lowest to above the highest strike, halves included. */
const NUMBERS = Array.from({ length: 27 }, (_, i) => i / 2 - 1);

/** Worst loss over every combination of results that an outcome allows. */
function tried(stakes: readonly OutcomeLosses[], isPossible: (answers: readonly boolean[]) => boolean): number {
  let worst = Number.NEGATIVE_INFINITY;
  for (let mask = 0; mask < 2 ** stakes.length; mask++) {
    const answers = stakes.map((_, i) => (mask & (1 << i)) > 0);
    if (!isPossible(answers)) continue;
    worst = Math.max(
      worst,
      stakes.reduce((sum, { no, yes }, i) => sum + (answers[i] ? yes : no), 0),
    );
  }
  return worst;
}

const fits = (stakes: readonly OutcomeLosses[], answers: readonly boolean[]): boolean =>
  NUMBERS.some((at) =>
    stakes.every(({ strike }, i) => {
      const held = strike === null ? null : answer(strike, at);
      return held === null || held === answers[i];
    }),
  );
const isOneAtTheMost = (answers: readonly boolean[]): boolean => answers.filter(Boolean).length <= 1;

describe('the worst loss compared with every outcome', () => {
  const list = (strike: fc.Arbitrary<Strike | null>) => fc.array(aStake(strike), { minLength: 1, maxLength: 5 });

  it('is exact for exclusive and for independent markets', () => {
    fc.assert(
      fc.property(list(fc.constant(null)), (stakes) => {
        expect(worstLoss(stakes, true)).toBe(tried(stakes, isOneAtTheMost));
        expect(worstLoss(stakes, false)).toBe(tried(stakes, () => true));
      }),
    );
  });

  it('is exact for strikes, whatever other markets are in the group', () => {
    fc.assert(
      fc.property(list(fc.option(aStrike, { freq: 6 })), (stakes) => {
        expect(worstLoss(stakes, false)).toBe(tried(stakes, (answers) => fits(stakes, answers)));
        for (const isExclusive of [true, false]) {
          const outcomes = lossesByOutcome(named(...stakes), isExclusive);
          expect(Math.max(...outcomes.map(({ loss }) => loss))).toBe(worstLoss(stakes, isExclusive));
        }
      }),
      { numRuns: runCount(500) },
    );
  });

  it('is never too low where both strikes and exclusion apply', () => {
    let exact = 0;
    fc.assert(
      fc.property(list(aStrike), (stakes) => {
        const truth = tried(stakes, (answers) => isOneAtTheMost(answers) && fits(stakes, answers));
        const bound = worstLoss(stakes, true);
        if (bound === truth) exact += 1;
        expect(bound).toBeGreaterThanOrEqual(truth);
      }),
      { numRuns: runCount(300) },
    );
    expect(exact).toBeGreaterThan(50);
  });
});
