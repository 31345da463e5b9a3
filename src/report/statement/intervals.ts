// Confidence intervals by Student's t. The unit is the event group, because its markets win and lose together. With few
// groups, a bootstrap would be too narrow. The interval holds if groups are independent and alike. It errs when a few
// groups carry most of the contracts.
import type { ConfidenceInterval } from './report.ts';

/** The 97.5th percentile of Student's t by degrees of freedom, from 1. Source: any table of the distribution. */
const T_975: readonly number[] = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604, 2.1448, 2.1314,
  2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
];
/** The 97.5th percentile of the normal distribution. */
const Z_975 = 1.959964;

/** Returns the 97.5th percentile of Student's t. Beyond the table, Cornish and Fisher's expansion is good to 1e-4. */
export function tQuantile(freedom: number): number {
  const listed = T_975[freedom - 1];
  if (listed !== undefined) return listed;
  const z = Z_975;
  const first = (z ** 3 + z) / (4 * freedom);
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
  return z + first + second;
}

const around = (center: number, halfWidth: number, groups: number): ConfidenceInterval => ({
  low: center - halfWidth,
  high: center + halfWidth,
  groups,
});

/** Interval of the mean of independent values; `null` for fewer than two. */
export function meanInterval(values: readonly number[]): ConfidenceInterval | null {
  const count = values.length;
  if (count < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return around(mean, tQuantile(count - 1) * Math.sqrt(squares / (count - 1) / count), count);
}

/** Interval of the sum of this many independent values; `null` for fewer than two. */
export function sumInterval(values: readonly number[]): ConfidenceInterval | null {
  const mean = meanInterval(values);
  const count = values.length;
  return mean && { low: mean.low * count, high: mean.high * count, groups: count };
}

/** One cluster's part of a ratio. */
export interface RatioPart {
  readonly over: number;
  readonly under: number;
}

/**
 * Interval of Σ over / Σ under over independent clusters, by the linearized estimator of survey sampling. `null` for
 * fewer than two clusters, or when Σ under is 0.
 */
export function ratioInterval(parts: readonly RatioPart[]): ConfidenceInterval | null {
  const present = parts.filter(({ under }) => under !== 0);
  const count = present.length;
  const under = present.reduce((sum, part) => sum + part.under, 0);
  if (count < 2 || under === 0) return null;
  const ratio = present.reduce((sum, part) => sum + part.over, 0) / under;
  const squares = present.reduce((sum, part) => sum + (part.over - ratio * part.under) ** 2, 0);
  const error = Math.sqrt((count / (count - 1)) * squares) / Math.abs(under);
  return around(ratio, tQuantile(count - 1) * error, count);
}

/** `null` when `under` is 0. */
export const ratio = (over: number, under: number): number | null => (under === 0 ? null : over / under + 0);
