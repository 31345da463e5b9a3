// The orders of a session: the line of their states, bounded, and never without an order that has not ended.
import { describe, expect, it } from 'vitest';
import { type ClientOrderId, clientOrderId } from '../../../src/domain/ids.ts';
import type { Order, OrderState } from '../../../src/domain/orders/order.ts';
import { LiveOrders } from '../../../src/runtime/follow/live-orders.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import { aPlace, after, tickerTable } from '../../support/engine/builders.ts';

const state = new Orders();
let count = 0;
const anOrder = (): Order => {
  count += 1;
  return state.addOrder(aPlace({ clientOrderId: clientOrderId(`l-${count}`) }), 'mid 44.5');
};

/** Moves an order; returns the dropped one. */
const move = (orders: LiveOrders, order: Order, from: OrderState, to: OrderState): ClientOrderId | null =>
  orders.addMove({ order, to, at: after(1), why: 'test' }, from);

describe('the orders of a session', () => {
  it('have the line of their states, from the approval on', () => {
    const orders = new LiveOrders(tickerTable(1));
    const order = anOrder();
    expect([orders.addOrder(order), orders.addOrder(order)]).toEqual([true, false]);
    move(orders, order, 'queued', 'in-flight');
    expect(orders.liveOrder(order.clientOrderId)).toMatchObject({
      ticker: 'M-0',
      reason: 'mid 44.5',
      isOpen: true,
      states: [
        { state: 'queued', why: 'mid 44.5' },
        { state: 'in-flight', atUs: after(1), why: 'test' },
      ],
    });
    expect(orders.liveOrder(clientOrderId('none'))).toBe(null);
  });

  it('begin with the state before the first move that was seen', () => {
    const orders = new LiveOrders(tickerTable(1));
    const order = anOrder();
    move(orders, order, 'working', 'pending-cancel');
    const states = orders.liveOrder(order.clientOrderId)?.states.map((each) => each.state);
    expect(states).toEqual(['working', 'pending-cancel']);
  });

  it('keep the first and the latest of many states', () => {
    const orders = new LiveOrders(tickerTable(1));
    const order = anOrder();
    for (let round = 0; round < 15; round++) {
      move(orders, order, 'queued', 'working');
      move(orders, order, 'working', 'pending-amend');
    }
    const states = orders.liveOrder(order.clientOrderId)?.states ?? [];
    expect([states.length, states[0]?.state, states.at(-1)?.state]).toEqual([20, 'queued', 'pending-amend']);
  });

  it('drop the order that ended first when too many have ended, and no other', () => {
    const orders = new LiveOrders(tickerTable(1), 2);
    const [open, first, second, third] = [anOrder(), anOrder(), anOrder(), anOrder()];
    for (const order of [open, first, second, third]) orders.addOrder(order);
    expect(move(orders, first, 'working', 'filled')).toBe(null);
    expect(move(orders, second, 'working', 'canceled')).toBe(null);
    // An order that was reported as rejected rests after all.
    move(orders, first, 'rejected', 'working');
    expect(move(orders, third, 'working', 'filled')).toBe(null);
    expect(move(orders, first, 'working', 'filled')).toBe(second.clientOrderId);
    expect([...orders.ids()]).toEqual([open, first, third].map(({ clientOrderId: id }) => id));
  });
});
