// Draws every parameter uniformly on its scale. Must never depend on earlier trials.
import type { TrialParams } from '../trial/study-trial.ts';
import type { ProposalInput, Sampler } from './sampler.ts';
import type { SearchSpace } from './search-space.ts';
import { valueFromUnit } from './space/param-values.ts';
import { checkSpace } from './space/space-check.ts';
import { drawParams } from './space/space-conditions.ts';
import { trialDraws } from './trial-random.ts';

/** Proposes random points. */
export class RandomSampler implements Sampler {
  readonly #space: SearchSpace;
  readonly #seed: number;

  /** @throws RangeError when the space has a fault. */
  constructor(space: SearchSpace, seed: number) {
    checkSpace(space);
    this.#space = space;
    this.#seed = seed;
  }

  propose({ n }: Pick<ProposalInput, 'n'>): TrialParams {
    const draw = trialDraws(this.#seed, n);
    const units = this.#space.map(() => draw());
    return drawParams(this.#space, ({ domain }, i) => valueFromUnit(domain, units[i] ?? 0));
  }
}
