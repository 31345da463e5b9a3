// The venue's own rate limits, by the same arithmetic as the bot's budgets. They are wrong where the real venue counts
// otherwise than it documents. Must never charge a refused request to a budget.
import { type BudgetKind, type RequestCommand, budgetOf } from '../../../domain/venue-command.ts';
import type { Micros } from '../../../domain/units.ts';
import { RateBudget } from '../../../domain/rate-budget.ts';
import type { Capabilities } from '../../../venue.ts';

/** Form of the waiting time in a rate refusal: whole seconds, or none. */
export type RetryAfter = 'seconds' | 'absent';

const SECOND = 1_000_000;

/** The budgets of reads and trades. */
export class VenueRateLimits {
  readonly #budgets: Readonly<Record<'read' | 'trade', RateBudget>>;
  readonly #cost: Capabilities['cost'];
  readonly #retryAfter: RetryAfter;
  readonly refused = { read: 0, trade: 0 };

  constructor({ limits, cost }: Pick<Capabilities, 'limits' | 'cost'>, retryAfter: RetryAfter) {
    // The venue counts requests at their arrival and by its own clock: no guard is needed.
    this.#budgets = {
      read: new RateBudget({ limit: limits.read, guardMs: 0 }),
      trade: new RateBudget({ limit: limits.trade, guardMs: 0 }),
    };
    this.#cost = cost;
    this.#retryAfter = retryAfter;
  }

  /**
   * Counts a request that arrives. A refused request gets the waiting time that the venue states; `null` when it states
   * none.
   */
  countRequest(command: RequestCommand, now: Micros): Allowance {
    return this.#count(budgetOf(command), this.#cost(command), now);
  }

  /** Counts a batch of orders. It passes as a whole or not at all. */
  countBatch(commands: readonly RequestCommand[], now: Micros): Allowance {
    const cost = commands.reduce((sum, command) => sum + this.#cost(command), 0);
    return this.#count('trade', cost, now);
  }

  #count(kind: BudgetKind, cost: number, now: Micros): Allowance {
    const budget = this.#budgets[kind];
    if (budget.canTake(cost, now)) {
      budget.takeUnits(cost, now);
      return { passes: true };
    }
    this.refused[kind] += 1;
    if (this.#retryAfter === 'absent') return { passes: false, retryAfter: null };
    const seconds = Math.max(1, Math.ceil((budget.availableAt(cost, now) - now) / SECOND));
    return { passes: false, retryAfter: (seconds * SECOND) as Micros };
  }
}

/** The venue's decision about a request's rate. */
export type Allowance = { readonly passes: true } | { readonly passes: false; readonly retryAfter: Micros | null };
