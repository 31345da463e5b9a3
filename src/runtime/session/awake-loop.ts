// Keeps the event loop from sleeping for a time after each message of the feed: a processor that has slept takes tens of
// microseconds to hand over the next message. Must never go on turning after that time, nor after `stop`.
import type { Scheduler } from '../../transport/scheduler.ts';

/** Has the event loop turn without a pause while messages come. It takes a whole core meanwhile. */
export class AwakeLoop {
  readonly #scheduler: Scheduler;
  readonly #awakeMs: number;
  #hasMessage = false;
  #isTurning = false;
  #isStopped = false;
  #sleepAt = 0;

  /** @param awakeMs Milliseconds after a message in which the event loop does not sleep. */
  constructor(scheduler: Scheduler, awakeMs: number) {
    this.#scheduler = scheduler;
    this.#awakeMs = awakeMs;
  }

  /** Notes that a message came. The time is read in the next turn: the message comes first. */
  noteMessage(): void {
    this.#hasMessage = true;
    if (this.#isTurning || this.#isStopped) return;
    this.#isTurning = true;
    this.#scheduler.soon(this.#turn);
  }

  readonly #turn = (): void => {
    const now = this.#scheduler.now();
    if (this.#hasMessage) this.#sleepAt = now + this.#awakeMs;
    this.#hasMessage = false;
    this.#isTurning = !this.#isStopped && now < this.#sleepAt;
    if (this.#isTurning) this.#scheduler.soon(this.#turn);
  };

  /** Lets the event loop sleep for good. */
  stop(): void {
    this.#isStopped = true;
  }
}
