// The collection of orders: its memory, its counts, and orders from outside.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Order, OrderChange } from '../../../src/domain/orders/order.ts';
import { collateral } from '../../../src/domain/position.ts';
import { NO_MONEY, cents, contracts } from '../../../src/domain/units.ts';
import { reservedCash } from '../../../src/state/account/equity.ts';
import { collateralTermsOf } from '../../../src/state/account/reserved-collateral.ts';
import { ADOPTED, FOREIGN } from '../../../src/state/account/orders.ts';
import { State } from '../../../src/state/state.ts';
import { M0, M1, MAKER, aFill, aPlace, aReport, after } from '../../support/engine/builders.ts';

describe('the collection of orders', () => {
  it('the oldest finished orders are forgotten beyond the bound, and no open one', () => {
    const state = new State();
    for (let i = 0; i < 10_050; i++) {
      const id = clientOrderId(`n-${i}`);
      state.orders.addOrder(aPlace({ clientOrderId: id, strategy: MAKER }), '');
      if (i > 0) state.orders.applyChange(id, 'drop', after(1));
    }
    expect(state.orders.get(clientOrderId('n-0'))?.state).toBe('queued');
    expect(state.orders.get(clientOrderId('n-1'))).toBeUndefined();
    expect(state.orders.get(clientOrderId('n-10049'))?.state).toBe('not-sent');
    expect(state.orders.openCount).toBe(1);
    expect(state.orders.allOpen().map(({ clientOrderId: id }) => id)).toEqual(['n-0']);
  });
  it('a client order id used twice is refused', () => {
    const state = new State();
    state.orders.addOrder(aPlace(), '');
    expect(() => state.orders.addOrder(aPlace(), '')).toThrow('twice');
  });

  it('an order for nothing is refused', () => {
    const state = new State();
    expect(() => state.orders.addOrder(aPlace({ qty: contracts(0) }), '')).toThrow('more than nothing');
  });

  it('an order from the venue must not begin with more filled than its quantity', () => {
    const state = new State();
    expect(() => state.orders.adoptOrder(aReport({ leavesQty: contracts(-1) }), after(1))).toThrow('more filled');
  });

  it('an unresolved order of an earlier session counts as unknown and whole, from its sending', () => {
    const state = new State();
    const sent = { clientOrderId: clientOrderId('dead-1'), side: 'buy', price: cents(40), qty: contracts(10) } as const;
    const order = state.orders.addUnresolved({ ...sent, sentAt: after(-5000) }, M0);
    expect(order).toMatchObject({
      ...sent,
      state: 'unknown',
      strategy: FOREIGN,
      filledQty: 0,
      createdAt: after(-5000),
    });
    expect(state.orders.openIn(M0)).toEqual([order]);
  });

  it('the filled quantity of a foreign order only grows', () => {
    const { orders } = new State();
    const order = orders.adoptOrder(aReport({ filledQty: contracts(2), leavesQty: contracts(8) }), after(0), ADOPTED);
    orders.raiseFilled(order.clientOrderId, contracts(5));
    orders.raiseFilled(order.clientOrderId, contracts(3));
    expect(order).toMatchObject({ qty: contracts(10), filledQty: contracts(5), filledNotional: 5 * 100 * cents(40) });
  });

  it('markets with open orders are known, and their revision changes with every change', () => {
    const { orders } = new State();
    expect([...orders.marketsWithOpenOrders()]).toEqual([]);
    const { clientOrderId: id } = orders.addOrder(aPlace(), '');
    expect([...orders.marketsWithOpenOrders()]).toEqual([M0]);
    const placed = orders.revisionOf(M0);
    orders.applyChange(id, 'send', after(1));
    expect(orders.revisionOf(M0)).toBe(placed);
    orders.applyTerms(id, { price: cents(41) }, { at: after(1), exchangeAt: null });
    const amended = orders.revisionOf(M0);
    expect(amended).not.toBe(placed);
    orders.applyChange(id, 'reject', after(2));
    expect([...orders.marketsWithOpenOrders()]).toEqual([]);
    expect(orders.revisionOf(M0)).not.toBe(amended);
  });

  it('orders to cancel before a session can end are counted separately', () => {
    const { orders } = new State();
    orders.adoptOrder(aReport({ venueOrderId: venueOrderId('v-1'), clientOrderId: null }), after(0), ADOPTED);
    orders.adoptOrder(aReport({ venueOrderId: venueOrderId('v-2'), clientOrderId: null }), after(0));
    expect([orders.openCount, orders.cancelableCount]).toEqual([2, 1]);
  });

  it('counts, unsettled orders and collateral equal those of a scan of all orders', () => {
    const changes: readonly OrderChange[] = [
      'send',
      'accept',
      'lose',
      'request-cancel',
      'lose-cancel',
      'cancel',
      'drop',
    ];
    const step = fc.record({
      order: fc.nat({ max: 11 }),
      change: fc.constantFrom(...changes, 'fill' as const, 'end' as const, 'amend' as const),
      held: fc.integer({ min: -20, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const state = new State();
        const { orders, portfolio } = state;
        const ids = Array.from({ length: 12 }, (_, n) => clientOrderId(`n-${n}`));
        for (const [n, id] of ids.entries())
          orders.addOrder(
            aPlace({
              clientOrderId: id,
              market: n % 3 === 0 ? M1 : M0,
              side: n % 2 === 0 ? 'buy' : 'sell',
              price: cents(10 + n),
              strategy: n % 4 === 0 ? ADOPTED : MAKER,
            }),
            '',
          );
        for (const [moment, { order, change, held }] of steps.entries()) {
          const id = must(ids[order], 'id');
          const of = must(orders.get(id), 'order');
          const since = { at: after(moment), exchangeAt: null };
          if (change === 'amend') orders.applyTerms(id, { price: cents(30 + held) }, since);
          else if (change === 'end') orders.awaitFills(id, 'cancel', contracts(2));
          else if (change !== 'fill') orders.applyChange(id, change, after(moment));
          else if (of.state === 'working') orders.applyFill(id, aFill({ qty: contracts(1) }), after(moment));
          const open = orders.allOpen();
          const isUnsettled = ({ state }: Order): boolean => state !== 'queued' && state !== 'working';
          expect(orders.unsettledOrders()).toEqual(open.filter(isUnsettled));
          expect(orders.cancelableCount).toBe(open.filter(({ strategy }) => strategy !== ADOPTED).length);
          expect(orders.openCountOf(MAKER)).toBe(open.filter(({ strategy }) => strategy === MAKER).length);
          const position = { cost: NO_MONEY, realized: NO_MONEY, fees: NO_MONEY, qty: contracts(held) };
          portfolio.setOpeningPositions([{ ...position, market: M0 }]);
          let all = 0;
          for (const market of [M0, M1]) {
            const { qty } = portfolio.position(market);
            const amount = collateral(qty, orders.openIn(market).map(collateralTermsOf));
            expect(orders.collateral.reservedIn(market, qty)).toBe(amount);
            all += amount;
          }
          expect(reservedCash(state)).toBe(all);
        }
      }),
    );
  });

  it('a finished order gets its full quantity back once its missing fills have arrived', () => {
    const { orders } = new State();
    const { clientOrderId: id } = orders.addOrder(aPlace({ qty: contracts(10) }), '');
    orders.applyChange(id, 'send', after(1));
    orders.applyChange(id, 'accept', after(2));
    expect(orders.awaitFills(id, 'cancel', contracts(4))).toBe(true);
    // Only the filled quantity by the venue counts against limits until the fill arrives.
    expect(orders.get(id)).toMatchObject({ state: 'working', qty: contracts(4) });
    orders.applyFill(id, aFill({ qty: contracts(4) }), after(3));
    expect(orders.get(id)).toMatchObject({ state: 'canceled', qty: contracts(10), filledQty: contracts(4) });
  });

  it('a taken id is remembered until the order ends', () => {
    const { orders } = new State();
    const { clientOrderId: id } = orders.addOrder(aPlace(), '');
    orders.applyChange(id, 'send', after(1));
    orders.applyChange(id, 'lose', after(2));
    orders.markArrived(id);
    expect(orders.isKnownArrived(id)).toBe(true);
    orders.applyChange(id, 'cancel', after(3));
    expect(orders.isKnownArrived(id)).toBe(false);
    orders.markArrived(id);
    expect(orders.isKnownArrived(id)).toBe(false);
  });

  it('an order lost again counts as lost only from then: it may have been sent a second time', () => {
    const { orders } = new State();
    const { clientOrderId: id } = orders.addOrder(aPlace(), '');
    orders.applyChange(id, 'send', after(1));
    orders.applyChange(id, 'lose', after(2));
    orders.applyChange(id, 'lose', after(9));
    expect(orders.get(id)?.changedAt).toBe(after(9));
    orders.applyChange(id, 'drop', after(10));
    orders.applyChange(id, 'lose', after(11));
    expect(orders.get(id)).toMatchObject({ state: 'not-sent', changedAt: after(10) });
  });
});
