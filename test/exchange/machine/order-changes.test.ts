// Changes of resting orders: cancel, amend, decrease, batches; which changes keep the queue position.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import { ExchangeHarness, definitionOf, orderOf, placeOp as place } from '../exchange-harness.ts';

describe('changing a resting order', () => {
  const rest = (harness: ExchangeHarness) => {
    const first = harness.placeOrder('ann', { price: cents(40) });
    const second = harness.placeOrder('bob', { price: cents(40) });
    return { first, second };
  };

  it('returns the canceled quantity when an order is canceled', () => {
    const harness = new ExchangeHarness();
    const { first } = rest(harness);
    expect(harness.submit({ type: 'cancel', account: 'ann', orderId: first.orderId })).toMatchObject({
      type: 'canceled',
      reducedBy: contracts(10),
    });
    expect(harness.bookText()).toBe('10@40 | ');
  });

  it('cancels every order of an account, or those in one market', () => {
    const harness = new ExchangeHarness({ markets: [definitionOf('A'), definitionOf('B')] });
    harness.placeOrder('ann', { price: cents(40) });
    harness.placeOrder('ann', { price: cents(40), ticker: ticker('B') });
    harness.placeOrder('ann', { price: cents(41), ticker: ticker('B') });
    expect(harness.submit({ type: 'cancel-all', account: 'ann', ticker: ticker('B') })).toMatchObject({ orders: 2 });
    expect(harness.submit({ type: 'cancel-all', account: 'ann', ticker: null })).toMatchObject({ orders: 1 });
    expect(harness.exchange.restingOrders('ann')).toEqual([]);
    harness.exchange.audit();
  });

  it('keeps the queue position for a pure decrease, by amend or by decrease', () => {
    const harness = new ExchangeHarness();
    const { first, second } = rest(harness);
    const amendment = { orderId: first.orderId, price: cents(40), qty: contracts(6) };
    expect(harness.submit({ type: 'amend', account: 'ann', amendment })).toMatchObject({
      order: { leavesQty: contracts(6) },
    });
    harness.submit({ type: 'decrease', account: 'ann', orderId: first.orderId, by: { reduceBy: contracts(2) } });
    expect(harness.exchange.queueAhead('bob', second.orderId)).toBe(contracts(4));
    harness.submit({ type: 'decrease', account: 'ann', orderId: first.orderId, by: { reduceTo: contracts(1) } });
    expect(harness.exchange.queueAhead('bob', second.orderId)).toBe(contracts(1));
    expect(harness.codeOf({ type: 'decrease', account: 'ann', orderId: first.orderId, by: { reduceTo: 200 } })).toBe(
      'invalid_order_size',
    );
  });

  it('goes to the back of the queue for a larger quantity or another price', () => {
    const harness = new ExchangeHarness();
    const { first, second } = rest(harness);
    const more = { orderId: first.orderId, price: cents(40), qty: contracts(11) };
    harness.submit({ type: 'amend', account: 'ann', amendment: more });
    expect(harness.exchange.queueAhead('ann', first.orderId)).toBe(contracts(10));
    harness.submit({
      type: 'amend',
      account: 'bob',
      amendment: { orderId: second.orderId, price: cents(41), qty: contracts(10) },
    });
    expect(harness.bookText()).toBe('10@41 11@40 | ');
  });

  it('counts the filled quantity in an amended total, and may trade at once', () => {
    const harness = new ExchangeHarness();
    const order = harness.placeOrder('ann', { price: cents(40) });
    harness.placeOrder('bob', { side: 'sell', price: cents(40), qty: contracts(4) });
    harness.placeOrder('bob', { side: 'sell', price: cents(45), qty: contracts(3) });
    const amendment = { orderId: order.orderId, price: cents(45), qty: contracts(9) };
    expect(harness.submit({ type: 'amend', account: 'ann', amendment })).toMatchObject({
      order: { filledQty: contracts(7), leavesQty: contracts(2), initialQty: contracts(9), status: 'resting' },
    });
    const done = { orderId: order.orderId, price: cents(45), qty: contracts(7) };
    expect(harness.submit({ type: 'amend', account: 'ann', amendment: done })).toMatchObject({
      order: { status: 'canceled', filledQty: contracts(7) },
    });
    harness.exchange.audit();
  });

  it('renames an order and keeps both client order ids used up', () => {
    const harness = new ExchangeHarness();
    const order = harness.placeOrder('ann', { price: cents(40), clientOrderId: 'old' });
    const amendment = { orderId: order.orderId, price: cents(40), qty: contracts(10), newClientOrderId: 'new' };
    expect(harness.submit({ type: 'amend', account: 'ann', amendment })).toMatchObject({
      order: { clientOrderId: 'new' },
    });
    for (const clientOrderId of ['old', 'new'])
      expect(harness.codeOf(place('ann', { clientOrderId }))).toBe('order_already_exists');
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
    const harness = new ExchangeHarness();
    harness.placeOrder('bob', { side: 'sell', price: cents(60) });
    const order = harness.placeOrder('ann', { price: cents(40), postOnly: true });
    const amendment = { orderId: order.orderId, price: cents(40), qty: contracts(10), ...change };
    expect(harness.codeOf({ type: 'amend', account: 'ann', amendment })).toBe(code);
    expect(harness.orderOf('ann', order.orderId)).toEqual(order);
    harness.exchange.audit();
  });

  it('handles a batch item by item', () => {
    const harness = new ExchangeHarness();
    const orders = [orderOf({ clientOrderId: 'b1' }), orderOf({ price: 5050 }), orderOf({ clientOrderId: 'b1' })];
    const answer = harness.submit({ type: 'place-batch', account: 'ann', orders });
    expect(answer).toMatchObject({
      answers: [
        { type: 'order' },
        { type: 'refused', refusal: { code: 'invalid_price' } },
        { type: 'refused', refusal: { code: 'order_already_exists' } },
      ],
    });
    const orderIds = [harness.exchange.restingOrders('ann')[0]?.orderId ?? '', 'nonsense'];
    expect(harness.submit({ type: 'cancel-batch', account: 'ann', orderIds })).toMatchObject({
      answers: [{ type: 'canceled' }, { type: 'refused', refusal: { code: 'invalid_UUID' } }],
    });
  });
});
