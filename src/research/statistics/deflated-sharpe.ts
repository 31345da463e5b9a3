// The deflated Sharpe ratio: the probability that the best of many trials is better than the best of as many useless
// ones. Must never count fewer trials than were tried: pruned and failed ones count.
import { assert } from '../../base/assert.ts';
import { normalCdf, normalQuantile } from './normal.ts';
import { type SharpeFigures, probabilisticSharpe, sharpeVarianceFactor } from './sharpe-ratio.ts';
import type { TrialMatrix } from './trial-matrix.ts';

/** Euler's constant γ. */
const EULER = 0.5772156649015329;

/**
 * Expected maximum of `trials` independent standard normal values, approximately: (1 − γ)·Φ⁻¹(1 − 1/N) + γ·Φ⁻¹(1 −
 * 1/(N·e)). For 45 trials it exceeds the exact value by 1 %.
 * @see D. Bailey, M. López de Prado, "The deflated Sharpe ratio", Journal of Portfolio Management 40(5), 2014,
 * equation 1.
 */
export function expectedMaximum(trials: number): number {
  assert(trials >= 1, `trials: expected at least 1, found ${trials}`);
  if (trials === 1) return 0;
  return (1 - EULER) * normalQuantile(1 - 1 / trials) + EULER * normalQuantile(1 - 1 / (trials * Math.E));
}

/** Beyond these bounds a normal density is below 1e-23. */
const DENSITY_REACH = 10;
const DENSITY_STEPS = 4_000;

/** Mean and standard deviation. */
export interface MeanAndSd {
  readonly mean: number;
  readonly sd: number;
}

/**
 * Mean and standard deviation of the maximum of independent standard normal values, from its density
 * N·φ(x)·Φ(x)^(N−1), by the trapezoid rule.
 * @see H. David, H. Nagaraja, Order Statistics, 2003, section 2.1.
 */
export function maximumMoments(trials: number): MeanAndSd {
  const step = (2 * DENSITY_REACH) / DENSITY_STEPS;
  const sums = { ones: 0, values: 0, squares: 0 };
  for (let i = 0; i <= DENSITY_STEPS; i++) {
    const x = i * step - DENSITY_REACH;
    const normal = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    const density = trials * normal * normalCdf(x) ** (trials - 1) * step;
    sums.ones += density;
    sums.values += density * x;
    sums.squares += density * x * x;
  }
  const mean = sums.values / sums.ones;
  return { mean, sd: Math.sqrt(sums.squares / sums.ones - mean * mean) };
}

/** The trials that a best one was chosen among. */
export interface TrialPool {
  /** Distinct trials tried, pruned and failed ones included. */
  readonly trials: number;
  /** Variance of the trials' Sharpe ratios. */
  readonly variance: number;
}

/** Below this number of trials their variance is not estimated from them. */
const VARIANCE_TRIALS_MIN = 10;

/**
 * Variance of trials' Sharpe ratios, with n − 1. Below 10 trials it is 1 / (groups − 1), the variance under no edge and
 * normal values.
 */
export function sharpeVariance(sharpes: readonly number[], groups: number): number {
  if (sharpes.length < VARIANCE_TRIALS_MIN) return 1 / (groups - 1);
  const mean = sharpes.reduce((sum, value) => sum + value, 0) / sharpes.length;
  return sharpes.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sharpes.length - 1);
}

/** Sharpe ratio that the best of a pool of useless trials is expected to have, with its spread. */
export function luckSharpe({ trials, variance }: TrialPool): MeanAndSd {
  const sd = Math.sqrt(variance);
  return { mean: sd * expectedMaximum(trials), sd: sd * maximumMoments(trials).sd };
}

/**
 * Deflated Sharpe ratio: the probability that the true Sharpe ratio exceeds the best that luck is expected to give.
 * @see Bailey and López de Prado 2014, equation 2.
 */
export const deflatedSharpe = (figures: SharpeFigures, pool: TrialPool): number =>
  probabilisticSharpe(figures, Math.sqrt(pool.variance) * expectedMaximum(pool.trials));

/**
 * Number of independent trials that differ as much as these: (Σλ)² / Σλ², λ the eigenvalues of their correlations.
 * It equals N² / Σ of squared correlations. Trials without spread are left out.
 * @returns `null` when every trial is left out.
 * @see C. Bretherton et al., Journal of Climate 12, 1999, on effective degrees of freedom.
 */
export function effectiveTrials(matrix: TrialMatrix): number | null {
  const { groups } = matrix;
  const { columns, count } = standardized(matrix);
  if (count === 0) return null;
  // The squares of CᵀC and CCᵀ have one sum, and the second matrix is the smaller: groups are fewer than trials.
  let squares = 0;
  for (let a = 0; a < groups; a++)
    for (let b = a; b < groups; b++) {
      let product = 0;
      for (let k = 0; k < count; k++) product += (columns[a * count + k] ?? 0) * (columns[b * count + k] ?? 0);
      squares += (a === b ? 1 : 2) * product * product;
    }
  return (count * count) / squares;
}

/** Columns of mean 0 and length 1, row after row. */
function standardized({ groups, trials, over }: TrialMatrix): {
  readonly columns: Float64Array;
  readonly count: number;
} {
  const kept: Float64Array[] = [];
  for (let trial = 0; trial < trials; trial++) {
    const column = Float64Array.from({ length: groups }, (_, group) => over[group * trials + trial] ?? 0);
    const mean = column.reduce((sum, value) => sum + value, 0) / groups;
    const size = Math.hypot(...column);
    const length = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0));
    if (length > 1e-12 * size) kept.push(column.map((value) => (value - mean) / length));
  }
  const columns = new Float64Array(groups * kept.length);
  for (const [k, column] of kept.entries())
    for (let group = 0; group < groups; group++) columns[group * kept.length + k] = column[group] ?? 0;
  return { columns, count: kept.length };
}

/** Probability of an error that the verdict accepts. */
export const VERDICT_ALPHA = 0.05;

/**
 * Groups after which the deflated Sharpe ratio would exceed 0.95 at the same figures and trials. The variance of the
 * trials' ratios shrinks with 1 / (groups − 1), as under luck: (E·√(V·(T − 1)) + z·√factor) / SR, squared, plus 1.
 * @returns Infinity when the Sharpe ratio is not positive.
 */
export function groupsToSettle(figures: SharpeFigures, { trials, variance }: TrialPool): number {
  if (figures.sharpe <= 0) return Number.POSITIVE_INFINITY;
  const luck = expectedMaximum(trials) * Math.sqrt(variance * (figures.groups - 1));
  const margin = normalQuantile(1 - VERDICT_ALPHA) * Math.sqrt(sharpeVarianceFactor(figures));
  return Math.max(figures.groups, Math.ceil(1 + ((luck + margin) / figures.sharpe) ** 2));
}

/** Standard errors between the best of luck and an edge that is recognized in 80 of 100 cases. */
const RECOGNIZED_MARGIN = 3;

/**
 * Smallest Sharpe ratio per group that the verdict recognizes in 80 of 100 cases: (E[max] + 3) / √groups. It is a rule
 * fitted to simulations: with 400 trials it is SR·√T ≥ 6.
 */
export const recognizableSharpe = (groups: number, trials: number): number =>
  (expectedMaximum(trials) + RECOGNIZED_MARGIN) / Math.sqrt(groups);
