// Subaccounts, shards and order groups over REST in the `kalshi` dialect: where money is, and what of it may be spent.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/exchange/store.ts';
import { KalshiHall, bodyOf } from './kalshi-hall.ts';
import type { QuietOptions } from './quiet-hall.ts';

const ORDERS = '/portfolio/events/orders';
const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const code = (answer: { readonly status: number; readonly body: { at(path: string): unknown } }) => [
  answer.status,
  answer.body.at('error.code'),
];

/** An exchange API on which ann has a subaccount with a hundred dollars. */
function withSubaccount(options: QuietOptions = {}): KalshiHall {
  const harness = new KalshiHall(options);
  expect(harness.tell('ann', 'POST /portfolio/subaccounts').body.value).toEqual({ subaccount_number: 1 });
  const transfer = { client_transfer_id: UNKNOWN, from_subaccount: 0, to_subaccount: 1, amount_cents: 10_000 };
  expect(harness.tell('ann', 'POST /portfolio/subaccounts/transfer', transfer).status).toBe(200);
  return harness;
}

describe('shards', () => {
  it('route an order by its market, and take the collateral there', () => {
    const harness = new KalshiHall();
    const orderId = harness.orderId('ann', { ticker: 'COIN', count: '100.00' });
    const balance = harness.tell('ann', 'GET /portfolio/balance').body;
    // Fifty dollars, and the most the fees may cost.
    const left = Number(harness.session.exchange.balance('ann@2')?.available);
    expect(left).toBeLessThan(450_000_000);
    expect(balance.at('balance')).toBe(Math.floor((1_000_000_000 + left) / 10_000));
    expect(balance.at('balance_breakdown')).toEqual([
      { exchange_index: 0, balance: '1000.000000' },
      { exchange_index: 2, balance: (left / 1_000_000).toFixed(6) },
    ]);
    expect(harness.tell('ann', 'GET /portfolio/balance?exchange_index=2').body.at('balance')).toBe(
      Math.floor(left / 10_000),
    );
    const [row] = harness.tell('ann', 'GET /portfolio/orders').body.rows('orders');
    expect([row?.at('order_id'), row?.at('exchange_index')]).toEqual([orderId, 2]);
  });

  it('refuse an account without money there, a shard that is not the market’s, and an unknown one', () => {
    const harness = new KalshiHall();
    expect(code(harness.create('bob', { ticker: 'COIN' }))).toEqual([404, 'user_not_found']);
    expect(code(harness.create('ann', { ticker: 'COIN', exchange_index: 0 }))).toEqual([404, 'market_not_found']);
    expect(code(harness.create('ann', { exchange_index: 7 }))).toEqual([404, 'market_not_found']);
    expect(harness.create('ann', { ticker: 'COIN', exchange_index: -1 }).status).toBe(201);
    expect(harness.create('ann', { ticker: 'COIN', exchange_index: 2 }).status).toBe(201);
    expect(code(harness.create('ann', { ticker: 'COIN', count: '2000.00' }))).toEqual([400, 'insufficient_balance']);
  });

  it('hide an order from a request that does not name its shard', () => {
    const harness = new KalshiHall();
    const orderId = harness.orderId('ann', { ticker: 'COIN' });
    expect(code(harness.cancel('ann', orderId))).toEqual([404, 'not_found']);
    expect(harness.tell('ann', `GET /portfolio/orders/${orderId}`).status).toBe(404);
    expect(harness.tell('ann', `GET /portfolio/orders/${orderId}?market_ticker=COIN`).status).toBe(200);
    expect(harness.tell('ann', `GET /portfolio/orders/${orderId}?exchange_index=2`).status).toBe(200);
    const amend = { ticker: 'COIN', side: 'bid', price: '0.4000', count: '10.00' };
    expect(harness.tell('ann', `POST ${ORDERS}/${orderId}/amend`, amend).status).toBe(200);
    const decrease = (body: unknown) => harness.tell('ann', `POST ${ORDERS}/${orderId}/decrease`, body).status;
    expect([decrease({ reduce_to: '5.00' }), decrease({ reduce_to: '5.00', exchange_index: 2 })]).toEqual([404, 200]);
    expect(harness.cancel('ann', orderId, '?market_ticker=COIN').status).toBe(200);
    expect(code(harness.cancel('ann', orderId, '?exchange_index=-1'))).toEqual([400, 'invalid_parameters']);
  });

  it('share a batch, each item with its own error', () => {
    const harness = new KalshiHall();
    const orders = [bodyOf({ ticker: 'COIN' }), bodyOf(), bodyOf({ exchange_index: 2 }), bodyOf({ subaccount: 5 })];
    const rows = harness.tell('ann', `POST ${ORDERS}/batched`, { orders }).body.rows('orders');
    expect(rows.map((row) => row.at('error.code') ?? row.at('remaining_count'))).toEqual([
      '10.00',
      '10.00',
      'market_not_found',
      'user_not_found',
    ]);
    const canceled = harness.tell('ann', `DELETE ${ORDERS}/batched`, {
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

  it('transfer money to each other, and list the transfers', () => {
    const harness = new KalshiHall();
    const move = (changes: Record<string, unknown>) =>
      harness.tell('bob', 'POST /portfolio/intra_exchange_instance_transfer', {
        source: 'event_contract',
        destination: 'event_contract',
        amount: 1_000_000,
        source_exchange_shard: 0,
        destination_exchange_shard: 2,
        ...changes,
      });
    const moved = move({});
    expect(moved.status).toBe(200);
    expect(harness.tell('bob', 'GET /portfolio/balance').body.at('balance_breakdown')).toEqual([
      { exchange_index: 0, balance: '900.000000' },
      { exchange_index: 2, balance: '100.000000' },
    ]);
    expect(harness.create('bob', { ticker: 'COIN' }).status).toBe(201);
    const transferId = moved.body.text('transfer_id');
    const one = harness.tell('bob', `GET /portfolio/intra_exchange_instance_transfers/${transferId}`).body;
    expect(one.at('transfer')).toMatchObject({ transfer_id: transferId, status: 'complete' });
    const all = harness.tell('bob', 'GET /portfolio/intra_exchange_instance_transfers').body.rows('transfers');
    expect(all.map((row) => row.at('transfer_id'))).toEqual([transferId]);
    expect(harness.tell('ann', `GET /portfolio/intra_exchange_instance_transfers/${transferId}`).status).toBe(404);
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
    expect(harness.tell('ann', 'POST /portfolio/subaccounts/transfer', again).status).toBe(200);
    const balances = harness.tell('ann', 'GET /portfolio/subaccounts/balances').body.rows('subaccount_balances');
    expect(balances.map((row) => [row.at('subaccount_number'), row.at('exchange_index'), row.at('balance')])).toEqual([
      [0, 0, '900.000000'],
      [0, 2, '500.000000'],
      [1, 0, '100.000000'],
    ]);
    const transfers = harness.tell('ann', 'GET /portfolio/subaccounts/transfers').body.rows('transfers');
    expect(
      transfers.map((row) => [row.at('from_subaccount'), row.at('to_subaccount'), row.at('amount_cents')]),
    ).toEqual([[0, 1, 10_000]]);
    expect(harness.tell('ann', 'POST /portfolio/subaccounts', {}).body.at('subaccount_number')).toBe(2);
    const nowhere = { ...again, client_transfer_id: 'x', to_subaccount: 9 };
    expect(code(harness.tell('ann', 'POST /portfolio/subaccounts/transfer', nowhere))).toEqual([404, 'user_not_found']);
  });

  it('keep orders, fills and positions apart; without a number, lists cover all of them and positions only the primary one', () => {
    const harness = withSubaccount();
    harness.create('bob', { side: 'ask', count: '5.00' });
    const main = harness.orderId('ann', { count: '2.00' });
    const sub = harness.orderId('ann', { count: '3.00', subaccount: 1 });
    const rows = (line: string, name: string) => harness.tell('ann', `GET ${line}`).body.rows(name);
    expect(rows('/portfolio/fills', 'fills').map((row) => row.at('subaccount_number'))).toEqual([1, 0]);
    expect(rows('/portfolio/fills?subaccount=1', 'fills').map((row) => row.at('order_id'))).toEqual([sub]);
    expect(rows('/portfolio/orders?subaccount=0', 'orders').map((row) => row.at('order_id'))).toEqual([main]);
    const held = (query: string) =>
      rows(`/portfolio/positions${query}`, 'market_positions').map((row) => row.at('position_fp'));
    expect([held(''), held('?subaccount=1')]).toEqual([['2.00'], ['3.00']]);
    expect(harness.tell('ann', 'GET /portfolio/balance?subaccount=1').body.at('balance')).toBeLessThan(10_000);
    expect(code(harness.tell('ann', 'GET /portfolio/balance?subaccount=7'))).toEqual([404, 'user_not_found']);
    expect(harness.tell('bob', 'GET /portfolio/fills').body.rows('fills')).toHaveLength(2);
  });

  it('survive a restart of the exchange, with their holdings and transfers', () => {
    const store = memoryStore(7);
    const harness = withSubaccount({ store });
    const reads = ['/portfolio/subaccounts/balances', '/portfolio/subaccounts/transfers', '/portfolio/orders'];
    harness.create('ann', { subaccount: 1 });
    const textsOf = (now: KalshiHall) => reads.map((line) => now.tell('ann', `GET ${line}`).text);
    const before = textsOf(harness);
    expect(textsOf(new KalshiHall({ store }))).toEqual(before);
  });

  it('are named by their number in cancels, of one order or of all', () => {
    const harness = withSubaccount();
    const main = harness.orderId('ann');
    const sub = harness.orderId('ann', { subaccount: 1 });
    expect(code(harness.cancel('ann', sub))).toEqual([404, 'not_found']);
    expect(harness.cancel('ann', sub, '?subaccount=1').status).toBe(200);
    harness.orderId('ann', { subaccount: 1 });
    expect(harness.tell('ann', `DELETE ${ORDERS}?subaccount=1`).status).toBe(204);
    const resting = harness.tell('ann', 'GET /portfolio/orders?status=resting').body.rows('orders');
    expect(resting.map((row) => row.at('order_id'))).toEqual([main]);
  });
});

describe('order groups', () => {
  const GROUPS = '/portfolio/order_groups';

  it('are created, read, and cancel their orders when too many contracts trade, until they are reset', () => {
    const harness = new KalshiHall();
    const made = harness.tell('ann', `POST ${GROUPS}/create`, { contracts_limit: 5 });
    const groupId = made.body.text('order_group_id');
    expect([made.status, made.body.value]).toEqual([
      201,
      { order_group_id: groupId, subaccount: 0, exchange_index: 0 },
    ]);
    const orderId = harness.orderId('ann', { order_group_id: groupId });
    const read = () => harness.tell('ann', `GET ${GROUPS}/${groupId}`).body.value;
    expect(read()).toEqual({
      is_auto_cancel_enabled: true,
      contracts_limit_fp: '5.00',
      orders: [orderId],
      exchange_index: 0,
    });
    harness.create('bob', { side: 'ask', count: '6.00' });
    expect(read()).toMatchObject({ is_auto_cancel_enabled: false, orders: [] });
    expect(code(harness.create('ann', { order_group_id: groupId }))).toEqual([409, 'order_group_triggered']);
    const reset = harness.tell('ann', `PUT ${GROUPS}/${groupId}/reset`);
    expect([reset.status, reset.text]).toEqual([200, '{}']);
    expect(harness.create('ann', { order_group_id: groupId }).status).toBe(201);
    expect(harness.tell('ann', `PUT ${GROUPS}/${groupId}/limit`, { contracts_limit_fp: '7.50' }).status).toBe(200);
    expect(harness.tell('ann', `GET ${GROUPS}`).body.value).toEqual({
      order_groups: [{ id: groupId, contracts_limit_fp: '7.50', is_auto_cancel_enabled: true, exchange_index: 0 }],
    });
    expect(harness.tell('ann', `PUT ${GROUPS}/${groupId}/trigger`).status).toBe(200);
    expect(harness.session.exchange.restingOrders('ann')).toEqual([]);
    expect(harness.tell('ann', `DELETE ${GROUPS}/${groupId}`).text).toBe('{}');
    expect(code(harness.tell('ann', `GET ${GROUPS}/${groupId}`))).toEqual([404, 'not_found']);
  });

  it('belong to one shard and one account', () => {
    const harness = new KalshiHall();
    const made = harness.tell('ann', `POST ${GROUPS}/create`, { contracts_limit_fp: '5.00', exchange_index: 2 });
    const groupId = made.body.text('order_group_id');
    expect(made.body.at('exchange_index')).toBe(2);
    expect(code(harness.create('ann', { order_group_id: groupId }))).toEqual([404, 'not_found']);
    expect(harness.create('ann', { ticker: 'COIN', order_group_id: groupId }).status).toBe(201);
    expect(harness.tell('bob', `GET ${GROUPS}/${groupId}`).status).toBe(404);
    expect(harness.tell('bob', `GET ${GROUPS}`).body.value).toEqual({ order_groups: [] });
    expect(code(harness.tell('bob', `POST ${GROUPS}/create`, { contracts_limit: 5, exchange_index: 2 }))).toEqual([
      404,
      'user_not_found',
    ]);
    expect(harness.tell('ann', `POST ${GROUPS}/create`, {}).status).toBe(400);
  });
});
