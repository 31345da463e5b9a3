// The queue of state changes that wait for a reaction. Must never lose a change, nor pass a change before an earlier
// one.
import type { ChangeSink, StateChange } from '../state/state-change.ts';

/** State changes of the current step, oldest first. */
export class ChangeQueue implements ChangeSink {
  /** Added when the state changes; removed when every change has been reacted to. */
  readonly #changes: StateChange[] = [];

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
    for (const change of this.#changes) react(change);
    this.#changes.length = 0;
  }
}
