// Kernels of a numeric parameter: a truncated normal density around each observed value, and a wide one over the range. Must
// never put weight outside of the range.
import { normalQuantile } from '../../statistics/normal.ts';
import { type NumericRange, type NumericScale, nearestValue, scaleOf } from '../space/param-values.ts';
import type { DrawUniform } from '../trial-random.ts';
import { logNormalMass, normalProbability } from './normal-mass.ts';

const LOG_ROOT_OF_TWO_PI = 0.9189385332046727;
/** The narrowest kernel has this share of the range, if there are kernels enough. */
const NARROWEST = 100;

/**
 * Returns the widths of kernels around observations: each the larger distance to its neighbors, or to the ends of the range;
 * the outermost two the distance to their only neighbor. None is below the range/min(100, 2 + m), nor above the range. The source is
 * `_calculate_numerical_distributions` of Optuna's `samplers/_tpe/parzen_estimator.py` (`consider_endpoints=False`, "magic clip").
 */
export function kernelWidths(observed: Float64Array, { low, high }: NumericScale): Float64Array {
  const sorted = observed.toSorted();
  const equalsBefore = new Uint32Array(sorted.length);
  const last = sorted.length - 1;
  const narrowest = (high - low) / Math.min(NARROWEST, 2 + sorted.length);
  const widths = new Float64Array(sorted.length);
  for (let i = 0; i <= last; i++) {
    const value = observed[i] ?? 0;
    const first = firstPlace(sorted, value);
    const equals = equalsBefore[first] ?? 0;
    equalsBefore[first] = equals + 1;
    const place = first + equals;
    const toLeft = place > 0 ? value - (sorted[place - 1] ?? 0) : last > 0 ? 0 : value - low;
    const toRight = place < last ? (sorted[place + 1] ?? 0) - value : last > 0 ? 0 : high - value;
    widths[i] = Math.min(high - low, Math.max(narrowest, toLeft, toRight));
  }
  return widths;
}

/** The first place of a value among sorted ones. */
function firstPlace(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Kernels of one parameter. */
interface Kernels {
  readonly centers: Float64Array;
  readonly widths: Float64Array;
}

/** Kernels that differ, and for each observation, then the prior, its kernel. */
interface DistinctKernels extends Kernels {
  readonly kernelOf: Int32Array;
}

/** Whole numbers repeat, so few of their kernels differ: the mass of a value is computed once for each of these. */
function distinctKernels({ centers, widths }: Kernels): DistinctKernels {
  const numbers = new Map<number, Map<number, number>>();
  const first: number[] = [];
  const kernelOf = new Int32Array(centers.length);
  for (let i = 0; i < centers.length; i++) {
    const [center, width] = [centers[i] ?? 0, widths[i] ?? 1];
    const byWidth = numbers.get(center) ?? new Map<number, number>();
    numbers.set(center, byWidth);
    kernelOf[i] = byWidth.get(width) ?? first.length;
    if (kernelOf[i] === first.length) first.push(i);
    byWidth.set(width, kernelOf[i] ?? 0);
  }
  const pick = (all: Float64Array): Float64Array => Float64Array.from(first, (i) => all[i] ?? 0);
  return { centers: pick(centers), widths: pick(widths), kernelOf };
}

/** The kernels of observed values, and last the prior. */
function kernelsOf(values: readonly number[], scale: NumericScale): Kernels {
  const { low, high, isLog } = scale;
  const count = values.length;
  const centers = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) centers[i] = isLog ? Math.log(values[i] ?? 1) : (values[i] ?? 0);
  const widths = new Float64Array(count + 1);
  widths.set(kernelWidths(centers.subarray(0, count), scale));
  centers[count] = (low + high) / 2;
  widths[count] = high - low;
  return { centers, widths };
}

/** Logarithm of what each kernel's density is divided by. */
function logNormsOf({ centers, widths }: Kernels, { low, high, step }: NumericScale): Float64Array {
  const norms = new Float64Array(centers.length);
  for (let i = 0; i < norms.length; i++) {
    const [center, width] = [centers[i] ?? 0, widths[i] ?? 1];
    const logMass = logNormalMass((low - center) / width, (high - center) / width);
    norms[i] = step === null ? logMass + Math.log(width) + LOG_ROOT_OF_TWO_PI : logMass;
  }
  return norms;
}

/** The kernels of one numeric parameter. The last is the prior: in the middle, as wide as the range. */
export class NumericKernels {
  readonly #range: NumericRange;
  readonly #scale: NumericScale;
  readonly #centers: Float64Array;
  readonly #widths: Float64Array;
  readonly #logNorms: Float64Array;
  /** For each observation, then the prior, its kernel; `null` when each has its own. */
  readonly #kernelOf: Int32Array | null;
  /** Logarithms of masses by value, for each kernel. */
  readonly #known = new Map<number, Float64Array>();

  /** @param values Observed values of the parameter. */
  constructor(range: NumericRange, values: readonly number[]) {
    const scale = scaleOf(range);
    const kernels = kernelsOf(values, scale);
    const distinct = scale.step === null ? null : distinctKernels(kernels);
    this.#range = range;
    this.#scale = scale;
    this.#kernelOf = distinct?.kernelOf ?? null;
    ({ centers: this.#centers, widths: this.#widths } = distinct ?? kernels);
    this.#logNorms = logNormsOf(distinct ?? kernels, scale);
  }

  /** Adds to each kernel's sum the logarithm of its density at a value, or of its mass when the range has a step. */
  addLogDensities(value: number, sums: Float64Array): void {
    const { step, isLog } = this.#scale;
    const kernelOf = this.#kernelOf;
    if (step === null || kernelOf === null) {
      this.#addContinuous(isLog ? Math.log(value) : value, sums);
      return;
    }
    const masses = this.#logMasses(value, step);
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (masses[kernelOf[i] ?? 0] ?? 0);
  }

  #addContinuous(x: number, sums: Float64Array): void {
    const [centers, widths, logNorms] = [this.#centers, this.#widths, this.#logNorms];
    for (let i = 0; i < sums.length; i++) {
      const z = (x - (centers[i] ?? 0)) / (widths[i] ?? 1);
      sums[i] = (sums[i] ?? 0) - 0.5 * z * z - (logNorms[i] ?? 0);
    }
  }

  #logMasses(value: number, step: number): Float64Array {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const { isLog } = this.#scale;
    const from = isLog ? Math.log(value - step / 2) : value - step / 2;
    const to = isLog ? Math.log(value + step / 2) : value + step / 2;
    const masses = this.#centers.map((center, i) => {
      const width = this.#widths[i] ?? 1;
      return logNormalMass((from - center) / width, (to - center) / width) - (this.#logNorms[i] ?? 0);
    });
    this.#known.set(value, masses);
    return masses;
  }

  /** Draws a value from the kernel of one observation, or from the prior. */
  drawValue(observation: number, draw: DrawUniform): number {
    const { low, high, isLog } = this.#scale;
    const kernel = this.#kernelOf?.[observation] ?? observation;
    const [center, width] = [this.#centers[kernel] ?? 0, this.#widths[kernel] ?? 1];
    const below = normalProbability((low - center) / width);
    const within = normalProbability((high - center) / width) - below;
    const p = Math.min(1 - Number.EPSILON, Math.max(Number.MIN_VALUE, below + draw() * within));
    const x = Math.min(high, Math.max(low, center + width * normalQuantile(p)));
    return nearestValue(this.#range, isLog ? Math.exp(x) : x);
  }
}
