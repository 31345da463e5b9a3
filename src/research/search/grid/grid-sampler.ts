// Tries every point of a grid once, in a sequence permuted by seed, so that a grid that is cut off is spread. Must never try a
// point twice.
import type { TrialParams } from '../../trial/study-trial.ts';
import type { ProposalInput, Sampler } from '../sampler.ts';
import type { SearchSpace } from '../search-space.ts';
import { PointGrid } from './grid-points.ts';
import { placeInOrder } from './seeded-order.ts';

/** Proposes the points of a grid. */
export class GridSampler implements Sampler {
  readonly #grid: PointGrid;
  readonly #seed: number;

  /** @throws RangeError when the space has a fault or a continuous parameter. */
  constructor(space: SearchSpace, seed: number) {
    this.#grid = new PointGrid(space);
    this.#seed = seed;
  }

  /** Number of trials that the grid has. */
  get size(): bigint {
    return this.#grid.size;
  }

  propose({ n }: Pick<ProposalInput, 'n'>): TrialParams | null {
    const { size } = this.#grid;
    return BigInt(n) < size ? this.#grid.pointAt(placeInOrder(BigInt(n), size, this.#seed)) : null;
  }
}
