// Kernels of a numeric parameter: a truncated normal density around each observed value, and a wide one over the range. Must
// never put weight outside of the range.
import { normalQuantile } from '../../statistics/normal.ts';
import { type NumericRange, type NumericScale, nearestValue, scaleOf } from '../space/domain-values.ts';
import type { DrawUniform } from '../trial-random.ts';
import { logNormalMass, normalProbability } from './normal-mass.ts';

const LOG_ROOT_OF_TWO_PI = 0.9189385332046727;
/** The narrowest kernel has this share of the range, if there are kernels enough. */
const NARROWEST = 100;

/**
 * Returns the widths of kernels around observations: each the larger distance to its neighbors, or to the ends of the range;
 * the outermost two the distance to their only neighbor. None is below the range/min(100, 2 + m), nor above the range. Source:
 * `_calculate_numerical_distributions` of Optuna's `samplers/_tpe/parzen_estimator.py` (`consider_endpoints=False`, "magic clip").
 */
export function kernelWidths(observed: Float64Array, { low, high }: NumericScale): Float64Array {
  const last = observed.length - 1;
  const sequence = Array.from(observed, (_, i) => i).sort((a, b) => (observed[a] ?? 0) - (observed[b] ?? 0) || a - b);
  const valueOf = (place: number): number => observed[sequence[place] ?? 0] ?? 0;
  const narrowest = (high - low) / Math.min(NARROWEST, 2 + observed.length);
  const widths = new Float64Array(observed.length);
  sequence.forEach((i, place) => {
    const toLeft = place > 0 ? valueOf(place) - valueOf(place - 1) : last > 0 ? 0 : valueOf(place) - low;
    const toRight = place < last ? valueOf(place + 1) - valueOf(place) : last > 0 ? 0 : high - valueOf(place);
    widths[i] = Math.min(high - low, Math.max(narrowest, toLeft, toRight));
  });
  return widths;
}

/** Kernels that differ, and the number of the kernel that each observation has. */
interface DistinctKernels {
  readonly centers: Float64Array;
  readonly widths: Float64Array;
  /** Logarithm of what each kernel's density is divided by. */
  readonly logNorms: Float64Array;
  /** For each observation, then the prior, its kernel. */
  readonly kernelOf: Int32Array;
}

/** Whole numbers repeat, so few of their kernels differ: the mass of a value is computed once for each of these. */
function distinctKernels(centers: Float64Array, widths: Float64Array, scale: NumericScale): DistinctKernels {
  const numbers = new Map<number, Map<number, number>>();
  const first: number[] = [];
  const kernelOf = Int32Array.from(centers, (center, i) => {
    const byWidth = numbers.get(center) ?? new Map<number, number>();
    numbers.set(center, byWidth);
    const number = byWidth.get(widths[i] ?? 1) ?? first.length;
    if (number === first.length) first.push(i);
    byWidth.set(widths[i] ?? 1, number);
    return number;
  });
  const own = Float64Array.from(first, (i) => centers[i] ?? 0);
  const ownWidths = Float64Array.from(first, (i) => widths[i] ?? 1);
  return { centers: own, widths: ownWidths, logNorms: logNormsOf(own, ownWidths, scale), kernelOf };
}

const logNormsOf = (centers: Float64Array, widths: Float64Array, { low, high, step }: NumericScale): Float64Array =>
  centers.map((center, i) => {
    const width = widths[i] ?? 1;
    const logMass = logNormalMass((low - center) / width, (high - center) / width);
    return step === null ? logMass + Math.log(width) + LOG_ROOT_OF_TWO_PI : logMass;
  });

/** The kernels of one numeric parameter. The last is the prior: in the middle, as wide as the range. */
export class NumericKernels {
  readonly #range: NumericRange;
  readonly #scale: NumericScale;
  readonly #kernels: DistinctKernels;
  /** Logarithms of masses by value, for each kernel. */
  readonly #known = new Map<number, Float64Array>();
  readonly #own: Float64Array;

  /** @param values Observed values of the parameter. */
  constructor(range: NumericRange, values: readonly number[]) {
    const scale = scaleOf(range);
    const observed = Float64Array.from(values, scale.isLog ? Math.log : Number);
    const centers = Float64Array.of(...observed, (scale.low + scale.high) / 2);
    const widths = Float64Array.of(...kernelWidths(observed, scale), scale.high - scale.low);
    this.#range = range;
    this.#scale = scale;
    this.#kernels = distinctKernels(centers, widths, scale);
    this.#own = new Float64Array(this.#kernels.centers.length);
  }

  /** Adds to each kernel's sum the logarithm of its density at a value, or of its mass when the range has a step. */
  addLogDensities(value: number, sums: Float64Array): void {
    const { step, isLog } = this.#scale;
    const logarithms =
      step === null ? this.#logDensities(isLog ? Math.log(value) : value) : this.#logMasses(value, step);
    const { kernelOf } = this.#kernels;
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (logarithms[kernelOf[i] ?? 0] ?? 0);
  }

  #logDensities(x: number): Float64Array {
    const { centers, widths, logNorms } = this.#kernels;
    const own = this.#own;
    for (let i = 0; i < own.length; i++) {
      const z = (x - (centers[i] ?? 0)) / (widths[i] ?? 1);
      own[i] = -0.5 * z * z - (logNorms[i] ?? 0);
    }
    return own;
  }

  #logMasses(value: number, step: number): Float64Array {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const { widths, logNorms } = this.#kernels;
    const { isLog } = this.#scale;
    const from = isLog ? Math.log(value - step / 2) : value - step / 2;
    const to = isLog ? Math.log(value + step / 2) : value + step / 2;
    const masses = this.#kernels.centers.map((center, i) => {
      const width = widths[i] ?? 1;
      return logNormalMass((from - center) / width, (to - center) / width) - (logNorms[i] ?? 0);
    });
    this.#known.set(value, masses);
    return masses;
  }

  /** Draws a value from the kernel of one observation, or from the prior. */
  drawValue(observation: number, draw: DrawUniform): number {
    const { low, high, isLog } = this.#scale;
    const kernel = this.#kernels.kernelOf[observation] ?? 0;
    const [center, width] = [this.#kernels.centers[kernel] ?? 0, this.#kernels.widths[kernel] ?? 1];
    const below = normalProbability((low - center) / width);
    const within = normalProbability((high - center) / width) - below;
    const p = Math.min(1 - Number.EPSILON, Math.max(Number.MIN_VALUE, below + draw() * within));
    const x = Math.min(high, Math.max(low, center + width * normalQuantile(p)));
    return nearestValue(this.#range, isLog ? Math.exp(x) : x);
  }
}
