// Every body in an order's life in the kalshi dialect, in both directions.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import type { RecordSpec } from '../../../../src/venues/trade-api/wire/record-spec.ts';
import { KALSHI_ORDER } from '../normalize/raw-input.ts';
import { arbitraryOf } from '../wire/arbitrary-records.ts';

const { records } = kalshiProfile;
const ID = '2597b999-f887-4195-8bac-c3f97a1f2021';

/** Bodies as the venue writes them. Decoding and encoding returns the same body. */
const BODIES: readonly (readonly [string, RecordSpec<never>, object])[] = [
  [
    'a new order, all of it',
    records.createOrder as RecordSpec<never>,
    {
      ticker: 'M-1',
      client_order_id: '7c7f4d0e',
      side: 'ask',
      count: '0.01',
      price: '0.4201',
      time_in_force: 'good_till_canceled',
      self_trade_prevention_type: 'maker',
      expiration_time: 1_795_000_000,
      post_only: true,
      reduce_only: false,
      cancel_order_on_pause: true,
      order_group_id: 'g-1',
      subaccount: 3,
      exchange_index: -1,
    },
  ],
  [
    'a new order, resting',
    records.orderCreated as RecordSpec<never>,
    { order_id: ID, client_order_id: 'c', fill_count: '0.00', remaining_count: '10.00', ts_ms: 1_795_000_000_123 },
  ],
  [
    'a new order, filled',
    records.orderCreated as RecordSpec<never>,
    {
      order_id: ID,
      client_order_id: 'c',
      fill_count: '1.00',
      remaining_count: '0.00',
      average_fill_price: '0.5200',
      average_fee_paid: '0.0175',
      ts_ms: 1_795_000_000_456,
    },
  ],
  [
    'a cancel',
    records.orderCanceled as RecordSpec<never>,
    { order_id: ID, reduced_by: '1.00', ts_ms: 1_781_159_364_112 },
  ],
  [
    'an amend that crossed',
    records.orderAmended as RecordSpec<never>,
    {
      order_id: ID,
      fill_count: '2.00',
      remaining_count: '6.00',
      average_fill_price: '0.4500',
      average_fee_paid: '0.0173',
      ts_ms: 1,
    },
  ],
  ['an amend of the price alone', records.orderAmended as RecordSpec<never>, { order_id: ID, ts_ms: 1 }],
  ['a decrease', records.orderDecreased as RecordSpec<never>, { order_id: ID, remaining_count: '4.00', ts_ms: 1 }],
  [
    'an amount to decrease by',
    records.decreaseOrder as RecordSpec<never>,
    { reduce_by: '4.50', market_ticker: 'M-1', exchange_index: 2 },
  ],
  [
    'orders to cancel',
    records.cancelOrders as RecordSpec<never>,
    { orders: [{ order_id: ID }, { order_id: ID, subaccount: 1, exchange_index: 2, market_ticker: 'M-1' }] },
  ],
  [
    'canceled orders',
    records.ordersCanceled as RecordSpec<never>,
    {
      orders: [
        { order_id: ID, reduced_by: '1.00' },
        { order_id: ID, reduced_by: '0.00', error: { code: 'not_found', message: 'not found' } },
      ],
    },
  ],
  [
    'new orders, one of them refused',
    records.ordersCreated as RecordSpec<never>,
    {
      orders: [
        { client_order_id: 'a', order_id: ID, fill_count: '0.00', remaining_count: '1.00', ts_ms: 1 },
        {
          client_order_id: 'b',
          error: { code: 'invalid_order', message: 'invalid order', details: 'post only cross' },
        },
      ],
    },
  ],
];

describe('bodies of orders', () => {
  it.each(BODIES)('decodes and encodes to the same body: %s', (_what, spec, body) => {
    const notes: string[] = [];
    const codec = codecOf(spec);
    expect(codec.encode(codec.decode(body, (what) => notes.push(what)))).toEqual(body);
    expect(notes).toEqual([]);
  });

  it('holds any order exactly, and no figure as a JSON number', () => {
    const orders = codecOf(records.orders);
    fc.assert(
      fc.property(arbitraryOf(records.orders), (page) => {
        const text = JSON.stringify(orders.encode(page));
        expect(orders.decode(JSON.parse(text))).toEqual(page);
        expect(text).not.toMatch(/"(?:[a-z_]+_dollars|[a-z_]+_fp)":-?\d/);
      }),
    );
  });

  it('gives the side by book or by outcome, never by the older word alone', () => {
    const codec = codecOf(records.order);
    const sale = { ...codec.decode({ order: KALSHI_ORDER }).order, side: 'sell' } as const;
    expect(codec.encode({ order: sale })['order']).toMatchObject({
      book_side: 'ask',
      outcome_side: 'no',
      side: 'yes',
      action: 'sell',
    });
    // Buying NO is selling YES, whatever the older words are.
    const bought = { ...KALSHI_ORDER, outcome_side: 'no', book_side: 'ask', side: 'no', action: 'buy' };
    expect(codec.decode({ order: bought }).order.side).toBe('sell');
    const { book_side: _, ...byOutcome } = bought;
    expect(codec.decode({ order: byOutcome }).order.side).toBe('sell');
    const { outcome_side: __, ...byAction } = byOutcome;
    expect(() => codec.decode({ order: byAction })).toThrow('book_side or outcome_side');
  });
});
