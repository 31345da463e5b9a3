// Per-level counters for the queue model, in one flat array for speed. A decrease down to a level's calm quantity
// cannot change our queue position, so it is only recorded.
import { grownCopy } from '../../../base/typed-columns.ts';

/** Number of counters per level. The constants below are their indices. */
export const COUNTERS = 4;
/**
 * The calm quantity: down to it, a decrease cannot change our queue position. With `Infinity` every decrease may change
 * the position.
 */
export const CALM_QTY = 0;
/** Decreases that no print has explained so far, in hundredths of a contract. */
export const UNEXPLAINED_QTY = 1;
/** Time of the last print or decrease whose counterpart (a decrease or a print) may still come, in microseconds. */
export const OPEN_AT = 2;
/**
 * Counts rounds: a round ends when no counterpart is awaited any longer. A queue advance from an earlier round is
 * final.
 */
export const ROUND = 3;

const LEVELS_MIN = 64;

/** The counters of all watched levels. The hot path reads the array directly; growth replaces the array. */
export class LevelCounters {
  values = new Float64Array(LEVELS_MIN * COUNTERS);

  resetLevel(level: number): void {
    const start = level * COUNTERS;
    if (start + COUNTERS > this.values.length)
      this.values = grownCopy(this.values, new Float64Array(this.values.length * 2));
    this.values.fill(0, start, start + COUNTERS);
  }

  /** True when a decrease to `left` cannot change our queue position. */
  isCalm(level: number, left: number): boolean {
    return left >= (this.values[level * COUNTERS + CALM_QTY] ?? 0);
  }

  /** Records a decrease that changes no queue position. A print may explain it within `window` microseconds. */
  recordDecrease(level: number, { cut, now }: { readonly cut: number; readonly now: number }, window: number): void {
    const { values } = this;
    const at = level * COUNTERS;
    const isLate = now - (values[at + OPEN_AT] ?? 0) > window;
    if (isLate) values[at + ROUND] = (values[at + ROUND] ?? 0) + 1;
    values[at + UNEXPLAINED_QTY] = isLate ? cut : (values[at + UNEXPLAINED_QTY] ?? 0) + cut;
    values[at + OPEN_AT] = now;
  }
}
