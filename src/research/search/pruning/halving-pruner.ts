// Asynchronous successive halving: at rungs of ever more event groups only the best trials go on. Must never judge a trial between two
// rungs.
import type { EndedTrial } from '../../trial/study-trial.ts';
import type { Pruner } from '../sampler.ts';

/** The rungs of successive halving. */
export interface HalvingOptions {
  /** Event groups of the first rung, 1 or more. */
  readonly min: number;
  /** Each rung has this many times the event groups of the one before; one of as many trials goes on. @default 4 */
  readonly reduction?: number;
}

const REDUCTION = 4;

/**
 * Prunes by successive halving (ASHA). The source is Li et al., A System for Massively Parallel Hyperparameter Tuning, arXiv:1810.05934,
 * algorithm 2; Optuna's `pruners/_successive_halving.py`: no trial waits, so the first ones at a rung go on if they are the best.
 */
export class HalvingPruner implements Pruner {
  readonly #min: number;
  readonly #reduction: number;

  /** @throws RangeError when a rung would have no event group, or the next no more than the one before. */
  constructor({ min, reduction = REDUCTION }: HalvingOptions) {
    if (!Number.isSafeInteger(min) || min < 1) throw new RangeError(`asha.min: expected 1 or more, found ${min}`);
    if (!Number.isSafeInteger(reduction) || reduction < 2)
      throw new RangeError(`asha.reduction: expected 2 or more, found ${reduction}`);
    this.#min = min;
    this.#reduction = reduction;
  }

  /**
   * Judges at a rung: with the trial, one of `reduction` goes on. The caller asks after each event group, so that no rung is
   * skipped. The first trials at a rung go on with any value.
   */
  limitAt(groups: number, ended: readonly EndedTrial[]): number | null {
    if (!this.#isRung(groups)) return null;
    const others = ended.flatMap(
      ({ intermediate }) => intermediate.find((each) => each.groups === groups)?.value ?? [],
    );
    const values = others.filter((each) => !Number.isNaN(each)).sort((a, b) => a - b);
    const promoted = Math.max(1, Math.floor((values.length + 1) / this.#reduction));
    // JSON has no infinite number: a queue would carry no limit, and a trial without a value would go on there alone.
    return values[promoted - 1] ?? Number.MAX_VALUE;
  }

  #isRung(groups: number): boolean {
    let rung = this.#min;
    while (rung < groups) rung *= this.#reduction;
    return rung === groups;
  }
}
