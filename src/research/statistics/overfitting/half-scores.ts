// Figures of every trial over half of the rows of a study's table, and the rank that the best trial of one half has in
// the other. Must never add rows again for each half: sums of the lower and of the upper blocks are made once.
import { must } from '../../../base/assert.ts';
import type { TrialMatrix } from '../trial-matrix.ts';

/** The figure by which trials are compared: mean by group, Sharpe ratio by group, or Σ over / Σ under. */
export type HalfFigure = 'mean' | 'sharpe' | 'ratio';

/** The best trial of one half in the other. */
export interface BestOfHalf {
  /** Its figure in the half where it is best; the first of equals. */
  readonly inside: number;
  readonly outside: number;
  /** Its rank in the other half: 1 is the worst, equals have the mean of their ranks. */
  readonly rank: number;
}

/** A spread below this share of the squares is a rounding error. */
const SPREAD_MIN = 1e-12;

/** Where the sums of a half are, and its number of rows. */
interface HalfPlace {
  readonly low: number;
  readonly high: number;
  readonly rows: number;
}

/** Sums of a table's columns over sets of blocks: the lower half of the blocks and the upper, each for every subset. */
class BlockSums {
  readonly low: Float64Array;
  readonly high: Float64Array;

  constructor(values: Float64Array, trials: number, sizes: Int32Array) {
    const middle = sizes.length >>> 1;
    const lowRows = sizes.subarray(0, middle).reduce((sum, size) => sum + size, 0);
    this.low = subsetSums(values.subarray(0, lowRows * trials), trials, sizes.subarray(0, middle));
    this.high = subsetSums(values.subarray(lowRows * trials), trials, sizes.subarray(middle));
  }
}

/** Sums of the columns over each subset of blocks. The subset's bits are the number of its row. */
function subsetSums(values: Float64Array, trials: number, sizes: Int32Array): Float64Array {
  const sums = new Float64Array(2 ** sizes.length * trials);
  let row = 0;
  for (const [block, size] of sizes.entries())
    for (const end = row + size; row < end; row++)
      for (let k = 0; k < trials; k++) {
        const at = (1 << block) * trials + k;
        sums[at] = (sums[at] ?? 0) + (values[row * trials + k] ?? 0);
      }
  for (let subset = 1; subset < 2 ** sizes.length; subset++) {
    const lowest = subset & -subset;
    if (lowest === subset) continue;
    for (let k = 0; k < trials; k++)
      sums[subset * trials + k] = (sums[(subset - lowest) * trials + k] ?? 0) + (sums[lowest * trials + k] ?? 0);
  }
  return sums;
}

/** Scores of trials over halves. A figure without spread, or with nothing to divide by, counts as 0. */
export class HalfScores {
  readonly #trials: number;
  readonly #figure: HalfFigure;
  /** Number of rows in each block. */
  readonly #sizes: Int32Array;
  /** Means of the columns, which are subtracted before squares are added; 0 for other figures than the Sharpe ratio. */
  readonly #centers: Float64Array;
  readonly #sums: BlockSums;
  /** Sums of squares, or of the values that a ratio divides by. */
  readonly #others: BlockSums | null;
  readonly #first: Float64Array;
  readonly #second: Float64Array;

  constructor(matrix: TrialMatrix, figure: HalfFigure, blocks: number) {
    const { groups, trials, over } = matrix;
    const startOf = (block: number): number => Math.floor((block * groups) / blocks);
    this.#trials = trials;
    this.#figure = figure;
    this.#sizes = Int32Array.from({ length: blocks }, (_, block) => startOf(block + 1) - startOf(block));
    this.#centers = figure === 'sharpe' ? columnMeans(matrix) : new Float64Array(trials);
    const shifted = over.map((value, at) => value - (this.#centers[at % trials] ?? 0));
    const others = otherValues(matrix, figure, shifted);
    this.#sums = new BlockSums(shifted, trials, this.#sizes);
    this.#others = others && new BlockSums(others, trials, this.#sizes);
    this.#first = new Float64Array(trials);
    this.#second = new Float64Array(trials);
  }

  /** Scores a half, and the other half: each is inside once. */
  scorePair(half: number): { readonly first: BestOfHalf; readonly second: BestOfHalf } {
    this.#writeFigures(half, this.#first);
    this.#writeFigures(~half & (2 ** this.#sizes.length - 1), this.#second);
    return { first: bestOf(this.#first, this.#second), second: bestOf(this.#second, this.#first) };
  }

  #writeFigures(half: number, into: Float64Array): void {
    const lowBlocks = this.#sizes.length >>> 1;
    const place: HalfPlace = {
      low: (half & (2 ** lowBlocks - 1)) * this.#trials,
      high: (half >>> lowBlocks) * this.#trials,
      rows: this.#sizes.reduce((sum, size, block) => sum + ((half >>> block) & 1) * size, 0),
    };
    switch (this.#figure) {
      case 'mean':
        this.#writeMeans(into, place);
        return;
      case 'sharpe':
        this.#writeSharpes(into, place);
        return;
      case 'ratio':
        this.#writeRatios(into, place);
    }
  }

  #writeMeans(into: Float64Array, { low, high, rows }: HalfPlace): void {
    const { low: lows, high: highs } = this.#sums;
    for (let k = 0; k < into.length; k++) into[k] = ((lows[low + k] ?? 0) + (highs[high + k] ?? 0)) / rows;
  }

  #writeSharpes(into: Float64Array, { low, high, rows }: HalfPlace): void {
    const { low: lows, high: highs } = this.#sums;
    const { low: lowSquares, high: highSquares } = must(this.#others, 'sums of squares');
    const centers = this.#centers;
    for (let k = 0; k < into.length; k++) {
      const sum = (lows[low + k] ?? 0) + (highs[high + k] ?? 0);
      const square = (lowSquares[low + k] ?? 0) + (highSquares[high + k] ?? 0);
      const spread = square - (sum * sum) / rows;
      const mean = sum / rows + (centers[k] ?? 0);
      into[k] = spread <= SPREAD_MIN * square ? 0 : mean / Math.sqrt(spread / (rows - 1));
    }
  }

  #writeRatios(into: Float64Array, { low, high }: HalfPlace): void {
    const { low: lows, high: highs } = this.#sums;
    const { low: lowUnders, high: highUnders } = must(this.#others, 'sums to divide by');
    for (let k = 0; k < into.length; k++) {
      const under = (lowUnders[low + k] ?? 0) + (highUnders[high + k] ?? 0);
      into[k] = under === 0 ? 0 : ((lows[low + k] ?? 0) + (highs[high + k] ?? 0)) / under;
    }
  }
}

function otherValues({ under }: TrialMatrix, figure: HalfFigure, shifted: Float64Array): Float64Array | null {
  switch (figure) {
    case 'mean':
      return null;
    case 'sharpe':
      return shifted.map((value) => value * value);
    case 'ratio':
      return must(under, 'the column that a ratio divides by');
  }
}

/** Mean of each column. */
export function columnMeans({ groups, trials, over }: TrialMatrix): Float64Array {
  const means = new Float64Array(trials);
  for (const [at, value] of over.entries()) means[at % trials] = (means[at % trials] ?? 0) + value / groups;
  return means;
}

/** The first of the best of `inside`, and its rank in `outside`. */
function bestOf(inside: Float64Array, outside: Float64Array): BestOfHalf {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < inside.length; k++) {
    const found = inside[k] ?? 0;
    if (found > most) {
      most = found;
      best = k;
    }
  }
  const value = outside[best] ?? 0;
  let below = 0;
  let equal = 0;
  for (let k = 0; k < outside.length; k++) {
    const other = outside[k] ?? 0;
    if (other < value) below += 1;
    else if (other === value) equal += 1;
  }
  return { inside: most, outside: value, rank: below + (equal + 1) / 2 };
}
