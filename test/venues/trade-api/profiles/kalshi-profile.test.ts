// The `kalshi` profile: its extensions, its scannable deltas, and its books on the requested scale.
import { describe, expect, it } from 'vitest';
import { TickerTable, ticker } from '../../../../src/domain/ids.ts';
import {
  channelOf,
  endpointOf,
  feedMessagesOf,
  pathOf,
  privateTypesOf,
} from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { profileByName, profileNames } from '../../../../src/venues/trade-api/profiles/profile-registry.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { createDeltaScanner } from '../../../../src/venues/trade-api/scan/message-scanner.ts';
import { TickerBytes } from '../../../../src/venues/trade-api/scan/ticker-bytes.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import { onYesScale } from '../../../../src/venues/trade-api/wire/yes-scale.ts';
import { normalizing } from '../normalize/raw-input.ts';

const { feed, records } = kalshiProfile;

describe('profiles', () => {
  it('ships the profiles by name', () => {
    expect(profileNames()).toEqual(['service', 'kalshi']);
    expect(profileByName('kalshi')).toBe(kalshiProfile);
  });

  it('refuses endpoints that a dialect lacks', () => {
    expect(endpointOf(kalshiProfile, 'limitGroup').method).toBe('PUT');
    expect(pathOf(kalshiProfile, 'cancelOrder', { orderId: 'x' })).toBe('/trade-api/v2/portfolio/events/orders/x');
    expect(() => endpointOf(serviceProfile, 'limitGroup')).toThrow(
      new RangeError('dialect service has no endpoint limitGroup'),
    );
    expect(() => pathOf(serviceProfile, 'cancelAll')).toThrow(RangeError);
  });

  it('lists the channels and messages of a dialect', () => {
    expect(channelOf(feed, 'groups').isPrivate).toBe(true);
    expect(() => channelOf(serviceProfile.feed, 'groups')).toThrow('channel groups of the dialect');
    expect(privateTypesOf(feed)).toEqual(['fill', 'user_order', 'market_position', 'order_group_updates']);
    expect(feedMessagesOf(serviceProfile.feed).map(({ type }) => type)).not.toContain('order_group_updates');
  });
});

describe('the kalshi dialect', () => {
  it('scans book deltas on either scale', () => {
    for (const record of [feed.messages.delta.record, onYesScale(feed.messages.delta.record)])
      expect(createDeltaScanner({ ...feed.messages.delta, record }, new TickerBytes(new TickerTable()))).not.toBeNull();
  });

  it.each([true, false])('reads books on the YES scale, as requested; scanning: %s', (scans) => {
    const { receive, normalize, tickers } = normalizing(kalshiProfile, scans);
    tickers.internTicker(ticker('M-1'));
    normalize({ type: 'feed-up', at: 1 as never, connection: 1 });
    const body = { market_ticker: 'M-1', market_id: '0f' };
    const [granted, snapshot, delta] = receive(
      { type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } },
      {
        type: 'orderbook_snapshot',
        sid: 1,
        seq: 1,
        msg: { ...body, yes_dollars_fp: [['0.4700', '3.00']], no_dollars_fp: [['0.5200', '2.00']] },
      },
      {
        type: 'orderbook_delta',
        sid: 1,
        seq: 2,
        msg: { ...body, price_dollars: '0.5200', delta_fp: '-1.00', side: 'no' },
      },
    );
    expect(granted).toMatchObject({ kind: 'feed-heard' });
    expect(snapshot).toMatchObject({ kind: 'book-snapshot', bids: [[4700, 300]], asks: [[5200, 200]] });
    expect(delta).toMatchObject({ kind: 'book-delta', side: 'ask', price: 5200, change: -100 });
  });

  it('sends an id with the ticker of a market, and prices of NO bids on their own leg', () => {
    const written = codecOf(feed.messages.snapshot.record).encode({
      ticker: ticker('M-1'),
      bids: [],
      asks: [[5200 as never, 200 as never]],
    });
    expect(written).toEqual({
      market_ticker: 'M-1',
      market_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      no_dollars_fp: [['0.4800', '2.00']],
    });
  });

  it('reads an acknowledgment, and batch items with and without an order', () => {
    const acknowledged = { order_id: 'o-1', client_order_id: 'c-1', fill_count: '1.00', remaining_count: '0.00' };
    const figures = { average_fill_price: '0.5200', average_fee_paid: '0.0175', ts_ms: 1_781_159_370_164 };
    const { order } = codecOf(records.orderCreated).decode({ ...acknowledged, ...figures });
    expect(order).toMatchObject({
      orderId: 'o-1',
      filledQty: 100,
      leavesQty: 0,
      averagePrice: 520_000,
      averageFee: 17_500,
    });
    const batch = codecOf(records.ordersCreated).decode({
      orders: [acknowledged, { client_order_id: 'c-2', error: { code: 'invalid_price', message: 'invalid price' } }],
    });
    expect(batch.orders).toMatchObject([
      { clientOrderId: 'c-1', order: { orderId: 'o-1' }, error: null },
      { clientOrderId: 'c-2', order: null, error: { code: 'invalid_price' } },
    ]);
  });

  it('writes a side in three members, and reads the book’s word first', () => {
    const { side } = records.amendOrder.fields;
    expect(side).toMatchObject({ wire: 'side' });
    const print = codecOf(records.prints).decode({
      trades: [
        {
          trade_id: 't',
          ticker: 'M-1',
          count_fp: '1.00',
          yes_price_dollars: '0.5200',
          taker_outcome_side: 'no',
          taker_book_side: 'ask',
        },
      ],
      cursor: '',
    });
    expect(print.rows).toMatchObject([{ side: 'sell', price: 5200 }]);
  });

  it('has a date for each kind of fee rounding, in order', () => {
    for (const { feeRounding } of [kalshiProfile, serviceProfile]) {
      const dates = feeRounding.map(({ since }) => since);
      expect(dates).toEqual([...dates].sort((a, b) => a - b));
      expect(new Set(dates).size).toBe(dates.length);
    }
  });
});
