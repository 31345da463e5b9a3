// A signal that one waiter waits for: it stays set until it is cleared. Must never lose a signal between two waits.

/** Joins one waiter with any number of signals. */
export class WakeUp {
  #isSignaled = false;
  #resolve: (() => void) | null = null;

  signal(): void {
    this.#isSignaled = true;
    this.#resolve?.();
    this.#resolve = null;
  }

  /** Clears the signal. Called before the state that it speaks of is read. */
  clear(): void {
    this.#isSignaled = false;
  }

  /** Resolves at the next signal, and at once when one is set. A later call replaces this one. */
  untilSignaled(): Promise<void> {
    if (this.#isSignaled) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
