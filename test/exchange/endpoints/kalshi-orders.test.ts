// Orders over REST in the `kalshi` dialect: the status and body of each case.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import { KalshiHarness, bodyOf } from '../api/kalshi-harness.ts';

const ORDERS = '/portfolio/events/orders';
const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const nested = (code: string, details?: string) => ({
  error: { code, message: code.replaceAll('_', ' '), ...(details === undefined ? {} : { details }) },
});
const wrongType = (details: string) => ({ code: 'bad_request', message: 'bad request', details });

describe('orders in the kalshi dialect', () => {
  it('are acknowledged with 201, strings, the time, and averages when something filled', () => {
    const harness = new KalshiHarness();
    const resting = harness.createOrder('ann', { client_order_id: 'mine' });
    expect([resting.status, resting.body.value]).toEqual([
      201,
      {
        order_id: resting.body.text('order_id'),
        client_order_id: 'mine',
        fill_count: '0.00',
        remaining_count: '10.00',
        ts_ms: Math.floor(harness.now / 1000),
      },
    ]);
    const taking = harness.createOrder('bob', {
      side: 'ask',
      count: '4',
      price: '0.5',
      time_in_force: 'immediate_or_cancel',
    });
    expect([taking.status, taking.body.value]).toMatchObject([
      201,
      { fill_count: '4.00', remaining_count: '0.00', average_fill_price: '0.5000', average_fee_paid: '0.0175' },
    ]);
    const read = harness.requestNow('ann', `GET /portfolio/orders/${resting.body.text('order_id')}`);
    expect(read.body.at('order')).toMatchObject({
      book_side: 'bid',
      outcome_side: 'yes',
      status: 'resting',
      fill_count_fp: '4.00',
      remaining_count_fp: '6.00',
      yes_price_dollars: '0.5000',
      no_price_dollars: '0.5000',
      subaccount_number: 0,
      exchange_index: 0,
    });
  });

  it('are acknowledged with 201 and nothing remaining when an immediate one meets nothing, or its own account', () => {
    const harness = new KalshiHarness();
    const ioc = { time_in_force: 'immediate_or_cancel' };
    expect(harness.createOrder('ann', ioc).body.value).toMatchObject({ fill_count: '0.00', remaining_count: '0.00' });
    harness.createOrder('ann');
    const own = harness.createOrder('ann', { side: 'ask' });
    expect([own.status, own.body.at('fill_count'), own.body.at('remaining_count')]).toEqual([201, '0.00', '0.00']);
    expect(harness.session.exchange.restingOrders('ann')).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>, number, unknown]>([
    [
      'a count as a number',
      { count: 10 },
      400,
      wrongType('json: cannot unmarshal number into Go struct field CreateOrderV2Request.count of type string'),
    ],
    [
      'a price as a number',
      { price: 0.5 },
      400,
      wrongType('json: cannot unmarshal number into Go struct field CreateOrderV2Request.price of type string'),
    ],
    [
      'a flag as a string',
      { post_only: 'yes' },
      400,
      wrongType('json: cannot unmarshal string into Go struct field CreateOrderV2Request.post_only of type bool'),
    ],
    [
      'a time as a string',
      { expiration_time: 'soon' },
      400,
      wrongType(
        'json: cannot unmarshal string into Go struct field CreateOrderV2Request.expiration_time of type int64',
      ),
    ],
    [
      'a ticker as a list',
      { ticker: ['A'] },
      400,
      wrongType('json: cannot unmarshal array into Go struct field CreateOrderV2Request.ticker of type string'),
    ],
    ['no ticker', { ticker: undefined }, 400, nested('invalid_parameters')],
    ['no time in force', { time_in_force: undefined }, 400, nested('invalid_parameters')],
    ['no self-trade prevention', { self_trade_prevention_type: undefined }, 400, nested('invalid_parameters')],
    ['a side that does not exist', { side: 'yes' }, 400, nested('invalid_parameters')],
    ['a price off the grid', { price: '0.5150' }, 400, nested('invalid_price')],
    ['a price that is not a number', { price: 'half' }, 400, nested('invalid_price')],
    ['a price of a dollar', { price: '1.0000' }, 400, nested('invalid_price')],
    ['a count of zero', { count: '0.00' }, 400, nested('invalid_order_size')],
    ['too many decimals', { count: '1.005' }, 400, nested('invalid_order_size')],
    ['more than the account has', { count: '10099.00', price: '0.9900' }, 400, nested('insufficient_balance')],
    ['an id with a dot', { client_order_id: 'a.b' }, 400, nested('invalid_parameters')],
    ['an expiration in the past', { expiration_time: 1 }, 400, nested('invalid_parameters')],
    [
      'an immediate order with an expiration',
      { time_in_force: 'fill_or_kill', expiration_time: 4_000_000_000 },
      400,
      nested('invalid_parameters'),
    ],
    ['an unknown market', { ticker: 'NONE' }, 404, nested('market_not_found')],
    [
      'a fill-or-kill order that is killed',
      { time_in_force: 'fill_or_kill' },
      409,
      nested('fill_or_kill_insufficient_resting_volume'),
    ],
    [
      'a post-only order that crosses',
      { side: 'ask', price: '0.2', post_only: true },
      400,
      nested('invalid_order', 'post only cross'),
    ],
    ['an unknown group', { order_group_id: UNKNOWN }, 404, nested('not_found')],
  ])('are refused for %s', (_case, changes, status, body) => {
    const harness = new KalshiHarness();
    if (changes['post_only'] === true) harness.createOrder('ann', { price: '0.3' });
    const answer = harness.createOrder('bob', changes);
    expect([answer.status, answer.body.value]).toEqual([status, body]);
  });

  it('are refused by the path of the wrongly typed member of an item in a batch', () => {
    const harness = new KalshiHarness();
    const answer = harness.requestNow('ann', `POST ${ORDERS}/batched`, { orders: [bodyOf(), bodyOf({ count: 5 })] });
    expect([answer.status, answer.body.value]).toEqual([
      400,
      wrongType('json: cannot unmarshal number into Go struct field CreateOrderV2Request.orders.count of type string'),
    ]);
    expect(harness.session.exchange.orders('ann')).toEqual([]);
  });

  // Like Go's decoder, which goes through the document and reports the first member of the wrong type.
  it.each<[string, Readonly<Record<string, unknown>> | readonly unknown[] | string | number, string]>([
    [
      'the first of two members',
      { price: 0.5, ticker: 7 },
      'number into Go struct field CreateOrderV2Request.price of type string',
    ],
    [
      'the first of two members',
      { ticker: 7, price: 0.5 },
      'number into Go struct field CreateOrderV2Request.ticker of type string',
    ],
    [
      'a wrongly typed member after an out-of-range one',
      { side: 'sideways', post_only: 1 },
      'number into Go struct field CreateOrderV2Request.post_only of type bool',
    ],
    [
      'a wrongly typed member when another is missing',
      { count: 5 },
      'number into Go struct field CreateOrderV2Request.count of type string',
    ],
    [
      'a member of a batch item before one of the next item',
      { orders: [{ price: 0.5 }, { ticker: 7 }] },
      'number into Go struct field CreateOrderV2Request.orders.price of type string',
    ],
    ['a body that is a list', [], 'array into Go value of type CreateOrderV2Request'],
    ['a body that is a number', 5, 'number into Go value of type CreateOrderV2Request'],
    ['a body that is a text', 'x', 'string into Go value of type CreateOrderV2Request'],
    [
      'an item of a batch that is a text',
      { orders: [bodyOf(), 'x', { price: 0.5 }] },
      'string into Go struct field BatchCreateOrdersV2Request.orders of type CreateOrderV2Request',
    ],
    [
      'a fraction of a second',
      { expiration_time: 1_999_999_999.5 },
      'number 1999999999.5 into Go struct field CreateOrderV2Request.expiration_time of type int64',
    ],
    [
      'a number beyond 64 bits',
      { expiration_time: 1e20 },
      'number 100000000000000000000 into Go struct field CreateOrderV2Request.expiration_time of type int64',
    ],
  ])('are refused for %s, in the order of the document', (_case, body, details) => {
    const path = typeof body === 'object' && 'orders' in body ? `${ORDERS}/batched` : ORDERS;
    const answer = new KalshiHarness().requestNow('ann', `POST ${path}`, body);
    expect([answer.status, answer.body.value]).toEqual([400, wrongType(`json: cannot unmarshal ${details}`)]);
  });

  it('use up their client order ids forever', () => {
    const harness = new KalshiHarness();
    const orderId = harness.createdOrderId('ann', { client_order_id: 'once' });
    const again = () => {
      const { status, body } = harness.createOrder('ann', { client_order_id: 'once' });
      return [status, body.value];
    };
    expect(again()).toEqual([409, nested('order_already_exists')]);
    expect(harness.cancelOrder('ann', orderId).status).toBe(200);
    expect(again()).toEqual([409, nested('order_already_exists')]);
    harness.createOrder('ann', { client_order_id: 'killed', time_in_force: 'fill_or_kill' });
    expect(harness.createOrder('ann', { client_order_id: 'killed' }).status).toBe(409);
  });

  it('are canceled with the quantity taken off, and are not found alike when canceled, executed or unknown', () => {
    const harness = new KalshiHarness();
    const canceled = harness.createdOrderId('ann');
    const answer = harness.cancelOrder('ann', canceled);
    expect([answer.status, answer.body.at('reduced_by'), answer.body.at('ts_ms')]).toEqual([
      200,
      '10.00',
      Math.floor(harness.now / 1000),
    ]);
    const executed = harness.createdOrderId('ann');
    harness.createOrder('bob', { side: 'ask' });
    const texts = [canceled, executed, UNKNOWN].map((orderId) => {
      const { status, text } = harness.cancelOrder('ann', orderId);
      return `${status} ${text}`;
    });
    expect(new Set(texts)).toEqual(new Set(['404 {"error":{"code":"not_found","message":"not found"}}']));
    expect(harness.cancelOrder('ann', 'order-1').body.value).toEqual(nested('invalid_UUID'));
  });

  it('are all canceled at once, on every shard, with 204 and no body', () => {
    const harness = new KalshiHarness();
    harness.createOrder('ann');
    harness.createOrder('ann', { ticker: 'COIN' });
    harness.createOrder('bob');
    const answer = harness.requestNow('ann', `DELETE ${ORDERS}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { exchange } = harness.session;
    const resting = (name: string) => exchange.restingOrders(name).length;
    expect([resting('ann'), resting('ann@2'), resting('bob')]).toEqual([0, 0, 1]);
    // The venue also cancels orders of the next minute; this exchange does not.
    expect(harness.createOrder('ann').body.at('remaining_count')).toBe('10.00');
  });

  it('are amended to a total, and answer with what the amend itself filled', () => {
    const harness = new KalshiHarness();
    const orderId = harness.createdOrderId('ann');
    harness.createOrder('bob', { side: 'ask', count: '4.00' });
    const amend = (changes: Record<string, unknown>) =>
      harness.requestNow('ann', `POST ${ORDERS}/${orderId}/amend`, {
        ticker: 'A',
        side: 'bid',
        price: '0.5000',
        ...changes,
      });
    expect(amend({ count: '8.00' }).body.value).toMatchObject({ remaining_count: '4.00', order_id: orderId });
    expect(amend({ count: '8.00', ticker: 'B' }).body.value).toEqual(nested('order_ticker_mismatch'));
    expect(amend({ count: '8.00', side: 'ask' }).body.value).toEqual(nested('order_side_mismatch'));
    expect(amend({ count: '8.00', client_order_id: 'other' }).body.value).toEqual(
      nested('order_id_and_client_order_id_mismatch'),
    );
    expect(amend({ count: 8 }).body.at('code')).toBe('bad_request');
  });

  it('are decreased by or to a count, and the answer has no fills', () => {
    const harness = new KalshiHarness();
    const orderId = harness.createdOrderId('ann');
    const decrease = (body: unknown) => harness.requestNow('ann', `POST ${ORDERS}/${orderId}/decrease`, body);
    const answer = decrease({ reduce_to: '6.00', market_ticker: 'A' });
    expect([answer.status, answer.body.value]).toMatchObject([200, { order_id: orderId, remaining_count: '6.00' }]);
    expect(answer.body.at('fill_count')).toBeUndefined();
    expect(decrease({ reduce_by: '6.00' }).body.at('remaining_count')).toBe('0.00');
    expect(decrease({ reduce_by: '1.00', reduce_to: '1.00' }).body.value).toEqual(nested('invalid_parameters'));
  });

  it('are answered item by item in a batch, with the errors of those that failed, and 201 even if all did', () => {
    const harness = new KalshiHarness();
    const orders = [bodyOf({ client_order_id: 'x' }), bodyOf({ client_order_id: 'y', price: '0.5150' })];
    const answer = harness.requestNow('ann', `POST ${ORDERS}/batched`, { orders });
    expect(answer.status).toBe(201);
    const [first, second] = answer.body.rows('orders');
    expect(first?.value).toMatchObject({ client_order_id: 'x', fill_count: '0.00', remaining_count: '10.00' });
    expect(second?.value).toEqual({
      client_order_id: 'y',
      error: { code: 'invalid_price', message: 'invalid price' },
    });
    harness.advance(7);
    const canceled = harness.requestNow('ann', `DELETE ${ORDERS}/batched`, {
      orders: [{ order_id: first?.text('order_id') }, { order_id: UNKNOWN }],
    });
    expect(canceled.status).toBe(200);
    expect(canceled.body.rows('orders').map(({ value }) => value)).toEqual([
      { order_id: first?.text('order_id'), client_order_id: 'x', reduced_by: '10.00', ts_ms: harness.now / 1000 },
      { order_id: UNKNOWN, reduced_by: '0.00', error: { code: 'not_found', message: 'not found' } },
    ]);
  });

  it.each([
    ['POST /portfolio/orders', { ticker: 'A' }],
    ['POST /portfolio/orders/batched', {}],
    ['DELETE /portfolio/orders/batched', {}],
    [`DELETE /portfolio/orders/${UNKNOWN}`, undefined],
    [`POST /portfolio/orders/${UNKNOWN}/amend`, {}],
    [`POST /portfolio/orders/${UNKNOWN}/decrease`, {}],
  ])('are gone from their retired path: %s', (line, body) => {
    const harness = new KalshiHarness();
    const answer = harness.requestNow('ann', line, body);
    expect([answer.status, answer.body.value]).toEqual([410, nested('deprecated_v1_order_endpoint')]);
    expect(harness.requestNow(null, line, body).status).toBe(401);
  });

  it('cannot be read at the path where they are written', () => {
    const harness = new KalshiHarness();
    expect(harness.api.findRoute('GET', `/trade-api/v2${ORDERS}`)).toBeNull();
    expect(harness.api.findRoute('GET', '/trade-api/v2/portfolio/orders')?.endpoint).toBe('orders');
  });

  it('are refused while trading is paused, though cancels are not, and all requests while the exchange is paused', () => {
    const harness = new KalshiHarness();
    const [first, second] = [harness.createdOrderId('ann'), harness.createdOrderId('ann')];
    harness.session.submit({ type: 'set-exchange', isActive: true, isTrading: false });
    expect([harness.createOrder('ann').status, harness.createOrder('ann').body.value]).toEqual([
      409,
      nested('trading_is_paused'),
    ]);
    expect(harness.cancelOrder('ann', first).status).toBe(200);
    harness.session.submit({ type: 'set-exchange', isActive: false, isTrading: false });
    expect(harness.createOrder('ann').body.value).toEqual(nested('exchange_is_paused'));
    expect([harness.cancelOrder('ann', second).status, harness.cancelOrder('ann', second).body.value]).toEqual([
      409,
      nested('exchange_is_paused'),
    ]);
    harness.session.submit({ type: 'set-exchange', isActive: true, isTrading: true });
    harness.session.submit({ type: 'close', ticker: ticker('A') });
    expect(harness.createOrder('ann').status).toBe(409);
  });
});
