// Plans of resampling: which groups each resample consists of. Must never draw a part of a group: the markets of a
// group win and lose together.
import { assert } from '../../base/assert.ts';
import { ResampleDraws } from './resample-draws.ts';

/** Resamples of a bootstrap unless the caller says otherwise. */
export const USUAL_DRAWS = 9_999;
/** Up to this number of possible resamples, all are taken in place of drawn ones: 6 groups have 46 656. */
const EXACT_MAX = 50_000;

/** A finite sequence of resamples. */
export interface ResamplePlan {
  readonly count: number;
  /** True when the plan is every possible resample, each once. */
  readonly isExact: boolean;
  /** Writes the group numbers of the next resample. It is called `count` times at most. */
  readonly writeNext: (into: Int32Array) => void;
}

/** How to draw resamples. */
export interface DrawOptions {
  readonly seed: number;
  /** @default 9999 */
  readonly draws?: number;
}

/**
 * Resamples with replacement. Up to 6 groups the plan is exact.
 * @see B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979; whole groups: A.
 * Cameron, J. Gelbach, D. Miller, REStat 90, 2008.
 */
export function independentPlan(groups: number, options: DrawOptions): ResamplePlan {
  assert(groups > 0, 'a resample needs a group');
  if (groups ** groups <= EXACT_MAX) return exactPlan(groups);
  const draws = new ResampleDraws(options.seed);
  const writeNext = (into: Int32Array): void => {
    for (let i = 0; i < groups; i++) into[i] = draws.drawIndex(groups);
  };
  return { count: options.draws ?? USUAL_DRAWS, isExact: false, writeNext };
}

/** Counts in the number system of base `groups`: each number's digits are one resample. */
function exactPlan(groups: number): ResamplePlan {
  const digits = new Int32Array(groups);
  digits[groups - 1] = -1;
  const writeNext = (into: Int32Array): void => {
    let at = groups - 1;
    while (digits[at] === groups - 1) digits[at--] = 0;
    digits[at] = (digits[at] ?? 0) + 1;
    into.set(digits);
  };
  return { count: groups ** groups, isExact: true, writeNext };
}

/** How to draw resamples of blocks. */
export interface BlockOptions extends DrawOptions {
  /** Probability that a block ends after a group: 1 / mean length of a block. 1 draws groups independently. */
  readonly restart: number;
}

/**
 * Resamples of blocks with random lengths, from groups in the sequence in which they settled. After the last group
 * the first follows.
 * @see D. Politis, J. Romano, "The stationary bootstrap", JASA 89, 1994.
 */
export function stationaryPlan(groups: number, options: BlockOptions): ResamplePlan {
  const { restart } = options;
  assert(groups > 0, 'a resample needs a group');
  assert(restart > 0 && restart <= 1, `restart: expected more than 0 and at most 1, found ${restart}`);
  const draws = new ResampleDraws(options.seed);
  const writeNext = (into: Int32Array): void => {
    let group = draws.drawIndex(groups);
    into[0] = group;
    for (let i = 1; i < groups; i++) {
      const begins = restart === 1 || draws.drawUniform() < restart;
      group = begins ? draws.drawIndex(groups) : (group + 1) % groups;
      into[i] = group;
    }
  };
  return { count: options.draws ?? USUAL_DRAWS, isExact: false, writeNext };
}
