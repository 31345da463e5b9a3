// The timers of one strategy, by name and by due time. Must never go over all timers to find the next: a strategy may
// have one for each of thousands of markets.
import { DueQueue } from '../base/due-queue.ts';
import type { Micros } from '../domain/units.ts';

/** A timer that runs. */
export interface RunningTimer {
  readonly name: string;
  readonly at: Micros;
  /** Place of the name among all names. A timer that is set again keeps it. */
  readonly place: number;
}

const NONE: readonly RunningTimer[] = [];

/** Timers by name. Added when set; removed when due, or with all others. */
export class StrategyTimers {
  readonly #byName = new Map<string, RunningTimer>();
  readonly #queue = new DueQueue<RunningTimer, Micros>((timer) => this.#byName.get(timer.name) === timer);
  #names = 0;

  get size(): number {
    return this.#byName.size;
  }

  /** Sets a timer. It replaces the one of the same name. */
  set(name: string, at: Micros): void {
    const before = this.#byName.get(name);
    if (before?.at === at) return;
    const timer = { name, at, place: before?.place ?? (this.#names += 1) };
    this.#byName.set(name, timer);
    this.#queue.schedule(at, timer);
  }

  /** Puts back a timer that was taken as due, unless a later one has its name. */
  putBack({ name, at }: RunningTimer): void {
    if (!this.#byName.has(name)) this.set(name, at);
  }

  /** Time of the next timer; `null` when none runs. */
  nextAt(): Micros | null {
    return this.#queue.nextAt();
  }

  /** Removes and returns the timers that are due, in the sequence in which their names were first set. */
  takeDue(now: Micros): readonly RunningTimer[] {
    const first = this.#takeNext(now);
    if (first === null) return NONE;
    const due = [first];
    for (let next = this.#takeNext(now); next !== null; next = this.#takeNext(now)) due.push(next);
    return due.sort((a, b) => a.place - b.place);
  }

  #takeNext(now: Micros): RunningTimer | null {
    const timer = this.#queue.popDue(now);
    if (timer !== null) this.#byName.delete(timer.name);
    return timer;
  }

  clear(): void {
    this.#byName.clear();
  }
}
