// The bot's reading of the kalshi dialect: answers to order requests, and reads of the account.
import { describe, expect, it } from 'vitest';
import type { ReadTarget } from '../../../../src/domain/venue-command.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import { ASKED_AT, AT, KALSHI_ORDER, afterIn, amend, cancel, decrease, place, read } from '../normalize/raw-input.ts';

const ID = KALSHI_ORDER.order_id;
const after = afterIn(kalshiProfile);
const error = (code: string, details?: string) => ({ error: { code, message: code.replaceAll('_', ' '), details } });

describe('answers to a new order', () => {
  const accepted = (figures: object) => after(place, 201, { order_id: ID, client_order_id: 'ours-1', ...figures });

  it('reports a new order as resting, partly filled, or finished', () => {
    expect(accepted({ fill_count: '0.00', remaining_count: '10.00', ts_ms: 1_700_000_000_123 })).toEqual([
      {
        kind: 'order-accepted',
        at: AT,
        exchangeAt: 1_700_000_000_123_000,
        clientOrderId: 'ours-1',
        venueOrderId: ID,
        filledQty: 0,
        leavesQty: 1000,
        isFinished: false,
      },
    ]);
    const over = {
      fill_count: '4.50',
      remaining_count: '0.00',
      average_fill_price: '0.4123',
      average_fee_paid: '0.0170',
    };
    expect(accepted({ ...over, ts_ms: 1 })).toMatchObject([{ filledQty: 450, leavesQty: 0, isFinished: true }]);
    // Nothing to match, or an order of our own in the way.
    expect(accepted({ fill_count: '0.00', remaining_count: '0.00', ts_ms: 1 })).toMatchObject([
      { filledQty: 0, leavesQty: 0, isFinished: true },
    ]);
  });

  it.each([
    [400, error('invalid_order', 'post only cross'), 'invalid_order', 'invalid order: post only cross'],
    [400, { ...error('invalid_price'), service: 'exchange' }, 'invalid_price', 'invalid price'],
    [
      400,
      { code: 'bad_request', message: 'bad request', details: 'json: cannot unmarshal number' },
      'bad_request',
      'bad request: json: cannot unmarshal number',
    ],
    [409, error('trading_is_paused'), 'trading_is_paused', 'trading is paused'],
    [409, error('exchange_is_paused'), 'exchange_is_paused', 'exchange is paused'],
    [
      409,
      error('fill_or_kill_insufficient_resting_volume'),
      'fill_or_kill_insufficient_resting_volume',
      'fill or kill insufficient resting volume',
    ],
    [
      404,
      error('user_not_found'),
      'user_not_found',
      'user not found: the account has never had money on the shard where this market trades',
    ],
    [
      400,
      error('insufficient_balance'),
      'insufficient_balance',
      'insufficient balance: the account has too little on the shard where this market trades',
    ],
  ])('reports a rejection in words for %d %j', (status, body, code, message) => {
    expect(after(place, status, body)).toEqual([
      { kind: 'order-rejected', at: AT, clientOrderId: 'ours-1', code, message },
    ]);
  });

  it('reports a rejection and halts when the order group has triggered: the feed may not have reported it', () => {
    expect(after(place, 409, error('order_group_triggered'))).toMatchObject([
      { kind: 'order-rejected', code: 'order_group_triggered' },
      { kind: 'operator', order: { type: 'halt', scope: { type: 'account' }, by: 'risk' } },
    ]);
  });

  it.each([
    [409, error('order_already_exists'), true],
    [500, '', undefined],
    [502, '<html>', undefined],
    [503, error('service_unavailable'), undefined],
    [201, { order_id: ID }, undefined],
    [201, { order_id: ID, fill_count: 1, remaining_count: '0.00' }, undefined],
  ])('reports the order as unknown for %d %j', (status, body, isTaken) => {
    const [event] = after(place, status, body);
    expect(event).toMatchObject({ kind: 'order-unknown' });
    expect(event).toEqual(expect.objectContaining(isTaken ? { isTaken } : {}));
  });
});

describe('answers to other writes', () => {
  it('reads the canceled quantity from the answer to a cancel', () => {
    expect(after(cancel, 200, { order_id: ID, reduced_by: '7.00', ts_ms: 1 })).toEqual([
      { kind: 'cancel-accepted', at: AT, clientOrderId: 'ours-1', reducedBy: 700 },
    ]);
    expect(after(cancel, 404, error('not_found'))).toMatchObject([{ kind: 'cancel-refused', code: 'not_found' }]);
    for (const code of ['exchange_is_paused', 'market_already_closed'])
      expect(after(cancel, 409, error(code))).toMatchObject([{ kind: 'cancel-lost' }]);
  });

  const amended = { kind: 'amend-accepted', at: AT, clientOrderId: 'ours-1', exchangeAt: 1000 };
  it('takes the requested terms for an amend, as the counts in the answer cover the amend only', () => {
    // Five of eight remain; two of the three filled did so now.
    const crossed = { fill_count: '2.00', remaining_count: '5.00', average_fill_price: '0.4000' };
    expect(after(amend, 200, { order_id: ID, ...crossed, ts_ms: 1 })).toEqual([
      { ...amended, price: 4000, filledQty: 300, leavesQty: 500 },
    ]);
    expect(after(amend, 200, { order_id: ID, ts_ms: 1 })).toMatchObject([{ kind: 'amend-lost' }]);
  });

  it('reads the remaining quantity from the answer to a decrease, and no filled quantity', () => {
    expect(after(decrease, 200, { order_id: ID, remaining_count: '4.00', ts_ms: 1 })).toEqual([
      { ...amended, price: null, leavesQty: 400 },
    ]);
    expect(after(decrease, 400, error('invalid_order_size'))).toMatchObject([{ kind: 'amend-refused' }]);
    expect(after(decrease, 503, error('service_unavailable'))).toMatchObject([{ kind: 'amend-lost' }]);
  });
});

describe('reads of the account', () => {
  const common = { at: AT, askedAt: ASKED_AT, commandId: 7 };

  it('reads the exact balance, or the one in cents when it is alone', () => {
    const body = {
      balance: 9801,
      balance_dollars: '98.0186',
      portfolio_value: 198,
      updated_ts: 1_781_159_348,
      balance_breakdown: [{ balance: '98.0186', exchange_index: 0 }],
    };
    expect(after(read({ what: 'balance' }), 200, body)).toEqual([
      { kind: 'balance', ...common, available: 98_018_600 },
    ]);
    expect(after(read({ what: 'balance' }), 200, { balance: 9801 })).toMatchObject([{ available: 98_010_000 }]);
  });

  it('reads orders and fills without reporting anything unknown', () => {
    const orders: ReadTarget = { what: 'orders', status: 'any', since: null };
    expect(after(read(orders), 200, { orders: [KALSHI_ORDER], cursor: '' })).toMatchObject([
      {
        kind: 'orders',
        cursor: null,
        rows: [{ venueOrderId: ID, clientOrderId: 'ours-1', side: 'buy', price: 4200, filledQty: 300, leavesQty: 700 }],
      },
    ]);
    const fill = {
      trade_id: 't',
      fill_id: 't',
      order_id: ID,
      ticker: 'M-1',
      market_ticker: 'M-1',
      side: 'no',
      action: 'buy',
      outcome_side: 'no',
      book_side: 'ask',
      count_fp: '1.25',
      yes_price_dollars: '0.5200',
      no_price_dollars: '0.4800',
      is_taker: true,
      fee_cost: '0.017501',
      created_time: '2023-11-14T22:13:20.5Z',
      ts: 1_700_000_000,
      subaccount_number: 0,
      exchange_index: 0,
    };
    expect(after(read({ what: 'fills', since: null }), 200, { fills: [fill], cursor: 'c' })).toMatchObject([
      { kind: 'fills', cursor: 'c', rows: [{ side: 'sell', price: 5200, qty: 125, fee: 17_501, liquidity: 'taker' }] },
    ]);
  });

  it('reads positions regardless of their sums, and settlements with the payout of each YES', () => {
    const position = {
      ticker: 'M-1',
      position_fp: '-3.50',
      market_exposure_dollars: '2.500000',
      realized_pnl_dollars: '-0.010000',
      fees_paid_dollars: '0.018900',
      total_traded_dollars: '2.500000',
      resting_orders_count: 0,
      last_updated_ts: '2026-06-11T06:29:30.165032Z',
    };
    const group = {
      event_ticker: 'M',
      total_cost_dollars: '2.500000',
      total_cost_shares_fp: '3.50',
      event_exposure_dollars: '2.500000',
      realized_pnl_dollars: '-0.010000',
      fees_paid_dollars: '0.018900',
    };
    const positions = { market_positions: [position], event_positions: [group] };
    expect(after(read({ what: 'positions' }), 200, positions)).toMatchObject([
      { kind: 'positions', cursor: null, rows: [{ qty: -350, cost: 2_500_000, realized: -10_000, fees: 18_900 }] },
    ]);
    expect(after(read({ what: 'positions' }), 200, { ...positions, event_positions: [{}] })).toMatchObject([
      { kind: 'unrecognized' },
      { kind: 'positions', rows: [{ qty: -350 }] },
    ]);
    const flat = { ...position, position_fp: '0.00', market_exposure_dollars: '0.000100' };
    expect(after(read({ what: 'positions' }), 200, { ...positions, market_positions: [flat] })).toMatchObject([
      { kind: 'positions', rows: [{ qty: 0, cost: 0, realized: -10_000 }] },
    ]);
    const settlement = {
      ticker: 'M-1',
      event_ticker: 'M',
      market_result: 'scalar',
      yes_count_fp: '0.00',
      yes_total_cost_dollars: '0.000000',
      no_count_fp: '2.00',
      no_total_cost_dollars: '1.160000',
      revenue: 108,
      fee_cost: '0.010000',
      settled_time: '2023-11-14T22:13:20Z',
    };
    const settlements = read({ what: 'settlements', since: null });
    expect(after(settlements, 200, { settlements: [{ ...settlement, value: 46 }] })).toMatchObject([
      { kind: 'settlements', rows: [{ result: 'scalar', settlementValue: 4600, revenue: 1_080_000 }] },
    ]);
    expect(after(settlements, 200, { settlements: [{ ...settlement, value: null }] })).toMatchObject([
      { kind: 'unrecognized', detail: expect.stringContaining('the payout of each YES') },
      { kind: 'settlements', rows: [] },
    ]);
  });

  it.each([
    [{ what: 'orders', status: 'any', since: null }, 'orders'],
    [{ what: 'fills', since: null }, 'fills'],
    [{ what: 'settlements', since: null }, 'settlements'],
    [{ what: 'positions' }, 'market_positions'],
  ] as const)('does not read a page of %j forever whose cursor leads to itself', (target, list) => {
    const second = { ...read(target), cursor: 'c' };
    expect(after(second, 200, { [list]: [], cursor: 'c' })).toMatchObject([
      { kind: 'read-failed', reason: expect.stringContaining('a different page') },
    ]);
    expect(after(second, 200, { [list]: [], cursor: 'd' })).toMatchObject([{ cursor: 'd' }]);
    expect(after(second, 200, { [list]: [] })).toMatchObject([{ cursor: null }]);
  });

  it('reads queue positions in contracts, also in the older whole ones', () => {
    const codec = codecOf(kalshiProfile.records.extensions!.queuePositions);
    const row = { market_ticker: 'M-1', order_id: ID };
    expect(
      codec.decode({
        queue_positions: [
          { ...row, queue_position_fp: '2.50' },
          { ...row, queue_position: 103 },
        ],
      }).positions,
    ).toMatchObject([{ ahead: 250 }, { ahead: 10_300 }]);
  });
});
