// The queue of state changes that wait for a reaction. Must never lose a change, nor pass a change before an earlier
// one.
import { must } from '../base/assert.ts';
import type { ChangeSink, StateChange } from '../state/state-change.ts';

const NOTHING: readonly StateChange[] = [];

/** State changes of the current step, oldest first. */
export class ChangeQueue implements ChangeSink {
  /** Added when the state changes. The places are used again: an emptied array would lose its memory at each step. */
  readonly #places: StateChange[] = [];
  /** Number of the places in use. 0 when every change has been reacted to. */
  #count = 0;
  /** Number of these changes that were passed on, the current one included. */
  #passed = 0;

  push(change: StateChange): void {
    this.#places[this.#count] = change;
    this.#count += 1;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Passes every change to `react`, and empties the queue. */
  drain(react: (change: StateChange) => void): void {
    // The loop also reaches the changes that a reaction adds.
    while (this.#passed < this.#count) {
      const change = must(this.#places[this.#passed], 'waiting change');
      this.#passed += 1;
      react(change);
    }
    this.#count = 0;
    this.#passed = 0;
  }

  /** The waiting changes that happened before a change: none before the current one, all before one not in the queue. */
  waitingBefore(change: StateChange): readonly StateChange[] {
    return this.#places[this.#passed - 1] === change ? NOTHING : this.#places.slice(this.#passed, this.#count);
  }
}
