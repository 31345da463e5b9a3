// The schedule of regular duties, such as reading fills and probing unknown orders. Must never do the work itself.
import type { Micros } from '../domain/units.ts';

export type Duty = 'fills' | 'compare' | 'probe' | 'audit' | 'markets' | 'strategies';

/** Interval of each duty, in milliseconds. `strategies` is absent when no strategy needs it. */
export type Timetable = Readonly<Record<Exclude<Duty, 'strategies'>, number>> & { readonly strategies?: number };

/** Keeps the next time of each duty. */
export class Upkeep {
  readonly #everyMs: Timetable;
  readonly #dueAt = new Map<Duty, Micros>();

  constructor(everyMs: Timetable) {
    this.#everyMs = everyMs;
  }

  start(now: Micros): void {
    for (const duty of DUTIES) this.#dueAt.set(duty, this.#next(duty, now));
  }

  #next(duty: Duty, now: Micros): Micros {
    return (now + (this.#everyMs[duty] ?? Number.POSITIVE_INFINITY) * 1000) as Micros;
  }

  /** Returns the duties that are due, and schedules each again. */
  takeDue(now: Micros): readonly Duty[] {
    if (now < (this.dueAt() ?? Number.POSITIVE_INFINITY)) return NONE;
    const due = DUTIES.filter((duty) => (this.#dueAt.get(duty) ?? Number.POSITIVE_INFINITY) <= now);
    for (const duty of due) this.#dueAt.set(duty, this.#next(duty, now));
    return due;
  }

  /** Brings a duty forward. A later time has no effect. */
  scheduleEarlier(duty: Duty, at: Micros): void {
    const dueAt = this.#dueAt.get(duty);
    if (dueAt !== undefined && at < dueAt) this.#dueAt.set(duty, at);
  }

  /** Time of the next duty; `null` before the start. */
  dueAt(): Micros | null {
    let earliest: Micros | null = null;
    for (const at of this.#dueAt.values()) if (earliest === null || at < earliest) earliest = at;
    return earliest;
  }
}

const NONE: readonly Duty[] = [];
const DUTIES: readonly Duty[] = ['fills', 'compare', 'probe', 'audit', 'markets', 'strategies'];
