// Kernels of a choice: each observed option has more weight, and no option has none. Must never treat options as ordered.
import type { DrawUniform } from '../trial-random.ts';

/**
 * The kernels of one choice. Kernel i of K has weight 1/K on every option, and 1 more on its observed one; the prior, the last, is
 * uniform. The source is `_calculate_categorical_distributions` of Optuna's `samplers/_tpe/parzen_estimator.py`.
 */
export class ChoiceKernels {
  readonly #options: number;
  readonly #observed: readonly number[];
  readonly #logHit: number;
  readonly #logMiss: number;
  readonly #hit: number;

  /** @param observed Indices of the observed options. */
  constructor(options: number, observed: readonly number[]) {
    const share = 1 / (observed.length + 1);
    const total = options * share + 1;
    this.#options = options;
    this.#observed = observed;
    this.#hit = 1 / total;
    this.#logHit = Math.log((share + 1) / total);
    this.#logMiss = Math.log(share / total);
  }

  /** Adds to each kernel's sum the logarithm of its weight on an option. */
  addLogDensities(option: number, sums: Float64Array): void {
    const prior = sums.length - 1;
    for (let i = 0; i < prior; i++)
      sums[i] = (sums[i] ?? 0) + (this.#observed[i] === option ? this.#logHit : this.#logMiss);
    sums[prior] = (sums[prior] ?? 0) - Math.log(this.#options);
  }

  /** Draws the index of an option from one kernel: the observed one, or any of all options alike. */
  drawValue(kernel: number, draw: DrawUniform): number {
    const observed = this.#observed[kernel];
    const isHit = draw() < this.#hit;
    const any = Math.min(this.#options - 1, Math.floor(draw() * this.#options));
    return observed !== undefined && isHit ? observed : any;
  }
}
