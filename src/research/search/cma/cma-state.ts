// The state of CMA-ES after some generations: where it looks next, and how widely in each direction. Must never depend on anything but
// the points of those generations, best first.
import type { CmaSettings } from './cma-settings.ts';
import { type Eigen, type Matrix, eigenOf, identityOf } from './symmetric-matrix.ts';

/** The state before a generation. Names in parentheses are those of Hansen's tutorial. */
export interface CmaState {
  /** Generations before. */
  readonly generations: number;
  /** Center of the search (m). */
  readonly mean: readonly number[];
  /** Length of a step (σ). */
  readonly step: number;
  /** Covariance of steps (C), and its eigenvalues and eigenvectors. */
  readonly covariance: Matrix;
  readonly eigen: Eigen;
  /** Paths of the step's length and of the covariance (p_σ, p_c). */
  readonly stepPath: readonly number[];
  readonly covariancePath: readonly number[];
}

/** Eigenvalues are not below this. */
const LEAST_VARIANCE = 1e-14;

/** Returns the state before the first generation. */
export function firstState(mean: readonly number[], step: number): CmaState {
  const zeros = mean.map(() => 0);
  const covariance = identityOf(mean.length);
  const eigen = { values: mean.map(() => 1), vectors: covariance };
  return { generations: 0, mean, step, covariance, eigen, stepPath: zeros, covariancePath: zeros };
}

const at = (vector: readonly number[], i: number): number => vector[i] ?? 0;
const lengthOf = (vector: readonly number[]): number => Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
const deviation = (variance: number): number => Math.sqrt(Math.max(LEAST_VARIANCE, variance));

/** Σ wᵢ yᵢ, over as many vectors as there are weights. */
const weightedSum = (weights: readonly number[], vectors: Matrix): number[] =>
  (vectors[0] ?? []).map((_, d) => weights.reduce((sum, weight, i) => sum + weight * at(vectors[i] ?? [], d), 0));

/** Scales a vector along each eigenvector by `factor` of the deviation there. */
function scaleAlongAxes(
  { values, vectors }: Eigen,
  y: readonly number[],
  factor: (deviation: number) => number,
): number[] {
  const turned = values.map((value, axis) => {
    const along = y.reduce((sum, x, d) => sum + at(vectors[d] ?? [], axis) * x, 0);
    return along * factor(deviation(value));
  });
  return vectors.map((row) => row.reduce((sum, x, axis) => sum + x * at(turned, axis), 0));
}

/** Returns the point of a standard normal vector: m + σ B D z. */
export function pointOf({ mean, step, eigen }: CmaState, z: readonly number[]): readonly number[] {
  const scaled = eigen.values.map((value, axis) => deviation(value) * at(z, axis));
  return mean.map(
    (x, d) => x + step * (eigen.vectors[d] ?? []).reduce((sum, v, axis) => sum + v * at(scaled, axis), 0),
  );
}

/**
 * Returns the state after a generation.
 * @param points Points of the generation, best first. The source is Hansen, arXiv:1604.00772, equations 38 to 47.
 */
export function nextState(settings: CmaSettings, state: CmaState, points: Matrix): CmaState {
  const { weights, effective, stepRate, stepDamping, pathRate, expectedLength } = settings;
  const steps = points.map((point) => point.map((x, d) => (x - at(state.mean, d)) / state.step));
  const mainStep = weightedSum(weights, steps);
  const whitened = scaleAlongAxes(state.eigen, mainStep, (axis) => 1 / axis);
  const stepGain = Math.sqrt(stepRate * (2 - stepRate) * effective);
  const stepPath = state.stepPath.map((p, d) => (1 - stepRate) * p + stepGain * at(whitened, d));
  const isSteady = hasSteadyPath(settings, stepPath, state.generations + 1);
  const pathGain = isSteady ? Math.sqrt(pathRate * (2 - pathRate) * effective) : 0;
  const covariancePath = state.covariancePath.map((p, d) => (1 - pathRate) * p + pathGain * at(mainStep, d));
  const covariance = nextCovariance(settings, state.covariance, { steps, covariancePath, isSteady });
  return {
    generations: state.generations + 1,
    mean: state.mean.map((x, d) => x + state.step * at(mainStep, d)),
    step: state.step * Math.exp((stepRate / stepDamping) * (lengthOf(stepPath) / expectedLength - 1)),
    covariance,
    eigen: eigenOf(covariance),
    stepPath,
    covariancePath,
  };
}

/** False while the step grows fast: the path of the covariance then stands still (h_σ). */
function hasSteadyPath(settings: CmaSettings, stepPath: readonly number[], generation: number): boolean {
  const { stepRate, dimensions, expectedLength } = settings;
  const remaining = Math.exp(2 * generation * Math.log(1 - stepRate));
  return lengthOf(stepPath) / Math.sqrt(1 - remaining) < (1.4 + 2 / (dimensions + 1)) * expectedLength;
}

/** The parts of a generation from which the covariance learns. */
interface CovarianceParts {
  readonly steps: Matrix;
  readonly covariancePath: readonly number[];
  readonly isSteady: boolean;
}

function nextCovariance(settings: CmaSettings, old: Matrix, parts: CovarianceParts): Matrix {
  const { weights, pathRate, rankOneRate, rankManyRate } = settings;
  const { steps, covariancePath: path } = parts;
  const lost = parts.isSteady ? 0 : rankOneRate * pathRate * (2 - pathRate);
  const kept = 1 + lost - rankOneRate - rankManyRate;
  return old.map((row, i) =>
    row.map((x, j) => {
      const spread = weights.reduce(
        (sum, weight, k) => sum + weight * at(steps[k] ?? [], i) * at(steps[k] ?? [], j),
        0,
      );
      return kept * x + rankOneRate * at(path, i) * at(path, j) + rankManyRate * spread;
    }),
  );
}
