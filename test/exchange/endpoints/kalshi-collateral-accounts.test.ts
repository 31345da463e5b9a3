// Subaccounts, shards and order groups over REST in the `kalshi` dialect: where money is, and what of it may be spent.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/exchange/store/input-store.ts';
import { KalshiHarness, bodyOf } from '../api/kalshi-harness.ts';
import type { ApiHarnessOptions } from '../api/api-harness.ts';

const ORDERS = '/portfolio/events/orders';
const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const code = (answer: { readonly status: number; readonly body: { at(path: string): unknown } }) => [
  answer.status,
  answer.body.at('error.code'),
];

/** An exchange API on which ann has a subaccount with a hundred dollars. */
function withSubaccount(options: ApiHarnessOptions = {}): KalshiHarness {
  const harness = new KalshiHarness(options);
  expect(harness.requestNow('ann', 'POST /portfolio/subaccounts').body.value).toEqual({ subaccount_number: 1 });
  const transfer = { client_transfer_id: UNKNOWN, from_subaccount: 0, to_subaccount: 1, amount_cents: 10_000 };
  expect(harness.requestNow('ann', 'POST /portfolio/subaccounts/transfer', transfer).status).toBe(200);
  return harness;
}

describe('shards', () => {
  it('route an order by its market, and take the collateral there', () => {
    const harness = new KalshiHarness();
    const orderId = harness.createdOrderId('ann', { ticker: 'COIN', count: '100.00' });
    const balance = harness.requestNow('ann', 'GET /portfolio/balance').body;
    // Fifty dollars, and the most the fees may cost.
    const left = Number(harness.session.exchange.balance('ann@2')?.available);
    expect(left).toBeLessThan(450_000_000);
    expect(balance.at('balance')).toBe(Math.floor((1_000_000_000 + left) / 10_000));
    expect(balance.at('balance_breakdown')).toEqual([
      { exchange_index: 0, balance: '1000.000000' },
      { exchange_index: 2, balance: (left / 1_000_000).toFixed(6) },
    ]);
    expect(harness.requestNow('ann', 'GET /portfolio/balance?exchange_index=2').body.at('balance')).toBe(
      Math.floor(left / 10_000),
    );
    const [row] = harness.requestNow('ann', 'GET /portfolio/orders').body.rows('orders');
    expect([row?.at('order_id'), row?.at('exchange_index')]).toEqual([orderId, 2]);
  });

  it('refuse an account without money there, a shard that is not the market’s, and an unknown one', () => {
    const harness = new KalshiHarness();
    expect(code(harness.createOrder('bob', { ticker: 'COIN' }))).toEqual([404, 'user_not_found']);
    expect(code(harness.createOrder('ann', { ticker: 'COIN', exchange_index: 0 }))).toEqual([404, 'market_not_found']);
    expect(code(harness.createOrder('ann', { exchange_index: 7 }))).toEqual([404, 'market_not_found']);
    expect(harness.createOrder('ann', { ticker: 'COIN', exchange_index: -1 }).status).toBe(201);
    expect(harness.createOrder('ann', { ticker: 'COIN', exchange_index: 2 }).status).toBe(201);
    expect(code(harness.createOrder('ann', { ticker: 'COIN', count: '2000.00' }))).toEqual([
      400,
      'insufficient_balance',
    ]);
  });

  it('hide an order from a request that does not name its shard', () => {
    const harness = new KalshiHarness();
    const orderId = harness.createdOrderId('ann', { ticker: 'COIN' });
    expect(code(harness.cancelOrder('ann', orderId))).toEqual([404, 'not_found']);
    expect(harness.requestNow('ann', `GET /portfolio/orders/${orderId}`).status).toBe(404);
    expect(harness.requestNow('ann', `GET /portfolio/orders/${orderId}?market_ticker=COIN`).status).toBe(200);
    expect(harness.requestNow('ann', `GET /portfolio/orders/${orderId}?exchange_index=2`).status).toBe(200);
    const amend = { ticker: 'COIN', side: 'bid', price: '0.4000', count: '10.00' };
    expect(harness.requestNow('ann', `POST ${ORDERS}/${orderId}/amend`, amend).status).toBe(200);
    const decrease = (body: unknown) => harness.requestNow('ann', `POST ${ORDERS}/${orderId}/decrease`, body).status;
    expect([decrease({ reduce_to: '5.00' }), decrease({ reduce_to: '5.00', exchange_index: 2 })]).toEqual([404, 200]);
    expect(harness.cancelOrder('ann', orderId, '?market_ticker=COIN').status).toBe(200);
    expect(code(harness.cancelOrder('ann', orderId, '?exchange_index=-1'))).toEqual([400, 'invalid_parameters']);
  });

  it('share a batch, each item with its own error', () => {
    const harness = new KalshiHarness();
    const orders = [bodyOf({ ticker: 'COIN' }), bodyOf(), bodyOf({ exchange_index: 2 }), bodyOf({ subaccount: 5 })];
    const rows = harness.requestNow('ann', `POST ${ORDERS}/batched`, { orders }).body.rows('orders');
    expect(rows.map((row) => row.at('error.code') ?? row.at('remaining_count'))).toEqual([
      '10.00',
      '10.00',
      'market_not_found',
      'user_not_found',
    ]);
    const canceled = harness.requestNow('ann', `DELETE ${ORDERS}/batched`, {
      orders: [
        { order_id: rows[0]?.text('order_id') },
        { order_id: rows[1]?.text('order_id') },
        { order_id: rows[0]?.text('order_id'), market_ticker: 'COIN' },
      ],
    });
    expect(canceled.body.rows('orders').map((row) => row.at('error.code') ?? row.at('reduced_by'))).toEqual([
      'not_found',
      '10.00',
      '10.00',
    ]);
  });

  it('have no account after a transfer there that is refused', () => {
    const harness = new KalshiHarness();
    const move = {
      source: 'event_contract',
      destination: 'event_contract',
      amount: 100_000_000,
      source_exchange_shard: 0,
      destination_exchange_shard: 2,
    };
    const refused = harness.requestNow('bob', 'POST /portfolio/intra_exchange_instance_transfer', move);
    expect(code(refused)).toEqual([400, 'insufficient_balance']);
    expect(harness.session.exchange.hasAccount('bob@2')).toBe(false);
  });

  it('transfer money to each other, and list the transfers', () => {
    const harness = new KalshiHarness();
    const move = (changes: Record<string, unknown>) =>
      harness.requestNow('bob', 'POST /portfolio/intra_exchange_instance_transfer', {
        source: 'event_contract',
        destination: 'event_contract',
        amount: 1_000_000,
        source_exchange_shard: 0,
        destination_exchange_shard: 2,
        ...changes,
      });
    const moved = move({});
    expect(moved.status).toBe(200);
    expect(harness.requestNow('bob', 'GET /portfolio/balance').body.at('balance_breakdown')).toEqual([
      { exchange_index: 0, balance: '900.000000' },
      { exchange_index: 2, balance: '100.000000' },
    ]);
    expect(harness.createOrder('bob', { ticker: 'COIN' }).status).toBe(201);
    const transferId = moved.body.text('transfer_id');
    const one = harness.requestNow('bob', `GET /portfolio/intra_exchange_instance_transfers/${transferId}`).body;
    expect(one.at('transfer')).toMatchObject({ transfer_id: transferId, status: 'complete' });
    const all = harness.requestNow('bob', 'GET /portfolio/intra_exchange_instance_transfers').body.rows('transfers');
    expect(all.map((row) => row.at('transfer_id'))).toEqual([transferId]);
    expect(harness.requestNow('ann', `GET /portfolio/intra_exchange_instance_transfers/${transferId}`).status).toBe(
      404,
    );
    expect(code(move({ amount: 100_000_000 }))).toEqual([400, 'insufficient_balance']);
    expect(code(move({ destination: 'margined' }))).toEqual([400, 'invalid_parameters']);
    expect(code(move({ destination_exchange_shard: 5 }))).toEqual([400, 'invalid_parameters']);
    expect(code(move({ source_subaccount: 3 }))).toEqual([404, 'user_not_found']);
  });
});

describe('subaccounts', () => {
  it('are numbered consecutively, and receive money once per transfer id', () => {
    const harness = withSubaccount();
    const again = { client_transfer_id: UNKNOWN, from_subaccount: 0, to_subaccount: 1, amount_cents: 10_000 };
    expect(harness.requestNow('ann', 'POST /portfolio/subaccounts/transfer', again).status).toBe(200);
    const balances = harness.requestNow('ann', 'GET /portfolio/subaccounts/balances').body.rows('subaccount_balances');
    expect(balances.map((row) => [row.at('subaccount_number'), row.at('exchange_index'), row.at('balance')])).toEqual([
      [0, 0, '900.000000'],
      [0, 2, '500.000000'],
      [1, 0, '100.000000'],
    ]);
    const transfers = harness.requestNow('ann', 'GET /portfolio/subaccounts/transfers').body.rows('transfers');
    expect(
      transfers.map((row) => [row.at('from_subaccount'), row.at('to_subaccount'), row.at('amount_cents')]),
    ).toEqual([[0, 1, 10_000]]);
    expect(harness.requestNow('ann', 'POST /portfolio/subaccounts', {}).body.at('subaccount_number')).toBe(2);
    const nowhere = { ...again, client_transfer_id: 'x', to_subaccount: 9 };
    expect(code(harness.requestNow('ann', 'POST /portfolio/subaccounts/transfer', nowhere))).toEqual([
      404,
      'user_not_found',
    ]);
  });

  it('keep orders, fills and positions apart; without a number, lists cover all of them and positions only the primary one', () => {
    const harness = withSubaccount();
    harness.createOrder('bob', { side: 'ask', count: '5.00' });
    const main = harness.createdOrderId('ann', { count: '2.00' });
    const sub = harness.createdOrderId('ann', { count: '3.00', subaccount: 1 });
    const rows = (line: string, name: string) => harness.requestNow('ann', `GET ${line}`).body.rows(name);
    expect(rows('/portfolio/fills', 'fills').map((row) => row.at('subaccount_number'))).toEqual([1, 0]);
    expect(rows('/portfolio/fills?subaccount=1', 'fills').map((row) => row.at('order_id'))).toEqual([sub]);
    expect(rows('/portfolio/orders?subaccount=0', 'orders').map((row) => row.at('order_id'))).toEqual([main]);
    const held = (query: string) =>
      rows(`/portfolio/positions${query}`, 'market_positions').map((row) => row.at('position_fp'));
    expect([held(''), held('?subaccount=1')]).toEqual([['2.00'], ['3.00']]);
    expect(harness.requestNow('ann', 'GET /portfolio/balance?subaccount=1').body.at('balance')).toBeLessThan(10_000);
    expect(code(harness.requestNow('ann', 'GET /portfolio/balance?subaccount=7'))).toEqual([404, 'user_not_found']);
    expect(harness.requestNow('bob', 'GET /portfolio/fills').body.rows('fills')).toHaveLength(2);
  });

  it('survive a restart of the exchange, with their holdings and transfers', () => {
    const store = memoryStore(7);
    const harness = withSubaccount({ store });
    const reads = ['/portfolio/subaccounts/balances', '/portfolio/subaccounts/transfers', '/portfolio/orders'];
    harness.createOrder('ann', { subaccount: 1 });
    const textsOf = (now: KalshiHarness) => reads.map((line) => now.requestNow('ann', `GET ${line}`).text);
    const before = textsOf(harness);
    expect(textsOf(new KalshiHarness({ store }))).toEqual(before);
  });

  it('are named by their number in cancels, of one order or of all', () => {
    const harness = withSubaccount();
    const main = harness.createdOrderId('ann');
    const sub = harness.createdOrderId('ann', { subaccount: 1 });
    expect(code(harness.cancelOrder('ann', sub))).toEqual([404, 'not_found']);
    expect(harness.cancelOrder('ann', sub, '?subaccount=1').status).toBe(200);
    harness.createdOrderId('ann', { subaccount: 1 });
    expect(harness.requestNow('ann', `DELETE ${ORDERS}?subaccount=1`).status).toBe(204);
    const resting = harness.requestNow('ann', 'GET /portfolio/orders?status=resting').body.rows('orders');
    expect(resting.map((row) => row.at('order_id'))).toEqual([main]);
  });
});

describe('order groups', () => {
  const GROUPS = '/portfolio/order_groups';

  it('are created, read, and cancel their orders when too many contracts trade, until they are reset', () => {
    const harness = new KalshiHarness();
    const made = harness.requestNow('ann', `POST ${GROUPS}/create`, { contracts_limit: 5 });
    const groupId = made.body.text('order_group_id');
    expect([made.status, made.body.value]).toEqual([
      201,
      { order_group_id: groupId, subaccount: 0, exchange_index: 0 },
    ]);
    const orderId = harness.createdOrderId('ann', { order_group_id: groupId });
    const read = () => harness.requestNow('ann', `GET ${GROUPS}/${groupId}`).body.value;
    expect(read()).toEqual({
      is_auto_cancel_enabled: true,
      contracts_limit_fp: '5.00',
      orders: [orderId],
      exchange_index: 0,
    });
    harness.createOrder('bob', { side: 'ask', count: '6.00' });
    expect(read()).toMatchObject({ is_auto_cancel_enabled: false, orders: [] });
    expect(code(harness.createOrder('ann', { order_group_id: groupId }))).toEqual([409, 'order_group_triggered']);
    const reset = harness.requestNow('ann', `PUT ${GROUPS}/${groupId}/reset`);
    expect([reset.status, reset.text]).toEqual([200, '{}']);
    expect(harness.createOrder('ann', { order_group_id: groupId }).status).toBe(201);
    expect(harness.requestNow('ann', `PUT ${GROUPS}/${groupId}/limit`, { contracts_limit_fp: '7.50' }).status).toBe(
      200,
    );
    expect(harness.requestNow('ann', `GET ${GROUPS}`).body.value).toEqual({
      order_groups: [{ id: groupId, contracts_limit_fp: '7.50', is_auto_cancel_enabled: true, exchange_index: 0 }],
    });
    expect(harness.requestNow('ann', `PUT ${GROUPS}/${groupId}/trigger`).status).toBe(200);
    expect(harness.session.exchange.restingOrders('ann')).toEqual([]);
    expect(harness.requestNow('ann', `DELETE ${GROUPS}/${groupId}`).text).toBe('{}');
    expect(code(harness.requestNow('ann', `GET ${GROUPS}/${groupId}`))).toEqual([404, 'not_found']);
  });

  it('belong to one shard and one account', () => {
    const harness = new KalshiHarness();
    const made = harness.requestNow('ann', `POST ${GROUPS}/create`, { contracts_limit_fp: '5.00', exchange_index: 2 });
    const groupId = made.body.text('order_group_id');
    expect(made.body.at('exchange_index')).toBe(2);
    expect(code(harness.createOrder('ann', { order_group_id: groupId }))).toEqual([404, 'not_found']);
    expect(harness.createOrder('ann', { ticker: 'COIN', order_group_id: groupId }).status).toBe(201);
    expect(harness.requestNow('bob', `GET ${GROUPS}/${groupId}`).status).toBe(404);
    expect(harness.requestNow('bob', `GET ${GROUPS}`).body.value).toEqual({ order_groups: [] });
    expect(code(harness.requestNow('bob', `POST ${GROUPS}/create`, { contracts_limit: 5, exchange_index: 2 }))).toEqual(
      [404, 'user_not_found'],
    );
    expect(harness.requestNow('ann', `POST ${GROUPS}/create`, {}).status).toBe(400);
  });
});
