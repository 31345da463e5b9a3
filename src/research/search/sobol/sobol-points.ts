// Points of Sobol's sequence, which fill the unit cube evenly. Must never need the points before: point n is computed from n.
import { hashWords, wordsOfSeed } from '../trial-random.ts';
import { SOBOL_ROWS } from './sobol-table.ts';

/** Bits of a coordinate. */
const BITS = 32;
const WORD = 0x1_0000_0000;

/** Dimensions that the table of direction numbers has. */
export const SOBOL_DIMENSIONS: number = SOBOL_ROWS.length + 1;

/**
 * Returns the direction numbers of a dimension, as 32-bit words. The source is Joe and Kuo 2008, SIAM Journal on Scientific
 * Computing 30, equations 2 and 3.
 */
function directionsOf([polynomial, ...initial]: readonly [number, ...(readonly number[])]): Uint32Array {
  const degree = initial.length;
  const words = new Uint32Array(BITS);
  initial.forEach((number, k) => (words[k] = number << (BITS - 1 - k)));
  for (let k = degree; k < BITS; k++) {
    const oldest = words[k - degree] ?? 0;
    let word = oldest ^ (oldest >>> degree);
    for (let back = 1; back < degree; back++) if ((polynomial >>> (degree - back)) & 1) word ^= words[k - back] ?? 0;
    words[k] = word;
  }
  return words;
}

/** The first dimension is van der Corput's sequence: it has the polynomial 1 and every initial number 1. */
const FIRST = Uint32Array.from({ length: BITS }, (_, k) => 1 << (BITS - 1 - k));

const DIRECTIONS: readonly Uint32Array[] = [FIRST, ...SOBOL_ROWS.map(directionsOf)];

/** One coordinate of point `n` as a 32-bit word, in the order of the Gray code. */
function sobolWord(n: number, directions: Uint32Array): number {
  let word = 0;
  for (let code = n ^ (n >>> 1), bit = 0; code !== 0; code >>>= 1, bit++) if (code & 1) word ^= directions[bit] ?? 0;
  return word;
}

/**
 * Returns point `n` of the sequence in the order of the Gray code, not shifted: point 0 has every coordinate 0.
 * @param n From 0 to 2³² − 1.
 * @param dimensions At most `SOBOL_DIMENSIONS`.
 */
export const sobolPoint = (n: number, dimensions: number): readonly number[] =>
  DIRECTIONS.slice(0, dimensions).map((directions) => (sobolWord(n, directions) >>> 0) / WORD);

/**
 * Returns point `n` of the sequence, shifted digitally by seed: each coordinate has 32 random bits of its own, combined by
 * exclusive or. Half a digit is added, so no coordinate is 0. The source is Owen, Quasi-Monte Carlo Sampling, SIGGRAPH 2003, section 3.1.
 */
export const shiftedSobolPoint = (n: number, dimensions: number, seed: number): readonly number[] =>
  DIRECTIONS.slice(0, dimensions).map((directions, d) => {
    const shift = hashWords([...wordsOfSeed(seed), d]);
    return (((sobolWord(n, directions) ^ shift) >>> 0) + 0.5) / WORD;
  });
