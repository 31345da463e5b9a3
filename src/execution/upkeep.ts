// When the duties that nobody triggers fall due: reading fills, comparing figures, probing unknown orders, auditing a
// book, looking after the strategies. A pure timetable; what the duties do is the session's business.
import type { Micros } from '../domain/units.ts';

export type Duty = 'fills' | 'compare' | 'probe' | 'audit' | 'markets' | 'strategies';

/** How often each duty falls due, in milliseconds. There may be no strategies to look after. */
export type Timetable = Readonly<Record<Exclude<Duty, 'strategies'>, number>> & { readonly strategies?: number };

/** The duties' next times. */
export class Upkeep {
  readonly #everyMs: Timetable;
  readonly #dueAt = new Map<Duty, Micros>();

  constructor(everyMs: Timetable) {
    this.#everyMs = everyMs;
  }

  /** Starts every duty's first interval. */
  start(now: Micros): void {
    for (const duty of DUTIES) this.#dueAt.set(duty, this.#next(duty, now));
  }

  #next(duty: Duty, now: Micros): Micros {
    return (now + (this.#everyMs[duty] ?? Number.POSITIVE_INFINITY) * 1000) as Micros;
  }

  /** The duties that are due, each moved to its next time. */
  due(now: Micros): readonly Duty[] {
    if (now < (this.dueAt() ?? Number.POSITIVE_INFINITY)) return NONE;
    const due = DUTIES.filter((duty) => (this.#dueAt.get(duty) ?? Number.POSITIVE_INFINITY) <= now);
    for (const duty of due) this.#dueAt.set(duty, this.#next(duty, now));
    return due;
  }

  /** Lets a duty fall due earlier than it would. */
  hasten(duty: Duty, at: Micros): void {
    const dueAt = this.#dueAt.get(duty);
    if (dueAt !== undefined && at < dueAt) this.#dueAt.set(duty, at);
  }

  /** When the next duty falls due; `null` before the start. */
  dueAt(): Micros | null {
    let earliest: Micros | null = null;
    for (const at of this.#dueAt.values()) if (earliest === null || at < earliest) earliest = at;
    return earliest;
  }
}

const NONE: readonly Duty[] = [];
const DUTIES: readonly Duty[] = ['fills', 'compare', 'probe', 'audit', 'markets', 'strategies'];
