// Probabilities of intervals under the normal distribution, exact in the tails. Must use no function but `Math.exp`, `Math.log`
// and `Math.sqrt`, so that proposals are the same on every release of Node.

// Rational approximations by Cody, Rational Chebyshev Approximations for the Error Function, Mathematics of Computation 23,
// 1969. Polynomials are written out: a loop over their coefficients takes four times as long.

function nearTop(x: number): number {
  let sum = 0.18577770618460315 * x + 3.1611237438705655;
  sum = sum * x + 113.86415415105016;
  sum = sum * x + 377.485237685302;
  sum = sum * x + 3209.3775891384694;
  return sum;
}

function nearBottom(x: number): number {
  let sum = 1 * x + 23.601290952344122;
  sum = sum * x + 244.02463793444417;
  sum = sum * x + 1282.6165260773723;
  sum = sum * x + 2844.236833439171;
  return sum;
}

function middleTop(x: number): number {
  let sum = 2.1531153547440383e-8 * x + 0.5641884969886701;
  sum = sum * x + 8.883149794388377;
  sum = sum * x + 66.11919063714163;
  sum = sum * x + 298.6351381974001;
  sum = sum * x + 881.952221241769;
  sum = sum * x + 1712.0476126340707;
  sum = sum * x + 2051.0783778260716;
  sum = sum * x + 1230.3393547979972;
  return sum;
}

function middleBottom(x: number): number {
  let sum = 1 * x + 15.744926110709835;
  sum = sum * x + 117.6939508913125;
  sum = sum * x + 537.1811018620099;
  sum = sum * x + 1621.3895745666903;
  sum = sum * x + 3290.7992357334597;
  sum = sum * x + 4362.619090143247;
  sum = sum * x + 3439.3676741437216;
  sum = sum * x + 1230.3393548037495;
  return sum;
}

function farTop(x: number): number {
  let sum = 0.016315387137302097 * x + 0.30532663496123236;
  sum = sum * x + 0.36034489994980445;
  sum = sum * x + 0.12578172611122926;
  sum = sum * x + 0.016083785148742275;
  sum = sum * x + 0.0006587491615298378;
  return sum;
}

function farBottom(x: number): number {
  let sum = 1 * x + 2.568520192289822;
  sum = sum * x + 1.8729528499234673;
  sum = sum * x + 0.5279051029514285;
  sum = sum * x + 0.06051834131244132;
  sum = sum * x + 0.0023352049762686918;
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

/**
 * Logarithm of the probability that a standard normal value lies between `a` and `b`, a < b. The source is `_log_gauss_mass` of
 * Optuna's `samplers/_tpe/_truncnorm.py`, with Cody's functions.
 */
export function logNormalMass(a: number, b: number): number {
  if (b <= 0) return logNormalMass(-b, -a);
  if (a <= 0) return Math.log(1 - upperTail(-a) - upperTail(b));
  const rest = Math.exp(((a - b) * (a + b)) / 2) * scaledErfc(b * Math.SQRT1_2);
  return Math.log(0.5 * (scaledErfc(a * Math.SQRT1_2) - rest)) - (a * a) / 2;
}
