// Reads over REST in the `kalshi` dialect: public reads, private reads, and refusals.
import { describe, expect, it } from 'vitest';
import { seriesTicker, ticker } from '../../../src/domain/ids.ts';
import { micros, price } from '../../../src/domain/units.ts';
import { settingsOf } from '../../../src/exchange/api/exchange-settings.ts';
import { replaceReadings } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { KalshiHarness, WIDE_LIMITS } from '../api/kalshi-harness.ts';
import { harnessConfig } from '../api/api-harness.ts';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;
const msg = (text: string) => ({ msg: text });
const wrong = (operation: string, field: string, tag: string) =>
  msg(
    `Parameter validation failed for ${operation}: Key: '${operation}Params.${field}' ` +
      `Error:Field validation for '${field}' failed on the '${tag}' tag`,
  );

describe('public reads in the kalshi dialect', () => {
  it.each<[string, unknown]>([
    ['GET /markets?limit=1001', wrong('GetMarkets', 'Limit', 'lte')],
    ['GET /events?limit=0', wrong('GetEvents', 'Limit', 'gte')],
    ['GET /events?status=paused', wrong('GetEvents', 'Status', 'oneof')],
    ['GET /historical/markets?mve_filter=only', wrong('GetHistoricalMarkets', 'MveFilter', 'oneof')],
    ['GET /markets/trades?is_block_trade=perhaps', wrong('GetTrades', 'IsBlockTrade', 'boolean')],
    ['GET /milestones', wrong('GetMilestones', 'Limit', 'required')],
    ['GET /markets?limit=ten', wrong('GetMarkets', 'Limit', 'numeric')],
    ['GET /markets?status=asleep', wrong('GetMarkets', 'Status', 'oneof')],
    ['GET /events?limit=201', wrong('GetEvents', 'Limit', 'lte')],
    ['GET /markets/A/orderbook?depth=101', wrong('GetMarketOrderbook', 'Depth', 'lte')],
    ['GET /markets/orderbooks', wrong('GetMarketOrderbooks', 'Tickers', 'required')],
    [
      `GET /markets/orderbooks?${Array.from({ length: 101 }, () => 'tickers=A').join('&')}`,
      wrong('GetMarketOrderbooks', 'Tickers', 'max'),
    ],
    ['GET /series/RAIN/markets/A/candlesticks?end_ts=1', wrong('GetMarketCandlesticks', 'StartTs', 'required')],
    [
      'GET /series/RAIN/markets/A/candlesticks?start_ts=1&end_ts=2&period_interval=5',
      wrong('GetMarketCandlesticks', 'PeriodInterval', 'oneof'),
    ],
    [
      'GET /markets/candlesticks?market_tickers=A,B&start_ts=1&end_ts=600001&period_interval=1',
      wrong('BatchGetMarketCandlesticks', 'EndTs', 'lte'),
    ],
  ])('refuse an invalid query with a single message: %s', (line, body) => {
    const answer = new KalshiHarness().requestNow(null, line);
    expect([answer.status, answer.body.value]).toEqual([400, body]);
  });

  it('treat an unreadable cursor as none', () => {
    const harness = new KalshiHarness();
    expect(harness.requestNow(null, 'GET /markets?limit=2&cursor=garbage').text).toBe(
      harness.requestNow(null, 'GET /markets?limit=2').text,
    );
  });

  it('show a market with its shard and the end of its fee waiver', () => {
    const harness = new KalshiHarness();
    expect(harness.requestNow(null, 'GET /markets/COIN').body.at('market.exchange_index')).toBe(2);
    expect(harness.requestNow(null, 'GET /markets/B').body.at('market.fee_waiver_expiration_time')).toBe(
      '2030-01-01T00:00:00Z',
    );
    expect(harness.requestNow(null, 'GET /events/COIN-26').body.at('event.exchange_index')).toBe(2);
    expect(harness.requestNow(null, 'GET /markets/NONE').status).toBe(404);
  });

  it('show books with the best level last, an empty one for an unknown market, and several by repeated names', () => {
    const harness = new KalshiHarness();
    harness.createOrder('ann', { price: '0.41' });
    harness.createOrder('ann', { price: '0.42', count: '1.5' });
    harness.createOrder('bob', { side: 'ask', price: '0.45' });
    const book = {
      yes_dollars: [
        ['0.4100', '10.00'],
        ['0.4200', '1.50'],
      ],
      no_dollars: [['0.5500', '10.00']],
    };
    const empty = { yes_dollars: [], no_dollars: [] };
    expect(harness.requestNow(null, 'GET /markets/A/orderbook').body.value).toEqual({ orderbook_fp: book });
    expect(harness.requestNow(null, 'GET /markets/NONE/orderbook').body.value).toEqual({ orderbook_fp: empty });
    expect(harness.requestNow(null, 'GET /markets/orderbooks?tickers=A&tickers=B').body.value).toEqual({
      orderbooks: [
        { ticker: 'A', orderbook_fp: book },
        { ticker: 'B', orderbook_fp: empty },
      ],
    });
    expect(harness.requestNow(null, 'GET /markets/orderbooks?tickers=A,B').body.value).toEqual({
      orderbooks: [{ ticker: 'A,B', orderbook_fp: empty }],
    });
  });

  it('show when a market was paid out', () => {
    const harness = new KalshiHarness();
    const paid = () => harness.requestNow(null, 'GET /markets/A').body.at('market.settlement_ts');
    const name = ticker('A');
    harness.session.submit({ type: 'close', ticker: name });
    harness.session.submit({ type: 'determine', ticker: name, result: 'yes', settlementValue: null });
    expect(paid()).toBeUndefined();
    harness.advance(4999);
    expect(paid()).toBeUndefined();
    harness.advance(1);
    expect(paid()).toBe(new Date(harness.now / 1000).toISOString().replace(/\.?0*Z$/, 'Z'));
  });

  it('show a result of a fraction of a cent: exact with the market, in whole cents with the settlement', () => {
    const harness = new KalshiHarness();
    harness.createOrder('ann', { count: '1.03' });
    harness.createOrder('bob', { count: '1.03', side: 'ask' });
    const name = ticker('A');
    harness.session.submit({ type: 'close', ticker: name });
    harness.session.submit({ type: 'determine', ticker: name, result: 'scalar', settlementValue: price(1234) });
    harness.session.submit({ type: 'settle', ticker: name });
    expect(harness.requestNow(null, 'GET /markets/A').body.at('market.settlement_value_dollars')).toBe('0.1234');
    const { body } = harness.requestNow('ann', 'GET /portfolio/settlements');
    expect(body.rows('settlements').map((row) => [row.at('value'), row.at('revenue')])).toEqual([[12, 12]]);
  });

  it('show candles of one market, of several, and of an event group', () => {
    const harness = new KalshiHarness();
    harness.createOrder('ann');
    harness.createOrder('bob', { side: 'ask' });
    const at = Math.floor(harness.now / 1_000_000);
    const times = `start_ts=${at - 60}&end_ts=${at + 60}&period_interval=1`;
    const [candle] = harness
      .requestNow(null, `GET /series/RAIN/markets/A/candlesticks?${times}`)
      .body.rows('candlesticks');
    expect(candle?.at('price.close_dollars')).toBe('0.5000');
    const several = harness.requestNow(null, `GET /markets/candlesticks?market_tickers=A,B,NONE&${times}`).body;
    expect(several.rows('markets').map((row) => [row.at('market_ticker'), row.rows('candlesticks').length])).toEqual([
      ['A', 1],
      ['B', 0],
    ]);
    const ofEvent = harness.requestNow(null, `GET /series/RAIN/events/RAIN-26/candlesticks?${times}`).body;
    expect(ofEvent.at('market_tickers')).toEqual(['A', 'B']);
    expect(ofEvent.at('market_candlesticks.0.0')).toEqual(candle?.value);
    expect(ofEvent.at('adjusted_end_ts')).toBe(at + 60);
    expect(harness.requestNow(null, 'GET /events/RAIN-26/metadata').body.at('settlement_sources')).toEqual([]);
    expect(harness.requestNow(null, 'GET /events/NONE/metadata').status).toBe(404);
  });

  it.each([
    ['found', 200],
    ['not-found', 404],
  ] as const)(
    'show candles under the path of another series as %s, by the profile’s reading',
    (candlesOfOtherSeries, status) => {
      const harness = new KalshiHarness({ profile: replaceReadings(kalshiProfile, { candlesOfOtherSeries }) });
      const times = 'start_ts=1&end_ts=2&period_interval=1';
      for (const path of ['OTHER/markets/A', 'RAIN-26/markets/A', 'OTHER/events/RAIN-26'])
        expect(harness.requestNow(null, `GET /series/${path}/candlesticks?${times}`).status, path).toBe(status);
      expect(harness.requestNow(null, `GET /series/RAIN/markets/A/candlesticks?${times}`).status).toBe(200);
      expect(harness.requestNow(null, `GET /series/RAIN/markets/NONE/candlesticks?${times}`).status).toBe(404);
      expect(kalshiProfile.readings.candlesOfOtherSeries).toBe('found');
    },
  );

  it('show future changes of fees, and past ones when requested', () => {
    const harness = new KalshiHarness();
    const at = micros(harness.now + 3_600_000_000);
    const fees = { feeType: 'quadratic', feeMultiplierPercent: 50 } as const;
    harness.session.submit({ type: 'set-series-fees', seriesTicker: seriesTicker('RAIN'), fees, at });
    const rows = () => harness.requestNow(null, 'GET /series/fee_changes').body.rows('series_fee_change_arr');
    expect(rows().map(({ value }) => value)).toMatchObject([
      { series_ticker: 'RAIN', fee_type: 'quadratic', fee_multiplier: 0.5 },
    ]);
    expect(
      harness.requestNow(null, 'GET /series/fee_changes?series_ticker=NONE').body.rows('series_fee_change_arr'),
    ).toEqual([]);
    expect(harness.requestNow(null, 'GET /events/fee_changes').body.value).toEqual({
      event_fee_changes: [],
      cursor: '',
    });
    harness.advance(2 * 3_600_000);
    expect(rows()).toEqual([]);
    expect(
      harness.requestNow(null, 'GET /series/fee_changes?show_historical=true').body.rows('series_fee_change_arr'),
    ).toHaveLength(1);
  });
});

describe('the exchange in the kalshi dialect', () => {
  it('shows whether it and each shard trade, and when a pause ends', () => {
    const harness = new KalshiHarness({
      extra: `${WIDE_LIMITS}\nmaintenance: [{ from: 2026-11-18T10:00:00Z, until: 2026-11-18T12:00:00Z }]`,
    });
    const status = () => harness.requestNow(null, 'GET /exchange/status').body;
    expect(status().value).toMatchObject({ exchange_active: true, trading_active: true });
    expect(
      status()
        .rows('exchange_index_statuses')
        .map((row) => row.at('exchange_index')),
    ).toEqual([0, 2]);
    harness.now = micros(Date.UTC(2026, 10, 18, 11) * 1000);
    harness.session.submit({ type: 'set-exchange', isActive: true, isTrading: false });
    expect(status().at('exchange_estimated_resume_time')).toBe('2026-11-18T12:00:00Z');
    const { body } = harness.requestNow(null, 'GET /exchange/schedule');
    expect(body.at('schedule.maintenance_windows')).toEqual([
      { start_datetime: '2026-11-18T10:00:00Z', end_datetime: '2026-11-18T12:00:00Z' },
    ]);
    expect(body.at('schedule.standard_hours.0.thursday')).toEqual([{ open_time: '00:00', close_time: '00:00' }]);
  });

  it('shows the limits of its tier, and the endpoints with other costs than the default', () => {
    expect(new KalshiHarness({ extra: '' }).requestNow('ann', 'GET /account/limits').body.value).toEqual({
      usage_tier: 'basic',
      read: { refill_rate: 200, bucket_capacity: 200 },
      write: { refill_rate: 100, bucket_capacity: 100 },
      grants: [],
    });
    const prestige = new KalshiHarness({ extra: 'tier: prestige' }).requestNow('ann', 'GET /account/limits').body;
    expect(prestige.at('usage_tier')).toBe('prestige');
    expect(prestige.at('write')).toEqual({ refill_rate: 9600, bucket_capacity: 28_800 });
    const costs = new KalshiHarness().requestNow(null, 'GET /account/endpoint_costs').body;
    expect(costs.at('default_cost')).toBe(10);
    expect(costs.rows('endpoint_costs').map(({ value }) => value)).toContainEqual({
      method: 'DELETE',
      path: '/trade-api/v2/portfolio/events/orders/:order_id',
      cost: 2,
    });
  });
});

describe('private reads in the kalshi dialect', () => {
  it('lag when configured, but answers to writes do not', () => {
    const harness = new KalshiHarness({ extra: `${WIDE_LIMITS}\nreadLag: 300ms` });
    // Markets that existed when the exchange opened do not count as new.
    expect(harness.requestNow('ann', 'GET /portfolio/balance').body.at('balance')).toBe(150_000);
    const orderId = harness.createdOrderId('ann');
    const status = () => harness.requestNow('ann', `GET /portfolio/orders/${orderId}`).body.at('order.status');
    expect(harness.requestNow('ann', `GET /portfolio/orders/${orderId}`).status).toBe(404);
    expect(harness.requestNow(null, 'GET /markets/A/orderbook').body.at('orderbook_fp.yes_dollars')).toHaveLength(1);
    harness.advance(301);
    expect(status()).toBe('resting');
    expect(harness.cancelOrder('ann', orderId).status).toBe(200);
    harness.advance(200);
    expect(status()).toBe('resting');
    const asOf = harness.requestNow(null, 'GET /exchange/user_data_timestamp').body.text('as_of_time');
    expect(Date.parse(asOf)).toBe(Math.floor(harness.now / 1000) - 300);
    harness.advance(101);
    expect(status()).toBe('canceled');
  });

  it('lag, but show new orders and groups at once when the profile’s reading says so', () => {
    const profile = replaceReadings(kalshiProfile, { newInLaggingReads: 'shown' });
    const harness = new KalshiHarness({ profile, extra: `${WIDE_LIMITS}\nreadLag: 300ms` });
    const read = (path: string) => harness.requestNow('ann', `GET /portfolio/${path}`);
    const idsIn = (query: string) =>
      read(`orders?${query}`)
        .body.rows('orders')
        .map((row) => row.at('order_id'));
    const old = harness.createdOrderId('ann');
    harness.advance(301);
    const orderId = harness.createdOrderId('ann');
    const groupId = harness
      .requestNow('ann', 'POST /portfolio/order_groups/create', { contracts_limit: 5 })
      .body.text('order_group_id');
    expect(read(`orders/${orderId}`).body.at('order.status')).toBe('resting');
    expect(read(`orders/${orderId}/queue_position`).body.value).toEqual({ queue_position_fp: '10.00' });
    expect(read('orders/queue_positions?market_tickers=A').body.rows('queue_positions')).toHaveLength(2);
    expect([idsIn('limit=9'), idsIn('status=resting')]).toEqual([
      [orderId, old],
      [orderId, old],
    ]);
    expect(read(`order_groups/${groupId}`).body.at('is_auto_cancel_enabled')).toBe(true);
    expect(
      read('order_groups')
        .body.rows('order_groups')
        .map((row) => row.at('id')),
    ).toEqual([groupId]);
    // Changes of older objects still lag.
    harness.cancelOrder('ann', old);
    expect(read(`orders/${old}`).body.at('order.status')).toBe('resting');
    expect(idsIn('status=resting')).toEqual([orderId, old]);
    harness.advance(301);
    expect(read(`orders/${old}`).body.at('order.status')).toBe('canceled');
    expect(idsIn('status=resting')).toEqual([orderId]);
  });

  it('show the contracts ahead of an order, by its id, by markets and by event groups', () => {
    const harness = new KalshiHarness();
    harness.createOrder('bob', { count: '3.5' });
    const orderId = harness.createdOrderId('ann');
    const own = { order_id: orderId, market_ticker: 'A', queue_position_fp: '3.50' };
    expect(harness.requestNow('ann', `GET /portfolio/orders/${orderId}/queue_position`).body.value).toEqual({
      queue_position_fp: '3.50',
    });
    const several = (query: string) =>
      harness.requestNow('ann', `GET /portfolio/orders/queue_positions?${query}`).body.value;
    expect(several('market_tickers=A,B')).toEqual({ queue_positions: [own] });
    expect(several('market_tickers=B')).toEqual({ queue_positions: [] });
    expect(several('event_ticker=RAIN-26')).toEqual({ queue_positions: [own] });
    expect(harness.requestNow('ann', 'GET /portfolio/orders/queue_positions').body.value).toEqual({
      queue_positions: [own],
    });
    expect(harness.requestNow('ann', `GET /portfolio/orders/${UNKNOWN}/queue_position`).status).toBe(404);
    harness.cancelOrder('ann', orderId);
    expect(harness.requestNow('ann', `GET /portfolio/orders/${orderId}/queue_position`).status).toBe(404);
  });

  it('show flat positions, unless only others are requested', () => {
    const harness = new KalshiHarness();
    harness.createOrder('bob', { count: '20.00' });
    harness.createOrder('ann', { side: 'ask' });
    const rest = { time_in_force: 'immediate_or_cancel' };
    harness.createOrder('bob', { ticker: 'B', side: 'ask' });
    harness.createOrder('ann', { ticker: 'B', ...rest });
    harness.createOrder('bob', { ticker: 'B', count: '10.00' });
    harness.createOrder('ann', { ticker: 'B', side: 'ask', ...rest });
    const tickers = (query: string) =>
      harness
        .requestNow('ann', `GET /portfolio/positions${query}`)
        .body.rows('market_positions')
        .map((row) => row.at('ticker'));
    expect(tickers('')).toEqual(['A', 'B']);
    expect(tickers('?count_filter=position')).toEqual(['A']);
    expect(tickers('?count_filter=position,total_traded')).toEqual(['A', 'B']);
  });

  it('are served by the historical endpoints only once rows are older than the cutoff', () => {
    const harness = new KalshiHarness();
    harness.createOrder('ann');
    harness.createOrder('bob', { side: 'ask' });
    const count = (line: string, rows: string) => harness.requestNow('ann', `GET ${line}`).body.rows(rows).length;
    const recent = () => [
      count('/portfolio/fills', 'fills'),
      count('/portfolio/orders', 'orders'),
      count('/markets/trades', 'trades'),
    ];
    const old = () => [
      count('/historical/fills', 'fills'),
      count('/historical/orders', 'orders'),
      count('/historical/trades', 'trades'),
    ];
    expect([recent(), old()]).toEqual([
      [1, 1, 1],
      [0, 0, 0],
    ]);
    harness.advance(91 * DAY_MS);
    expect([recent(), old()]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
    const cutoff = harness.requestNow(null, 'GET /historical/cutoff').body.text('trades_created_ts');
    expect(Date.parse(cutoff)).toBe(Math.floor(harness.now / 1000) - 90 * DAY_MS);
  });
});

describe('the operator’s settings', () => {
  it('are one shard, no lag and no maintenance when the config has none', () => {
    expect(settingsOf(harnessConfig())).toEqual({ shards: [0], readLag: 0, tier: null, maintenance: [] });
  });
});
