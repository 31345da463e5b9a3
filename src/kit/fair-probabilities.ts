// From quoted prices of outcomes that exclude one another to probabilities that sum to one: what takes the margin out.
// Must never be trusted with outcomes that may all fail: what is quoted short of a dollar may be the chance of none.
import { assert } from '../domain/assert.ts';
import { type Probability, probability } from '../domain/units.ts';

/**
 * How the margin is taken out. `proportional`: in proportion to the price. `power`: each to the same power, which takes
 * more from longshots. `shin`: as if bookmakers guarded against insiders, which does so too.
 */
export type MarginMethod = 'proportional' | 'power' | 'shin';

/** Halvings of an interval until it is as narrow as floating point tells apart. */
const HALVINGS = 100;

/**
 * Probabilities that sum to one, of outcomes of which exactly one happens, from the probabilities their prices imply.
 *
 * `power` (S. Clarke, S. Kovalchik, M. Ingram 2017, “Adjusting bookmaker's odds to allow for overround”): the exponent
 * that makes the powers sum to one. `shin` (H. S. Shin 1993, “Measuring the incidence of insider trading in a market for
 * state-contingent claims”, solved as B. Jullien and B. Salanié 1994): without a margin, as `proportional`.
 * @throws {AssertionFault} unless there is a positive one, and with `power` and `shin` each is less than one.
 */
export function fairProbabilities(
  implied: readonly Probability[],
  method: MarginMethod = 'proportional',
): readonly Probability[] {
  const booked = sum(implied);
  assert(booked > 0, `none of ${implied.length} outcomes is quoted above zero`);
  if (method === 'proportional') return normalized(implied);
  assert(
    implied.every((each) => each < 1),
    `an outcome is quoted at a dollar: ${implied.join(', ')}`,
  );
  return normalized(method === 'power' ? powered(implied, booked) : shinned(implied, booked));
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

function normalized(values: readonly number[]): readonly Probability[] {
  const total = sum(values);
  return values.map((each) => probability(Math.min(1, each / total)));
}

function powered(implied: readonly number[], booked: number): readonly number[] {
  const raise = (exponent: number): readonly number[] =>
    implied.map((each) => (each === 0 ? 0 : Math.exp(Math.log(each) * exponent)));
  // Powers fall as the exponent grows: above one where the quotes sum to more than one.
  let high = 1;
  if (booked > 1) while (sum(raise(high)) > 1) high *= 2;
  return raise(rootOf((exponent) => sum(raise(exponent)) - 1, high));
}

function shinned(implied: readonly number[], booked: number): readonly number[] {
  if (booked <= 1) return implied;
  const reckon = (insiders: number): readonly number[] =>
    implied.map((each) => {
      const root = Math.sqrt(insiders * insiders + (4 * (1 - insiders) * each * each) / booked);
      return (root - insiders) / (2 * (1 - insiders));
    });
  return reckon(rootOf((insiders) => sum(reckon(insiders)) - 1, 1));
}

/** Where a falling function crosses zero between 0 and a bound. */
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
