// A heap of subjects by due time. A timer is never removed early: the caller checks whether a due subject still
// matters. Must never return a subject before its time.
import { must } from '../../base/assert.ts';
import type { Micros } from '../../domain/units.ts';

interface Due<Subject> {
  readonly at: Micros;
  readonly subject: Subject;
  /** Timers of the same time are due in the sequence in which they were set. */
  readonly sequence: number;
}

export class DueTimers<Subject> {
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

  nextAt(): Micros | null {
    return this.#heap[0]?.at ?? null;
  }

  takeDue(now: Micros): Subject | undefined {
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
      const [leftChild, rightChild] = [heap[left], heap[left + 1]];
      if (leftChild === undefined) break;
      const [child, at] =
        rightChild !== undefined && isBefore(rightChild, leftChild) ? [rightChild, left + 1] : [leftChild, left];
      if (!isBefore(child, due)) break;
      heap[hole] = child;
      hole = at;
    }
    heap[hole] = due;
  }
}

const isBefore = <Subject>(first: Due<Subject>, second: Due<Subject>): boolean =>
  first.at < second.at || (first.at === second.at && first.sequence < second.sequence);
