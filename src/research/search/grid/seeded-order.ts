// A permutation of whole numbers by seed, computed one number at a time. Must never hold the numbers in memory: a grid may
// have 10⁵⁰ points.
import { hashWords, wordsOfSeed } from '../trial-random.ts';

const ROUNDS = 6;
const WORD_BITS = 32n;
const WORD_MASK = 0xffff_ffffn;

/** The words of a whole number, low word first. */
function wordsOf(x: bigint): number[] {
  const words: number[] = [];
  for (let rest = x; rest > 0n; rest >>= WORD_BITS) words.push(Number(rest & WORD_MASK));
  return words;
}

/** A round's pseudorandom function: as many words as `bits` takes, cut to `bits`. */
function scramble(half: bigint, key: readonly number[], bits: bigint): bigint {
  const words = wordsOf(half);
  let scrambled = 0n;
  for (let word = 0n; word * WORD_BITS < bits; word++)
    scrambled |= BigInt(hashWords([...key, Number(word), ...words])) << (word * WORD_BITS);
  return scrambled & ((1n << bits) - 1n);
}

/**
 * Returns the number at a place of a permutation of 0 to `count` − 1. The source is a balanced Feistel network, with cycle walking to
 * stay below `count` (Black, Rogaway, Ciphers with Arbitrary Finite Domains, 2002, method 2 and 3).
 * @param place From 0 to `count` − 1.
 */
export function placeInOrder(place: bigint, count: bigint, seed: number): bigint {
  const bits = BigInt(Math.max(1, Math.ceil((count - 1n).toString(2).length / 2)));
  const mask = (1n << bits) - 1n;
  let x = place;
  do {
    let [left, right] = [x >> bits, x & mask];
    for (let round = 0; round < ROUNDS; round++)
      [left, right] = [right, left ^ scramble(right, [...wordsOfSeed(seed), round], bits)];
    x = (left << bits) | right;
  } while (x >= count);
  return x;
}
