// Frames to events: what each says, and what is told when one is missing, repeated or broken.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import { AT, delta, normalizing, snapshot, subscribed } from './input.ts';

const GAP = 'feed-gap';

describe('books on the feed', () => {
  it('begin with a snapshot, the NO leg turned to the YES scale', () => {
    expect(subscribed().hear(snapshot(1))).toEqual([
      {
        kind: 'book-snapshot',
        at: AT,
        exchangeAt: null,
        market: 0,
        bids: [[4200, 1300]],
        asks: [[4500, 700]],
        stream: 1,
      },
    ]);
  });

  it('may have an empty side, which the wire leaves out', () => {
    expect(subscribed().hear(snapshot(1, { yes: undefined }))).toMatchObject([{ bids: [], asks: [[4500, 700]] }]);
  });

  it.each([true, false])('change level by level, on either leg, read from bytes: %s', (scans) => {
    const { hear } = subscribed(['M-1'], scans);
    hear(snapshot(1));
    expect(
      hear(delta(2, { ts_ms: 1_700_000_000_123, ts: 1_700_000_000 }), delta(3, { side: 'no', price: 55, delta: -7 })),
    ).toEqual([
      {
        kind: 'book-delta',
        at: AT,
        exchangeAt: 1_700_000_000_123_000,
        market: 0,
        side: 'bid',
        price: 4200,
        change: 500,
        stream: 1,
      },
      { kind: 'book-delta', at: AT, exchangeAt: null, market: 0, side: 'ask', price: 4500, change: -700, stream: 1 },
    ]);
  });
});

describe('the sequence of a subscription', () => {
  it('that skips a number is a gap in every market of it, told before the message', () => {
    const { hear } = subscribed(['M-1', 'M-2', 'M-3']);
    hear(snapshot(1));
    expect(hear(delta(3))).toMatchObject([
      { kind: GAP, markets: [0, 1, 2], reason: 'sequence of subscription 1: expected 2, found 3' },
      { kind: 'book-delta' },
    ]);
    expect(hear(delta(4))).toMatchObject([{ kind: 'book-delta' }]);
  });

  it('that does not begin at one has lost its beginning', () => {
    expect(subscribed(['M-1']).hear(snapshot(2))).toMatchObject([
      { kind: GAP, markets: [0] },
      { kind: 'book-snapshot' },
    ]);
  });

  it('that repeats a number is a gap, and the message is not told twice', () => {
    const { hear } = subscribed(['M-1']);
    hear(snapshot(1), delta(2));
    expect(hear(delta(2))).toMatchObject([{ kind: GAP, markets: [0] }]);
  });

  it('counts acknowledgments and fresh snapshots', () => {
    const { hear, tickers } = subscribed(['M-1']);
    tickers.intern(ticker('M-2'));
    const events = hear(
      snapshot(1),
      { type: 'ok', id: 2, sid: 1, seq: 2, msg: { market_tickers: ['M-1', 'M-2'] } },
      { ...snapshot(3), id: 5 },
      delta(4, { market_ticker: 'M-2' }),
    );
    expect(events.map((event) => event.kind)).toEqual(['book-snapshot', 'feed-heard', 'book-snapshot', 'book-delta']);
  });

  it('names the markets as they were last listed', () => {
    const { hear } = subscribed(['M-1', 'M-2']);
    hear(snapshot(1), { type: 'ok', id: 2, sid: 1, seq: 2, msg: { market_tickers: ['M-2'] } });
    expect(hear(delta(9))).toMatchObject([{ kind: GAP, markets: [1] }, {}]);
  });

  it('names the markets that were added where the acknowledgment lists none', () => {
    const { hear, tell, tickers } = subscribed(['M-1']);
    tickers.intern(ticker('M-9'));
    const params = { sid: 1, market_tickers: ['M-9'], action: 'add_markets' };
    tell({ type: 'feed-sent', at: AT, text: JSON.stringify({ id: 2, cmd: 'update_subscription', params }) });
    hear(snapshot(1), { type: 'ok', id: 2, sid: 1, seq: 2, msg: {} });
    expect(hear(delta(9))).toMatchObject([{ kind: GAP, markets: [0, 1] }, {}]);
  });

  it('names no market that nobody follows any more, though its number be another one’s', () => {
    const { hear, tickers } = subscribed(['M-1', 'M-2']);
    hear(snapshot(1));
    tickers.release(tickers.intern(ticker('M-2')));
    expect(hear(delta(9))).toMatchObject([{ kind: GAP, markets: [0] }, {}]);
  });

  it('is apart from that of another subscription', () => {
    const { hear } = subscribed(['M-1']);
    hear(snapshot(1), { type: 'subscribed', id: 2, msg: { channel: 'trade', sid: 2 } });
    const trade = { trade_id: 't', market_ticker: 'M-1', yes_price: 42, count: 1, taker_side: 'no', ts_ms: 5 };
    expect(hear({ type: 'trade', sid: 2, seq: 1, msg: trade }, delta(2)).map((event) => event.kind)).toEqual([
      'print',
      'book-delta',
    ]);
  });

  it('of prints that skips a number is counted and leaves books alone', () => {
    const { hear } = subscribed(['M-1']);
    hear({ type: 'subscribed', id: 2, msg: { channel: 'trade', sid: 2 } });
    const trade = { trade_id: 't', market_ticker: 'M-1', yes_price: 42, count: 1, taker_side: 'no' };
    expect(hear({ type: 'trade', sid: 2, seq: 4, msg: trade })).toMatchObject([
      { kind: 'unrecognized', what: 'gap prints' },
      { kind: 'print', side: 'sell', price: 4200, qty: 100 },
    ]);
  });

  it('begins anew with a connection', () => {
    const { hear, tell } = subscribed(['M-1']);
    hear(snapshot(1), delta(2));
    tell({ type: 'feed-down', at: AT, reason: 'gone' }, { type: 'feed-up', at: AT, connection: 2 });
    hear({ type: 'subscribed', id: 9, msg: { channel: 'orderbook_delta', sid: 1 } });
    expect(hear(snapshot(1))).toMatchObject([{ kind: 'book-snapshot' }]);
  });

  it('of a subscription that was never announced is taken for that of all books', () => {
    const { hear } = normalizing();
    expect(hear(snapshot(2))).toMatchObject([{ kind: GAP, markets: [] }, { kind: 'book-snapshot' }]);
  });
});

describe('other messages', () => {
  it('tell how an event group is charged from now on', () => {
    const { hear } = subscribed(['M-1']);
    const update = (seq: number, said: object) =>
      hear({ type: 'event_fee_update', sid: 7, seq, msg: { event_ticker: 'E-1', ...said } });
    const told = { kind: 'fees-changed', eventTicker: 'E-1' };
    expect(update(1, { fee_multiplier_override: 0.5 })).toMatchObject([
      { ...told, fees: { feeMultiplierPercent: 50 } },
    ]);
    expect(update(2, { fee_type_override: 'free' })).toMatchObject([{ ...told, fees: { feeType: 'free' } }]);
    expect(update(3, {})).toMatchObject([{ ...told, fees: null }]);
  });

  it('tell tickers, and take a quote of zero or a dollar for none', () => {
    const { hear } = subscribed(['M-1']);
    const msg = { market_ticker: 'M-1', price: 42, yes_bid: 0, yes_ask: 100, volume: 3, open_interest: 2, ts_ms: 7 };
    expect(hear({ type: 'ticker', sid: 3, msg })).toEqual([
      {
        kind: 'ticker',
        at: AT,
        exchangeAt: 7000,
        market: 0,
        lastPrice: 4200,
        bestBid: null,
        bestAsk: null,
        volume: 300,
        openInterest: 200,
      },
    ]);
  });

  it('tell fills, on the YES scale and with the exact fee', () => {
    const msg = {
      trade_id: 't',
      order_id: 'o',
      client_order_id: 'c',
      market_ticker: 'M-1',
      side: 'no',
      action: 'buy',
      no_price: 58,
      count: 2,
      is_taker: true,
      fee_cost: '0.034105',
      ts_ms: 9,
    };
    expect(subscribed(['M-1']).hear({ type: 'fill', sid: 4, msg })).toEqual([
      {
        kind: 'fill',
        at: AT,
        fill: {
          tradeId: 't',
          venueOrderId: 'o',
          clientOrderId: 'c',
          market: 0,
          side: 'sell',
          price: 4200,
          qty: 200,
          fee: 34_105,
          liquidity: 'taker',
          exchangeAt: 9000,
        },
      },
    ]);
  });

  it('tell orders and positions', () => {
    const order = {
      order_id: 'o',
      client_order_id: '',
      ticker: 'M-1',
      side: 'yes',
      action: 'sell',
      yes_price: 42,
      status: 'canceled',
      fill_count: 1,
      remaining_count: 0,
      last_update_reason: 'CloseCancel',
    };
    const position = {
      market_ticker: 'M-1',
      position: -3,
      position_cost_dollars: '1.740000',
      realized_pnl_dollars: '-0.010000',
      fees_paid_dollars: '0.050000',
    };
    const { hear } = subscribed(['M-1']);
    expect(
      hear({ type: 'user_order', sid: 5, msg: order }, { type: 'market_position', sid: 6, msg: position }),
    ).toMatchObject([
      {
        kind: 'order-updated',
        order: { clientOrderId: null, side: 'sell', status: 'canceled', reason: 'CloseCancel' },
      },
      { kind: 'position-updated', position: { qty: -300, cost: 1_740_000, realized: -10_000, fees: 50_000 } },
    ]);
  });

  it.each([
    [{ event_type: 'deactivated' }, { status: 'inactive' }],
    [{ event_type: 'activated' }, { status: 'active' }],
    [{ event_type: 'close_date_updated', close_ts: 5 }, { closeAt: 5_000_000 }],
    [
      { event_type: 'determined', result: 'no', determination_ts: 6 },
      { status: 'determined', result: 'no', settlementValue: 0, exchangeAt: 6_000_000 },
    ],
    [
      { event_type: 'determined', result: 'scalar', settlement_value: 37 },
      { status: 'determined', result: 'scalar', settlementValue: 3700 },
    ],
    [
      { event_type: 'settled', settled_ts: 8 },
      { status: 'finalized', exchangeAt: 8_000_000 },
    ],
  ])('tell the life of a market: %j', (msg, expected) => {
    const { hear } = subscribed(['M-1']);
    expect(hear({ type: 'market_lifecycle_v2', sid: 7, seq: 1, msg: { market_ticker: 'M-1', ...msg } })).toMatchObject([
      { kind: 'market-changed', market: 0, ...expected },
    ]);
  });

  it('tell a new grid, and that one is to be read where the one that is said holds no price', () => {
    const { hear } = subscribed(['M-1']);
    const life = (seq: number, step: string) => ({
      type: 'market_lifecycle_v2',
      sid: 7,
      seq,
      msg: {
        market_ticker: 'M-1',
        event_type: 'price_level_structure_updated',
        price_ranges: [{ start: '0.0000', end: '1.0000', step }],
      },
    });
    expect(hear(life(1, '0.0010'))).toMatchObject([{ kind: 'market-changed', grid: { cellCount: 999 } }]);
    expect(hear(life(2, '0.0000'))).toMatchObject([{ kind: 'markets-appeared', ticker: 'M-1' }]);
  });

  it('pass over the lives of markets that are not followed, but for their beginning', () => {
    const { hear, tickers } = subscribed(['M-1']);
    const life = (seq: number, word: string) => ({
      type: 'market_lifecycle_v2',
      sid: 7,
      seq,
      msg: { market_ticker: 'OTHER', event_type: word },
    });
    expect(hear(life(1, 'deactivated'))).toMatchObject([{ kind: 'feed-heard' }]);
    expect(hear(life(2, 'created'))).toMatchObject([
      { kind: 'markets-appeared', ticker: 'OTHER', eventTicker: null, seriesTicker: null },
    ]);
    expect(tickers.indexOf('OTHER')).toBeUndefined();
  });

  it('tell of a new event group, and of its series', () => {
    const msg = { event_ticker: 'E-1', series_ticker: 'S', title: 'T' };
    expect(subscribed([]).hear({ type: 'event_lifecycle', sid: 7, seq: 1, msg })).toMatchObject([
      { kind: 'markets-appeared', ticker: null, eventTicker: 'E-1', seriesTicker: 'S' },
    ]);
  });
});

describe('what was sent to the feed', () => {
  it('may be anything without harm', () => {
    const { tell } = normalizing();
    const sent = (text: string) => ({ type: 'feed-sent', at: AT, text }) as const;
    expect(tell(sent('{'), sent('[]'), sent('{"id":1,"cmd":"dance"}'), sent('{"id":1,"cmd":"subscribe"}'))).toEqual([]);
  });

  it('tells which markets a subscription carries before any message does', () => {
    const { hear, tickers } = subscribed(['M-1', 'M-2']);
    expect(tickers.indexOf(ticker('M-2'))).toBe(1);
    expect(hear(delta(5))).toMatchObject([{ kind: GAP, markets: [0, 1] }, {}]);
  });
});
