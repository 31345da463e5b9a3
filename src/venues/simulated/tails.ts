// What of each watched level a decrease must look at, in one flat array: so that most decreases touch nothing else.
// A level is calm down to a quantity: decreases that leave as much change nobody's place, they are only noted.
import { grownCopy } from '../../domain/columns.ts';

/** Numbers kept of a level. */
export const TAIL = 4;
/** Down to what quantity a decrease changes nothing but what is noted here; `Infinity`: every one may. */
export const CALM = 0;
/** Decreases that no print has explained so far, in hundredths of a contract. */
export const UNEXPLAINED = 1;
/** When a print or a decrease last waited for the other. Microseconds. */
export const OPEN_AT = 2;
/** How often all that was open has been closed: what an earlier round moved an order up is no more taken back. */
export const ROUND = 3;

const FIRST = 64;

/** The array, by the number of the level; read directly on the hot path, and replaced when it grows. */
export class Tails {
  values = new Float64Array(FIRST * TAIL);

  /** Makes room for a level's numbers and clears them. */
  clear(level: number): void {
    const start = level * TAIL;
    if (start + TAIL > this.values.length)
      this.values = grownCopy(this.values, new Float64Array(this.values.length * 2));
    this.values.fill(0, start, start + TAIL);
  }

  /** Whether a decrease that leaves so much changes nobody's place. */
  isCalm(level: number, left: number): boolean {
    return left >= (this.values[level * TAIL + CALM] ?? 0);
  }

  /** A decrease changed nobody's place: for so long a print may explain it. All that an unknown book undoes of it is here. */
  noteCut(level: number, { cut, now }: { readonly cut: number; readonly now: number }, window: number): void {
    const tails = this.values;
    const at = level * TAIL;
    const isLate = now - (tails[at + OPEN_AT] ?? 0) > window;
    if (isLate) tails[at + ROUND] = (tails[at + ROUND] ?? 0) + 1;
    tails[at + UNEXPLAINED] = isLate ? cut : (tails[at + UNEXPLAINED] ?? 0) + cut;
    tails[at + OPEN_AT] = now;
  }
}
