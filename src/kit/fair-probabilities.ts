// Converts quoted prices of exclusive outcomes to probabilities that sum to one, which removes the margin. Must never
// be used for outcomes that may all fail: where the quotes sum to less than a dollar, the rest may then be the chance
// that none of them happens.
import { assert } from '../base/assert.ts';
import { type Probability, probability } from '../domain/units.ts';

/**
 * Method that removes the margin. `proportional` divides each probability by their sum. `power` raises each to the same
 * power, which takes more from longshots. `shin` assumes that bookmakers guard against insiders, which also takes more
 * from longshots.
 */
export type MarginMethod = 'proportional' | 'power' | 'shin';

/** Number of halvings after which an interval cannot become smaller in floating point. */
const HALVINGS = 100;

/**
 * Returns probabilities that sum to one, for outcomes of which exactly one happens, from the probabilities that their
 * prices imply.
 *
 * `power` (S. Clarke, S. Kovalchik, M. Ingram 2017, “Adjusting bookmaker's odds to allow for overround”) finds the
 * exponent that makes the powers sum to one. `shin` (H. S. Shin 1993, “Measuring the incidence of insider trading in a
 * market for state-contingent claims”, solved as B. Jullien and B. Salanié 1994) gives the same as `proportional` where
 * there is no margin.
 * @throws {AssertionFault} unless at least one is positive and, with `power` and `shin`, each is less than one.
 * @example
 * import { fairProbabilities, probability } from 'presage-trading';
 *
 * const quoted = [probability(0.5), probability(0.4), probability(0.15)];
 * fairProbabilities(quoted); // [0.476, 0.381, 0.143]
 * fairProbabilities(quoted, 'power'); // [0.48, 0.38, 0.14]
 */
export function fairProbabilities(
  implied: readonly Probability[],
  method: MarginMethod = 'proportional',
): readonly Probability[] {
  const quotedTotal = sum(implied);
  assert(quotedTotal > 0, `none of ${implied.length} outcomes is quoted above zero`);
  if (method === 'proportional') return normalize(implied);
  assert(
    implied.every((each) => each < 1),
    `an outcome is quoted at a dollar: ${implied.join(', ')}`,
  );
  return normalize(method === 'power' ? byPower(implied, quotedTotal) : byShin(implied, quotedTotal));
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

function normalize(values: readonly number[]): readonly Probability[] {
  const total = sum(values);
  return values.map((each) => probability(Math.min(1, each / total)));
}

function byPower(implied: readonly number[], quotedTotal: number): readonly number[] {
  const raise = (exponent: number): readonly number[] =>
    implied.map((each) => (each === 0 ? 0 : Math.exp(Math.log(each) * exponent)));
  // The sum of powers falls as the exponent grows. The exponent is above one where the quotes sum to more than one.
  let high = 1;
  if (quotedTotal > 1) while (sum(raise(high)) > 1) high *= 2;
  return raise(rootOf((exponent) => sum(raise(exponent)) - 1, high));
}

function byShin(implied: readonly number[], quotedTotal: number): readonly number[] {
  if (quotedTotal <= 1) return implied;
  const compute = (insiders: number): readonly number[] =>
    implied.map((each) => {
      const root = Math.sqrt(insiders * insiders + (4 * (1 - insiders) * each * each) / quotedTotal);
      return (root - insiders) / (2 * (1 - insiders));
    });
  return compute(rootOf((insiders) => sum(compute(insiders)) - 1, 1));
}

/** The point between 0 and a bound where a falling function crosses zero. */
function rootOf(falling: (x: number) => number, bound: number): number {
  let low = 0;
  let high = bound;
  for (let i = 0; i < HALVINGS && high - low > Number.EPSILON * high; i++) {
    const middle = (low + high) / 2;
    if (falling(middle) > 0) low = middle;
    else high = middle;
  }
  return low;
}
