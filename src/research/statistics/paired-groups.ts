// Two runs compared group by group: money by differences of sums, ratios by differences of ratios. Must never compare a
// group that only one side has.
import type { GroupResult } from '../trial/study-trial.ts';
import { type IntervalFigure, type IntervalOptions, intervalOf } from './figure-interval.ts';
import { type GroupPart, ratioDifference, totalFigure } from './group-figures.ts';
import { type SignFlipResult, signFlipTest } from './sign-flips.ts';
import { inSettlementSequence } from './trial-matrix.ts';

/** One group as both sides traded it. */
export interface GroupPair {
  readonly group: string;
  readonly first: GroupResult;
  readonly second: GroupResult;
}

/** Groups of two sides, in the sequence in which their results became known. */
export interface PairedGroups {
  readonly pairs: readonly GroupPair[];
  /** Groups that the second side lacks. They are left out of every comparison. */
  readonly firstOnly: readonly string[];
  readonly secondOnly: readonly string[];
}

/** Pairs the groups of two sides by name. */
export function pairGroups(first: readonly GroupResult[], second: readonly GroupResult[]): PairedGroups {
  const others = new Map(second.map((result) => [result.group, result]));
  const pairs = first.toSorted(inSettlementSequence).flatMap((result): GroupPair[] => {
    const other = others.get(result.group);
    return other ? [{ group: result.group, first: result, second: other }] : [];
  });
  const paired = new Set(pairs.map(({ group }) => group));
  const unpaired = (results: readonly GroupResult[]): string[] =>
    results.filter(({ group }) => !paired.has(group)).map(({ group }) => group);
  return { pairs, firstOnly: unpaired(first), secondOnly: unpaired(second) };
}

/** True for a group that either side traded or held. The others are no evidence: the tape may have any number of them. */
export const isTraded = ({ first, second }: GroupPair): boolean => [first, second].some(hasResult);

const hasResult = ({ profit, fees, fills, qty, lockedDollarDays }: GroupResult): boolean =>
  [profit, fees, fills, qty, lockedDollarDays].some((figure) => figure !== 0);

/** A difference of money, first side less second. */
export interface MoneyDifference {
  readonly test: SignFlipResult;
  /** `null` for fewer than two groups. */
  readonly interval: IntervalFigure | null;
}

/** Compares a sum, such as the profit. Groups that neither side traded are left out. */
export function compareTotals(
  { pairs }: PairedGroups,
  valueOf: (result: GroupResult) => number,
  options: IntervalOptions,
): MoneyDifference {
  const differences = pairs.filter(isTraded).map(({ first, second }) => valueOf(first) - valueOf(second));
  return { test: signFlipTest(differences, options), interval: intervalOf(totalFigure(differences), options) };
}

/**
 * Compares a ratio of sums, such as the profit per contract. Groups that neither side traded are left out.
 * @returns `null` for fewer than two groups, or when a side has nothing to divide by.
 */
export function compareRatios(
  { pairs }: PairedGroups,
  partOf: (result: GroupResult) => GroupPart,
  options: IntervalOptions,
): IntervalFigure | null {
  const parts = pairs
    .map(({ first, second }) => [partOf(first), partOf(second)] as const)
    .filter((both) => both.some(({ over, under }) => over !== 0 || under !== 0));
  const figure = ratioDifference(
    parts.map(([first]) => first),
    parts.map(([, second]) => second),
  );
  return intervalOf(figure, options);
}
