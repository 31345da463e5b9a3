// The spread that the probability of overfitting has by pure luck, on the study's own table. Must never keep an edge:
// every row's sign is a coin toss, which leaves sizes and the likeness of trials as they are.
import { quantileOf } from '../bootstrap.ts';
import type { HalfFigure } from './half-scores.ts';
import { measureOverfitting } from './overfitting-probability.ts';
import { ResampleDraws } from '../resample-draws.ts';
import type { TrialMatrix } from '../trial-matrix.ts';

const USUAL_FLIPS = 100;

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
  const found = Float64Array.from({ length: flips }, (_, n) => {
    const flipped = flipRows(matrix, new ResampleDraws(options.seed, n));
    return measureOverfitting(flipped, options.figure, options.blocks).probability;
  }).sort();
  return { low: quantileOf(found, 0.05), high: quantileOf(found, 0.95), flips };
}

/** Negates each row with probability 1/2. */
function flipRows(matrix: TrialMatrix, draws: ResampleDraws): TrialMatrix {
  const signs = Float64Array.from({ length: matrix.groups }, () => (draws.drawBits() < 0 ? -1 : 1));
  const over = matrix.over.map((value, at) => value * (signs[Math.floor(at / matrix.trials)] ?? 1));
  return { ...matrix, over };
}
