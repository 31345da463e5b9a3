// Notifies strategies of rate budgets: running short, recovering, and refusals by the venue. Must never change what a
// budget allows.
import type { BudgetKind } from '../../domain/venue-command.ts';
import type { Micros } from '../../domain/units.ts';
import type { StrategyRunner } from '../../strategy/strategy-runner.ts';
import type { BudgetMoved } from '../../strategy/strategy-definition.ts';
import type { Planner } from './planner.ts';

const KINDS: readonly BudgetKind[] = ['trade', 'read'];

/** Notifies strategies about both budgets. */
export class BudgetNotifier {
  readonly #planner: Planner;
  readonly #roster: StrategyRunner;
  readonly #hasListener: boolean;
  /**
   * Budgets that are short, with the units that a command needs. Added when the shortage is found or the venue refuses;
   * removed when these units are free and no command waits for units.
   */
  readonly #short = new Map<BudgetKind, number>();
  readonly #pending: [BudgetKind, BudgetMoved['type']][] = [];

  constructor(planner: Planner, roster: StrategyRunner) {
    this.#planner = planner;
    this.#roster = roster;
    this.#hasListener = roster.allStrategies().some(({ handlers }) => handlers.onBudget !== undefined);
  }

  /**
   * Checks both budgets after a release of commands. `notifyChanges` delivers the changes later, because new intents
   * would be too late for this release.
   */
  checkShortages(now: Micros): void {
    if (this.#hasListener) for (const kind of KINDS) this.#checkBudget(kind, now);
  }

  #checkBudget(kind: BudgetKind, now: Micros): void {
    const needed = this.#planner.shortfall(kind, now);
    const before = this.#short.get(kind);
    if (needed > 0) {
      this.#short.set(kind, needed);
      if (before === undefined) this.#pending.push([kind, 'exhausted']);
      return;
    }
    if (before === undefined || this.#planner.roomNow(kind, now).available < before) return;
    this.#short.delete(kind);
    this.#pending.push([kind, 'recovered']);
  }

  notifyChanges(now: Micros): void {
    if (this.#pending.length === 0) return;
    for (const [kind, type] of this.#pending.splice(0)) this.#notify(kind, type, now);
  }

  #notify(budget: BudgetKind, type: BudgetMoved['type'], now: Micros): void {
    const event: BudgetMoved = { budget, type, ...this.#planner.roomNow(budget, now) };
    this.#roster.callAll((handlers, view) => handlers.onBudget?.(event, view));
  }

  /** Notifies that the rate limit refused a request of `units`. */
  onRateRefusal(kind: BudgetKind, units: number, now: Micros): void {
    if (!this.#hasListener) return;
    this.#short.set(kind, units);
    this.#notify(kind, 'refused', now);
  }

  /** Time at which a change is to be delivered, or a short budget recovers. `null` when there is no such time. */
  dueAt(now: Micros): Micros | null {
    if (this.#pending.length > 0) return now;
    let earliest: Micros | null = null;
    for (const [kind, units] of this.#short) {
      // The planner wakes the engine for commands that wait.
      if (this.#planner.shortfall(kind, now) > 0) continue;
      const at = this.#planner.roomFreeAt(kind, units, now);
      if (earliest === null || at < earliest) earliest = at;
    }
    return earliest !== null && Number.isFinite(earliest) ? earliest : null;
  }
}
