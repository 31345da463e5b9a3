// The queue of state changes that wait for a reaction. Must never lose a change, nor pass a change before an earlier
// one.
import type { ChangeSink, StateChange } from '../state/state-change.ts';

const NOTHING: readonly StateChange[] = [];

/** State changes of the current step, oldest first. */
export class ChangeQueue implements ChangeSink {
  /** Added when the state changes; removed when every change has been reacted to. */
  readonly #changes: StateChange[] = [];
  /** Number of these changes that were passed on, the current one included. */
  #passed = 0;

  push(change: StateChange): void {
    this.#changes.push(change);
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  /** Passes every change to `react`, and empties the queue. */
  drain(react: (change: StateChange) => void): void {
    if (this.#changes.length === 0) return;
    // The iteration also reaches the changes that a reaction adds.
    for (const change of this.#changes) {
      this.#passed += 1;
      react(change);
    }
    this.#changes.length = 0;
    this.#passed = 0;
  }

  /** The waiting changes that happened before a change: none before the current one, all before one not in the queue. */
  waitingBefore(change: StateChange): readonly StateChange[] {
    return this.#changes[this.#passed - 1] === change ? NOTHING : this.#changes.slice(this.#passed);
  }
}
