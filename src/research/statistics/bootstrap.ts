// The bootstrap over event groups, and the intervals made from it. Must never resample anything smaller than a group.
import { type GroupFigure, figureValue, movingGroups, standardError, sumsOf } from './group-figures.ts';
import { normalCdf, normalQuantile, studentQuantile } from './normal.ts';
import type { ResamplePlan } from './resampling.ts';

/** Two ends of an interval, in the unit of the figure. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** A figure's values over resamples. */
export interface BootstrapValues {
  readonly value: number;
  /** Ascending. Resamples without a value, such as those with nothing to divide by, are absent. */
  readonly sorted: Float64Array;
  /** Resamples without a value. */
  readonly undefinedCount: number;
  /** True when every possible resample was taken. */
  readonly isExact: boolean;
  readonly mean: number;
  /** Standard deviation over the resamples: the standard error of the figure. */
  readonly sd: number;
  /** Share of resamples in which the figure is 0 or less. */
  readonly shareAtMostZero: number;
}

/** Sums that differ by less than this share of all absolute values are equal: floating point cannot part them. */
export const TIE = 1e-12;

/** Computes a figure on every resample of a plan. */
export function resampleFigure(figure: GroupFigure, plan: ResamplePlan): BootstrapValues {
  const values = new Float64Array(plan.count);
  const chosen = new Int32Array(figure.groups);
  const sums = new Float64Array(figure.columns.length);
  let count = 0;
  for (let i = 0; i < plan.count; i++) {
    plan.writeNext(chosen);
    for (const [k, column] of figure.columns.entries()) sums[k] = sumOfChosen(column, chosen);
    const value = figure.valueOf(sums);
    if (Number.isFinite(value)) values[count++] = value;
  }
  return describeValues(figure, { values: values.subarray(0, count).sort(), isExact: plan.isExact, all: plan.count });
}

function sumOfChosen(column: Float64Array, chosen: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < chosen.length; i++) sum += column[chosen[i] ?? 0] ?? 0;
  return sum;
}

interface Resampled {
  readonly values: Float64Array;
  readonly isExact: boolean;
  readonly all: number;
}

function describeValues(figure: GroupFigure, { values, isExact, all }: Resampled): BootstrapValues {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const zero = TIE * Math.max(Math.abs(values[0] ?? 0), Math.abs(values.at(-1) ?? 0));
  return {
    value: figureValue(figure),
    sorted: values,
    undefinedCount: all - values.length,
    isExact,
    mean,
    sd: Math.sqrt(squares / values.length),
    shareAtMostZero: countAtMost(values, zero) / values.length,
  };
}

/** Number of ascending values that are `bound` or less. */
function countAtMost(sorted: Float64Array, bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Smallest value that a share `p` of the ascending values do not exceed: the inverse of their distribution function. */
export function quantileOf(sorted: Float64Array, p: number): number {
  // The margin keeps a product such as 0.95 × 20 from rounding above the whole number that it is.
  const position = Math.ceil(p * sorted.length * (1 - TIE)) - 1;
  return sorted[Math.min(sorted.length - 1, Math.max(0, position))] ?? Number.NaN;
}

/**
 * Interval between two quantiles of the resamples.
 * @see B. Efron, R. Tibshirani, 1993, section 13.3.
 */
export function percentileInterval({ sorted }: BootstrapValues, confidence: number): Bounds {
  const tail = (1 - confidence) / 2;
  return { low: quantileOf(sorted, tail), high: quantileOf(sorted, 1 - tail) };
}

/** The figure without each group in turn. */
function leftOutValues(figure: GroupFigure): number[] {
  const sums = sumsOf(figure);
  return Array.from({ length: figure.groups }, (_, group) =>
    figure.valueOf(sums.map((sum, k) => sum - (figure.columns[k]?.[group] ?? 0))),
  );
}

/**
 * Skewness of the figure's influence, divided by 6.
 * @see Efron and Tibshirani 1993, equation 14.15.
 */
function accelerationOf(figure: GroupFigure): number {
  const values = leftOutValues(figure);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (mean - value) ** 2, 0);
  const cubes = values.reduce((sum, value) => sum + (mean - value) ** 3, 0);
  return squares > 0 ? cubes / (6 * squares ** 1.5) : 0;
}

/**
 * Interval that corrects the percentile interval for bias and skewness (BCa). Values equal to the figure count half.
 * @returns The percentile interval when a correction is not finite.
 * @see B. Efron, JASA 82, 1987; Efron and Tibshirani 1993, equations 14.9 to 14.15.
 */
export function bcaInterval(figure: GroupFigure, values: BootstrapValues, confidence: number): Bounds {
  const { sorted, value } = values;
  const margin = TIE * Math.max(Math.abs(sorted[0] ?? 0), Math.abs(sorted.at(-1) ?? 0));
  const share = (countAtMost(sorted, value - margin) + countAtMost(sorted, value + margin)) / 2 / sorted.length;
  const bias = normalQuantile(share);
  const acceleration = accelerationOf(figure);
  const levelOf = (z: number): number => normalCdf(bias + (bias + z) / (1 - acceleration * (bias + z)));
  const tail = normalQuantile((1 - confidence) / 2);
  const [low, high] = [levelOf(tail), levelOf(-tail)];
  if (share <= 0 || share >= 1 || !(low < high)) return percentileInterval(values, confidence);
  return { low: quantileOf(sorted, low), high: quantileOf(sorted, high) };
}

/**
 * Interval by Student's t over groups around the figure, with the linearized standard error and one degree of
 * freedom less than groups that move the figure, but at least one.
 * @see C. Bell, D. McCaffrey, Survey Methodology 28, 2002, on few clusters.
 */
export function studentInterval(figure: GroupFigure, confidence: number): Bounds {
  const freedom = Math.max(1, movingGroups(figure) - 1);
  const half = studentQuantile((1 + confidence) / 2, freedom) * standardError(figure);
  const value = figureValue(figure);
  return { low: value - half, high: value + half };
}
