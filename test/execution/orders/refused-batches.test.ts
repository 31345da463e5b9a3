// The planner after a venue has refused a batch for its rate: its orders come back one by one, at the same moment.
import { describe, expect, it } from 'vitest';
import type { PlaceCommand, RequestCommand } from '../../../src/domain/venue-command.ts';
import { RateBudget } from '../../../src/domain/rate-budget.ts';
import { type Micros, fromMillis } from '../../../src/domain/units.ts';
import { Planner } from '../../../src/execution/orders/planner.ts';
import { aPlace, after } from '../../support/engine/builders.ts';

function planner(onAttempt: (attempt: number) => void = () => undefined): Planner {
  const limit = { model: 'rolling-window', count: 100, windowMs: 100 } as const;
  return new Planner({
    budgets: { read: new RateBudget({ limit, guardMs: 0 }), trade: new RateBudget({ limit, guardMs: 0 }) },
    cost: () => 1,
    cancelReserve: 0,
    careReserve: 0,
    inFlightMax: { read: 100, trade: 100 },
    backoff: (attempt) => {
      onAttempt(attempt);
      return fromMillis(attempt * 10);
    },
  });
}

function released(plan: Planner, now: Micros): RequestCommand[] {
  const out: RequestCommand[] = [];
  plan.releaseDue(now, out);
  return out;
}

/** Sends the orders, and refuses them all at one moment. */
function refuse(plan: Planner, orders: readonly PlaceCommand[], now: Micros): void {
  for (const order of orders) plan.settleRequest(order.id, now);
  for (const order of orders) plan.deferCommand(order, null, now);
}

describe('a batch that was refused for its rate', () => {
  it('leaves again in its old sequence, before orders that came later', () => {
    const plan = planner();
    const batch = [1, 2, 3].map((id) => aPlace({ id }));
    for (const order of batch) plan.enqueue(order);
    expect(released(plan, after(0))).toEqual(batch);
    const later = aPlace({ id: 4 });
    plan.enqueue(later);
    refuse(plan, batch, after(1));
    expect(released(plan, after(11))).toEqual([...batch, later]);
  });

  it('counts as one refusal, so the pause grows as after a single order', () => {
    const plan = planner();
    const batch = [1, 2, 3].map((id) => aPlace({ id }));
    for (const order of batch) plan.enqueue(order);
    released(plan, after(0));
    refuse(plan, batch, after(0));
    expect(plan.wakeAt(after(0))).toBe(after(10));
    expect(released(plan, after(10))).toEqual(batch);
    refuse(plan, batch, after(10));
    expect(plan.wakeAt(after(10))).toBe(after(30));
  });

  it('counts from 1 again after an order of the same moment was answered', () => {
    const attempts: number[] = [];
    const plan = planner((attempt) => attempts.push(attempt));
    const orders = [1, 2, 3].map((id) => aPlace({ id }));
    for (const order of orders) plan.enqueue(order);
    released(plan, after(0));
    for (const { id } of orders) plan.settleRequest(id, after(1));
    plan.deferCommand(orders[0]!, null, after(1));
    plan.resetBackoff('trade');
    plan.deferCommand(orders[2]!, null, after(1));
    expect(attempts).toEqual([1, 1]);
  });
});
