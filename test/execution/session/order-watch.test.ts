// The watch over unknown orders: when a complete list ends one, and when it is sent again.
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { CAREFUL_POLICY, type OrderPolicy } from '../../../src/execution/orders/order-policy.ts';
import { OrderWatch } from '../../../src/execution/session/order-watch.ts';
import type { VenueReader } from '../../../src/execution/session/venue-reader.ts';
import { State } from '../../../src/state/state.ts';
import { aPlace, after } from '../../support/engine/builders.ts';

const ID = clientOrderId('c-1');
const GRACE_MS = 2000;

/** A watch over one order that became unknown 10 ms after the start. */
function watching(over: Partial<OrderPolicy>) {
  const state = new State();
  state.orders.addOrder(aPlace({ clientOrderId: ID }), '');
  state.orders.applyChange(ID, 'send', after(0));
  state.orders.applyChange(ID, 'lose', after(10));
  const dropped: string[] = [];
  const resent: string[] = [];
  const watch = new OrderWatch({
    state,
    reader: {} as VenueReader,
    policy: { ...CAREFUL_POLICY, canResend: true, ...over },
    graceMs: GRACE_MS,
    lookbackMs: 10_000,
    observe: () => undefined,
    actions: {
      cancelOrder: () => undefined,
      markUnknown: () => undefined,
      dropOrder: (id) => void dropped.push(id),
      resendOrder: (id) => (resent.push(id), true),
      haltAccount: () => undefined,
    },
    isSending: () => true,
    requestFills: () => undefined,
  });
  /** A complete list of all orders without this order, requested at a given time and answered a millisecond later. */
  const absent = (askedMs: number): void => {
    state.now = after(askedMs + 1);
    watch.onOrdersListed({
      what: 'orders',
      target: { what: 'orders', status: 'any', since: null },
      rows: [],
      askedAt: after(askedMs),
      at: after(askedMs + 1),
    });
  };
  return { absent, dropped, resent };
}

describe('an order that was sent again', () => {
  it('does not end a resent order because of a list requested within its grace, although its answer is overdue', () => {
    // An answer is awaited for a second; an order may appear until two seconds after it was sent.
    const { absent, dropped, resent } = watching({ unknownMsMax: 1000 });
    absent(2010);
    expect(resent).toEqual([ID]);
    absent(2010 + GRACE_MS);
    expect(dropped).toEqual([]);
    absent(2012 + GRACE_MS);
    expect(dropped).toEqual([ID]);
    expect(resent).toEqual([ID]);
  });

  it('does not end a resent order until its answer is overdue', () => {
    const { absent, dropped } = watching({ unknownMsMax: 5000 });
    absent(2010);
    absent(2010 + 4999);
    expect(dropped).toEqual([]);
    absent(2012 + 5000);
    expect(dropped).toEqual([ID]);
  });
});
