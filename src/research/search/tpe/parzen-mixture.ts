// A density over several parameters: a mixture with one component for each observed trial, and a prior. Must never forget the prior: a
// value that was never observed keeps some density.
import type { ParamValue } from '../../trial/study-trial.ts';
import type { Domain, SpaceParam } from '../search-space.ts';
import { optionIndex, valueAt } from '../space/param-values.ts';
import type { DrawUniform } from '../trial-random.ts';
import { ChoiceKernels } from './choice-kernels.ts';
import { NumericKernels } from './numeric-kernels.ts';

/** A value of each parameter, in the sequence of the parameters. */
export type ParamPoint = readonly ParamValue[];

/** A component of less than e^−50 of the largest changes no digit of the sum. */
const NEGLIGIBLE = -50;
/** The newest observations, all of weight 1. */
const NEWEST = 25;

/**
 * Returns the weights of observations, oldest first, not yet normalized: old ones weigh less. The source is `default_weights` of Optuna's
 * `samplers/_tpe/sampler.py`.
 */
export function observationWeights(count: number): readonly number[] {
  const ramp = count - NEWEST;
  const start = 1 / count;
  return Array.from({ length: count }, (_, i) => {
    if (i >= ramp) return 1;
    return ramp === 1 ? start : start + (i * (1 - start)) / (ramp - 1);
  });
}

/** A mixture of products of kernels. One component is drawn for all parameters together. */
export class ParzenMixture {
  readonly #domains: readonly Domain[];
  readonly #columns: readonly (NumericKernels | ChoiceKernels)[];
  /** Weights of the components, normalized. */
  readonly #weights: Float64Array;
  readonly #logWeights: Float64Array;
  readonly #sums: Float64Array;

  /** @param points Observed points, oldest first. */
  constructor(params: readonly SpaceParam[], points: readonly ParamPoint[]) {
    const weights = [...observationWeights(points.length), 1];
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    this.#domains = params.map(({ domain }) => domain);
    this.#columns = this.#domains.map((domain, column) =>
      kernelsOf(
        domain,
        points.map((point) => point[column]),
      ),
    );
    this.#weights = Float64Array.from(weights, (weight) => weight / total);
    this.#logWeights = this.#weights.map(Math.log);
    this.#sums = new Float64Array(weights.length);
  }

  /** Draws a point. */
  drawPoint(draw: DrawUniform): ParamPoint {
    const component = this.#drawComponent(draw());
    return this.#columns.map((column, i) => {
      const value = column.drawValue(component, draw);
      const domain = this.#domains[i];
      return domain?.kind === 'choice' ? valueAt(domain, value) : value;
    });
  }

  #drawComponent(u: number): number {
    let rest = u;
    for (let i = 0; i < this.#weights.length; i++) {
      rest -= this.#weights[i] ?? 0;
      if (rest < 0) return i;
    }
    return this.#weights.length - 1;
  }

  /** Returns the logarithm of the density at a point; masses count for parameters with a step or options. */
  logDensityAt(point: ParamPoint): number {
    const sums = this.#sums;
    sums.set(this.#logWeights);
    this.#columns.forEach((column, i) => {
      const domain = this.#domains[i];
      const value = domain?.kind === 'choice' ? optionIndex(domain, point[i]) : Number(point[i]);
      column.addLogDensities(value, sums);
    });
    return logSumExp(sums);
  }
}

const kernelsOf = (domain: Domain, values: readonly (ParamValue | undefined)[]): NumericKernels | ChoiceKernels =>
  domain.kind === 'choice'
    ? new ChoiceKernels(
        domain.options.length,
        values.map((value) => optionIndex(domain, value)),
      )
    : new NumericKernels(domain, values.map(Number));

function logSumExp(sums: Float64Array): number {
  let most = -Infinity;
  for (let i = 0; i < sums.length; i++) if ((sums[i] ?? most) > most) most = sums[i] ?? most;
  if (most === -Infinity) return most;
  let total = 0;
  for (let i = 0; i < sums.length; i++) {
    const below = (sums[i] ?? -Infinity) - most;
    if (below > NEGLIGIBLE) total += Math.exp(below);
  }
  return most + Math.log(total);
}
