// The probability of backtest overfitting by combinatorially symmetric cross-validation (CSCV). Must never be shown
// without the spread that pure luck gives it. D Bailey, J Borwein, M López de Prado and Q Zhu
// describe the method in "The probability of backtest overfitting", Journal of Computational Finance 20(4), 2017.
import { assert } from '../../../base/assert.ts';
import { type HalfFigure, HalfScores } from './half-scores.ts';
import { effectiveTrials } from '../deflated-sharpe.ts';
import type { TrialMatrix } from '../trial-matrix.ts';

const BLOCKS_MAX = 16;
const BLOCKS_MIN = 4;
const BLOCK_ROWS_MIN = 3;

/** The overfitting of a choice among trials. */
export interface Overfitting {
  readonly blocks: number;
  /** Ways to take half of the blocks. */
  readonly halves: number;
  /** Share of halves whose best trial is at or below the median of the other half. */
  readonly probability: number;
  /** Share of halves whose best trial loses in the other half. */
  readonly lossProbability: number;
  /** Line of the best trial's figure outside on its figure inside; `null` when all inside are equal. */
  readonly line: { readonly slope: number; readonly intercept: number } | null;
  readonly meanLogit: number;
  /** By half: ln(ω / (1 − ω)), ω the relative rank outside of the trial that was best inside. */
  readonly logits: Float64Array;
  /** By half: the figure of the best trial inside. */
  readonly inside: Float64Array;
  /** By half: the figure of that trial outside. */
  readonly outside: Float64Array;
}

/**
 * Number of blocks for a table: the largest even number up to 16 with 3 rows a block.
 * @returns `null` below 12 rows: four blocks are the fewest that say anything.
 */
export function blockCount(groups: number): number | null {
  const blocks = Math.min(BLOCKS_MAX, 2 * Math.floor(groups / BLOCK_ROWS_MIN / 2));
  return blocks >= BLOCKS_MIN ? blocks : null;
}

/** A table lacks it to say how far a choice among its trials holds. */
export type OverfittingGap = 'groups' | 'trials' | 'spread';

/** Returns what a table lacks; `null` when overfitting can be measured. Among trials without spread there is nothing to choose. */
export function overfittingGap(matrix: TrialMatrix): OverfittingGap | null {
  if (blockCount(matrix.groups) === null) return 'groups';
  if (matrix.trials < 2) return 'trials';
  return effectiveTrials(matrix) === null ? 'spread' : null;
}

/**
 * Every choice of half of the blocks as a set of bits, block 0 the lowest, in lexicographic sequence of the blocks. The
 * complement of the i-th is the i-th from the end.
 */
export function halvesOf(blocks: number): number[] {
  const found: number[] = [];
  const extend = (bits: number, from: number, missing: number): void => {
    if (missing === 0) found.push(bits);
    else for (let block = from; block <= blocks - missing; block++) extend(bits | (1 << block), block + 1, missing - 1);
  };
  extend(0, 0, blocks / 2);
  return found;
}

/**
 * Computes the overfitting of choosing the best column.
 * @param blocks An even number, at most 16 and at most the number of rows.
 * @throws {AssertionFault} for another number of blocks, or fewer than two trials.
 */
export function measureOverfitting(matrix: TrialMatrix, figure: HalfFigure, blocks: number): Overfitting {
  assert(blocks % 2 === 0 && blocks >= 2 && blocks <= BLOCKS_MAX, `blocks: expected 2 to 16, even, found ${blocks}`);
  assert(blocks <= matrix.groups, `${blocks} blocks of ${matrix.groups} rows`);
  assert(matrix.trials >= 2, `trials: expected at least 2, found ${matrix.trials}`);
  const halves = halvesOf(blocks);
  const column = (): Float64Array => new Float64Array(halves.length);
  const scores = new HalfScores(matrix, figure, blocks);
  const [logits, inside, outside] = [column(), column(), column()];
  for (let i = 0; i < halves.length / 2; i++) {
    const pair = scores.scorePair(halves[i] ?? 0);
    for (const [at, half] of [
      [i, pair.first],
      [halves.length - 1 - i, pair.second],
    ] as const) {
      inside[at] = half.inside;
      outside[at] = half.outside;
      logits[at] = Math.log(half.rank / (matrix.trials + 1 - half.rank));
    }
  }
  return {
    blocks,
    halves: halves.length,
    ...shares(logits, outside),
    line: lineOf(inside, outside),
    logits,
    inside,
    outside,
  };
}

function shares(
  logits: Float64Array,
  outside: Float64Array,
): {
  readonly probability: number;
  readonly lossProbability: number;
  readonly meanLogit: number;
} {
  const shareOf = (values: Float64Array, isCounted: (value: number) => boolean): number =>
    values.reduce((count, value) => count + Number(isCounted(value)), 0) / values.length;
  return {
    probability: shareOf(logits, (logit) => logit <= 0),
    lossProbability: shareOf(outside, (value) => value < 0),
    meanLogit: logits.reduce((sum, logit) => sum + logit, 0) / logits.length,
  };
}

/** Least-squares line of `y` on `x`. */
function lineOf(x: Float64Array, y: Float64Array): Overfitting['line'] {
  const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [meanOf(x), meanOf(y)];
  const squares = x.reduce((sum, value) => sum + (value - meanX) ** 2, 0);
  if (squares === 0) return null;
  const slope = x.reduce((sum, value, i) => sum + (value - meanX) * ((y[i] ?? 0) - meanY), 0) / squares;
  return { slope, intercept: meanY - slope * meanX };
}
