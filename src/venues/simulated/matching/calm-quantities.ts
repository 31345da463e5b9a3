// The calm quantity of each watched level, in one flat array for speed. A decrease down to it cannot change our queue
// position, so it is only recorded.
import { grownCopy } from '../../../base/typed-columns.ts';

const LEVELS_MIN = 64;

export class CalmQuantities {
  #values = new Float64Array(LEVELS_MIN);

  /** Sets the calm quantity of a level. With `Infinity` every decrease may change the position. */
  set(level: number, qty: number): void {
    if (level >= this.#values.length) this.#values = grownCopy(this.#values, new Float64Array(level * 2));
    this.#values[level] = qty;
  }

  /** True when a decrease to `left` cannot change our queue position. */
  isCalm(level: number, left: number): boolean {
    return left >= (this.#values[level] ?? 0);
  }
}
