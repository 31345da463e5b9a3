// A signal that stays set until it is cleared. Must never lose a signal between two waits.

/** A signal for one waiting reader. */
export class WakeUp {
  #isSignaled = false;
  #resolve: (() => void) | null = null;

  signal(): void {
    this.#isSignaled = true;
    this.#resolve?.();
    this.#resolve = null;
  }

  /** Clears the signal. Must come before the read of the state, or a change could be missed. */
  clear(): void {
    this.#isSignaled = false;
  }

  /** Resolves at the next signal, or at once when the signal is set. Only the latest call resolves. */
  untilSignaled(): Promise<void> {
    if (this.#isSignaled) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
