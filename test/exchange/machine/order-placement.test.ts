// Orders on the exchange: how they fill, rest, change and end, their facts, and refusals.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import { DECI_CENT_GRID } from '../../../src/domain/price-grid.ts';
import { cents, contracts, dollars, price } from '../../../src/domain/units.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import { ExchangeHarness, START, definitionOf, placeOp as place, seconds } from '../exchange-harness.ts';

describe('matching', () => {
  it('fills at the resting price, best first, and rests the remainder', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann', { side: 'sell', price: cents(52), qty: contracts(5) });
    harness.placeOrder('bob', { side: 'sell', price: cents(51), qty: contracts(5) });
    const order = harness.placeOrder('cat', { side: 'buy', price: cents(52), qty: contracts(12) });
    expect(order).toMatchObject({ status: 'resting', filledQty: contracts(10), leavesQty: contracts(2) });
    expect(order.filledNotional).toBe(5 * 100 * 5100 + 5 * 100 * 5200);
    expect(harness.bookText()).toBe('2@52 | ');
    harness.exchange.audit();
  });

  it('fills the oldest order first among equal prices', () => {
    const harness = new ExchangeHarness();
    const first = harness.placeOrder('ann', { side: 'sell', qty: contracts(5) });
    const second = harness.placeOrder('bob', { side: 'sell', qty: contracts(5) });
    expect(harness.exchange.queueAhead('bob', second.orderId)).toBe(contracts(5));
    harness.placeOrder('cat', { side: 'buy', qty: contracts(6) });
    expect(harness.orderOf('ann', first.orderId)?.status).toBe('executed');
    expect(harness.orderOf('bob', second.orderId)).toMatchObject({ status: 'resting', leavesQty: contracts(4) });
    expect(harness.exchange.queueAhead('bob', second.orderId)).toBe(0);
  });

  it('cancels what an immediate-or-cancel order cannot fill', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann', { side: 'sell', qty: contracts(3) });
    const order = harness.placeOrder('bob', { timeInForce: 'ioc' });
    expect(order).toMatchObject({ status: 'canceled', filledQty: contracts(3), leavesQty: 0 });
    expect(harness.placeOrder('bob', { timeInForce: 'ioc' })).toMatchObject({ status: 'canceled', filledQty: 0 });
    expect(harness.bookText()).toBe(' | ');
  });

  it('fills a fill-or-kill order completely or not at all', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann', { side: 'sell', qty: contracts(3) });
    const killed = place('bob', { timeInForce: 'fok', clientOrderId: 'k-1' });
    expect(harness.codeOf(killed)).toBe('fill_or_kill_insufficient_resting_volume');
    expect(harness.bookText()).toBe(' | 3@50');
    expect(harness.codeOf(killed)).toBe('order_already_exists');
    expect(harness.placeOrder('bob', { timeInForce: 'fok', qty: contracts(3) }).status).toBe('executed');
  });

  it('cancels the taker when it meets its own account', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('bob', { side: 'sell', price: cents(49), qty: contracts(2) });
    const own = harness.placeOrder('ann', { side: 'sell', price: cents(50) });
    const taker = harness.placeOrder('ann', { side: 'buy', price: cents(50) });
    expect(taker).toMatchObject({
      status: 'canceled',
      filledQty: contracts(2),
      lastUpdateReason: 'SelfTradeCancel',
    });
    expect(harness.orderOf('ann', own.orderId)?.status).toBe('resting');
  });

  it('cancels the maker instead when the taker asks for it, and continues', () => {
    const harness = new ExchangeHarness();
    const own = harness.placeOrder('ann', { side: 'sell', price: cents(49) });
    harness.placeOrder('bob', { side: 'sell', price: cents(50) });
    const taker = harness.placeOrder('ann', { side: 'buy', price: cents(50), selfTrade: 'maker' });
    expect(taker).toMatchObject({ status: 'executed', filledQty: contracts(10) });
    expect(harness.orderOf('ann', own.orderId)).toMatchObject({
      status: 'canceled',
      lastUpdateReason: 'SelfTradeCancel',
    });
    harness.exchange.audit();
  });

  it("counts only other accounts' orders toward fill-or-kill", () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann', { side: 'sell', qty: contracts(5) });
    harness.placeOrder('bob', { side: 'sell', qty: contracts(5) });
    for (const selfTrade of ['taker_at_cross', 'maker'] as const)
      expect(harness.codeOf(place('ann', { timeInForce: 'fok', selfTrade }))).toBe(
        'fill_or_kill_insufficient_resting_volume',
      );
    expect(harness.bookText()).toBe(' | 10@50');
  });
});

describe('a reduce-only order', () => {
  it('is capped by the position, less what other reduce-only orders would close', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('bob', { side: 'sell' });
    harness.placeOrder('ann', { side: 'buy' });
    const first = harness.placeOrder('ann', { side: 'sell', price: cents(60), qty: contracts(7), reduceOnly: true });
    const second = harness.placeOrder('ann', { side: 'sell', price: cents(61), qty: contracts(7), reduceOnly: true });
    expect([first.initialQty, second.initialQty]).toEqual([contracts(7), contracts(3)]);
    expect(harness.codeOf(place('ann', { side: 'sell', price: cents(62), reduceOnly: true }))).toBe('invalid_order');
    expect(harness.codeOf(place('ann', { side: 'buy', reduceOnly: true }))).toBe('invalid_order');
  });

  it('is trimmed when the position shrinks in another way, and never opens one', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('bob', { side: 'sell' });
    harness.placeOrder('ann', { side: 'buy' });
    const reduce = harness.placeOrder('ann', { side: 'sell', price: cents(61), reduceOnly: true });
    harness.placeOrder('ann', { side: 'sell', price: cents(60), qty: contracts(4) });
    harness.placeOrder('cat', { side: 'buy', price: cents(61), qty: contracts(20) });
    expect(harness.exchange.position('ann', ticker('A'))?.qty).toBe(0);
    expect(harness.orderOf('ann', reduce.orderId)).toMatchObject({
      status: 'canceled',
      filledQty: contracts(6),
      lastUpdateReason: 'ReduceOnlyCancel',
    });
    expect(harness.bookText()).toBe('10@61 | ');
    harness.exchange.audit();
  });

  it('shrinks in place when part of what it would close is gone', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('bob', { side: 'sell' });
    harness.placeOrder('ann', { side: 'buy' });
    const reduce = harness.placeOrder('ann', { side: 'sell', price: cents(61), reduceOnly: true });
    harness.placeOrder('bob', { side: 'buy', price: cents(45), qty: contracts(4) });
    harness.placeOrder('ann', { side: 'sell', price: cents(45), qty: contracts(4) });
    expect(harness.orderOf('ann', reduce.orderId)).toMatchObject({ status: 'resting', leavesQty: contracts(6) });
  });
});

describe('refusals', () => {
  const cases: { name: string; op: Op; code: string; details?: string }[] = [
    { name: 'an unknown account', op: place('dan', {}), code: 'user_not_found' },
    { name: 'an unknown market', op: place('ann', { ticker: ticker('B') }), code: 'market_not_found' },
    { name: 'a price off the grid', op: place('ann', { price: 5050 }), code: 'invalid_price' },
    { name: 'a price of a dollar', op: place('ann', { price: 10_000 }), code: 'invalid_price' },
    { name: 'a price of nothing', op: place('ann', { price: 0 }), code: 'invalid_price' },
    { name: 'a quantity of zero', op: place('ann', { qty: 0 }), code: 'invalid_order_size' },
    { name: 'a negative quantity', op: place('ann', { qty: -100 }), code: 'invalid_order_size' },
    { name: 'part of a contract', op: place('ann', { qty: 150 }), code: 'invalid_order_size' },
    { name: 'a quantity above the maximum', op: place('ann', { qty: 2e9 }), code: 'invalid_order_size' },
    { name: 'a dot in a client order id', op: place('ann', { clientOrderId: 'a.b' }), code: 'invalid_parameters' },
    {
      name: 'a client order id that is too long',
      op: place('ann', { clientOrderId: 'x'.repeat(65) }),
      code: 'invalid_parameters',
    },
    {
      name: 'an expiry in the past',
      op: place('ann', { timeInForce: 'gtd', expiresAt: START }),
      code: 'invalid_parameters',
    },
    { name: 'gtd without expiry', op: place('ann', { timeInForce: 'gtd' }), code: 'invalid_parameters' },
    {
      name: 'an expiry on an immediate order',
      op: place('ann', { timeInForce: 'ioc', expiresAt: seconds(9) }),
      code: 'invalid_parameters',
    },
    {
      name: 'an immediate post-only order',
      op: place('ann', { timeInForce: 'ioc', postOnly: true }),
      code: 'invalid_order',
    },
    {
      name: 'post-only that crosses',
      op: place('ann', { side: 'sell', price: cents(40), postOnly: true }),
      code: 'invalid_order',
      details: 'post only cross',
    },
    {
      name: 'a reduce-only order with nothing to reduce',
      op: place('ann', { reduceOnly: true }),
      code: 'invalid_order',
    },
    { name: 'more than the account has', op: place('ann', { qty: contracts(2001) }), code: 'insufficient_balance' },
    { name: 'an id that is not a UUID', op: { type: 'cancel', account: 'ann', orderId: '42' }, code: 'invalid_UUID' },
    {
      name: 'a cancel of an unknown order',
      op: { type: 'cancel', account: 'ann', orderId: '00000007-0001-8000-8000-00000000ffff' },
      code: 'not_found',
    },
  ];

  it.each(cases)('refuses $name with $code and changes nothing', ({ op, code, details }) => {
    const harness = new ExchangeHarness();
    harness.placeOrder('bob', { side: 'buy', price: cents(40), qty: contracts(1) });
    const before = {
      ledger: harness.exchange.ledger(),
      book: harness.bookText(),
      orders: harness.exchange.orders('ann'),
    };
    const { answer, facts } = harness.step(op);
    expect(answer).toMatchObject({ type: 'refused', refusal: { code, ...(details && { details }) } });
    expect(facts).toEqual([]);
    expect({
      ledger: harness.exchange.ledger(),
      book: harness.bookText(),
      orders: harness.exchange.orders('ann'),
    }).toEqual(before);
  });

  it('uses up a client order id forever, whatever happened to its order, and for its account only', () => {
    const harness = new ExchangeHarness();
    const order = harness.placeOrder('ann', { clientOrderId: 'mine-1' });
    expect(harness.codeOf(place('ann', { clientOrderId: 'mine-1' }))).toBe('order_already_exists');
    harness.submit({ type: 'cancel', account: 'ann', orderId: order.orderId });
    expect(harness.codeOf(place('ann', { clientOrderId: 'mine-1', price: cents(1) }))).toBe('order_already_exists');
    expect(harness.placeOrder('bob', { clientOrderId: 'mine-1' }).status).toBe('resting');
  });

  it('does not use up the client order id of a refused order', () => {
    const harness = new ExchangeHarness();
    expect(harness.codeOf(place('ann', { clientOrderId: 'again', qty: contracts(3000) }))).toBe('insufficient_balance');
    expect(harness.placeOrder('ann', { clientOrderId: 'again' }).status).toBe('resting');
  });

  it('reports a used client order id as existing even after the market has closed', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann', { clientOrderId: 'mine-1' });
    harness.submit({ type: 'close', ticker: ticker('A') });
    expect(harness.codeOf(place('ann', { clientOrderId: 'mine-1' }))).toBe('order_already_exists');
    expect(harness.codeOf(place('ann', { clientOrderId: 'mine-2' }))).toBe('market_already_closed');
  });

  it("refuses alike for a canceled, an executed and another account's order", () => {
    const harness = new ExchangeHarness();
    const canceled = harness.placeOrder('ann', { price: cents(1) });
    harness.submit({ type: 'cancel', account: 'ann', orderId: canceled.orderId });
    const executed = harness.placeOrder('ann', {});
    harness.placeOrder('bob', { side: 'sell' });
    const foreign = harness.placeOrder('cat', { price: cents(2) });
    for (const { orderId } of [canceled, executed, foreign])
      expect(harness.step({ type: 'cancel', account: 'ann', orderId }).answer).toEqual({
        type: 'refused',
        refusal: { code: 'not_found', details: null },
      });
  });
});

describe('facts', () => {
  it('report a trade to everyone and each side of it to its account', () => {
    const harness = new ExchangeHarness({ series: { feeType: 'quadratic' } });
    const maker = harness.placeOrder('ann', { side: 'sell', clientOrderId: 'm' });
    const { facts } = harness.step(place('bob', { qty: contracts(4), clientOrderId: 't' }));
    expect(facts.map((fact) => ('account' in fact ? `${fact.type} ${fact.account}` : fact.type))).toEqual([
      'fill ann',
      'book-delta',
      'print',
      'order ann',
      'fill bob',
      'order bob',
      'ticker',
      'position ann',
      'position bob',
    ]);
    expect(facts.find((fact) => fact.type === 'book-delta')).toMatchObject({
      side: 'ask',
      price: cents(50),
      change: -contracts(4),
      total: contracts(6),
      owner: { account: 'ann', orderId: maker.orderId, clientOrderId: 'm' },
    });
    const fills = facts.filter((fact) => fact.type === 'fill').map((fact) => fact.fill);
    expect(fills).toMatchObject([
      { liquidity: 'maker', side: 'sell', fee: 0, positionAfter: -contracts(4), clientOrderId: 'm' },
      // 0.07 · 4 · 0.5 · 0.5
      { liquidity: 'taker', side: 'buy', fee: 70_000, positionAfter: contracts(4), clientOrderId: 't' },
    ]);
    expect(fills[0]?.tradeId).toBe(fills[1]?.tradeId);
    expect(facts.find((fact) => fact.type === 'order' && fact.account === 'ann')).toMatchObject({
      reason: 'Trade',
      order: { leavesQty: contracts(6), filledQty: contracts(4) },
    });
  });

  it('are not emitted for accounts without history', () => {
    const harness = new ExchangeHarness();
    harness.submit({ type: 'open-account', account: 'mute', keepsHistory: false });
    harness.submit({ type: 'deposit', account: 'mute', amount: dollars(100) });
    harness.placeOrder('ann', { side: 'sell' });
    const { facts } = harness.step(place('mute', {}));
    expect(facts.filter((fact) => 'account' in fact && fact.account === 'mute')).toEqual([]);
    expect(harness.exchange.fills('mute')).toEqual([]);
    expect(harness.exchange.orders('mute')).toEqual([]);
    expect(harness.exchange.position('mute', ticker('A'))?.qty).toBe(contracts(10));
  });

  it('expires an order at its time', () => {
    const harness = new ExchangeHarness();
    const order = harness.placeOrder('ann', { timeInForce: 'gtd', expiresAt: seconds(5) });
    harness.advance(4);
    expect(harness.orderOf('ann', order.orderId)?.status).toBe('resting');
    expect(harness.exchange.nextDue()).toBe(seconds(5));
    expect(harness.advance(1).facts).toContainEqual(
      expect.objectContaining({ type: 'order', account: 'ann', reason: 'ExpiryCancel' }),
    );
    expect(harness.exchange.balance('ann')?.reserved).toBe(0);
  });

  it('gives every order and trade a unique id, shaped like a UUID', () => {
    const harness = new ExchangeHarness();
    const ids = [harness.placeOrder('ann', {}).orderId, harness.placeOrder('bob', { side: 'sell' }).orderId];
    const trades = harness.exchange.prints(ticker('A')).map((print) => print.tradeId);
    for (const id of [...ids, ...trades]) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set([...ids, ...trades]).size).toBe(3);
  });

  it('quotes on whatever grid the market has', () => {
    const fine = definitionOf('A', { gridName: 'deci_cent', gridRanges: DECI_CENT_GRID.ranges });
    const harness = new ExchangeHarness({ markets: [fine] });
    expect(harness.placeOrder('ann', { price: price(4210) }).price).toBe(4210);
    expect(harness.codeOf(place('ann', { price: 4215 }))).toBe('invalid_price');
  });
});
