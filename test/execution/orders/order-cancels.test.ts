// Cancels from request to end: what is remembered of them, and for how long.
import { describe, expect, it } from 'vitest';
import type { RequestCommand } from '../../../src/domain/venue-command.ts';
import { venueOrderId } from '../../../src/domain/ids.ts';
import { fromMillis } from '../../../src/domain/units.ts';
import { RateBudget } from '../../../src/domain/rate-budget.ts';
import { Planner } from '../../../src/execution/orders/planner.ts';
import { OrderCancels } from '../../../src/execution/orders/order-cancels.ts';
import { State } from '../../../src/state/state.ts';
import { aPlace, after, tickerTable } from '../../support/engine/builders.ts';

/** A working order whose cancel has left. */
function withdrawing(): { state: State; withdrawals: OrderCancels; id: ReturnType<typeof aPlace>['clientOrderId'] } {
  const state = new State(tickerTable(1));
  const budget = new RateBudget({ limit: { model: 'rolling-window', count: 9, windowMs: 100 }, guardMs: 0 });
  const planner = new Planner({
    budgets: { read: budget, trade: budget },
    cost: () => 1,
    cancelReserve: 0,
    careReserve: 0,
    inFlightMax: { read: 9, trade: 9 },
    backoff: () => fromMillis(1),
  });
  let count = 0;
  const withdrawals = new OrderCancels({
    state,
    planner,
    nextCommandId: () => (count += 1),
    changeState: ({ clientOrderId }, change) => void state.orders.applyChange(clientOrderId, change, after(3)),
    onCancel: () => {},
  });
  const { clientOrderId: id } = state.orders.addOrder(aPlace(), '');
  state.orders.applyChange(id, 'send', after(1));
  state.orders.applyChange(id, 'accept', after(2));
  state.orders.setVenueId(id, venueOrderId('v-1'), after(1));
  withdrawals.cancelOrder(id);
  const out: RequestCommand[] = [];
  planner.releaseDue(after(3), out);
  expect(out.map(({ type }) => type)).toEqual(['cancel']);
  expect(withdrawals.size).toBe(1);
  return { state, withdrawals, id };
}

describe('cancels', () => {
  it('forgets a cancel when its order ends before the refusal arrives', () => {
    const { state, withdrawals, id } = withdrawing();
    state.orders.applyChange(id, 'fill-all', after(4));
    expect(withdrawals.onOrderEnded(state.orders.get(id)!)).toBe(true);
    withdrawals.onCancelFailed(id);
    expect(withdrawals.size).toBe(0);
  });

  it('remembers a failed cancel until its order has ended', () => {
    const { state, withdrawals, id } = withdrawing();
    state.orders.applyChange(id, 'lose-cancel', after(4));
    withdrawals.onCancelFailed(id);
    expect(withdrawals.size).toBe(1);
    state.orders.applyChange(id, 'cancel', after(5));
    withdrawals.onOrderEnded(state.orders.get(id)!);
    expect(withdrawals.size).toBe(0);
  });
});
