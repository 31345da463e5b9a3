// Changes of resting orders: cancel, amend, decrease, batches; which changes keep the queue position.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../src/domain/ids.ts';
import { cents, contracts } from '../../src/domain/units.ts';
import { Hall, definitionOf, orderOf, placeOp as place } from './hall.ts';

describe('changing a resting order', () => {
  const rest = (hall: Hall) => {
    const first = hall.place('ann', { price: cents(40) });
    const second = hall.place('bob', { price: cents(40) });
    return { first, second };
  };

  it('returns the canceled quantity when an order is canceled', () => {
    const hall = new Hall();
    const { first } = rest(hall);
    expect(hall.ask({ type: 'cancel', account: 'ann', orderId: first.orderId })).toMatchObject({
      type: 'canceled',
      reducedBy: contracts(10),
    });
    expect(hall.bookText()).toBe('10@40 | ');
  });

  it('cancels every order of an account, or those in one market', () => {
    const hall = new Hall({ markets: [definitionOf('A'), definitionOf('B')] });
    hall.place('ann', { price: cents(40) });
    hall.place('ann', { price: cents(40), ticker: ticker('B') });
    hall.place('ann', { price: cents(41), ticker: ticker('B') });
    expect(hall.ask({ type: 'cancel-all', account: 'ann', ticker: ticker('B') })).toMatchObject({ orders: 2 });
    expect(hall.ask({ type: 'cancel-all', account: 'ann', ticker: null })).toMatchObject({ orders: 1 });
    expect(hall.exchange.restingOrders('ann')).toEqual([]);
    hall.exchange.audit();
  });

  it('keeps the queue position for a pure decrease, by amend or by decrease', () => {
    const hall = new Hall();
    const { first, second } = rest(hall);
    const amendment = { orderId: first.orderId, price: cents(40), qty: contracts(6) };
    expect(hall.ask({ type: 'amend', account: 'ann', amendment })).toMatchObject({
      order: { leavesQty: contracts(6) },
    });
    hall.ask({ type: 'decrease', account: 'ann', orderId: first.orderId, by: { reduceBy: contracts(2) } });
    expect(hall.exchange.queueAhead('bob', second.orderId)).toBe(contracts(4));
    hall.ask({ type: 'decrease', account: 'ann', orderId: first.orderId, by: { reduceTo: contracts(1) } });
    expect(hall.exchange.queueAhead('bob', second.orderId)).toBe(contracts(1));
    expect(hall.codeOf({ type: 'decrease', account: 'ann', orderId: first.orderId, by: { reduceTo: 200 } })).toBe(
      'invalid_order_size',
    );
  });

  it('goes to the back of the queue for a larger quantity or another price', () => {
    const hall = new Hall();
    const { first, second } = rest(hall);
    const more = { orderId: first.orderId, price: cents(40), qty: contracts(11) };
    hall.ask({ type: 'amend', account: 'ann', amendment: more });
    expect(hall.exchange.queueAhead('ann', first.orderId)).toBe(contracts(10));
    hall.ask({
      type: 'amend',
      account: 'bob',
      amendment: { orderId: second.orderId, price: cents(41), qty: contracts(10) },
    });
    expect(hall.bookText()).toBe('10@41 11@40 | ');
  });

  it('counts the filled quantity in an amended total, and may trade at once', () => {
    const hall = new Hall();
    const order = hall.place('ann', { price: cents(40) });
    hall.place('bob', { side: 'sell', price: cents(40), qty: contracts(4) });
    hall.place('bob', { side: 'sell', price: cents(45), qty: contracts(3) });
    const amendment = { orderId: order.orderId, price: cents(45), qty: contracts(9) };
    expect(hall.ask({ type: 'amend', account: 'ann', amendment })).toMatchObject({
      order: { filledQty: contracts(7), leavesQty: contracts(2), initialQty: contracts(9), status: 'resting' },
    });
    const done = { orderId: order.orderId, price: cents(45), qty: contracts(7) };
    expect(hall.ask({ type: 'amend', account: 'ann', amendment: done })).toMatchObject({
      order: { status: 'canceled', filledQty: contracts(7) },
    });
    hall.exchange.audit();
  });

  it('renames an order and keeps both client order ids used up', () => {
    const hall = new Hall();
    const order = hall.place('ann', { price: cents(40), clientOrderId: 'old' });
    const amendment = { orderId: order.orderId, price: cents(40), qty: contracts(10), newClientOrderId: 'new' };
    expect(hall.ask({ type: 'amend', account: 'ann', amendment })).toMatchObject({ order: { clientOrderId: 'new' } });
    for (const clientOrderId of ['old', 'new'])
      expect(hall.codeOf(place('ann', { clientOrderId }))).toBe('order_already_exists');
  });

  it.each([
    { name: 'another market', change: { ticker: ticker('B') }, code: 'order_ticker_mismatch' },
    { name: 'another side', change: { side: 'sell' }, code: 'order_side_mismatch' },
    { name: 'another name', change: { clientOrderId: 'x' }, code: 'order_id_and_client_order_id_mismatch' },
    { name: 'a price off the grid', change: { price: 4050 }, code: 'invalid_price' },
    { name: 'a broken quantity', change: { qty: 50 }, code: 'invalid_order_size' },
    { name: 'more than the account has', change: { qty: contracts(9000) }, code: 'insufficient_balance' },
    { name: 'a crossing price for a post-only order', change: { price: cents(60) }, code: 'invalid_order' },
  ] as const)('refuses to amend to $name and leaves the order unchanged', ({ change, code }) => {
    const hall = new Hall();
    hall.place('bob', { side: 'sell', price: cents(60) });
    const order = hall.place('ann', { price: cents(40), postOnly: true });
    const amendment = { orderId: order.orderId, price: cents(40), qty: contracts(10), ...change };
    expect(hall.codeOf({ type: 'amend', account: 'ann', amendment })).toBe(code);
    expect(hall.orderOf('ann', order.orderId)).toEqual(order);
    hall.exchange.audit();
  });

  it('handles a batch item by item', () => {
    const hall = new Hall();
    const orders = [orderOf({ clientOrderId: 'b1' }), orderOf({ price: 5050 }), orderOf({ clientOrderId: 'b1' })];
    const answer = hall.ask({ type: 'place-batch', account: 'ann', orders });
    expect(answer).toMatchObject({
      answers: [
        { type: 'order' },
        { type: 'refused', refusal: { code: 'invalid_price' } },
        { type: 'refused', refusal: { code: 'order_already_exists' } },
      ],
    });
    const orderIds = [hall.exchange.restingOrders('ann')[0]?.orderId ?? '', 'nonsense'];
    expect(hall.ask({ type: 'cancel-batch', account: 'ann', orderIds })).toMatchObject({
      answers: [{ type: 'canceled' }, { type: 'refused', refusal: { code: 'invalid_UUID' } }],
    });
  });
});
