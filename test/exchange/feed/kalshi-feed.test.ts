// The feed in the `kalshi` dialect: its messages, what takes a sequence number, and what it refuses.
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker, ticker } from '../../../src/domain/ids.ts';
import { DECI_CENT_GRID } from '../../../src/domain/price-grid.ts';
import { cents, contracts, dollars, micros } from '../../../src/domain/units.ts';
import { orderOf, placeOp } from '../exchange-harness.ts';
import { KalshiFeedHarness, bodiesOf, errorCodes, lastMessage } from './kalshi-feed-harness.ts';
import type { ApiHarness } from '../api/api-harness.ts';

const A = ticker('A');

/** The current time as a ticker message reports it. */
function timesOf({ session }: ApiHarness): object {
  const ms = Math.floor(session.exchange.now / 1000);
  return { ts_ms: ms, ts: Math.floor(ms / 1000), time: new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z') };
}

describe('the order group channel', () => {
  it('reports changes of a group to its owner, each with a sequence number', () => {
    const harness = new KalshiFeedHarness();
    const own = harness.subscribed('ann', { channels: ['order_group_updates'] });
    const other = harness.subscribed('bob', { channels: ['order_group_updates'] });
    const groupId = harness.createGroup('ann', 10);
    const at = Math.floor(harness.session.exchange.now / 1000);
    harness.submit(placeOp('ann', { groupId }));
    harness.submit(placeOp('bob', { side: 'sell' }));
    harness.submit({ type: 'reset-group', account: 'ann', groupId });
    harness.submit({ type: 'limit-group', account: 'ann', groupId, limit: contracts(2) });
    harness.submit({ type: 'delete-group', account: 'ann', groupId });
    const messages = own.ofType('order_group_updates');
    expect(messages.map((message) => message.at('seq'))).toEqual([1, 2, 3, 4, 5]);
    expect(bodiesOf(own, 'order_group_updates')).toEqual([
      { event_type: 'created', order_group_id: groupId, contracts_limit_fp: '10.00', ts_ms: at },
      { event_type: 'triggered', order_group_id: groupId, ts_ms: at },
      { event_type: 'reset', order_group_id: groupId, ts_ms: at },
      { event_type: 'limit_updated', order_group_id: groupId, contracts_limit_fp: '2.00', ts_ms: at },
      { event_type: 'deleted', order_group_id: groupId, ts_ms: at },
    ]);
    expect(other.ofType('order_group_updates')).toEqual([]);
  });

  it('leaves orders canceled with their group to the orders channel', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['user_orders'] });
    const groupId = harness.createGroup('ann', 4);
    harness.submit(placeOp('ann', { groupId, clientOrderId: 'mine' }));
    harness.submit(placeOp('bob', { side: 'sell', qty: contracts(4), timeInForce: 'ioc' }));
    expect(lastMessage(feed).at('msg')).toMatchObject({
      client_order_id: 'mine',
      order_group_id: groupId,
      status: 'canceled',
      fill_count_fp: '4.00',
      remaining_count_fp: '0.00',
      last_update_reason: 'HaltCancel',
    });
  });
});

describe('silent channels', () => {
  it('are subscribed, listed and unsubscribed like any other, and send nothing', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['communications', 'trade', 'pyth_value'] });
    expect(feed.messages.map(({ value }) => value)).toEqual([
      { id: 1, type: 'subscribed', msg: { channel: 'trade', sid: 1 } },
      { id: 1, type: 'subscribed', msg: { channel: 'communications', sid: 2 } },
      { id: 1, type: 'subscribed', msg: { channel: 'pyth_value', sid: 3 } },
    ]);
    harness.submit(placeOp('ann', {}));
    harness.submit(placeOp('bob', { side: 'sell' }));
    feed.send('list_subscriptions', {});
    expect(lastMessage(feed).at('msg')).toEqual([
      { channel: 'trade', sid: 1 },
      { channel: 'communications', sid: 2 },
      { channel: 'pyth_value', sid: 3 },
    ]);
    feed.send('update_subscription', { sid: 3, action: 'subscribe_underlyings', underlying_tickers: ['BTC'] });
    expect(lastMessage(feed).value).toEqual({ id: 1, sid: 3, seq: 1, type: 'ok', msg: {} });
    feed.send('unsubscribe', { sids: [3, 2] });
    expect(feed.ofType('unsubscribed').map(({ value }) => value)).toEqual([
      { id: 1, sid: 3, seq: 2, type: 'unsubscribed' },
      { id: 1, sid: 2, seq: 1, type: 'unsubscribed' },
    ]);
    expect(feed.messages.filter((message) => message.at('sid') === 2 || message.at('sid') === 3)).toHaveLength(3);
  });

  it.each<[unknown, number]>([
    [{ shard_factor: 0 }, 19],
    [{ shard_factor: -1, shard_key: 0 }, 19],
    [{ shard_key: 0 }, 20],
    [{ shard_factor: 4, shard_key: 4 }, 21],
    [{ shard_factor: 4, shard_key: -1 }, 21],
    [{ shard_factor: 101 }, 22],
  ])('are refused %j with %i', (flags, code) => {
    const harness = new KalshiFeedHarness();
    const feed = harness.openFeed('ann');
    feed.send('subscribe', { channels: ['communications'], ...(flags as object) });
    expect(errorCodes(feed)).toEqual([code]);
    feed.send('subscribe', { channels: ['trade'], ...(flags as object) });
    expect(lastMessage(feed).at('type')).toBe('subscribed');
  });

  it.each<[string, string, number]>([
    ['cfbenchmarks_value', 'subscribe_indices', 24],
    ['cfbenchmarks_value_5hz', 'unsubscribe_indices', 24],
    ['pyth_value', 'subscribe_underlyings', 28],
    ['communications', 'subscribe_indices', 13],
    ['cfbenchmarks_value', 'add_markets', 13],
    ['trade', 'subscribe_indices', 14],
  ])('of %s refuse an empty %s with %i', (channel, action, code) => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: [channel] });
    feed.send('update_subscription', { sid: 1, action });
    expect(lastMessage(feed).value).toMatchObject({ id: 1, type: 'error', sid: 1, msg: { code } });
  });
});

describe('refused feed commands', () => {
  it.each<[string, unknown, number]>([
    ['subscribe', null, 2],
    ['subscribe', {}, 3],
    ['subscribe', { channels: [] }, 3],
    ['subscribe', { channels: ['multivariate'] }, 8],
    ['subscribe', { channels: ['trade', 'nonsense'] }, 8],
    ['subscribe', { channels: ['orderbook_delta'] }, 14],
    ['unsubscribe', {}, 4],
    ['unsubscribe', { sids: [9] }, 7],
    ['update_subscription', { action: 'add_markets', market_ticker: 'A' }, 12],
    ['update_subscription', { sids: [1, 2], action: 'add_markets', market_ticker: 'A' }, 12],
    ['update_subscription', { sid: 1, action: 'nonsense' }, 13],
    ['update_subscription', { sid: 1 }, 15],
    ['update_subscription', { sid: 7, action: 'add_markets', market_ticker: 'A' }, 7],
    ['nonsense', {}, 5],
  ])('answer %s %j with %i', (cmd, params, code) => {
    const feed = new KalshiFeedHarness().openFeed('ann');
    feed.send(cmd, params);
    expect(errorCodes(feed)).toEqual([code]);
  });

  it('answer with code 1 and no id when they cannot be read', () => {
    const feed = new KalshiFeedHarness().openFeed('ann');
    feed.connection?.handleMessage('{');
    expect(lastMessage(feed).value).toMatchObject({ id: 0, type: 'error', msg: { code: 1 } });
  });

  it('include a handshake without a key', () => {
    expect(() => new KalshiFeedHarness().openFeed(null)).toThrow('401');
  });
});

describe('the end of a market', () => {
  it('reports the result when it is determined, and only the time when it is paid, as the venue documents', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['market_lifecycle_v2'] });
    harness.submit({ type: 'close', ticker: A });
    harness.submit({ type: 'determine', ticker: A, result: 'yes', settlementValue: null });
    harness.submit({ type: 'settle', ticker: A });
    const at = Math.floor(harness.session.exchange.now / 1_000_000);
    expect(bodiesOf(feed, 'market_lifecycle_v2').slice(1)).toEqual([
      expect.objectContaining({ event_type: 'determined', result: 'yes', settlement_value: '1.0000' }),
      { market_ticker: 'A', exchange_index: 0, event_type: 'settled', settled_ts: at },
    ]);
  });
});

describe('feed sequences', () => {
  it('count snapshots, deltas, acknowledgments and ends of one subscription, whatever its market', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['orderbook_delta'], market_ticker: 'A', use_yes_price: true });
    harness.submit(placeOp('bob', { side: 'sell', price: cents(52), qty: contracts(2) }));
    feed.send('update_subscription', { sid: 1, action: 'add_markets', market_tickers: ['B'] });
    feed.send('update_subscription', { sid: 1, action: 'get_snapshot', market_tickers: ['A'] });
    harness.submit(placeOp('bob', { ticker: ticker('B') }));
    feed.send('unsubscribe', { sids: [1] });
    const messages = feed.messages.filter((message) => message.at('sid') === 1);
    expect(messages.map((message) => [message.at('seq'), message.at('type'), message.at('id')])).toEqual([
      [1, 'orderbook_snapshot', undefined],
      [2, 'orderbook_delta', undefined],
      [3, 'ok', 1],
      [4, 'orderbook_snapshot', undefined],
      [5, 'orderbook_snapshot', 1],
      [6, 'orderbook_delta', undefined],
      [7, 'unsubscribed', 1],
    ]);
    expect(messages[1]?.at('msg')).toMatchObject({ side: 'no', price_dollars: '0.5200', delta_fp: '2.00' });
    expect(messages[4]?.at('msg')).toMatchObject({ no_dollars_fp: [['0.5200', '2.00']] });
    expect(messages[4]?.at('msg.yes_dollars_fp')).toBeUndefined();
    expect(messages[2]?.at('msg')).toEqual({ market_tickers: ['A', 'B'] });
  });

  it('carry NO prices on the NO leg unless the YES scale is requested', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['orderbook_delta'], market_ticker: 'A' });
    harness.submit(placeOp('bob', { side: 'sell', price: cents(52) }));
    expect(lastMessage(feed).at('msg')).toMatchObject({ side: 'no', price_dollars: '0.4800' });
  });

  it('do not number tickers, fills, orders and positions', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['ticker', 'fill', 'user_orders', 'market_positions'] });
    harness.submit(placeOp('ann', {}));
    harness.submit(placeOp('bob', { side: 'sell' }));
    const types = ['ticker', 'fill', 'user_order', 'market_position'];
    for (const type of types) expect(feed.ofType(type).length).toBeGreaterThan(0);
    expect(feed.seqs).toEqual([]);
  });
});

describe('feed messages', () => {
  it('of a ticker give volumes in whole dollars, at half a dollar per contract', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['ticker'], market_ticker: 'A' });
    harness.submit(placeOp('ann', { qty: contracts(7) }));
    harness.submit(placeOp('bob', { side: 'sell', qty: contracts(7) }));
    expect(lastMessage(feed).at('msg')).toMatchObject({
      market_ticker: 'A',
      price_dollars: '0.5000',
      volume_fp: '7.00',
      open_interest_fp: '7.00',
      dollar_volume: 3,
      dollar_open_interest: 3,
      last_trade_size_fp: '7.00',
      ...timesOf(harness),
    });
  });

  it('of a position give the total quantity traded, beside the quantity held', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['market_positions'] });
    harness.submit(placeOp('bob', { side: 'sell' }));
    harness.submit(placeOp('ann', {}));
    harness.submit(placeOp('bob', {}));
    harness.submit(placeOp('ann', { side: 'sell', qty: contracts(4) }));
    expect(lastMessage(feed).at('msg')).toMatchObject({ position_fp: '6.00', volume_fp: '14.00' });
  });

  it('of a ticker come first when markets are added with a snapshot', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['ticker'], market_ticker: 'A', send_initial_snapshot: true });
    feed.send('update_subscription', {
      sid: 1,
      action: 'add_markets',
      market_tickers: ['B'],
      send_initial_snapshot: true,
    });
    expect(feed.ofType('ticker').map((message) => message.at('msg.market_ticker'))).toEqual(['A', 'B']);
  });

  it('of a grid give its name and ranges, and the book is not sent again', () => {
    const harness = new KalshiFeedHarness();
    harness.submit(placeOp('bob', {}));
    const feed = harness.subscribed('ann', { channels: ['market_lifecycle_v2'] });
    const books = harness.subscribed('ann', { channels: ['orderbook_delta'], market_ticker: 'A', use_yes_price: true });
    harness.submit({ type: 'set-grid', ticker: A, gridName: 'deci_cent', gridRanges: DECI_CENT_GRID.ranges });
    expect(lastMessage(feed).value).toMatchObject({
      type: 'market_lifecycle_v2',
      sid: 1,
      seq: 1,
      msg: {
        market_ticker: 'A',
        event_type: 'price_level_structure_updated',
        price_level_structure: 'deci_cent',
        price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0010' }],
      },
    });
    expect(lastMessage(books).at('type')).toBe('orderbook_snapshot');
    harness.submit(placeOp('bob', { price: 5010 }));
    expect(lastMessage(books).at('msg')).toMatchObject({ side: 'yes', price_dollars: '0.5010', delta_fp: '10.00' });
  });

  it('of a market give its definition when it is listed, and its halts and resumptions', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['market_lifecycle_v2'] });
    const definition = harness.session.exchange.market(A)?.definition;
    if (definition === undefined) throw new Error('no market is listed');
    const strike = { type: 'greater', floor: 20.5, cap: null } as const;
    const closeAt = micros(Math.floor(harness.now / 1_000_000) * 1_000_000 + 60_000_000);
    const market = { ...definition, ticker: ticker('NEW'), openAt: micros(0), closeAt, strike, shard: 3 };
    harness.submit({ type: 'define-market', market });
    harness.advance(1);
    for (const type of ['halt', 'resume'] as const) harness.submit({ type, ticker: ticker('NEW') });
    const [created, ...changes] = bodiesOf(feed, 'market_lifecycle_v2');
    expect(created).toEqual({
      market_ticker: 'NEW',
      event_type: 'created',
      exchange_index: 3,
      open_ts: 0,
      close_ts: closeAt / 1_000_000,
      price_level_structure: 'linear_cent',
      price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
      additional_metadata: {
        event_ticker: 'RAIN-26',
        title: definition.title,
        yes_sub_title: definition.yesSubtitle,
        no_sub_title: definition.noSubtitle,
        rules_primary: definition.rules,
        can_close_early: true,
        expected_expiration_ts: closeAt / 1_000_000,
        strike_type: 'greater',
        floor_strike: 20.5,
      },
    });
    expect(changes).toEqual([
      { market_ticker: 'NEW', event_type: 'deactivated', exchange_index: 3, is_deactivated: true },
      { market_ticker: 'NEW', event_type: 'activated', exchange_index: 3, is_deactivated: false },
    ]);
  });

  it('of an event group give its names when it is listed', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['market_lifecycle_v2'] });
    const group = { ticker: eventTicker('RAIN-27'), seriesTicker: seriesTicker('RAIN') };
    harness.submit({ type: 'define-group', group: { ...group, title: 'Rain', subtitle: 'in 27', isExclusive: true } });
    expect(bodiesOf(feed, 'event_lifecycle')).toEqual([
      {
        event_ticker: 'RAIN-27',
        series_ticker: 'RAIN',
        title: 'Rain',
        subtitle: 'in 27',
        collateral_return_type: '',
      },
    ]);
  });

  it('of an event group give its fees, and blanks when they are the series’ again', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', { channels: ['market_lifecycle_v2'] });
    const group = eventTicker('RAIN-26');
    harness.submit({ type: 'set-fees', eventTicker: group, fees: { feeType: 'quadratic', feeMultiplierPercent: 50 } });
    harness.submit({ type: 'set-fees', eventTicker: group, fees: null });
    expect(bodiesOf(feed, 'event_fee_update')).toEqual([
      { event_ticker: 'RAIN-26', fee_type_override: 'quadratic', fee_multiplier_override: 0.5 },
      { event_ticker: 'RAIN-26', fee_type_override: null, fee_multiplier_override: null },
    ]);
  });

  it('of any collateral account go to its owner’s key only, with the subaccount and the shard', () => {
    const harness = new KalshiFeedHarness();
    for (const account of ['ann/1', 'bob@2']) {
      harness.submit({ type: 'open-account', account, keepsHistory: true });
      harness.submit({ type: 'deposit', account, amount: dollars(100) });
    }
    const channels = ['fill', 'user_orders', 'market_positions'];
    const own = harness.subscribed('ann', { channels });
    const other = harness.subscribed('bob', { channels });
    const books = harness.subscribed('ann', { channels: ['orderbook_delta'], market_ticker: 'A' });
    harness.submit({ type: 'place', account: 'ann/1', order: orderOf({ clientOrderId: 'hers' }) });
    harness.submit({ type: 'place', account: 'bob@2', order: orderOf({ clientOrderId: 'his', side: 'sell' }) });
    expect(own.ofType('fill').map((fill) => [fill.at('msg.client_order_id'), fill.at('msg.subaccount')])).toEqual([
      ['hers', 1],
    ]);
    expect(own.ofType('user_order').map((order) => order.at('msg.subaccount_number'))).toEqual([1, 1]);
    expect(own.ofType('market_position').map((position) => position.at('msg.subaccount'))).toEqual([1]);
    expect(other.ofType('fill').map((fill) => [fill.at('msg.client_order_id'), fill.at('msg.exchange_index')])).toEqual(
      [['his', 2]],
    );
    expect(other.ofType('market_position')).toHaveLength(1);
    expect(books.ofType('orderbook_delta').map((delta) => delta.at('msg.client_order_id'))).toEqual(['hers', 'hers']);
  });
});
