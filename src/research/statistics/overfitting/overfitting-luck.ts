// The spread that the probability of overfitting has by pure luck, on the study's own table. Must never keep an edge:
// every row's sign is a coin toss, which leaves sizes and the likeness of trials as they are.
import { quantileOf } from '../bootstrap.ts';
import { type HalfFigure, HalfScores } from './half-scores.ts';
import { halvesOf } from './overfitting-probability.ts';
import { ResampleDraws } from '../resample-draws.ts';
import type { TrialMatrix } from '../trial-matrix.ts';

const USUAL_FLIPS = 100;
/**
 * Pairs of halves that are measured in each table. More narrow the spread by less than 1 %: halves share blocks, so
 * they nearly repeat each other.
 */
const PAIRS_MAX = 400;

/** The probability of overfitting by pure luck, between its 5 % and 95 % quantiles. */
export interface OverfittingLuck {
  readonly low: number;
  readonly high: number;
  readonly flips: number;
}

/** How to draw the tables of pure luck. */
export interface LuckOptions {
  readonly figure: HalfFigure;
  readonly blocks: number;
  readonly seed: number;
  /** Tables of pure luck. @default 100 */
  readonly flips?: number;
}

/** Measures the overfitting of tables like this one in which no trial has an edge. */
export function overfittingByLuck(matrix: TrialMatrix, options: LuckOptions): OverfittingLuck {
  const flips = options.flips ?? USUAL_FLIPS;
  const pairs = spacedPairs(options.blocks);
  const found = Float64Array.from({ length: flips }, (_, n) => {
    const flipped = flipRows(matrix, new ResampleDraws(options.seed, n));
    return shareBelowMedian(new HalfScores(flipped, options.figure, options.blocks), pairs, matrix.trials);
  }).sort();
  return { low: quantileOf(found, 0.05), high: quantileOf(found, 0.95), flips };
}

/** Halves that stand for a pair with their complements, at equal distances in the list of all. */
function spacedPairs(blocks: number): number[] {
  const halves = halvesOf(blocks);
  const all = halves.slice(0, halves.length / 2);
  const step = Math.max(1, all.length / PAIRS_MAX);
  return Array.from({ length: Math.min(all.length, PAIRS_MAX) }, (_, i) => all[Math.floor(i * step)] ?? 0);
}

/** Share of halves whose best trial is at or below the median of the other half. */
function shareBelowMedian(scores: HalfScores, pairs: readonly number[], trials: number): number {
  let below = 0;
  for (const half of pairs) {
    const { first, second } = scores.scorePair(half);
    below += Number(2 * first.rank <= trials + 1) + Number(2 * second.rank <= trials + 1);
  }
  return below / (2 * pairs.length);
}

/** Negates each row with probability 1/2. */
function flipRows(matrix: TrialMatrix, draws: ResampleDraws): TrialMatrix {
  const signs = Float64Array.from({ length: matrix.groups }, () => (draws.drawBits() < 0 ? -1 : 1));
  const over = matrix.over.map((value, at) => value * (signs[Math.floor(at / matrix.trials)] ?? 1));
  return { ...matrix, over };
}
