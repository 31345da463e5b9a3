// Remembers that nothing is due: most book deltas then need no further work. Must never declare a step idle that would
// send a command or move the wake-up time.
import type { Micros } from '../domain/units.ts';

/** The parts that may have work to do. */
export interface QuiescenceSources {
  readonly planner: { isIdle(now: Micros): boolean };
  /** `workDueAt`: time before which risk has nothing to do while only books change. Microseconds. */
  readonly risk: { readonly workDueAt: number };
  computeWakeAt(): Micros | null;
}

/**
 * The knowledge that nothing is due.
 *
 * Invariant: while `isIdleAt(now)` holds, a book delta sends nothing and leaves the wake-up time as it is. Exceptions:
 * a strategy answers the delta, or the delta causes another state change or a jump of the touch. `wakeAt(now)` always
 * equals `computeWakeAt()`.
 */
export class Quiescence {
  readonly #planner: QuiescenceSources['planner'];
  readonly #risk: QuiescenceSources['risk'];
  readonly #computeWakeAt: QuiescenceSources['computeWakeAt'];
  /** True when nothing that may be sent still waits. */
  #isAllSent = false;
  /** The last result of `wakeAt`; valid while `#isWakeKnown`. */
  #wakeAt: Micros | null = null;
  #isWakeKnown = false;
  /** Time before which a book delta needs no further work, in microseconds; 0 when unknown. */
  #idleUntil = 0;

  constructor(sources: QuiescenceSources) {
    this.#planner = sources.planner;
    this.#risk = sources.risk;
    this.#computeWakeAt = () => sources.computeWakeAt();
  }

  /** True when a book delta at this time needs no further work; see the invariant. */
  isIdleAt(now: Micros): boolean {
    return now < this.#idleUntil;
  }

  /** Records that the wake-up time may have moved. */
  onWakeChange(): void {
    this.#isWakeKnown = false;
    this.#idleUntil = 0;
  }

  /** Records that this step needs work. The other knowledge stays valid. */
  endIdleness(): void {
    this.#idleUntil = 0;
  }

  /** Records an event that may have changed anything. */
  discardAll(): void {
    this.#isAllSent = false;
    this.#isWakeKnown = false;
    this.#idleUntil = 0;
  }

  /** Records a release of commands, which moves the wake-up time. */
  onRelease(): void {
    this.#isAllSent = true;
    this.#isWakeKnown = false;
  }

  hasNothingToSend(now: Micros): boolean {
    return this.#isAllSent && this.#planner.isIdle(now);
  }

  /** Records a step without work: nothing is due before the wake-up time and the next check of risk. */
  onIdleStep(): void {
    this.#idleUntil = this.#isWakeKnown ? Math.min(this.#wakeAt ?? Number.POSITIVE_INFINITY, this.#risk.workDueAt) : 0;
  }

  /** The time at which the engine next needs a timer event; `null` for none. Cheap enough for every step. */
  wakeAt(now: Micros): Micros | null {
    // A remembered time in the past is computed again: it may have meant “now”.
    if (this.#isWakeKnown && (this.#wakeAt === null || this.#wakeAt > now)) return this.#wakeAt;
    this.#wakeAt = this.#computeWakeAt();
    this.#isWakeKnown = this.#isAllSent;
    this.onIdleStep();
    return this.#wakeAt;
  }
}
