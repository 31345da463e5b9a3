// Frames as events: the meaning of each frame, and the gap when one is missing, repeated or broken.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../../src/domain/ids.ts';
import { AT, delta, normalizing, snapshot, subscribed } from './raw-input.ts';

const GAP = 'feed-gap';

describe('books on the feed', () => {
  it('starts a book with a snapshot, the NO leg converted to the YES scale', () => {
    expect(subscribed().receive(snapshot(1))).toEqual([
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

  it('accepts an empty side, which the wire leaves out', () => {
    expect(subscribed().receive(snapshot(1, { yes: undefined }))).toMatchObject([{ bids: [], asks: [[4500, 700]] }]);
  });

  it.each([true, false])('changes books level by level on either leg; from bytes: %s', (scans) => {
    const { receive } = subscribed(['M-1'], scans);
    receive(snapshot(1));
    expect(
      receive(
        delta(2, { ts_ms: 1_700_000_000_123, ts: 1_700_000_000 }),
        delta(3, { side: 'no', price: 55, delta: -7 }),
      ),
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
  it('reports a gap for every market of the subscription, before the message, when a number is skipped', () => {
    const { receive } = subscribed(['M-1', 'M-2', 'M-3']);
    receive(snapshot(1));
    expect(receive(delta(3))).toMatchObject([
      { kind: GAP, markets: [0, 1, 2], reason: 'sequence of subscription 1: expected 2, found 3' },
      { kind: 'book-delta' },
    ]);
    expect(receive(delta(4))).toMatchObject([{ kind: 'book-delta' }]);
  });

  it('reports a gap when a sequence does not start at one', () => {
    expect(subscribed(['M-1']).receive(snapshot(2))).toMatchObject([
      { kind: GAP, markets: [0] },
      { kind: 'book-snapshot' },
    ]);
  });

  it('reports a gap for a repeated number, and drops the message', () => {
    const { receive } = subscribed(['M-1']);
    receive(snapshot(1), delta(2));
    expect(receive(delta(2))).toMatchObject([{ kind: GAP, markets: [0] }]);
  });

  it('counts acknowledgments and fresh snapshots in the sequence', () => {
    const { receive, tickers } = subscribed(['M-1']);
    tickers.internTicker(ticker('M-2'));
    const events = receive(
      snapshot(1),
      { type: 'ok', id: 2, sid: 1, seq: 2, msg: { market_tickers: ['M-1', 'M-2'] } },
      { ...snapshot(3), id: 5 },
      delta(4, { market_ticker: 'M-2' }),
    );
    expect(events.map((event) => event.kind)).toEqual(['book-snapshot', 'feed-heard', 'book-snapshot', 'book-delta']);
  });

  it('names the markets of a gap as last listed', () => {
    const { receive } = subscribed(['M-1', 'M-2']);
    receive(snapshot(1), { type: 'ok', id: 2, sid: 1, seq: 2, msg: { market_tickers: ['M-2'] } });
    expect(receive(delta(9))).toMatchObject([{ kind: GAP, markets: [1] }, {}]);
  });

  it('names added markets in a gap when the acknowledgment lists none', () => {
    const { receive, normalize, tickers } = subscribed(['M-1']);
    tickers.internTicker(ticker('M-9'));
    const params = { sid: 1, market_tickers: ['M-9'], action: 'add_markets' };
    normalize({ type: 'feed-sent', at: AT, text: JSON.stringify({ id: 2, cmd: 'update_subscription', params }) });
    receive(snapshot(1), { type: 'ok', id: 2, sid: 1, seq: 2, msg: {} });
    expect(receive(delta(9))).toMatchObject([{ kind: GAP, markets: [0, 1] }, {}]);
  });

  it('does not name a market in a gap that is no longer followed, even if its index was reassigned', () => {
    const { receive, tickers } = subscribed(['M-1', 'M-2']);
    receive(snapshot(1));
    tickers.releaseIndex(tickers.internTicker(ticker('M-2')));
    expect(receive(delta(9))).toMatchObject([{ kind: GAP, markets: [0] }, {}]);
  });

  it('counts each subscription separately', () => {
    const { receive } = subscribed(['M-1']);
    receive(snapshot(1), { type: 'subscribed', id: 2, msg: { channel: 'trade', sid: 2 } });
    const trade = { trade_id: 't', market_ticker: 'M-1', yes_price: 42, count: 1, taker_side: 'no', ts_ms: 5 };
    expect(receive({ type: 'trade', sid: 2, seq: 1, msg: trade }, delta(2)).map((event) => event.kind)).toEqual([
      'print',
      'book-delta',
    ]);
  });

  it('reports a skipped number of prints as unrecognized and leaves books alone', () => {
    const { receive } = subscribed(['M-1']);
    receive({ type: 'subscribed', id: 2, msg: { channel: 'trade', sid: 2 } });
    const trade = { trade_id: 't', market_ticker: 'M-1', yes_price: 42, count: 1, taker_side: 'no' };
    expect(receive({ type: 'trade', sid: 2, seq: 4, msg: trade })).toMatchObject([
      { kind: 'unrecognized', what: 'gap prints' },
      { kind: 'print', side: 'sell', price: 4200, qty: 100 },
    ]);
  });

  it('restarts the sequence with a connection', () => {
    const { receive, normalize } = subscribed(['M-1']);
    receive(snapshot(1), delta(2));
    normalize({ type: 'feed-down', at: AT, reason: 'gone' }, { type: 'feed-up', at: AT, connection: 2 });
    receive({ type: 'subscribed', id: 9, msg: { channel: 'orderbook_delta', sid: 1 } });
    expect(receive(snapshot(1))).toMatchObject([{ kind: 'book-snapshot' }]);
  });

  it('reports a gap of all books for an unannounced subscription', () => {
    const { receive } = normalizing();
    expect(receive(snapshot(2))).toMatchObject([{ kind: GAP, markets: [] }, { kind: 'book-snapshot' }]);
  });
});

describe('other messages', () => {
  it('reports changed fees of an event group', () => {
    const { receive } = subscribed(['M-1']);
    const update = (seq: number, override: object) =>
      receive({ type: 'event_fee_update', sid: 7, seq, msg: { event_ticker: 'E-1', ...override } });
    const changed = { kind: 'fees-changed', eventTicker: 'E-1' };
    expect(update(1, { fee_multiplier_override: 0.5 })).toMatchObject([
      { ...changed, fees: { feeMultiplierPercent: 50 } },
    ]);
    expect(update(2, { fee_type_override: 'free' })).toMatchObject([{ ...changed, fees: { feeType: 'free' } }]);
    expect(update(3, {})).toMatchObject([{ ...changed, fees: null }]);
  });

  it('reports tickers, with a quote of zero or a dollar as none', () => {
    const { receive } = subscribed(['M-1']);
    const msg = { market_ticker: 'M-1', price: 42, yes_bid: 0, yes_ask: 100, volume: 3, open_interest: 2, ts_ms: 7 };
    expect(receive({ type: 'ticker', sid: 3, msg })).toEqual([
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

  it('reports fills on the YES scale and with the exact fee', () => {
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
    expect(subscribed(['M-1']).receive({ type: 'fill', sid: 4, msg })).toEqual([
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

  it('reports orders and positions', () => {
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
    const { receive } = subscribed(['M-1']);
    expect(
      receive({ type: 'user_order', sid: 5, msg: order }, { type: 'market_position', sid: 6, msg: position }),
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
  ])('reports the life of a market: %j', (msg, expected) => {
    const { receive } = subscribed(['M-1']);
    expect(
      receive({ type: 'market_lifecycle_v2', sid: 7, seq: 1, msg: { market_ticker: 'M-1', ...msg } }),
    ).toMatchObject([{ kind: 'market-changed', market: 0, ...expected }]);
  });

  it('reports a new grid, or has the market read when the grid contains no price', () => {
    const { receive } = subscribed(['M-1']);
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
    expect(receive(life(1, '0.0010'))).toMatchObject([{ kind: 'market-changed', grid: { cellCount: 999 } }]);
    expect(receive(life(2, '0.0000'))).toMatchObject([{ kind: 'markets-appeared', ticker: 'M-1' }]);
  });

  it('ignores the lives of unknown markets, except their beginning', () => {
    const { receive, tickers } = subscribed(['M-1']);
    const life = (seq: number, word: string) => ({
      type: 'market_lifecycle_v2',
      sid: 7,
      seq,
      msg: { market_ticker: 'OTHER', event_type: word },
    });
    expect(receive(life(1, 'deactivated'))).toMatchObject([{ kind: 'feed-heard' }]);
    expect(receive(life(2, 'created'))).toMatchObject([
      { kind: 'markets-appeared', ticker: 'OTHER', eventTicker: null, seriesTicker: null },
    ]);
    expect(tickers.indexOf('OTHER')).toBeUndefined();
  });

  it('reports a new event group with its series', () => {
    const msg = { event_ticker: 'E-1', series_ticker: 'S', title: 'T' };
    expect(subscribed([]).receive({ type: 'event_lifecycle', sid: 7, seq: 1, msg })).toMatchObject([
      { kind: 'markets-appeared', ticker: null, eventTicker: 'E-1', seriesTicker: 'S' },
    ]);
  });
});

describe('commands sent to the feed', () => {
  it('accepts any text as a sent command', () => {
    const { normalize } = normalizing();
    const sent = (text: string) => ({ type: 'feed-sent', at: AT, text }) as const;
    expect(
      normalize(sent('{'), sent('[]'), sent('{"id":1,"cmd":"dance"}'), sent('{"id":1,"cmd":"subscribe"}')),
    ).toEqual([]);
  });

  it('knows the markets of a subscription from the command before any message', () => {
    const { receive, tickers } = subscribed(['M-1', 'M-2']);
    expect(tickers.indexOf(ticker('M-2'))).toBe(1);
    expect(receive(delta(5))).toMatchObject([{ kind: GAP, markets: [0, 1] }, {}]);
  });
});
