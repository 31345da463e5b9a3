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
  readonly #untold: [BudgetKind, BudgetMoved['type']][] = [];

  constructor(planner: Planner, roster: Roster) {
    this.#planner = planner;
    this.#roster = roster;
    this.#isListenedTo = roster.all().some(({ handlers }) => handlers.onBudget !== undefined);
  }

  /** Looks, once all that may go has gone: what has changed is told by the next pass, so that no answer comes behind it. */
  look(now: Micros): void {
    if (this.#isListenedTo) for (const kind of KINDS) this.#lookAt(kind, now);
  }

  #lookAt(kind: BudgetKind, now: Micros): void {
    const needed = this.#planner.shortOf(kind, now);
    const before = this.#short.get(kind);
    if (needed > 0) {
      this.#short.set(kind, needed);
      if (before === undefined) this.#untold.push([kind, 'exhausted']);
      return;
    }
    if (before === undefined || this.#planner.room(kind, now).available < before) return;
    this.#short.delete(kind);
    this.#untold.push([kind, 'recovered']);
  }

  /** Tells what has changed. */
  pass(now: Micros): void {
    if (this.#untold.length === 0) return;
    for (const [kind, type] of this.#untold.splice(0)) this.#tell(kind, type, now);
  }

  #tell(budget: BudgetKind, type: BudgetMoved['type'], now: Micros): void {
    const event: BudgetMoved = { budget, type, ...this.#planner.room(budget, now) };
    this.#roster.askAll((handlers, view) => handlers.onBudget?.(event, view));
  }

  /** The venue refused a request for rate: nothing of the budget may go for a while. */
  refused(kind: BudgetKind, units: number, now: Micros): void {
    if (!this.#isListenedTo) return;
    this.#short.set(kind, units);
    this.#tell(kind, 'refused', now);
  }

  /** When it wants to tell, or a budget that is short has room again although nothing waits for it; `null` for never. */
  dueAt(now: Micros): Micros | null {
    if (this.#untold.length > 0) return now;
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
