// Random numbers for the flow: a separate stream for each name, all determined by the seed. Must never draw from
// another stream.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A stream of random numbers, determined by seed and name. */
export class RandomStream {
  readonly #generator: { next(): number };

  constructor(seed: number, name: string) {
    this.#generator = xoroshiro128plus(hash(`${seed}/${name}`));
  }

  /** A uniform draw between 0 and 1, both exclusive. */
  drawUniform(): number {
    return ((this.#generator.next() >>> 0) + 0.5) / 0x1_0000_0000;
  }

  /** A normal draw of mean 0 and standard deviation 1. Always takes two uniform draws. */
  drawNormal(): number {
    const radius = Math.sqrt(-2 * Math.log(this.drawUniform()));
    return radius * Math.cos(2 * Math.PI * this.drawUniform());
  }

  /** An exponential waiting time of the given mean. */
  drawWait(mean: number): number {
    return -Math.log(this.drawUniform()) * mean;
  }
}

/** FNV-1a over the text's UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
