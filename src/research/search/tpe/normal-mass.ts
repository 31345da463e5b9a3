// Probabilities of intervals under the normal distribution, exact in the tails. Must use no function but `Math.exp`, `Math.log`,
// `Math.log1p` and `Math.sqrt`, so that proposals are the same on every release of Node.

// Rational approximations of W. J. Cody, Rational Chebyshev Approximations for the Error Function, Mathematics of Computation 23,
// 1969. Polynomials are written out: a loop over their coefficients takes four times as long.

function nearTop(x: number): number {
  let sum = 1.85777706184603153e-1 * x + 3.1611237438705656;
  sum = sum * x + 1.13864154151050156e2;
  sum = sum * x + 3.77485237685302021e2;
  sum = sum * x + 3.20937758913846947e3;
  return sum;
}

function nearBottom(x: number): number {
  let sum = 1 * x + 2.36012909523441209e1;
  sum = sum * x + 2.44024637934444173e2;
  sum = sum * x + 1.28261652607737228e3;
  sum = sum * x + 2.84423683343917062e3;
  return sum;
}

function middleTop(x: number): number {
  let sum = 2.15311535474403846e-8 * x + 5.64188496988670089e-1;
  sum = sum * x + 8.88314979438837594;
  sum = sum * x + 6.61191906371416295e1;
  sum = sum * x + 2.98635138197400131e2;
  sum = sum * x + 8.8195222124176909e2;
  sum = sum * x + 1.71204761263407058e3;
  sum = sum * x + 2.05107837782607147e3;
  sum = sum * x + 1.23033935479799725e3;
  return sum;
}

function middleBottom(x: number): number {
  let sum = 1 * x + 1.57449261107098347e1;
  sum = sum * x + 1.17693950891312499e2;
  sum = sum * x + 5.37181101862009858e2;
  sum = sum * x + 1.62138957456669019e3;
  sum = sum * x + 3.29079923573345963e3;
  sum = sum * x + 4.36261909014324716e3;
  sum = sum * x + 3.43936767414372164e3;
  sum = sum * x + 1.23033935480374942e3;
  return sum;
}

function farTop(x: number): number {
  let sum = 1.63153871373020978e-2 * x + 3.05326634961232344e-1;
  sum = sum * x + 3.60344899949804439e-1;
  sum = sum * x + 1.25781726111229246e-1;
  sum = sum * x + 1.60837851487422766e-2;
  sum = sum * x + 6.58749161529837803e-4;
  return sum;
}

function farBottom(x: number): number {
  let sum = 1 * x + 2.56852019228982242;
  sum = sum * x + 1.87295284992346725;
  sum = sum * x + 5.27905102951428412e-1;
  sum = sum * x + 6.05183413124413191e-2;
  sum = sum * x + 2.33520497626869185e-3;
  return sum;
}

const ROOT_OF_PI = 1.772453850905516;
const NEAR = 0.46875;
const MIDDLE = 4;

/** The error function near 0: |x| ≤ 0.46875. */
const erfNear = (x: number): number => (x * nearTop(x * x)) / nearBottom(x * x);

/** exp(x²) erfc(x) for x ≥ 0. */
function scaledErfc(x: number): number {
  if (x <= NEAR) return Math.exp(x * x) * (1 - erfNear(x));
  if (x <= MIDDLE) return middleTop(x) / middleBottom(x);
  const inverse = 1 / (x * x);
  return (1 / ROOT_OF_PI - (inverse * farTop(inverse)) / farBottom(inverse)) / x;
}

/** Probability that a standard normal value exceeds `x`. */
function upperTail(x: number): number {
  const y = x * Math.SQRT1_2;
  if (Math.abs(y) <= NEAR) return 0.5 - 0.5 * erfNear(y);
  const tail = 0.5 * Math.exp(-y * y) * scaledErfc(Math.abs(y));
  return y > 0 ? tail : 1 - tail;
}

/** Probability that a standard normal value is at most `x`. */
export const normalProbability = (x: number): number => upperTail(-x);

/** Logarithm of the probability that a standard normal value exceeds `x`, x ≥ 0. */
const logUpperTail = (x: number): number => Math.log(0.5 * scaledErfc(x * Math.SQRT1_2)) - (x * x) / 2;

/**
 * Logarithm of the probability that a standard normal value lies between `a` and `b`, a < b. Source: `_log_gauss_mass` of
 * Optuna's `samplers/_tpe/_truncnorm.py`, with Cody's functions.
 */
export function logNormalMass(a: number, b: number): number {
  if (b <= 0) return logNormalMass(-b, -a);
  if (a <= 0) return Math.log(1 - upperTail(-a) - upperTail(b));
  const upper = logUpperTail(a);
  return upper + Math.log1p(-Math.exp(logUpperTail(b) - upper));
}
