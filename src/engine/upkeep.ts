// The schedule of regular duties, such as reading fills and probing unknown orders. Must never do the work itself.
import type { Micros } from '../domain/units.ts';

export type Duty = 'fills' | 'compare' | 'probe' | 'audit' | 'markets' | 'strategies';

/** Interval of each duty, in milliseconds. `strategies` is absent when no strategy needs it. */
export type Timetable = Readonly<Record<Exclude<Duty, 'strategies'>, number>> & { readonly strategies?: number };

/** Work that is known, so that no regular look for it is needed. */
export interface KnownWork {
  /** True when an order, a cancel or a figure waits for a probe. */
  readonly hasProbeWork: () => boolean;
  /**
   * Time at which markets that join or leave a strategy, and states that are to be saved, are due to be looked for:
   * infinite when there will be none, minus infinity when there may be some now. Microseconds.
   */
  readonly strategyWorkDueAt: () => number;
}

const DUTIES: readonly Duty[] = ['fills', 'compare', 'probe', 'audit', 'markets', 'strategies'];
/** Duties that look for what a feed may have lost. */
const PRECAUTIONS: ReadonlySet<Duty> = new Set(['fills', 'compare', 'audit', 'markets']);
/** Duties that are due only when there is work for them, beside a feed that loses nothing. */
const ON_DEMAND: readonly Duty[] = ['probe', 'strategies'];
/** Interval of precautions beside a feed that loses nothing. They then only prove that state and venue agree. Milliseconds. */
const LOSSLESS_EVERY_MS = 24 * 3_600_000;

const NEVER = Number.POSITIVE_INFINITY;
const NONE: readonly Duty[] = [];

/** Keeps the next time of each duty. */
export class Upkeep {
  readonly #everyMs: Timetable;
  readonly #known: KnownWork | null;
  readonly #dueAt = new Map<Duty, number>();
  /** Earliest time in `#dueAt`, apart from a probe without work. */
  #earliest = NEVER;
  #hasBegun = false;

  /** @param known `null` where a feed may lose messages: every duty is then regular. */
  constructor(everyMs: Timetable, known: KnownWork | null = null) {
    this.#everyMs = everyMs;
    this.#known = known;
  }

  start(now: Micros): void {
    this.#hasBegun = true;
    for (const duty of DUTIES) this.#dueAt.set(duty, this.#next(duty, now));
    if (this.#known !== null) for (const duty of ON_DEMAND) this.#dueAt.set(duty, NEVER);
    this.#updateEarliest();
  }

  #next(duty: Duty, now: Micros): number {
    const everyMs = this.#everyMs[duty] ?? NEVER;
    const isRare = this.#known !== null && PRECAUTIONS.has(duty);
    return now + (isRare ? Math.max(everyMs, LOSSLESS_EVERY_MS) : everyMs) * 1000;
  }

  #updateEarliest(): void {
    this.#earliest = NEVER;
    for (const at of this.#dueAt.values()) if (at < this.#earliest) this.#earliest = at;
  }

  /** Returns the duties that are due, and schedules each again. */
  takeDue(now: Micros): readonly Duty[] {
    if (now < this.#earliest) return NONE;
    const due = DUTIES.filter((duty) => (this.#dueAt.get(duty) ?? NEVER) <= now);
    for (const duty of due) this.#dueAt.set(duty, this.#next(duty, now));
    // `noteStrategyWork` schedules the strategies again at the end of the step, perhaps much later.
    if (this.#known !== null && due.includes('strategies')) this.#dueAt.set('strategies', NEVER);
    this.#updateEarliest();
    return due;
  }

  /** Brings a duty forward. A later time has no effect. */
  scheduleEarlier(duty: Duty, at: Micros): void {
    if (at >= (this.#dueAt.get(duty) ?? 0)) return;
    this.#dueAt.set(duty, at);
    this.#updateEarliest();
  }

  /** Schedules the next read of lists that have changed: after the mean wait of a bot that reads them regularly. */
  onListChanged(at: Micros): void {
    this.scheduleEarlier('markets', (at + this.#everyMs.markets * 500) as Micros);
  }

  /**
   * Schedules the probe: a while after there is work for it, and not without any. Called after every step that can begin or
   * end such work.
   */
  noteWork(now: Micros): void {
    if (this.#known === null || !this.#hasBegun) return;
    const hasWork = this.#known.hasProbeWork();
    const isScheduled = this.#dueAt.get('probe') !== NEVER;
    if (hasWork === isScheduled) return;
    this.#dueAt.set('probe', hasWork ? this.#next('probe', now) : NEVER);
    this.#updateEarliest();
  }

  /**
   * Schedules the strategies: when their work is due, and at least an interval from now. Called after every event apart
   * from changes of books, which are too many.
   */
  noteStrategyWork(now: Micros): void {
    if (this.#known === null || !this.#hasBegun) return;
    const scheduled = this.#dueAt.get('strategies') ?? NEVER;
    const soonest = this.#next('strategies', now);
    // A check that is due by then finds whatever has begun since, and is scheduled again afterwards.
    if (scheduled <= soonest) return;
    const at = Math.max(soonest, this.#known.strategyWorkDueAt());
    if (at === scheduled) return;
    this.#dueAt.set('strategies', at);
    this.#updateEarliest();
  }

  /** Time of the next duty; `null` before the start. */
  dueAt(): Micros | null {
    return this.#hasBegun ? (this.#earliest as Micros) : null;
  }
}
