// Chance for the flow: one stream of draws for each name, all fixed by the seed, none shared.
// Must never draw from anything but its own stream.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A stream of draws. */
export class Chance {
  readonly #generator: { next(): number };

  /** The stream of a name under a seed. */
  constructor(seed: number, name: string) {
    this.#generator = xoroshiro128plus(hash(`${seed}/${name}`));
  }

  /** Between 0 and 1, never either. */
  uniform(): number {
    return ((this.#generator.next() >>> 0) + 0.5) / 0x1_0000_0000;
  }

  /** From a normal distribution of mean 0 and deviation 1. Always takes two draws. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** A waiting time of the given mean. */
  wait(mean: number): number {
    return -Math.log(this.uniform()) * mean;
  }
}

/** FNV-1a over the text's UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
