// Decreases whose acknowledgment gives what remains, but not the filled quantity: no quantity goes uncounted meanwhile,
// and the first report after the change settles the order.
import { beforeEach, describe, expect, it } from 'vitest';
import type { EngineEvent, OrderReport } from '../../../src/domain/event.ts';
import { clientOrderId, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { type Order, leavesQty } from '../../../src/domain/orders/order.ts';
import { contracts, dollars } from '../../../src/domain/units.ts';
import type { StateChange } from '../../../src/state/state-change.ts';
import { State } from '../../../src/state/state.ts';
import { aFill, aPlace, aReport, after, tickerTable } from '../../support/engine/builders.ts';

const ids = { clientOrderId: clientOrderId('c-1'), venueOrderId: venueOrderId('v-1') };
const { clientOrderId: id } = ids;

let state: State;
const apply = (event: EngineEvent): StateChange[] => {
  const changes: StateChange[] = [];
  state.applyEvent(event, changes);
  return changes;
};
const order = (): Order => state.orders.get(id)!;
const left = (size: number): EngineEvent => ({
  kind: 'amend-accepted',
  at: after(20),
  clientOrderId: id,
  price: null,
  leavesQty: contracts(size),
});
const fill = (size: number, trade = 't-1'): EngineEvent => ({
  kind: 'fill',
  at: after(15),
  fill: aFill({ ...ids, tradeId: tradeId(trade), qty: contracts(size) }),
});
const reportOf = (filled: number, remaining: number): OrderReport =>
  aReport({ ...ids, status: 'working', filledQty: contracts(filled), leavesQty: contracts(remaining) });
const streamed = (report: OrderReport): EngineEvent => ({ kind: 'order-updated', at: after(21), order: report });
const found = (report: OrderReport, askedMs: number): EngineEvent => ({
  kind: 'order-found',
  at: after(40),
  askedAt: after(askedMs),
  commandId: 1,
  order: report,
});

/** A working order of ten contracts, with a decrease to four requested. */
beforeEach(() => {
  state = new State(tickerTable(1));
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  state.orders.addOrder(aPlace({ clientOrderId: id, id: 1 }), '');
  state.orders.applyChange(id, 'send', after(1));
  apply({
    kind: 'order-accepted',
    at: after(2),
    exchangeAt: null,
    ...ids,
    filledQty: contracts(0),
    leavesQty: contracts(10),
    isFinished: false,
  });
  state.orders.applyChange(id, 'request-amend', after(3));
});

describe('an order whose acknowledgment gives only the remaining quantity', () => {
  it('the full size counts until a report gives the filled quantity, and then the exact one', () => {
    expect(apply(left(4))).toEqual([]);
    expect([order().state, order().qty]).toEqual(['pending-amend', contracts(10)]);
    apply(fill(3));
    expect(leavesQty(order())).toBe(contracts(7));
    apply(streamed(reportOf(3, 4)));
    expect([order().state, order().qty, leavesQty(order())]).toEqual(['working', contracts(7), contracts(4)]);
  });

  it('the acknowledgment settles the order when the report came first', () => {
    apply(streamed(reportOf(3, 4)));
    expect([order().state, order().qty]).toEqual(['pending-amend', contracts(10)]);
    apply(left(4));
    // Three are in flight, and count.
    expect([order().state, order().qty, leavesQty(order())]).toEqual(['working', contracts(7), contracts(7)]);
  });

  it('a report from before the change does not settle the order', () => {
    apply(streamed(reportOf(3, 7)));
    apply(left(4));
    apply(found(reportOf(0, 10), 30));
    expect([order().state, order().qty]).toEqual(['pending-amend', contracts(10)]);
    apply(found(reportOf(5, 2), 31));
    expect([order().state, order().qty]).toEqual(['working', contracts(7)]);
  });

  it('the order is filled when all its fills had arrived before', () => {
    apply(streamed(reportOf(3, 4)));
    apply(fill(3));
    apply(fill(4, 't-2'));
    apply(left(4));
    expect([order().state, order().filledQty, order().qty]).toEqual(['filled', contracts(7), contracts(7)]);
  });

  it('the order ends when nothing remains', () => {
    apply(left(0));
    expect(order().state).toBe('pending-amend');
    apply(streamed({ ...reportOf(3, 0), status: 'canceled' }));
    expect([order().state, leavesQty(order())]).toEqual(['pending-amend', contracts(3)]);
    apply(fill(3));
    expect([order().state, order().filledQty]).toEqual(['canceled', contracts(3)]);
  });

  it('a second decrease starts without messages of the first', () => {
    apply(left(4));
    apply(streamed(reportOf(3, 4)));
    state.orders.applyChange(id, 'request-amend', after(50));
    apply(left(2));
    expect([order().state, order().qty]).toEqual(['pending-amend', contracts(7)]);
    apply(streamed(reportOf(3, 2)));
    expect([order().state, order().qty]).toEqual(['working', contracts(5)]);
  });

  it('the acknowledgment is ignored when another change was requested meanwhile', () => {
    state.orders.applyChange(id, 'request-cancel', after(4));
    expect(apply(left(4))).toEqual([]);
    expect([order().state, order().qty]).toEqual(['pending-cancel', contracts(10)]);
  });
});
