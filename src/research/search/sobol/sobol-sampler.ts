// Proposes the points of Sobol's sequence, shifted by seed: even cover from the first trial on. Must never leave out point 0, which
// the shift moves off the lower bounds.
import type { TrialParams } from '../../trial/study-trial.ts';
import type { ProposalInput, Sampler } from '../sampler.ts';
import type { SearchSpace } from '../search-space.ts';
import { valueFromUnit } from '../space/param-values.ts';
import { checkSpace } from '../space/space-check.ts';
import { drawParams } from '../space/space-conditions.ts';
import { trialDraws } from '../trial-random.ts';
import { SOBOL_DIMENSIONS, shiftedSobolPoint } from './sobol-points.ts';

/** Proposes Sobol points. Parameters beyond `SOBOL_DIMENSIONS` are random. */
export class SobolSampler implements Sampler {
  readonly #space: SearchSpace;
  readonly #seed: number;

  /** @throws RangeError when the space has a fault. */
  constructor(space: SearchSpace, seed: number) {
    checkSpace(space);
    this.#space = space;
    this.#seed = seed;
  }

  propose({ n }: Pick<ProposalInput, 'n'>): TrialParams {
    const units = shiftedSobolPoint(n, Math.min(SOBOL_DIMENSIONS, this.#space.length), this.#seed);
    const draw = trialDraws(this.#seed, n);
    return drawParams(this.#space, ({ domain }, i) => valueFromUnit(domain, units[i] ?? draw()));
  }
}
