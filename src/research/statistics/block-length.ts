// Dependence between groups that settle one after the other, and the length of the blocks that keep it in resamples.
// Must never see the groups in another sequence than that in which their results became known.

/** Deviations from the mean. */
function deviationsOf(values: ArrayLike<number>): Float64Array {
  const all = Float64Array.from(values);
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return all.map((value) => value - mean);
}

/** Σ of products of values that are `lag` apart. */
function laggedProducts(values: Float64Array, lag: number): number {
  let sum = 0;
  for (let i = lag; i < values.length; i++) sum += (values[i] ?? 0) * (values[i - lag] ?? 0);
  return sum;
}

const squaresBetween = (values: Float64Array, from: number, to: number): number =>
  values.subarray(from, to).reduce((sum, value) => sum + value * value, 0);

/** Two-sided 5 % point of the normal distribution. */
const Z = 1.959963984540054;
/** The rule for dependence needs this number of groups. */
const DEPENDENCE_MIN = 8;

/**
 * True when neighboring values depend on each other: their correlation exceeds 1.96 / √n.
 * @see M. Bartlett, Supplement to the Journal of the Royal Statistical Society 8, 1946.
 */
export function dependsOnNeighbor(values: ArrayLike<number>): boolean {
  if (values.length < DEPENDENCE_MIN) return false;
  const deviations = deviationsOf(values);
  const variance = laggedProducts(deviations, 0);
  return variance > 0 && Math.abs(laggedProducts(deviations, 1) / variance) > Z / Math.sqrt(values.length);
}

/** Number of lags up to which correlations differ from 0, doubled; `reach` lags after it do not. */
function bandwidthOf(deviations: Float64Array, reach: number, lagMax: number): number {
  const count = deviations.length;
  const bound = 2 * Math.sqrt(Math.log10(count) / count);
  let quiet = 0;
  for (let lag = 0; lag < lagMax; lag++) {
    const scale = squaresBetween(deviations, lag + 1, count) * squaresBetween(deviations, 0, count - lag - 1);
    const isSmall = Math.abs(laggedProducts(deviations, lag)) < bound * Math.sqrt(scale);
    quiet = isSmall ? quiet + 1 : 0;
    if (quiet === reach) return Math.min(2 * Math.max(lag + 1 - reach, 1), lagMax);
  }
  return lagMax;
}

/**
 * Mean length of a block for the stationary bootstrap of a mean, at least 1. Details follow `optimal_block_length` of the
 * Python package arch 8.0.0.
 * @param values In the sequence in which the groups settled; 2 or more.
 * @see D. Politis, H. White, Econometric Reviews 23, 2004; A. Patton, D. Politis, H. White, Econometric Reviews 28, 2009.
 */
export function meanBlockLength(values: ArrayLike<number>): number {
  const count = values.length;
  const deviations = deviationsOf(values);
  const reach = Math.max(5, Math.floor(Math.log10(count)));
  const lagMax = Math.min(Math.ceil(Math.sqrt(count)) + reach, count - 1);
  const bandwidth = bandwidthOf(deviations, reach, lagMax);
  let slope = 0;
  let variance = laggedProducts(deviations, 0) / count;
  if (variance === 0) return 1;
  for (let lag = 1; lag <= bandwidth; lag++) {
    const weight = Math.min(1, 2 * (1 - lag / bandwidth));
    const term = (2 * weight * laggedProducts(deviations, lag)) / count;
    slope += lag * term;
    variance += term;
  }
  const length = Math.cbrt((slope / variance) ** 2 * count);
  return Math.max(1, Math.min(length, Math.ceil(Math.min(3 * Math.sqrt(count), count / 3))));
}
