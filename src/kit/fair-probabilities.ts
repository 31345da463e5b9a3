// Converts quoted prices of exclusive outcomes to probabilities that sum to one. This removes the margin. Must never be
// used for outcomes that may all fail: a sum below one dollar may then be right.
import { AssertionFault, assert } from '../base/assert.ts';
import { didYouMean } from '../base/near-name.ts';
import { type Probability, probability } from '../domain/units.ts';

/**
 * Names the method that removes the margin. With `proportional`, each probability is divided by their sum. With
 * `power`, each is raised to the same power. With `shin`, bookmakers are assumed to guard against insiders. `power` and
 * `shin` take more from longshots.
 */
export type MarginMethod = 'proportional' | 'power' | 'shin';

const METHODS: readonly MarginMethod[] = ['proportional', 'power', 'shin'];

/** Number of halvings of an interval, more than floating point can resolve. */
const HALVINGS = 100;

/**
 * Returns probabilities that sum to one, from the probabilities that prices imply. Exactly one of the outcomes must
 * happen.
 *
 * `power` finds the exponent that makes the powers sum to one. Source: S. Clarke, S. Kovalchik, M. Ingram 2017,
 * “Adjusting bookmaker's odds to allow for overround”. `shin` equals `proportional` when there is no margin. Source: H.
 * S. Shin 1993, “Measuring the incidence of insider trading in a market for state-contingent claims”, solved as B.
 * Jullien and B. Salanié 1994.
 * @throws {AssertionFault} unless a probability is positive. With `power` and `shin`, each must be less than one. Also
 *   for an unknown method.
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
  if (!METHODS.includes(method)) refuseMethod(method);
  const quotedTotal = sum(implied);
  assert(quotedTotal > 0, `none of ${implied.length} outcomes is quoted above zero`);
  if (method === 'proportional') return normalize(implied);
  assert(
    implied.every((each) => each < 1),
    `an outcome is quoted at a dollar: ${implied.join(', ')}`,
  );
  return normalize(method === 'power' ? byPower(implied, quotedTotal) : byShin(implied, quotedTotal));
}

/** A strategy in JavaScript has no compiler to refuse another method. */
function refuseMethod(method: unknown): never {
  const isText = typeof method === 'string';
  const found = isText ? `${method}${didYouMean(method, METHODS)}` : (JSON.stringify(method) ?? 'nothing');
  throw new AssertionFault(`method: expected one of ${METHODS.join(', ')}, found ${found}`);
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

function normalize(values: readonly number[]): readonly Probability[] {
  const total = sum(values);
  return values.map((each) => probability(Math.min(1, each / total)));
}

function byPower(implied: readonly number[], quotedTotal: number): readonly number[] {
  const raise = (exponent: number): readonly number[] =>
    implied.map((each) => (each === 0 ? 0 : Math.exp(Math.log(each) * exponent)));
  // The sum of powers falls as the exponent grows. When the quotes sum to more than one, the exponent is above one.
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

/** Returns the point between 0 and `bound` where a falling function crosses zero. */
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
