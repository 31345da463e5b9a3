// The permutation test of paired differences by event group: without a difference, each group's sign is a coin toss.
// Must never flip markets of one group separately.
import { assert } from '../../base/assert.ts';
import { TIE } from './bootstrap.ts';
import { ResampleDraws } from './resample-draws.ts';

/** Up to this number of groups with a difference, every pattern of signs is tried. */
const EXACT_GROUPS_MAX = 16;
const USUAL_PATTERNS = 99_999;
const WORD_BITS = 32;

/** Result of a sign-flip test. */
export interface SignFlipResult {
  /** Σ of the differences. */
  readonly sum: number;
  /** Probability of a sum at least this far from 0, if signs were coin tosses. */
  readonly twoSided: number;
  /** Probability of a sum at least this high. */
  readonly oneSided: number;
  /** Patterns of signs that were tried. */
  readonly patterns: number;
  readonly isExact: boolean;
  /** The smallest two-sided probability that this number of groups allows: 2 / 2^groups, or 1 without a difference. */
  readonly smallest: number;
}

/** How to draw patterns of signs, where there are too many to try all. */
export interface SignFlipOptions {
  readonly seed: number;
  /** @default 99999 */
  readonly patterns?: number;
}

/**
 * Tests paired differences, one a group. Up to 16 groups with a difference the test is exact. Beyond, p is
 * (1 + hits) / (1 + patterns).
 * @see R. Fisher, The Design of Experiments, 1935, section 21; drawn patterns: B. Phipson, G. Smyth, 2010.
 */
export function signFlipTest(differences: readonly number[], options: SignFlipOptions): SignFlipResult {
  const present = Float64Array.from(differences.filter((difference) => difference !== 0));
  const sum = present.reduce((total, value) => total + value, 0);
  const isExact = present.length <= EXACT_GROUPS_MAX;
  const patterns = isExact ? 2 ** present.length : (options.patterns ?? USUAL_PATTERNS);
  const margin = TIE * present.reduce((total, value) => total + Math.abs(value), 0);
  const hits = { twoSided: 0, oneSided: 0 };
  const draws = new ResampleDraws(options.seed);
  const words = new Int32Array(Math.ceil(present.length / WORD_BITS));
  for (let pattern = 0; pattern < patterns; pattern++) {
    for (let word = 0; word < words.length; word++) words[word] = isExact ? pattern : draws.drawBits();
    const flipped = signedSum(present, words);
    if (Math.abs(flipped) >= Math.abs(sum) - margin) hits.twoSided += 1;
    if (flipped >= sum - margin) hits.oneSided += 1;
  }
  const shareOf = (count: number): number => (isExact ? count / patterns : (1 + count) / (1 + patterns));
  const found = { sum, twoSided: shareOf(hits.twoSided), oneSided: shareOf(hits.oneSided), patterns, isExact };
  return { ...found, smallest: Math.min(1, 2 / 2 ** present.length) };
}

/** Σ of the values, each negated where its bit is 1. */
function signedSum(values: Float64Array, words: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const bit = ((words[i >>> 5] ?? 0) >>> (i & 31)) & 1;
    sum += (1 - 2 * bit) * (values[i] ?? 0);
  }
  return sum;
}

/**
 * Adjusts a probability for the number of looks at a sealed test: min(1, looks × p).
 * @throws {AssertionFault} when there was no look.
 * @see C. Bonferroni, 1936.
 */
export function adjustForLooks(p: number, looks: number): number {
  assert(looks >= 1, `looks: expected at least 1, found ${looks}`);
  return Math.min(1, looks * p);
}
