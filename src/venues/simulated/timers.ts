// What is due when: a heap of times with what each is for. Nothing is ever taken back: whoever asks finds out whether what
// has come due still matters. Must never give out what is not due yet.
import { must } from '../../domain/assert.ts';
import type { Micros } from '../../domain/units.ts';

interface Due<Subject> {
  readonly at: Micros;
  readonly subject: Subject;
  /** Of one time, in the order in which they were set. */
  readonly sequence: number;
}

export class Timers<Subject> {
  readonly #heap: Due<Subject>[] = [];
  #sequence = 0;

  set(at: Micros, subject: Subject): void {
    this.#sequence += 1;
    const due = { at, subject, sequence: this.#sequence };
    let hole = this.#heap.push(due) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = must(this.#heap[parent], 'parent');
      if (!isBefore(due, above)) break;
      this.#heap[hole] = above;
      hole = parent;
    }
    this.#heap[hole] = due;
  }

  /** When the next one is due; `null` when nothing is set. */
  nextAt(): Micros | null {
    return this.#heap[0]?.at ?? null;
  }

  /** The next one that is due by now, taken off; `undefined` when none is. */
  take(now: Micros): Subject | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.at > now) return undefined;
    const last = must(this.#heap.pop(), 'last');
    if (this.#heap.length > 0) this.#sink(last);
    return first.subject;
  }

  #sink(due: Due<Subject>): void {
    const heap = this.#heap;
    let hole = 0;
    for (;;) {
      const left = 2 * hole + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const [child, at] = other !== undefined && isBefore(other, one) ? [other, left + 1] : [one, left];
      if (!isBefore(child, due)) break;
      heap[hole] = child;
      hole = at;
    }
    heap[hole] = due;
  }
}

const isBefore = <Subject>(one: Due<Subject>, other: Due<Subject>): boolean =>
  one.at < other.at || (one.at === other.at && one.sequence < other.sequence);
