// Certification: sound strategies pass every check, and each planted bad one fails the check that is there for it.
import { beforeAll, describe, expect, it } from 'vitest';
import { guardWallClock } from '../../backtest/wall-clock.ts';
import { EFFORTS, type Verdict } from '../../src/certify/finding.ts';
import { certify } from '../../src/certify/suite.ts';
import type { Strategy } from '../../src/strategy/strategy.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import arbitrage from '../../strategies/group-arbitrage.ts';
import emitsNan from './bad/emits-nan.ts';

const clock = performance.now.bind(performance);
beforeAll(() => guardWallClock());

const certified = (strategy: Strategy, params: unknown = {}): readonly Verdict[] =>
  certify({
    subject: { strategy, params, limits: undefined },
    seed: 1,
    effort: EFFORTS.quick,
    clock,
  }).verdicts;
const failed = (verdicts: readonly Verdict[]): string[] =>
  verdicts.flatMap(({ check, isPassed }) => (isPassed ? [] : [check]));

describe('a sound strategy', () => {
  it.each([
    ['two-sided-quoter', quoter],
    ['group-arbitrage', arbitrage],
  ])('passes: %s', (_, strategy) => {
    expect(failed(certified(strategy))).toEqual([]);
  });
});

describe('a strategy that gives figures that are none', () => {
  it('fails by its numbers alone', () => {
    expect(failed(certified(emitsNan))).toEqual(['numbers']);
  });
});
