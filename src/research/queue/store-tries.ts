// Spaces out the tries to get a study from a store that fails: each try may fetch large files, which a bucket charges for.
// Must never hold back a study whose store has not failed.
import { Backoff } from '../../transport/backoff.ts';
import { StoreFault } from '../artifacts/artifact-store.ts';

/** First and longest pause after a failure. Milliseconds. */
const PAUSE_FIRST_MS = 1000;
const PAUSE_MAX_MS = 60_000;

interface Failing {
  readonly backoff: Backoff;
  fault: StoreFault;
  untilMs: number;
}

export interface StoreTriesOptions {
  /** Milliseconds of a clock that never steps. */
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** The studies whose store has failed, each with the end of its pause. */
export class StoreTries {
  readonly #options: StoreTriesOptions;
  /** Added by a failure; removed by a success. */
  readonly #failing = new Map<string, Failing>();

  constructor(options: StoreTriesOptions = { nowMs: () => performance.now(), random: Math.random }) {
    this.#options = options;
  }

  /**
   * Gets a study, and returns what `get` returns.
   * @throws {StoreFault} of the last try, without a new one, until the pause after it is over.
   */
  async tryStudy<T>(study: string, get: () => Promise<T>): Promise<T> {
    const failing = this.#failing.get(study);
    if (failing !== undefined && this.#options.nowMs() < failing.untilMs) throw failing.fault;
    try {
      const got = await get();
      this.#failing.delete(study);
      return got;
    } catch (fault) {
      if (fault instanceof StoreFault) this.#pauseAfter(study, fault);
      throw fault;
    }
  }

  #pauseAfter(study: string, fault: StoreFault): void {
    const { nowMs, random } = this.#options;
    const known = this.#failing.get(study);
    // The pauses of many workers must not end together.
    const backoff =
      known?.backoff ?? new Backoff({ firstMs: PAUSE_FIRST_MS, capMs: PAUSE_MAX_MS, jitter: 'equal' }, random);
    this.#failing.set(study, { backoff, fault, untilMs: nowMs() + backoff.nextDelayMs() });
  }
}
