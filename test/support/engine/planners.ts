// Planners for tests: each command costs one unit, and nothing is reserved unless a test asks for it.
import type { RequestCommand } from '../../../src/domain/venue-command.ts';
import { type RateLimit, RateBudget } from '../../../src/domain/rate-budget.ts';
import { type Micros, fromMillis } from '../../../src/domain/units.ts';
import { Planner, type PlannerOptions } from '../../../src/execution/orders/planner.ts';

/** Four requests in a tenth of a second. */
export const WINDOW = { model: 'rolling-window', count: 4, windowMs: 100 } as const;

/** A planner whose budgets have this limit, and whose backoff grows by ten milliseconds. */
export function planner(over: Partial<PlannerOptions> = {}, limit: RateLimit = WINDOW): Planner {
  return new Planner({
    budgets: { read: new RateBudget({ limit, guardMs: 0 }), trade: new RateBudget({ limit, guardMs: 0 }) },
    cost: () => 1,
    cancelReserve: 0,
    careReserve: 0,
    inFlightMax: { read: 100, trade: 100 },
    backoff: (attempt) => fromMillis(attempt * 10),
    ...over,
  });
}

/** The commands that leave now. */
export function released(of: Planner, now: Micros): RequestCommand[] {
  const out: RequestCommand[] = [];
  of.releaseDue(now, out);
  return out;
}
