// The venue's own rate limits: what it accepts from one account in a window or from a bucket, by the same arithmetic as
// the bot's budgets, at the moment that a request arrives. They are wrong where the real venue counts otherwise than it
// documents. Must never count a request that it refuses.
import type { RequestCommand } from '../../../domain/venue-command.ts';
import { budgetOf } from '../../../domain/venue-command.ts';
import type { Micros } from '../../../domain/units.ts';
import { RateBudget } from '../../../domain/rate-budget.ts';
import type { Capabilities } from '../../../venue.ts';

/** The form in which a rate refusal states the time to wait: whole seconds, or not at all. */
export type RetryAfter = 'seconds' | 'absent';

const SECOND = 1_000_000;

/** The budgets of reads and trades. */
export class VenueRateLimits {
  readonly #budgets: Readonly<Record<'read' | 'trade', RateBudget>>;
  readonly #cost: Capabilities['cost'];
  readonly #retryAfter: RetryAfter;
  /** Number of requests refused by each budget. */
  readonly refused = { read: 0, trade: 0 };

  constructor({ limits, cost }: Pick<Capabilities, 'limits' | 'cost'>, retryAfter: RetryAfter) {
    // The venue knows its own clock: no guard is needed.
    this.#budgets = {
      read: new RateBudget({ limit: limits.read, guardMs: 0 }),
      trade: new RateBudget({ limit: limits.trade, guardMs: 0 }),
    };
    this.#cost = cost;
    this.#retryAfter = retryAfter;
  }

  /**
   * Counts a request that arrives. Returns whether it passes, and for a refused request the time to wait that the venue
   * states.
   */
  countRequest(
    command: RequestCommand,
    now: Micros,
  ): { readonly passes: true } | { readonly passes: false; readonly retryAfter: Micros | null } {
    const kind = budgetOf(command);
    const budget = this.#budgets[kind];
    const cost = this.#cost(command);
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
