// Ends a trial that is worse than the median of earlier trials after as many event groups. Must never judge before enough trials have
// finished.
import type { EndedTrial } from '../../trial/study-trial.ts';
import type { Pruner } from '../sampler.ts';

/** When the median pruner judges. */
export interface MedianOptions {
  /** Trials that finish before the first verdict. @default 5 */
  readonly startup?: number;
  /** Event groups that a trial settles before its first verdict. @default 0 */
  readonly warmup?: number;
}

const STARTUP = 5;

/** Returns the newest value of a trial after at most `groups` event groups. */
const valueBy = ({ intermediate }: EndedTrial, groups: number): number | undefined =>
  intermediate.findLast((each) => each.groups <= groups)?.value;

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}

/**
 * Prunes by the median. The source is Optuna's `pruners/_percentile.py`. That one judges the best value so far, since a model's earlier
 * checkpoint can be restored. A figure over more event groups replaces the earlier one, so here the newest value is judged.
 */
export class MedianPruner implements Pruner {
  readonly #startup: number;
  readonly #warmup: number;

  /** @throws RangeError when an option is not a count. */
  constructor({ startup = STARTUP, warmup = 0 }: MedianOptions = {}) {
    if (!Number.isSafeInteger(startup) || startup < 1)
      throw new RangeError(`median.startup: expected 1 or more, found ${startup}`);
    if (!Number.isSafeInteger(warmup) || warmup < 0)
      throw new RangeError(`median.warmup: expected 0 or more, found ${warmup}`);
    this.#startup = startup;
    this.#warmup = warmup;
  }

  limitAt(groups: number, ended: readonly EndedTrial[]): number | null {
    const finished = ended.filter(({ end }) => end === 'finished');
    if (finished.length < this.#startup || groups < this.#warmup) return null;
    const others = finished.flatMap((trial) => valueBy(trial, groups) ?? []).filter((each) => !Number.isNaN(each));
    return others.length > 0 ? medianOf(others) : null;
  }
}
