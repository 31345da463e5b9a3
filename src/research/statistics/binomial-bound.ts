// Bounds on a probability that is known by a count alone. Must never be used for counts that depend on one another.
import jstat from 'jstat';

// Node finds no named export in this package, which is CommonJS.
const { jStat } = jstat;

/**
 * Largest probability with which `found` of `all` is not too few, at a confidence such as 0.95 (C. J. Clopper and E. S. Pearson,
 * “The use of confidence or fiducial limits illustrated in the case of the binomial”, 1934). Returns 1 where all were found.
 */
export function binomialUpperBound({ found, all }: { found: number; all: number }, confidence: number): number {
  return found >= all ? 1 : jStat.beta.inv(confidence, found + 1, all - found);
}
