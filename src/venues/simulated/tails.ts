// Per-level counters for the queue model, in one flat array: most decreases touch nothing else. Above `CALM` quantity a
// decrease cannot change our queue position, so it is only recorded.
import { grownCopy } from '../../domain/columns.ts';

/** Counters per level. */
export const TAIL = 4;
/**
 * The level's quantity down to which a decrease cannot change our queue position. `Infinity`: every decrease may change
 * it.
 */
export const CALM = 0;
/** Decreases that no print has explained so far, in hundredths of a contract. */
export const UNEXPLAINED = 1;
/** The time at which a print or a decrease last waited for its counterpart. Microseconds. */
export const OPEN_AT = 2;
/**
 * Counts how often all open prints and decreases were closed. An advance in the queue from an earlier round is final.
 */
export const ROUND = 3;

const LEVELS_MIN = 64;

/**
 * The counters of all watched levels, by level number. The hot path reads the array directly; it is replaced when it
 * grows.
 */
export class Tails {
  values = new Float64Array(LEVELS_MIN * TAIL);

  /** Makes room for a level's counters and sets them to zero. */
  clear(level: number): void {
    const start = level * TAIL;
    if (start + TAIL > this.values.length)
      this.values = grownCopy(this.values, new Float64Array(this.values.length * 2));
    this.values.fill(0, start, start + TAIL);
  }

  /** True when a decrease that leaves the level at `left` cannot change our queue position. */
  isCalm(level: number, left: number): boolean {
    return left >= (this.values[level * TAIL + CALM] ?? 0);
  }

  /**
   * Records a decrease that changes no queue position: a print may explain it within `window` microseconds. Losing the
   * book undoes everything recorded here.
   */
  noteCut(level: number, { cut, now }: { readonly cut: number; readonly now: number }, window: number): void {
    const { values } = this;
    const at = level * TAIL;
    const isLate = now - (values[at + OPEN_AT] ?? 0) > window;
    if (isLate) values[at + ROUND] = (values[at + ROUND] ?? 0) + 1;
    values[at + UNEXPLAINED] = isLate ? cut : (values[at + UNEXPLAINED] ?? 0) + cut;
    values[at + OPEN_AT] = now;
  }
}
