// The verdict on a study: the figures that say whether its best trial is better than luck. Must never leave out a trial
// that was tried, nor call a trial better than luck whose losses are too few to know their size.
import { assert } from '../../base/assert.ts';
import {
  VERDICT_ALPHA,
  type MeanAndSd,
  type TrialPool,
  deflatedSharpe,
  effectiveTrials,
  groupsToSettle,
  luckSharpe,
  recognizableSharpe,
  sharpeVariance,
} from './deflated-sharpe.ts';
import { type OverfittingLuck, overfittingByLuck } from './overfitting/overfitting-luck.ts';
import {
  type Overfitting,
  blockCount,
  measureOverfitting,
  overfittingGap,
} from './overfitting/overfitting-probability.ts';
import { stationaryPlan } from './resampling.ts';
import { type ReturnFigures, returnFigures } from './sharpe-ratio.ts';
import { SUPERIORITY_GROUPS_MIN, testSuperiority } from './superior-ability.ts';
import { type TrialMatrix, columnOf } from './trial-matrix.ts';

/** Everything that a verdict depends on. */
export interface StudyEvidence {
  /** Finished trials over settled groups, without the sealed test. */
  readonly matrix: TrialMatrix;
  /** Column of the chosen trial. */
  readonly chosen: number;
  /** Distinct trials of this study, pruned and failed ones included. */
  readonly trials: number;
  /** Distinct trials of all studies on tapes that share a group with this one; at least `trials`. */
  readonly trialsEver: number;
  /** Sharpe ratios per group of all those trials, as far as they have one. */
  readonly sharpes: readonly number[];
  /** Profit per group of the chosen trials inside and outside of their training parts; `null` without a split. */
  readonly split: { readonly inside: number; readonly outside: number } | null;
  /** The sealed test; `null` before the first look. */
  readonly sealed: SealedResult | null;
  readonly seed: number;
  /** Mean number of groups in a block of SPA's resamples. @default 1 */
  readonly blockLength?: number;
  /** Resamples of SPA. @default 9999 */
  readonly draws?: number;
  /** Tables of pure luck beside the probability of overfitting. @default 100 */
  readonly flips?: number;
}

/** A result on the sealed test. */
export interface SealedResult {
  readonly looks: number;
  /** One-sided probability of the result by sign flips, adjusted for the looks. */
  readonly p: number;
}

/**
 * `luck`: not shown to be better than luck. `better`: the deflated Sharpe ratio exceeds 0.95. `unknown`: there are too
 * few groups, or values have no spread. `losses-unseen`: the ratio exceeds 0.95, but fewer than 3 groups lost.
 */
export type Verdict = 'luck' | 'better' | 'losses-unseen' | 'unknown';

/**
 * Groups that must have lost before a trial is called better than luck. A strategy that wins little often and loses much
 * has a high ratio until it loses. Of 100 sets of 400 useless strategies that buy favorites, the deflated ratio alone
 * calls 69 better over 30 groups. With this rule it calls none so, and it recognizes 81 edges in place of 84.
 */
export const LOST_GROUPS_MIN = 3;

/** The probability of overfitting with the spread that pure luck gives it. */
export interface SpreadOverfitting {
  readonly probability: number;
  readonly blocks: number;
  readonly halves: number;
  readonly luck: OverfittingLuck;
  /** Trials that are not in it: pruned and failed ones. */
  readonly left: number;
}

/** The figures of a verdict. */
export interface StudyVerdict {
  readonly verdict: Verdict;
  readonly trials: number;
  readonly trialsEver: number;
  /** Independent trials that differ as much as these; `null` when no trial has spread. */
  readonly effectiveTrials: number | null;
  readonly groups: number;
  /** Groups in which the chosen trial made or lost money, and those in which it lost. */
  readonly tradedGroups: number;
  readonly lostGroups: number;
  /** Figures of the chosen trial; `null` for fewer than two groups or without spread. */
  readonly best: ReturnFigures | null;
  /** Sharpe ratio that the best of as many useless trials is expected to have. */
  readonly luckSharpe: MeanAndSd | null;
  /** Probability that the chosen trial is better than luck. */
  readonly deflated: number | null;
  /** `null` below 12 groups, with one trial, or when no trial has spread. */
  readonly overfitting: SpreadOverfitting | null;
  /** Hansen's consistent p; `null` below 60 groups. */
  readonly superiorP: number | null;
  /** Profit per group outside of the training parts as a share of that inside; `null` without a gain inside. */
  readonly kept: number | null;
  readonly sealed: SealedResult | null;
  /** Groups that would settle it at the same figures; infinite when none would. */
  readonly settledBy: number | null;
  /** Smallest Sharpe ratio per group that would have been recognized in 80 of 100 cases; `null` below two groups. */
  readonly recognizable: number | null;
}

/** Judges a study. The same evidence always gives the same verdict. */
export function judgeStudy(evidence: StudyEvidence): StudyVerdict {
  const { matrix, chosen, trials, trialsEver } = evidence;
  assert(chosen >= 0 && chosen < matrix.trials, `chosen: expected 0 to ${matrix.trials - 1}, found ${chosen}`);
  assert(
    trialsEver >= trials && trials >= matrix.trials,
    `${matrix.trials} finished of ${trials} of ${trialsEver} trials`,
  );
  const profits = columnOf(matrix, chosen);
  const best = returnFigures(profits);
  const pool: TrialPool = { trials: trialsEver, variance: sharpeVariance(evidence.sharpes, matrix.groups) };
  const deflated = best && deflatedSharpe(best, pool);
  const lostGroups = profits.filter((profit) => profit < 0).length;
  return {
    verdict: verdictOf(deflated, lostGroups),
    trials,
    trialsEver,
    effectiveTrials: effectiveTrials(matrix),
    groups: matrix.groups,
    tradedGroups: profits.filter((profit) => profit !== 0).length,
    lostGroups,
    best,
    luckSharpe: matrix.groups < 2 ? null : luckSharpe(pool),
    deflated,
    overfitting: spreadOverfitting(evidence),
    superiorP: superiorP(evidence),
    kept: keptShare(evidence.split),
    sealed: evidence.sealed,
    settledBy: best && groupsToSettle(best, pool),
    recognizable: matrix.groups < 2 ? null : recognizableSharpe(matrix.groups, trialsEver),
  };
}

function verdictOf(deflated: number | null, lostGroups: number): Verdict {
  if (deflated === null) return 'unknown';
  if (deflated <= 1 - VERDICT_ALPHA) return 'luck';
  return lostGroups < LOST_GROUPS_MIN ? 'losses-unseen' : 'better';
}

function spreadOverfitting({ matrix, trials, seed, flips }: StudyEvidence): SpreadOverfitting | null {
  const blocks = blockCount(matrix.groups);
  if (blocks === null || overfittingGap(matrix) !== null) return null;
  const { probability, halves }: Overfitting = measureOverfitting(matrix, 'sharpe', blocks);
  const options = { figure: 'sharpe', blocks, seed } as const;
  const luck = overfittingByLuck(matrix, flips === undefined ? options : { ...options, flips });
  return { probability, blocks, halves, luck, left: trials - matrix.trials };
}

function superiorP({ matrix, seed, draws, blockLength = 1 }: StudyEvidence): number | null {
  if (matrix.groups < SUPERIORITY_GROUPS_MIN) return null;
  const options = { seed, restart: 1 / blockLength };
  const plan = stationaryPlan(matrix.groups, draws === undefined ? options : { ...options, draws });
  return testSuperiority(matrix, { plan, restart: options.restart }).consistentP;
}

const keptShare = (split: StudyEvidence['split']): number | null =>
  split && split.inside > 0 ? split.outside / split.inside : null;
