// Random numbers of a trial: one generator from the study's seed and the trial's number. Must never pass a generator from one
// trial to the next, for then a proposal depends on the trials before it.
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Draws numbers uniformly between 0 and 1, both exclusive. */
export type DrawUniform = () => number;

const WORD = 0x1_0000_0000;
/** Half of the distance between two draws: a draw of 0 becomes this. */
const LEAST = 2 ** -54;

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/**
 * Hashes 32-bit words to a 32-bit word, from 0 to 2³² − 1. The source is MurmurHash3_x86_32 by Appleby 2011 (public domain), with
 * seed 0.
 */
export function hashWords(words: readonly number[]): number {
  let hash = 0;
  for (const word of words) {
    hash = rotate(hash ^ Math.imul(rotate(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593), 13);
    hash = Math.imul(hash, 5) + 0xe6546b64;
  }
  hash ^= 4 * words.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The two 32-bit words of a whole number below 2⁵³, low word first. */
export const wordsOfSeed = (seed: number): readonly [low: number, high: number] => [
  seed >>> 0,
  Math.floor(seed / WORD) >>> 0,
];

/**
 * Returns the draws of a trial.
 * @param seed The study's seed, a whole number from 0 to 2⁵³ − 1.
 */
export function trialDraws(seed: number, n: number): DrawUniform {
  const generator = xoroshiro128plus(hashWords([...wordsOfSeed(seed), ...wordsOfSeed(n)]) | 0);
  return () => uniformFloat64(generator) || LEAST;
}
