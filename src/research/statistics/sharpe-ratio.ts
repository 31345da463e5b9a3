// The Sharpe ratio over event groups: its probability of exceeding a benchmark, and the groups that this needs. Must
// never be annualized: the groups are the observations.
import { normalCdf, normalQuantile } from './normal.ts';

/** Figures of one trial over event groups. */
export interface ReturnFigures {
  readonly groups: number;
  readonly mean: number;
  /** Standard deviation with n − 1. */
  readonly sd: number;
  /** Mean / standard deviation, per group. */
  readonly sharpe: number;
  /** Population skewness. */
  readonly skewness: number;
  /** Population kurtosis; 3 for a normal distribution. */
  readonly kurtosis: number;
}

/** Spread below this share of the values' size is a rounding error. */
const SPREAD_MIN = 1e-12;

/**
 * Describes values by group.
 * @returns `null` for fewer than two groups, or for values without spread.
 */
export function returnFigures(values: ArrayLike<number>): ReturnFigures | null {
  const all = Float64Array.from(values);
  const groups = all.length;
  const mean = all.reduce((sum, value) => sum + value, 0) / groups;
  const momentOf = (power: number): number => all.reduce((sum, value) => sum + (value - mean) ** power, 0) / groups;
  const variance = momentOf(2);
  const size = all.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (groups < 2 || Math.sqrt(variance) <= SPREAD_MIN * size) return null;
  const sd = Math.sqrt((variance * groups) / (groups - 1));
  return {
    groups,
    mean,
    sd,
    sharpe: mean / sd,
    skewness: momentOf(3) / variance ** 1.5,
    kurtosis: momentOf(4) / variance ** 2,
  };
}

/** The part of {@link ReturnFigures} that decides how well a Sharpe ratio is known. */
export type SharpeFigures = Pick<ReturnFigures, 'groups' | 'sharpe' | 'skewness' | 'kurtosis'>;

/** The least factor: with two possible results it can fall to 0. */
const FACTOR_MIN = 1e-12;

/**
 * Variance of an estimated Sharpe ratio times (groups − 1): 1 − γ₃·SR + (γ₄ − 1)/4·SR².
 * @see E. Mertens, 2002; as in D. Bailey, M. López de Prado, "The Sharpe ratio efficient frontier", Journal of Risk
 * 15(2), 2012.
 */
export const sharpeVarianceFactor = ({ sharpe, skewness, kurtosis }: SharpeFigures): number =>
  Math.max(FACTOR_MIN, 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2);

/**
 * Probability that the true Sharpe ratio exceeds a benchmark (PSR).
 * @see Bailey and López de Prado 2012, on the probabilistic Sharpe ratio.
 */
export function probabilisticSharpe(figures: SharpeFigures, benchmark: number): number {
  const distance = (figures.sharpe - benchmark) * Math.sqrt(figures.groups - 1);
  return normalCdf(distance / Math.sqrt(sharpeVarianceFactor(figures)));
}

/**
 * Minimum track record length: the groups after which the probability of exceeding a benchmark is 1 − `alpha`, at
 * the same figures.
 * @param alpha Accepted probability of an error. @default 0.05
 * @returns Infinity when the ratio does not exceed the benchmark.
 * @see Bailey and López de Prado 2012, on the minimum track record length.
 */
export function minimumTrackRecord(figures: SharpeFigures, benchmark: number, alpha = 0.05): number {
  if (figures.sharpe <= benchmark) return Number.POSITIVE_INFINITY;
  return 1 + sharpeVarianceFactor(figures) * (normalQuantile(1 - alpha) / (figures.sharpe - benchmark)) ** 2;
}
