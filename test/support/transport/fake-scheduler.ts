// A scheduler whose time moves only when the test moves it. Due timers fire in order, without any waiting.
import type { Scheduler, Timer } from '../../../src/transport/scheduler.ts';

interface Pending {
  readonly at: number;
  readonly act: () => void;
}

/** Keeps its time until `advance` or `jump` is called. */
export class FakeScheduler implements Scheduler {
  #now = 0;
  readonly #pending = new Set<Pending>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, act: () => void): Timer {
    const timer = { at: this.#now + delayMs, act };
    this.#pending.add(timer);
    return timer;
  }

  cancel(timer: Timer): void {
    this.#pending.delete(timer as Pending);
  }

  soon(act: () => void): void {
    this.after(0, act);
  }

  /** Number of timers that are set. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Milliseconds until the next timer; `null` when none is set. */
  get nextInMs(): number | null {
    const next = this.#next();
    return next === null ? null : next.at - this.#now;
  }

  /** Advances the time and fires every timer that falls due, in order. */
  advance(byMs: number): void {
    const until = this.#now + byMs;
    for (let next = this.#next(); next !== null && next.at <= until; next = this.#next()) {
      this.#pending.delete(next);
      this.#now = next.at;
      next.act();
    }
    this.#now = until;
  }

  /** Advances the time as a suspended machine sees it: timers that fell due meanwhile fire now, late. */
  jump(byMs: number): void {
    this.#now += byMs;
    const due = [...this.#pending].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    for (const timer of due) if (this.#pending.delete(timer)) timer.act();
  }

  #next(): Pending | null {
    let earliest: Pending | null = null;
    for (const timer of this.#pending) if (earliest === null || timer.at < earliest.at) earliest = timer;
    return earliest;
  }
}
