// Random numbers for resampling, determined by a seed and a number. Must never be passed along from one statistic to
// another: a statistic would then depend on the ones before it.
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

const WORDS = 0x1_0000_0000;
/** Words of the generator's state. */
const STATE_WORDS = 4;

/**
 * Mixes 32 bits so that each bit of the result depends on all of them.
 * @see A. Appleby, MurmurHash3, `fmix32`.
 */
function mixBits(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Four words that differ in about half of their bits for neighboring seeds and numbers. */
function stateOf(seed: number, n: number): number[] {
  const parts = [seed, Math.floor(seed / WORDS), n];
  return Array.from({ length: STATE_WORDS }, (_, word) =>
    parts.reduce((mixed, part) => mixBits(Math.imul(mixed, 5) + Math.trunc(part) + 0x9e3779b9), word + 1),
  );
}

/** A stream of random numbers. The same seed and number always give the same stream. */
export class ResampleDraws {
  readonly #generator: { next(): number };

  /**
   * @param seed Seed of the study or command: a whole number.
   * @param n Number of the stream under that seed, such as a trial's number. @default 0
   */
  constructor(seed: number, n = 0) {
    this.#generator = xoroshiro128plusFromState(stateOf(seed, n));
  }

  /** A whole number from 0 to `size` − 1. Its bias is below `size` / 2³². */
  drawIndex(size: number): number {
    return Math.floor(((this.#generator.next() >>> 0) / WORDS) * size);
  }

  /** A uniform number between 0 and 1, both exclusive. */
  drawUniform(): number {
    return ((this.#generator.next() >>> 0) + 0.5) / WORDS;
  }

  /** Each of the 32 bits is 0 or 1 with equal probability. */
  drawBits(): number {
    return this.#generator.next();
  }
}
