// Messages about an order around an amend that arrive late: the limits count what may be in force.
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { countedLeaves, countedPrice } from '../../../src/domain/orders/order.ts';
import { NO_QTY, cents, contracts, dollars } from '../../../src/domain/units.ts';
import { must } from '../../../src/base/assert.ts';
import { State } from '../../../src/state/state.ts';
import { aPlace, aReport, after } from '../../support/engine/builders.ts';

const ID = clientOrderId('c-1');

/** The state of a session that rests ten at 40¢, and asks to amend them at 3 ms. */
function amending(price: number, total: number) {
  const state = new State();
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  const receive = (...events: EngineEvent[]): void => events.forEach((event) => state.applyEvent(event, []));
  state.orders.addOrder(aPlace(), '');
  state.orders.applyChange(ID, 'send', after(1));
  const rests = { clientOrderId: ID, venueOrderId: venueOrderId('v-1'), filledQty: NO_QTY, leavesQty: contracts(10) };
  receive({ kind: 'order-accepted', at: after(2), exchangeAt: after(2), isFinished: false, ...rests });
  state.orders.recordAmend(ID, { price: cents(price), qty: contracts(total) });
  state.orders.applyChange(ID, 'request-amend', after(3));
  const order = must(state.orders.get(ID), 'the order');
  /** The price and the quantity that count, in cents and contracts. */
  const counted = () => [countedPrice(order) / 100, countedLeaves(order) / 100];
  return { state, receive, order, counted };
}
const OLD = aReport({ updatedAt: after(2) });

describe('a report from before an amend that the venue has answered', () => {
  const answer = (leaves: number): EngineEvent => ({
    kind: 'amend-accepted',
    at: after(10),
    clientOrderId: ID,
    price: cents(41),
    filledQty: NO_QTY,
    leavesQty: contracts(leaves),
    exchangeAt: after(9),
  });
  it.each<[string, EngineEvent]>([
    ['on the feed', { kind: 'order-updated', at: after(11), order: OLD }],
    [
      'in a list that lags',
      { kind: 'orders', at: after(90), askedAt: after(50), commandId: 1, rows: [OLD], cursor: null },
    ],
    ['in a lookup that lags', { kind: 'order-found', at: after(90), askedAt: after(50), commandId: 1, order: OLD }],
  ])('changes nothing %s', (_, late) => {
    const { receive, counted, order } = amending(41, 20);
    receive(answer(20), late);
    expect(counted()).toEqual([41, 20]);
    expect(order).toMatchObject({ price: cents(41), qty: contracts(20), state: 'working' });
  });

  it('does not prove the next amend, which asks for the price of before', () => {
    const { state, receive, counted, order } = amending(41, 20);
    receive(answer(20));
    state.orders.recordAmend(ID, { price: cents(40), qty: contracts(5) });
    state.orders.applyChange(ID, 'request-amend', after(12));
    receive({ kind: 'orders', at: after(50), askedAt: after(3), commandId: 1, rows: [OLD], cursor: null });
    expect(order.state).toBe('pending-amend');
    expect(counted()).toEqual([41, 20]);
  });

  it('leaves the later terms when the answer itself comes late', () => {
    const { receive, counted, order } = amending(41, 20);
    const later = aReport({ price: cents(41), leavesQty: contracts(8), updatedAt: after(15) });
    receive({
      kind: 'order-updated',
      at: after(9),
      order: aReport({ price: cents(41), leavesQty: contracts(20), updatedAt: after(9) }),
    });
    receive({ kind: 'order-updated', at: after(9), order: later }, answer(20));
    expect(order.state).toBe('working');
    receive({ kind: 'order-updated', at: after(16), order: later });
    expect(counted()).toEqual([41, 8]);
  });
});

describe('an order that is canceled while the effect of its amend is unknown', () => {
  it.each([
    ['twice as large', 20, 15],
    ['a little larger', 12, 7],
  ])('counts what may have filled of one %s, until a report says what did', (_, total, reducedBy) => {
    const { state, receive, order } = amending(41, total);
    receive({ kind: 'amend-lost', at: after(4), clientOrderId: ID, reason: 'no answer in time' });
    receive({ kind: 'order-updated', at: after(5), order: OLD });
    state.orders.applyChange(ID, 'request-cancel', after(6));
    receive({ kind: 'cancel-accepted', at: after(7), clientOrderId: ID, reducedBy: contracts(reducedBy) });
    expect(order.state).toBe('unknown');
    expect(countedLeaves(order)).toBe(contracts(total));
    const ended = aReport({ status: 'canceled', filledQty: contracts(5), leavesQty: NO_QTY, updatedAt: after(7) });
    receive({ kind: 'order-found', at: after(9), askedAt: after(8), commandId: 1, order: ended });
    expect(state.orders.isAwaitingFills(ID)).toBe(true);
    expect(countedLeaves(order)).toBe(contracts(5));
  });
});
