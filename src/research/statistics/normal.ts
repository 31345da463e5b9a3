// The normal distribution and Student's t: distribution functions and quantiles. Must never be replaced by the `probit` of
// simple-statistics, which is wrong in the third digit.
import jstat from 'jstat';

// Node finds no named export in this package, which is CommonJS.
const { jStat } = jstat;

/** Probability that a standard normal value is at most `x`. */
export const normalCdf = (x: number): number => jStat.normal.cdf(x, 0, 1);

/** Value that a standard normal value does not exceed with probability `p`, 0 < p < 1. */
export const normalQuantile = (p: number): number => jStat.normal.inv(p, 0, 1);

/** Probability that a value of Student's t is at most `x`. */
export const studentCdf = (x: number, freedom: number): number => jStat.studentt.cdf(x, freedom);

/** Value that a value of Student's t does not exceed with probability `p`, 0 < p < 1. */
export const studentQuantile = (p: number, freedom: number): number => jStat.studentt.inv(p, freedom);
