// The planner after a venue has refused a batch for its rate: its orders come back one by one, at the same moment.
import { describe, expect, it } from 'vitest';
import type { PlaceCommand } from '../../../src/domain/venue-command.ts';
import { type Micros, fromMillis } from '../../../src/domain/units.ts';
import type { Planner } from '../../../src/execution/orders/planner.ts';
import { aPlace, after } from '../../support/engine/builders.ts';
import { planner, released } from '../../support/engine/planners.ts';

const WIDE = { model: 'rolling-window', count: 100, windowMs: 100 } as const;

/** Sends the orders, and refuses them all at one moment. */
function refuse(plan: Planner, orders: readonly PlaceCommand[], now: Micros): void {
  for (const order of orders) plan.settleRequest(order.id, now);
  for (const order of orders) plan.deferCommand(order, null, now);
}

describe('a batch that was refused for its rate', () => {
  it('leaves again in its old sequence, before orders that came later', () => {
    const plan = planner({}, WIDE);
    const batch = [1, 2, 3].map((id) => aPlace({ id }));
    for (const order of batch) plan.enqueue(order);
    expect(released(plan, after(0))).toEqual(batch);
    const later = aPlace({ id: 4 });
    plan.enqueue(later);
    refuse(plan, batch, after(1));
    expect(released(plan, after(11))).toEqual([...batch, later]);
  });

  it('counts as one refusal, so the pause grows as after a single order', () => {
    const plan = planner({}, WIDE);
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
    const backoff = (attempt: number): Micros => fromMillis(attempts.push(attempt));
    const plan = planner({ backoff }, WIDE);
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
