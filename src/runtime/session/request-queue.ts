// Limits how many requests are in flight at once. A request that finds a free place starts at once, within the same call.
// Must never start a request while another of higher priority waits.

/** Sends one request; resolves when its answer has been handled. */
export type RequestJob = () => Promise<void>;

interface WaitingJob {
  readonly job: RequestJob;
  readonly priority: number;
}

/** Runs jobs, at most `placeCount` at once. */
export class RequestQueue {
  readonly #placeCount: number;
  readonly #onFault: (fault: unknown) => void;
  /** Jobs without a place: the highest priority first, and the oldest first among equals. */
  readonly #waiting: WaitingJob[] = [];
  #runningCount = 0;
  #onIdle: (() => void)[] = [];

  /** @param onFault is called with the rejection of a job. The other jobs go on. */
  constructor(placeCount: number, onFault: (fault: unknown) => void) {
    this.#placeCount = placeCount;
    this.#onFault = onFault;
  }

  /** Starts a job now, or when it is the first to get a place. */
  add(job: RequestJob, priority: number): void {
    if (this.#runningCount < this.#placeCount) return this.#start(job);
    const behind = this.#waiting.findIndex((other) => other.priority < priority);
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, { job, priority });
  }

  #start(job: RequestJob): void {
    this.#runningCount += 1;
    job().then(this.#onDone, this.#onFailed);
  }

  readonly #onFailed = (fault: unknown): void => {
    this.#onFault(fault);
    this.#onDone();
  };

  readonly #onDone = (): void => {
    this.#runningCount -= 1;
    const next = this.#waiting.shift();
    if (next !== undefined) return this.#start(next.job);
    if (this.#runningCount > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  };

  /** Resolves when no job runs or waits. */
  whenIdle(): Promise<void> {
    if (this.#runningCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }
}
