// Handles requests in the sequence of their arrival while their signatures are checked on other threads. Must never handle
// a request before one that arrived earlier, nor handle one twice.
import type { SignatureCheck, SignatureChecker } from './signature-threads.ts';

/**
 * Handles a request.
 * @param isSigned The result of its check; `undefined` when nothing was checked ahead.
 */
export type HandleRequest = (isSigned: boolean | undefined) => void;

interface Arrival {
  readonly handle: HandleRequest;
  isSigned: boolean | undefined;
  isReady: boolean;
}

/**
 * Signatures that may be checked on the event loop within one window: as long as there are no more, an answer comes sooner
 * without another thread. After a window with more, the next one begins on the threads.
 */
const LIGHT_CHECKS_MAX = 50;
const WINDOW_MS = 100;

/** The requests of one server, in the sequence of their arrival. */
export class ArrivalOrder {
  readonly #checker: SignatureChecker;
  readonly #now: () => number;
  #waiting: Arrival[] = [];
  #handled = 0;
  #windowAt = -Infinity;
  #checksInWindow = 0;
  #isBusy = false;

  /** @param now Milliseconds of a clock that never goes back. */
  constructor(checker: SignatureChecker, now: () => number = () => performance.now()) {
    this.#checker = checker;
    this.#now = now;
  }

  /**
   * Handles a request now, or after those that wait.
   * @param check The signature to check first; `null` for none.
   */
  handleInTurn(check: SignatureCheck | null, handle: HandleRequest): void {
    const isLight = check === null || this.#isLight();
    if (isLight && this.#waiting.length === 0) return handle(undefined);
    const arrival: Arrival = { handle, isSigned: undefined, isReady: check === null };
    this.#waiting.push(arrival);
    if (check === null) return;
    this.#checker.check(check, (isSigned) => {
      arrival.isSigned = isSigned;
      arrival.isReady = true;
      this.#handleReady();
    });
  }

  /** Counts a check. True while neither this window nor the one just before has more than the loop may check. */
  #isLight(): boolean {
    const now = this.#now();
    const elapsed = now - this.#windowAt;
    if (elapsed >= WINDOW_MS) {
      this.#isBusy = this.#checksInWindow > LIGHT_CHECKS_MAX && elapsed < 2 * WINDOW_MS;
      this.#windowAt = now;
      this.#checksInWindow = 0;
    }
    this.#checksInWindow += 1;
    return !this.#isBusy && this.#checksInWindow <= LIGHT_CHECKS_MAX;
  }

  #handleReady(): void {
    for (let next = this.#waiting[this.#handled]; next?.isReady === true; next = this.#waiting[this.#handled]) {
      this.#handled += 1;
      next.handle(next.isSigned);
    }
    if (this.#handled < this.#waiting.length) return;
    this.#waiting = [];
    this.#handled = 0;
  }
}
