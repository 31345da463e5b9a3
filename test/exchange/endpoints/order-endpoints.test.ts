// Orders over real sockets: each write with its status and body, and a table of refusals.
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import { KEYS, orderBody, startTestServer } from '../api/test-server.ts';

const UNKNOWN_ID = '00000000-0000-8000-8000-000000000000';

describe('orders', () => {
  it('rest when new, and all their members are reported', async () => {
    const venue = await startTestServer();
    const { status, body } = await venue.placeOrder('ann', { client_order_id: 'mine', yes_price: 42, count: 3 });
    expect(status).toBe(201);
    expect(body.at('order')).toMatchObject({
      client_order_id: 'mine',
      ticker: 'RAIN-26-A',
      side: 'yes',
      action: 'buy',
      type: 'limit',
      yes_price: 42,
      no_price: 58,
      status: 'resting',
      initial_count: 3,
      fill_count: 0,
      remaining_count: 3,
      time_in_force: 'good_till_canceled',
    });
  });

  it.each([
    ['buying NO', { side: 'no', action: 'buy', yes_price: undefined, no_price: 60 }],
    ['selling YES', { side: 'yes', action: 'sell', yes_price: 40 }],
    ['buying NO by its YES price', { side: 'no', action: 'buy', yes_price: 40 }],
  ])('fill a bid for YES by %s, at the complement', async (_how, changes) => {
    const venue = await startTestServer();
    await venue.placeOrder('ann', { yes_price: 40, count: 4 });
    const { body } = await venue.placeOrder('bob', { ...changes, count: 4 });
    expect(body.at('order')).toMatchObject({
      status: 'executed',
      fill_count: 4,
      side: changes.side,
      action: changes.action,
      yes_price: 40,
      no_price: 60,
    });
  });

  it.each([
    ['yes', 'buy'],
    ['yes', 'sell'],
    ['no', 'buy'],
    ['no', 'sell'],
  ])('are read back as they were sent, as %s, %s: over REST, on the feed, and in their fills', async (side, action) => {
    const venue = await startTestServer();
    const feed = await venue.openFeed('ann');
    await feed.reply(feed.send('subscribe', { channels: ['user_orders', 'fill'] }));
    const legs = { side, action };
    const placed = await venue.placeOrder('ann', { ...legs, yes_price: 40, count: 5 });
    expect(placed.body.at('order')).toMatchObject(legs);
    const isBid = (side === 'yes') === (action === 'buy');
    await venue.placeOrder('bob', { action: isBid ? 'sell' : 'buy', yes_price: 40, count: 2 });
    const path = `/portfolio/orders/${placed.body.text('order.order_id')}`;
    const read = await venue.requestAs('ann', `GET ${path}`);
    expect(read.body.at('order')).toMatchObject({ ...legs, yes_price: 40, no_price: 60, fill_count: 2 });
    const fills = await venue.requestAs('ann', 'GET /portfolio/fills');
    expect(fills.body.rows('fills').map((row) => [row.at('side'), row.at('action'), row.at('post_position')])).toEqual([
      [side, action, isBid ? 2 : -2],
    ]);
    const fill = await feed.message((message) => message.at('type') === 'fill');
    expect(fill.at('msg')).toMatchObject(legs);
    for (const message of feed.ofType('user_order')) expect(message.at('msg')).toMatchObject(legs);
    const decreased = await venue.requestAs('ann', `POST ${path}/decrease`, { reduce_by: 1 });
    expect(decreased.body.at('order')).toMatchObject({ ...legs, remaining_count: 2 });
  });

  it('are canceled with the remaining quantity in the answer', async () => {
    const venue = await startTestServer();
    const placed = await venue.placeOrder('ann', { count: 5 });
    const line = `DELETE /portfolio/orders/${placed.body.text('order.order_id')}`;
    const canceled = await venue.requestAs('ann', line);
    expect([canceled.status, canceled.body.at('reduced_by'), canceled.body.at('order.status')]).toEqual([
      200,
      5,
      'canceled',
    ]);
    const again = await venue.requestAs('ann', line);
    const unknown = await venue.requestAs('ann', `DELETE /portfolio/orders/${UNKNOWN_ID}`);
    expect([again.status, unknown.status]).toEqual([404, 404]);
    expect(again.text).toBe(unknown.text);
  });

  it('are amended to a new total and price, and decreased in place', async () => {
    const venue = await startTestServer();
    const placed = await venue.placeOrder('ann', { client_order_id: 'first', yes_price: 30, count: 5 });
    const path = `/portfolio/orders/${placed.body.text('order.order_id')}`;
    const amended = await venue.requestAs('ann', `POST ${path}/amend`, {
      ticker: 'RAIN-26-A',
      side: 'yes',
      action: 'buy',
      count: 8,
      yes_price: 31,
      client_order_id: 'first',
      updated_client_order_id: 'second',
    });
    expect([amended.status, amended.body.at('order.yes_price'), amended.body.at('order.remaining_count')]).toEqual([
      200, 31, 8,
    ]);
    expect(amended.body.at('order.client_order_id')).toBe('second');
    const by = await venue.requestAs('ann', `POST ${path}/decrease`, { reduce_by: 3 });
    expect([by.status, by.body.at('order.remaining_count')]).toEqual([200, 5]);
    const to = await venue.requestAs('ann', `POST ${path}/decrease`, { reduce_to: 1 });
    expect(to.body.at('order.remaining_count')).toBe(1);
  });

  it('are created and canceled in batches, each item with its own answer', async () => {
    const venue = await startTestServer();
    const orders = [orderBody({ client_order_id: 'a' }), orderBody({ client_order_id: 'a' }), orderBody({ count: 1 })];
    const created = await venue.requestAs('ann', 'POST /portfolio/orders/batched', { orders });
    expect(created.status).toBe(201);
    const [first, second, third] = created.body.rows('orders');
    expect(first?.at('order.status')).toBe('resting');
    expect([second?.at('client_order_id'), second?.at('error.code')]).toEqual(['a', 'order_already_exists']);
    expect(third?.at('order.remaining_count')).toBe(1);
    const ids = [{ order_id: first?.text('order.order_id') }, { order_id: UNKNOWN_ID }];
    const canceled = await venue.requestAs('ann', 'DELETE /portfolio/orders/batched', { orders: ids });
    expect(canceled.status).toBe(200);
    const [gone, unknown] = canceled.body.rows('orders');
    expect([gone?.at('reduced_by'), gone?.at('order.status')]).toEqual([10, 'canceled']);
    expect([unknown?.at('order_id'), unknown?.at('error.code')]).toEqual([UNKNOWN_ID, 'not_found']);
  });

  it('expire at their time', async () => {
    let aheadMs = 0;
    const venue = await startTestServer({ clock: () => micros((Date.now() + aheadMs) * 1000) });
    const feed = await venue.openFeed('ann');
    await feed.reply(feed.send('subscribe', { channels: ['user_orders'] }));
    // Its time comes as soon as the clock is moved, however long the order took to arrive.
    const placed = await venue.placeOrder('ann', { expiration_ts: Math.floor(Date.now() / 1000) + 1800 });
    expect(placed.status).toBe(201);
    aheadMs = 1_900_000;
    const message = await feed.message((message) => message.at('msg.last_update_reason') === 'ExpiryCancel');
    expect(message.at('msg.status')).toBe('canceled');
  });
});

describe('refused orders', () => {
  it.each([
    ['not JSON', 400, 'bad_request', '{'],
    ['an empty body', 400, 'bad_request', ''],
    ['a list', 400, 'bad_request', '[]'],
    ['no ticker', 400, 'bad_request', { ticker: undefined }],
    ['a count in words', 400, 'bad_request', { count: 'ten' }],
    ['a count as a string', 400, 'bad_request', { count: '10' }],
    ['a price as a string', 400, 'bad_request', { yes_price: '50' }],
    ['no price', 400, 'bad_request', { yes_price: undefined }],
    ['two prices', 400, 'invalid_parameters', { no_price: 50 }],
    ['no side', 400, 'bad_request', { side: undefined }],
    ['an unknown side', 400, 'bad_request', { side: 'maybe' }],
    ['a market order', 400, 'bad_request', { type: 'market' }],
    ['an unknown time in force', 400, 'invalid_parameters', { time_in_force: 'forever' }],
    ['a count of zero', 400, 'invalid_order_size', { count: 0 }],
    ['a negative count', 400, 'invalid_order_size', { count: -5 }],
    ['part of a contract', 400, 'invalid_order_size', { count: 0.5 }],
    ['part of a cent', 400, 'invalid_price', { yes_price: 50.5 }],
    ['a price of zero', 400, 'invalid_price', { yes_price: 0 }],
    ['a price of a dollar', 400, 'invalid_price', { yes_price: 100 }],
    ['a price beyond a dollar', 400, 'invalid_price', { yes_price: 101 }],
    ['an unknown market', 404, 'market_not_found', { ticker: 'NOWHERE' }],
    ['a market that is not open', 409, 'market_inactive', { ticker: 'RAIN-26-B' }],
    ['more than the account has', 400, 'insufficient_balance', { count: 1_000_000 }],
    ['a client order id with a dot', 400, 'invalid_parameters', { client_order_id: 'a.b' }],
    ['an expiration in the past', 400, 'invalid_parameters', { expiration_ts: 1000 }],
    [
      'an expiration on an immediate order',
      400,
      'invalid_parameters',
      { expiration_ts: 9_000_000_000, time_in_force: 'fill_or_kill' },
    ],
    [
      'a fill-or-kill order that cannot fill',
      409,
      'fill_or_kill_insufficient_resting_volume',
      { time_in_force: 'fill_or_kill' },
    ],
    ['a reduce-only order without a position', 400, 'invalid_order', { reduce_only: true }],
  ])('answer %s with %i %s', async (_what, status, code, changes) => {
    const venue = await startTestServer();
    const request = typeof changes === 'string' ? { rawBody: changes } : { body: orderBody(changes) };
    const answer = await venue.request('POST /portfolio/orders', { key: KEYS.ann, ...request });
    expect([answer.status, answer.body.at('error.code') ?? answer.body.at('code')]).toEqual([status, code]);
    expect(venue.running.exchange.orders('ann')).toEqual([]);
  });

  it('include one with a client order id used at any time before', async () => {
    const venue = await startTestServer();
    const placed = await venue.placeOrder('ann', { client_order_id: 'once' });
    await venue.requestAs('ann', `DELETE /portfolio/orders/${placed.body.text('order.order_id')}`);
    const again = await venue.placeOrder('ann', { client_order_id: 'once' });
    expect([again.status, again.text]).toEqual([
      409,
      '{"error":{"code":"order_already_exists","message":"order already exists"}}',
    ]);
    expect((await venue.placeOrder('bob', { client_order_id: 'once' })).status).toBe(201);
  });

  it('include a post-only one that would cross', async () => {
    const venue = await startTestServer();
    await venue.placeOrder('ann', { yes_price: 40 });
    const crossing = await venue.placeOrder('bob', { action: 'sell', yes_price: 40, post_only: true });
    expect([crossing.status, crossing.body.value]).toEqual([
      400,
      { error: { code: 'invalid_order', message: 'invalid order', details: 'post only cross' } },
    ]);
  });

  it.each([
    ['amend', { ticker: 'CITY-36-X', side: 'yes', action: 'buy', count: 5, yes_price: 31 }, 'order_ticker_mismatch'],
    ['amend', { ticker: 'RAIN-26-A', side: 'no', action: 'buy', count: 5, yes_price: 31 }, 'order_side_mismatch'],
    ['decrease', { reduce_by: 1, reduce_to: 1 }, 'invalid_parameters'],
    ['decrease', {}, 'invalid_parameters'],
    ['decrease', { reduce_to: 50 }, 'invalid_order_size'],
  ])('answer a change to %s by %j with %s', async (what, body, code) => {
    const venue = await startTestServer();
    const placed = await venue.placeOrder('ann');
    const answer = await venue.requestAs(
      'ann',
      `POST /portfolio/orders/${placed.body.text('order.order_id')}/${what}`,
      body,
    );
    expect([answer.status, answer.body.at('error.code')]).toEqual([400, code]);
  });

  it('include a batch that is empty or too long', async () => {
    const venue = await startTestServer();
    const long = Array.from({ length: 21 }, () => orderBody({ count: 1 }));
    for (const orders of [[], long]) {
      const answer = await venue.requestAs('ann', 'POST /portfolio/orders/batched', { orders });
      expect([answer.status, answer.body.at('error.code')]).toEqual([400, 'invalid_parameters']);
    }
    expect(venue.running.exchange.orders('ann')).toEqual([]);
  });

  it('include a body longer than any order', async () => {
    const venue = await startTestServer();
    const rawBody = JSON.stringify({ ...orderBody(), note: 'x'.repeat(1_100_000) });
    const answer = await venue.request('POST /portfolio/orders', { key: KEYS.ann, rawBody });
    expect(answer.status).toBe(413);
  });

  it('do not include cancels while only trading is paused', async () => {
    const venue = await startTestServer();
    const placed = await venue.placeOrder('ann');
    const line = `DELETE /portfolio/orders/${placed.body.text('order.order_id')}`;
    const { session } = venue.running;
    session.submit({ type: 'set-exchange', isActive: false, isTrading: false });
    expect((await venue.requestAs('ann', line)).body.at('error.code')).toBe('exchange_is_paused');
    session.submit({ type: 'set-exchange', isActive: true, isTrading: false });
    const refused = await venue.placeOrder('ann');
    expect([refused.status, refused.body.at('error.code')]).toEqual([409, 'trading_is_paused']);
    expect((await venue.requestAs('ann', line)).status).toBe(200);
  });
});
