// Makes the sampler and the pruner that a study file names. Must never choose by itself: a study without a sampler is refused before.
import { CmaSampler } from './cma/cma-sampler.ts';
import { GridSampler } from './grid/grid-sampler.ts';
import { HalvingPruner, type HalvingOptions } from './pruning/halving-pruner.ts';
import { MedianPruner, type MedianOptions } from './pruning/median-pruner.ts';
import { RandomSampler } from './random-sampler.ts';
import type { Pruner, Sampler } from './sampler.ts';
import type { SearchSpace } from './search-space.ts';
import { SobolSampler } from './sobol/sobol-sampler.ts';
import { type TpeOptions, TpeSampler } from './tpe/tpe-sampler.ts';

/** The sampler that a study names. */
export type SamplerChoice =
  | { readonly kind: 'grid' | 'random' | 'sobol' | 'cma' }
  | ({ readonly kind: 'tpe' } & Omit<TpeOptions, 'seed'>);

/** The pruner that a study names. */
export type PrunerChoice = ({ readonly kind: 'median' } & MedianOptions) | ({ readonly kind: 'asha' } & HalvingOptions);

/**
 * Returns the sampler of a study.
 * @throws RangeError when the space has a fault, or cannot be searched by this sampler.
 */
export function samplerFor(choice: SamplerChoice, space: SearchSpace, seed: number): Sampler {
  switch (choice.kind) {
    case 'grid':
      return new GridSampler(space, seed);
    case 'random':
      return new RandomSampler(space, seed);
    case 'sobol':
      return new SobolSampler(space, seed);
    case 'cma':
      return new CmaSampler(space, seed);
    case 'tpe':
      return new TpeSampler(space, { ...choice, seed });
  }
}

/**
 * Returns the pruner of a study.
 * @throws RangeError when its options have a fault.
 */
export function prunerFor(choice: PrunerChoice): Pruner {
  switch (choice.kind) {
    case 'median':
      return new MedianPruner(choice);
    case 'asha':
      return new HalvingPruner(choice);
  }
}
