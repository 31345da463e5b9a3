// Tells strategies that want to know when a rate budget is used up, has room again, or the venue refused for rate.
// At the edges alone, and from the times of events alone. Must never change what a budget lets go.
import type { BudgetKind } from '../domain/command.ts';
import type { Micros } from '../domain/units.ts';
import type { Roster } from '../strategy/roster.ts';
import type { BudgetMoved } from '../strategy/strategy.ts';
import type { Planner } from './planner.ts';

const KINDS: readonly BudgetKind[] = ['trade', 'read'];

/** Watches both budgets. */
export class BudgetWatch {
  readonly #planner: Planner;
  readonly #roster: Roster;
  readonly #isListenedTo: boolean;
  /** The budgets that were told to be short, and not since to have recovered; and of how many units. */
  readonly #short = new Map<BudgetKind, number>();

  constructor(planner: Planner, roster: Roster) {
    this.#planner = planner;
    this.#roster = roster;
    this.#isListenedTo = roster.all().some(({ handlers }) => handlers.onBudget !== undefined);
  }

  /** Looks once all that may go has gone. Whether anybody was told, and may have answered. */
  look(now: Micros): boolean {
    if (!this.#isListenedTo) return false;
    let isTold = false;
    for (const kind of KINDS) if (this.#lookAt(kind, now)) isTold = true;
    return isTold;
  }

  #lookAt(kind: BudgetKind, now: Micros): boolean {
    const needed = this.#planner.shortOf(kind, now);
    const before = this.#short.get(kind);
    if (needed > 0) {
      this.#short.set(kind, needed);
      return before === undefined && this.#tell(kind, 'exhausted', now);
    }
    if (before === undefined || this.#planner.room(kind, now).available < before) return false;
    this.#short.delete(kind);
    return this.#tell(kind, 'recovered', now);
  }

  #tell(budget: BudgetKind, type: BudgetMoved['type'], now: Micros): true {
    const event: BudgetMoved = { budget, type, ...this.#planner.room(budget, now) };
    this.#roster.askAll((handlers, view) => handlers.onBudget?.(event, view));
    return true;
  }

  /** The venue refused a request for rate: nothing of the budget may go for a while. */
  refused(kind: BudgetKind, units: number, now: Micros): void {
    if (!this.#isListenedTo) return;
    this.#short.set(kind, units);
    this.#tell(kind, 'refused', now);
  }

  /** When a budget that is short has room again although nothing waits for it; `null` when none is. */
  dueAt(now: Micros): Micros | null {
    let earliest: Micros | null = null;
    for (const [kind, units] of this.#short) {
      // What waits for it is woken for.
      if (this.#planner.shortOf(kind, now) > 0) continue;
      const at = this.#planner.roomAt(kind, units, now);
      if (earliest === null || at < earliest) earliest = at;
    }
    return earliest !== null && Number.isFinite(earliest) ? earliest : null;
  }
}
