// The reality check and the test of superior predictive ability (SPA): is the best of many strategies better than not
// trading? Must never decide a verdict: with few groups both reject too often.
import { columnMeans } from './overfitting/half-scores.ts';
import type { ResamplePlan } from './resampling.ts';
import type { TrialMatrix } from './trial-matrix.ts';

/** SPA is not shown below this number of groups: with 30 it rejects 21 to 24 of 100 useless choices at a level of 5 %. */
export const SUPERIORITY_GROUPS_MIN = 60;

/** The statistics of each resample. */
export interface ResampledMaxima {
  readonly reality: Float64Array;
  readonly lower: Float64Array;
  readonly consistent: Float64Array;
  readonly upper: Float64Array;
}

/** Results of both tests. Each `p` is a share of resamples. */
export interface Superiority {
  /** max √n·d̄. */
  readonly realityStatistic: number;
  readonly realityP: number;
  /** max(0, max √n·d̄/ω). */
  readonly superiorStatistic: number;
  readonly lowerP: number;
  /** The one that Hansen recommends. */
  readonly consistentP: number;
  readonly upperP: number;
  /** Standard deviation ω of each strategy's √n·d̄; 0 for one that never varies. */
  readonly spreads: Float64Array;
  readonly resampled: ResampledMaxima;
}

/**
 * Weight of the autocovariance at a lag in the variance that the stationary bootstrap gives a mean.
 * @see D. Politis, J. Romano, JASA 89, 1994; P. Hansen 2005, section 3.
 */
const lagWeight = (lag: number, count: number, restart: number): number =>
  ((count - lag) / count) * (1 - restart) ** lag + (lag / count) * (1 - restart) ** (count - lag);

/** Standard deviation of √n·mean of each column, under the stationary bootstrap. */
function spreadsOf(matrix: TrialMatrix, means: Float64Array, restart: number): Float64Array {
  const { groups, trials, over } = matrix;
  const variances = new Float64Array(trials);
  for (let lag = 0; lag < groups; lag++) {
    const weight = (lag === 0 ? 1 : 2 * lagWeight(lag, groups, restart)) / groups;
    if (weight === 0) continue;
    for (let row = lag; row < groups; row++)
      for (let k = 0; k < trials; k++) {
        const mean = means[k] ?? 0;
        const earlier = (over[(row - lag) * trials + k] ?? 0) - mean;
        variances[k] = (variances[k] ?? 0) + weight * earlier * ((over[row * trials + k] ?? 0) - mean);
      }
  }
  const squares = columnMeans({ ...matrix, over: over.map((value) => value * value) });
  return variances.map((variance, k) => (variance <= 1e-12 * (squares[k] ?? 0) ? 0 : Math.sqrt(variance)));
}

/** How to test. */
export interface SuperiorityOptions {
  /** Resamples of the rows. */
  readonly plan: ResamplePlan;
  /** Probability with which the plan's blocks end after a group; 1 when groups are drawn independently. */
  readonly restart: number;
}

/**
 * Tests every column, the gain of a strategy over the benchmark by group. Not trading is the benchmark 0.
 * @see H. White, "A reality check for data snooping", Econometrica 68, 2000; P. Hansen, "A test for superior
 * predictive ability", Journal of Business & Economic Statistics 23, 2005, sections 2 and 3.
 */
export function testSuperiority(matrix: TrialMatrix, { plan, restart }: SuperiorityOptions): Superiority {
  const root = Math.sqrt(matrix.groups);
  const means = columnMeans(matrix);
  const spreads = spreadsOf(matrix, means, restart);
  const resampled = resampleMaxima(matrix, plan, { means, spreads, recenters: recentersOf(means, spreads, root) });
  const realityStatistic = root * means.reduce((most, mean) => Math.max(most, mean), Number.NEGATIVE_INFINITY);
  const scale = spreads.map((spread) => (spread > 0 ? root / spread : 0));
  const superiorStatistic = means.reduce((most, mean, k) => Math.max(most, mean * (scale[k] ?? 0)), 0);
  const shareFrom = (values: Float64Array, bound: number): number =>
    values.reduce((count, value) => count + Number(value >= bound), 0) / values.length;
  return {
    realityStatistic,
    realityP: shareFrom(resampled.reality, realityStatistic),
    superiorStatistic,
    lowerP: shareFrom(resampled.lower, superiorStatistic),
    consistentP: shareFrom(resampled.consistent, superiorStatistic),
    upperP: shareFrom(resampled.upper, superiorStatistic),
    spreads,
    resampled,
  };
}

/** The values that are subtracted from each strategy's resampled mean. */
interface Recenters {
  readonly lower: Float64Array;
  readonly consistent: Float64Array;
  readonly upper: Float64Array;
}

/**
 * The three ways to recenter.
 * @see P. Hansen 2005, on the threshold −ω·√(2 ln ln n / n).
 */
function recentersOf(means: Float64Array, spreads: Float64Array, root: number): Recenters {
  const count = root * root;
  const threshold = Math.sqrt((2 * Math.log(Math.log(count))) / count);
  return {
    lower: means.map((mean) => Math.max(0, mean)),
    consistent: means.map((mean, k) => (mean >= -(spreads[k] ?? 0) * threshold ? mean : 0)),
    upper: means,
  };
}

interface MaximaParts {
  readonly means: Float64Array;
  readonly spreads: Float64Array;
  readonly recenters: Recenters;
}

function resampleMaxima(matrix: TrialMatrix, plan: ResamplePlan, parts: MaximaParts): ResampledMaxima {
  const { reality, lower, consistent, upper } = {
    reality: new Float64Array(plan.count),
    lower: new Float64Array(plan.count),
    consistent: new Float64Array(plan.count),
    upper: new Float64Array(plan.count),
  };
  const chosen = new Int32Array(matrix.groups);
  const resampledMeans = new Float64Array(matrix.trials);
  const root = Math.sqrt(matrix.groups);
  // A strategy that never varies has no ratio: its scale is 0, and so is its part in the maximum.
  const scale = parts.spreads.map((spread) => (spread > 0 ? root / spread : 0));
  const ones = scale.map(() => root);
  for (let i = 0; i < plan.count; i++) {
    plan.writeNext(chosen);
    writeMeans(matrix, chosen, resampledMeans);
    reality[i] = largestOf(resampledMeans, parts.means, ones);
    lower[i] = Math.max(0, largestOf(resampledMeans, parts.recenters.lower, scale));
    consistent[i] = Math.max(0, largestOf(resampledMeans, parts.recenters.consistent, scale));
    upper[i] = Math.max(0, largestOf(resampledMeans, parts.recenters.upper, scale));
  }
  return { reality, lower, consistent, upper };
}

/** Means of the columns over chosen rows. Each row is added once, times the number of times that it was chosen. */
function writeMeans({ groups, trials, over }: TrialMatrix, chosen: Int32Array, into: Float64Array): void {
  const times = new Int32Array(groups);
  for (const row of chosen) times[row] = (times[row] ?? 0) + 1;
  into.fill(0);
  for (let row = 0; row < groups; row++) {
    const weight = (times[row] ?? 0) / groups;
    if (weight === 0) continue;
    const start = row * trials;
    for (let k = 0; k < trials; k++) into[k] = (into[k] ?? 0) + weight * (over[start + k] ?? 0);
  }
}

/** Largest of (value − center) × scale. */
function largestOf(values: Float64Array, centers: Float64Array, scales: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < values.length; k++) {
    const found = ((values[k] ?? 0) - (centers[k] ?? 0)) * (scales[k] ?? 0);
    if (found > largest) largest = found;
  }
  return largest;
}
