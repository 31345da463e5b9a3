// Random draws of a seed: one stream per purpose, so that a change in one leaves the others unchanged. Must never draw
// from anything but its own stream.
import { must } from '../../src/base/assert.ts';
import { RandomStream } from '../../src/exchange/flow/random-stream.ts';

/** A stream of draws. */
export class Draws {
  readonly #chance: RandomStream;

  constructor(seed: number, purpose: string) {
    this.#chance = new RandomStream(seed, `simulation/${purpose}`);
  }

  /** From 0 up to but not including 1. */
  readonly uniform = (): number => this.#chance.drawUniform();

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.uniform() < probability;
  }

  between(least: number, most: number): number {
    return least + this.uniform() * (most - least);
  }

  /** A whole number, both ends included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.uniform() * (most - least + 1));
  }

  /** A waiting time with the given mean. */
  wait(mean: number): number {
    return this.#chance.drawWait(mean);
  }

  pick<T>(from: readonly T[]): T {
    return must(from[this.integer(0, from.length - 1)], 'something to pick from');
  }

  /** Each item of a list with this probability. */
  some<T>(from: readonly T[], probability: number): T[] {
    return from.filter(() => this.happens(probability));
  }
}
