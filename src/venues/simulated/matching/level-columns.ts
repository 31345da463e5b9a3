// The figures that most decreases of watched levels need, by level, in one flat array: a decrease then touches one line of
// memory. Must never lose a decrease whose print may still come.
import { grownCopy } from '../../../base/typed-columns.ts';

const LEVELS_MIN = 64;
/** Columns of a level. Four numbers of eight bytes: two levels share a line of memory. */
const STRIDE = 4;
const CALM = 0;
const CUT_QTY = 1;
const CUT_AT = 2;

/**
 * For each watched level:
 * - The calm quantity. A decrease down to it cannot change our queue position, so it is only recorded.
 * - The latest decrease that was only recorded, and waits for its print.
 */
export class LevelColumns {
  readonly #window: number;
  #values = new Float64Array(LEVELS_MIN * STRIDE);

  /** @param window maximum time between a decrease and its print, in microseconds */
  constructor(window: number) {
    this.#window = window;
  }

  /** Begins the columns of a level: every decrease is calm, and none waits. */
  openLevel(level: number): void {
    const needed = (level + 1) * STRIDE;
    if (needed > this.#values.length) this.#values = grownCopy(this.#values, new Float64Array(needed * 2));
    this.#values.fill(0, level * STRIDE, needed);
  }

  /** Sets the calm quantity of a level. With `Infinity` every decrease may change the position. */
  setCalmQty(level: number, qty: number): void {
    this.#values[level * STRIDE + CALM] = qty;
  }

  /** True when a decrease to `left` cannot change our queue position. */
  isCalm(level: number, left: number): boolean {
    return left >= (this.#values[level * STRIDE + CALM] ?? 0);
  }

  /** Records a decrease. Returns `false` while the decrease before it still waits: the level must take that one first. */
  recordCut(level: number, qty: number, now: number): boolean {
    const values = this.#values;
    const at = level * STRIDE;
    if ((values[at + CUT_QTY] ?? 0) > 0 && (values[at + CUT_AT] ?? 0) >= now - this.#window) return false;
    values[at + CUT_QTY] = qty;
    values[at + CUT_AT] = now;
    return true;
  }

  /** The quantity of the recorded decrease; 0 when none waits. */
  cutQtyOf(level: number): number {
    return this.#values[level * STRIDE + CUT_QTY] ?? 0;
  }

  /** The time of the recorded decrease, in microseconds. */
  cutAtOf(level: number): number {
    return this.#values[level * STRIDE + CUT_AT] ?? 0;
  }

  clearCut(level: number): void {
    this.#values[level * STRIDE + CUT_QTY] = 0;
  }
}
