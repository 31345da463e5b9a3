// A number of places for requests in flight. A request that finds none free waits; the most urgent one goes first, and among
// equals the oldest. Must never start more requests than there are places.

interface Waiting {
  readonly priority: number;
  readonly start: () => Promise<void>;
}

/** Runs requests, a limited number at once. */
export class RequestPlaces {
  readonly #count: number;
  readonly #onFault: (fault: unknown) => void;
  /** Most urgent first. */
  readonly #waiting: Waiting[] = [];
  readonly #idleListeners: (() => void)[] = [];
  #taken = 0;

  /** `onFault` receives what a request rejects with. */
  constructor(count: number, onFault: (fault: unknown) => void) {
    this.#count = count;
    this.#onFault = onFault;
  }

  /** Starts a request within this call if a place is free. A higher priority is more urgent. */
  run(priority: number, start: () => Promise<void>): void {
    if (this.#taken < this.#count) return this.#take(start);
    const behind = this.#waiting.findIndex((each) => each.priority < priority);
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, { priority, start });
  }

  #take(start: () => Promise<void>): void {
    this.#taken += 1;
    void start().catch(this.#onFault).finally(this.#leave);
  }

  readonly #leave = (): void => {
    this.#taken -= 1;
    const next = this.#waiting.shift();
    if (next !== undefined) return this.#take(next.start);
    if (this.#taken === 0) for (const listener of this.#idleListeners.splice(0)) listener();
  };

  /** Resolves when no request waits or is in flight. */
  untilIdle(): Promise<void> {
    if (this.#taken === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }
}
