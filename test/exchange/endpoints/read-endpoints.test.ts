// Reads over real sockets: the answer of every endpoint, filters and pages of lists, and refused queries.
import { describe, expect, it } from 'vitest';
import { price } from '../../../src/domain/units.ts';
import { pageOf } from '../../../src/exchange/endpoints/list-pages.ts';
import { type TestServer, startTestServer } from '../api/test-server.ts';

/** Three prints: ann bids, bob sells to her. */
async function trade(venue: TestServer): Promise<string[]> {
  const orders: string[] = [];
  for (const yes_price of [40, 41, 42]) {
    const placed = await venue.placeOrder('ann', { yes_price, count: 5 });
    orders.push(placed.body.text('order.order_id'));
    await venue.placeOrder('bob', { action: 'sell', yes_price, count: 2 });
  }
  return orders;
}

describe('public reads', () => {
  it('list markets without a key, newest first, by every filter', async () => {
    const venue = await startTestServer();
    const tickers = async (query: string): Promise<unknown[]> =>
      (await venue.request(`GET /markets?${query}`)).body.rows('markets').map((row) => row.at('ticker'));
    expect(await tickers('')).toEqual(['CITY-36-X', 'RAIN-26-B', 'RAIN-26-A']);
    expect(await tickers('tickers=RAIN-26-A,CITY-36-X')).toEqual(['CITY-36-X', 'RAIN-26-A']);
    expect(await tickers('tickers=RAIN-26-A&tickers=CITY-36-X')).toEqual(['CITY-36-X', 'RAIN-26-A']);
    expect(await tickers('event_ticker=RAIN-26')).toEqual(['RAIN-26-B', 'RAIN-26-A']);
    expect(await tickers('series_ticker=CITY')).toEqual(['CITY-36-X']);
    expect(await tickers('status=open')).toEqual(['CITY-36-X', 'RAIN-26-A']);
    expect(await tickers('status=unopened')).toEqual(['RAIN-26-B']);
    expect(await tickers('status=settled')).toEqual([]);
    expect(await tickers('ticker=&cursor=&status=')).toHaveLength(3);
  });

  it('show a market with both legs, and empty sides as 0 and one dollar', async () => {
    const venue = await startTestServer();
    await venue.placeOrder('ann', { yes_price: 40 });
    const { body, headers } = await venue.request('GET /markets/RAIN-26-A');
    expect(body.at('market')).toMatchObject({
      ticker: 'RAIN-26-A',
      event_ticker: 'RAIN-26',
      status: 'active',
      yes_bid: 40,
      yes_ask: 100,
      no_bid: 0,
      no_ask: 60,
      volume: 0,
      result: '',
      price_level_structure: 'linear_cent',
      price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
    });
    expect(Math.abs(Date.parse(headers.get('date') ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('show a book as ascending bids on both legs, to a depth', async () => {
    const venue = await startTestServer();
    for (const yes_price of [38, 40, 39]) await venue.placeOrder('ann', { yes_price });
    for (const yes_price of [60, 62]) await venue.placeOrder('bob', { action: 'sell', yes_price, count: 7 });
    const whole = await venue.request('GET /markets/RAIN-26-A/orderbook');
    const yes = [
      [38, 10],
      [39, 10],
      [40, 10],
    ];
    const no = [
      [38, 7],
      [40, 7],
    ];
    expect(whole.body.value).toEqual({ orderbook: { yes, no } });
    const top = await venue.request('GET /markets/RAIN-26-A/orderbook?depth=1');
    expect(top.body.value).toEqual({ orderbook: { yes: [[40, 10]], no: [[40, 7]] } });
    const unknown = await venue.request('GET /markets/NOWHERE/orderbook');
    expect([unknown.status, unknown.body.value]).toEqual([200, { orderbook: { yes: [], no: [] } }]);
  });

  it('show event groups with and without their markets, and series', async () => {
    const venue = await startTestServer();
    const plain = await venue.request('GET /events');
    expect(plain.body.rows('events').map((row) => [row.at('event_ticker'), row.at('markets')])).toEqual([
      ['CITY-36', undefined],
      ['RAIN-26', undefined],
    ]);
    const nested = await venue.request('GET /events?with_nested_markets=true&series_ticker=RAIN');
    expect(nested.body.rows('events')[0]?.rows('markets')).toHaveLength(2);
    const late = Math.floor(Date.now() / 1000) + 5400;
    const open = await venue.request(`GET /events?min_close_ts=${late}`);
    expect(open.body.rows('events').map((row) => row.at('event_ticker'))).toEqual(['RAIN-26']);
    const one = await venue.request('GET /events/CITY-36');
    expect(one.body.at('event.mutually_exclusive')).toBe(true);
    expect(one.body.rows('markets')).toHaveLength(1);
    const inside = await venue.request('GET /events/CITY-36?with_nested_markets=true');
    expect(inside.body.rows('event.markets')).toHaveLength(1);
    const series = await venue.request('GET /series');
    expect(series.body.rows('series').map((row) => row.at('ticker'))).toEqual(['RAIN', 'CITY']);
    const rain = await venue.request('GET /series/RAIN');
    expect(rain.body.at('series')).toMatchObject({ fee_type: 'quadratic_with_maker_fees', fee_multiplier: 1 });
    const status = await venue.request('GET /exchange/status');
    expect(status.body.value).toEqual({ exchange_active: true, trading_active: true });
  });

  it('list prints newest first and build candles from them', async () => {
    const venue = await startTestServer();
    await trade(venue);
    const prints = (await venue.request('GET /markets/trades?ticker=RAIN-26-A')).body.rows('trades');
    expect(
      prints.map((row) => [row.at('yes_price'), row.at('no_price'), row.at('count'), row.at('taker_side')]),
    ).toEqual([
      [42, 58, 2, 'no'],
      [41, 59, 2, 'no'],
      [40, 60, 2, 'no'],
    ]);
    const all = await venue.request('GET /markets/trades');
    expect(all.body.rows('trades').map((row) => row.at('yes_price'))).toEqual([42, 41, 40]);
    for (const period of [60, 1440]) {
      const line = `GET /series/RAIN/markets/RAIN-26-A/candlesticks?start_ts=0&end_ts=9000000000&period_interval=${period}`;
      const candles = (await venue.request(line)).body.rows('candlesticks');
      const volume = candles.reduce((sum, candle) => sum + candle.number('volume'), 0);
      expect(volume).toBe(6);
      expect(candles[0]?.at('price.open')).toBe(40);
      expect(candles.at(-1)?.at('price.close')).toBe(42);
      expect(candles[0]?.number('end_period_ts')).toSatisfy((at: number) => at % (period * 60) === 0);
    }
  });
});

describe('private reads', () => {
  it('show money, positions, orders and fills, filtered', async () => {
    const venue = await startTestServer();
    const orders = await trade(venue);
    const balance = await venue.requestAs('ann', 'GET /portfolio/balance');
    const ledger = venue.running.ledger().accounts.find(({ account }) => account === 'ann');
    const available = (ledger?.cash ?? 0) - (ledger?.reserved ?? 0);
    expect(balance.body.text('balance_dollars')).toBe((available / 1e6).toFixed(6));
    const positions = await venue.requestAs('bob', 'GET /portfolio/positions?event_ticker=RAIN-26');
    expect(positions.body.rows('market_positions').map((row) => row.at('position'))).toEqual([-6]);
    expect(
      (await venue.requestAs('bob', 'GET /portfolio/positions?ticker=CITY-36-X')).body.rows('market_positions'),
    ).toEqual([]);
    const count = async (query: string): Promise<number> =>
      (await venue.requestAs('ann', `GET /portfolio/orders?${query}`)).body.rows('orders').length;
    expect(await count('status=resting')).toBe(3);
    expect(await count('status=executed')).toBe(0);
    expect(await count('event_ticker=CITY-36')).toBe(0);
    await venue.requestAs('ann', `DELETE /portfolio/orders/${orders[0]}`);
    expect([await count('status=canceled'), await count('status=resting'), await count('')]).toEqual([1, 2, 3]);
    const one = await venue.requestAs('ann', `GET /portfolio/orders/${orders[0]}`);
    expect(one.body.at('order')).toMatchObject({ status: 'canceled', fill_count: 2, remaining_count: 0 });
    const fills = await venue.requestAs('ann', `GET /portfolio/fills?order_id=${orders[1]}`);
    expect(fills.body.rows('fills').map((row) => [row.at('yes_price'), row.at('is_taker')])).toEqual([[41, false]]);
    expect((await venue.requestAs('cat', 'GET /portfolio/fills')).body.rows('fills')).toEqual([]);
    expect((await venue.requestAs('cat', `GET /portfolio/orders/${orders[0]}`)).status).toBe(404);
  });

  it('show a settlement once the market has paid out', async () => {
    const venue = await startTestServer();
    await trade(venue);
    const { session } = venue.running;
    const { ticker } = session.exchange.markets()[0]!.definition;
    session.submit({ type: 'close', ticker });
    session.submit({ type: 'determine', ticker, result: 'yes', settlementValue: null });
    session.submit({ type: 'settle', ticker });
    const { body } = await venue.requestAs('ann', 'GET /portfolio/settlements');
    expect(body.rows('settlements')[0]?.value).toMatchObject({
      ticker: 'RAIN-26-A',
      event_ticker: 'RAIN-26',
      market_result: 'yes',
      yes_count: 6,
      no_count: 0,
      revenue: 600,
    });
    expect((await venue.request('GET /markets/RAIN-26-A')).body.at('market')).toMatchObject({
      status: 'finalized',
      result: 'yes',
    });
  });

  it('floor a result of a fraction of a cent, which the wire cannot hold', async () => {
    const venue = await startTestServer();
    await trade(venue);
    const { session } = venue.running;
    const { ticker } = session.exchange.markets()[0]!.definition;
    session.submit({ type: 'close', ticker });
    session.submit({ type: 'determine', ticker, result: 'scalar', settlementValue: price(1234) });
    session.submit({ type: 'settle', ticker });
    const { body } = await venue.requestAs('ann', 'GET /portfolio/settlements');
    expect(body.rows('settlements').map((row) => row.at('value'))).toEqual([12]);
    const one = (await venue.request('GET /markets/RAIN-26-A')).body.at('market');
    expect(one).toMatchObject({ result: 'scalar', settlement_value: 12 });
    expect((await venue.request('GET /markets')).status).toBe(200);
  });

  it('cut lists into pages that neither repeat nor skip a row while rows are added', async () => {
    const venue = await startTestServer();
    for (let i = 0; i < 7; i++) await venue.placeOrder('ann', { yes_price: 20 + i, count: 1 });
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const { body } = await venue.requestAs('ann', `GET /portfolio/orders?limit=3&cursor=${cursor}`);
      seen.push(...body.rows('orders').map((row) => row.at('yes_price')));
      cursor = body.text('cursor');
      await venue.placeOrder('ann', { yes_price: 10, count: 1 });
    } while (cursor !== '');
    expect(seen).toEqual([26, 25, 24, 23, 22, 21, 20]);
  });

  it('skip no row when the last row of a page leaves the list before the next page', async () => {
    const venue = await startTestServer();
    for (let i = 0; i < 7; i++) await venue.placeOrder('ann', { yes_price: 20 + i, count: 1 });
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const line = `GET /portfolio/orders?status=resting&limit=2&cursor=${cursor}`;
      const { body } = await venue.requestAs('ann', line);
      const page = body.rows('orders');
      seen.push(...page.map((row) => row.at('yes_price')));
      cursor = body.text('cursor');
      await venue.requestAs('ann', `DELETE /portfolio/orders/${page.at(-1)?.text('order_id')}`);
      await venue.placeOrder('ann', { yes_price: 10, count: 1 });
    } while (cursor !== '');
    expect(seen).toEqual([26, 25, 24, 23, 22, 21, 20]);
  });

  it('skip no position when another is closed or opened between two pages', () => {
    const keyOf = (row: string): string => row;
    const first = pageOf(['a', 'c', 'e', 'g'], {
      list: 'positions',
      query: { limit: 2, cursor: null },
      keyOf,
      isSorted: true,
    });
    expect(first.rows).toEqual(['a', 'c']);
    const second = pageOf(['b', 'd', 'e', 'g', 'h'], {
      list: 'positions',
      query: { limit: 9, cursor: first.cursor },
      keyOf,
      isSorted: true,
    });
    expect(second.rows).toEqual(['d', 'e', 'g', 'h']);
  });

  it('treat an unreadable cursor as the first page', async () => {
    const venue = await startTestServer();
    const first = await venue.request('GET /markets?limit=1');
    const garbage = await venue.request('GET /markets?limit=1&cursor=%00nonsense');
    expect([garbage.status, garbage.text]).toEqual([200, first.text]);
  });

  it('treat a cursor of another list as the first page', async () => {
    const venue = await startTestServer();
    for (let count = 0; count < 4; count++) {
      await venue.placeOrder('ann', { yes_price: 50, count: 1 });
      await venue.placeOrder('bob', { action: 'sell', yes_price: 50, count: 1 });
    }
    const lists = ['markets', 'markets/trades', 'events', 'portfolio/orders', 'portfolio/fills'];
    const read = (list: string, cursor: string) => venue.requestAs('ann', `GET /${list}?limit=1&cursor=${cursor}`);
    const cursors = await Promise.all(lists.map(async (list) => (await read(list, '')).body.text('cursor')));
    expect(cursors.every((cursor) => cursor !== '')).toBe(true);
    for (const [own, list] of lists.entries()) {
      const { text: first } = await read(list, '');
      expect((await read(list, cursors[own]!)).text).not.toBe(first);
      const foreign = cursors.filter((_, at) => at !== own);
      for (const cursor of foreign) expect((await read(list, cursor)).text).toBe(first);
    }
  });

  it('show the rate limits in force', async () => {
    const venue = await startTestServer({ limits: '{ trade: { model: rolling-window, count: 5, windowMs: 2000 } }' });
    const { body } = await venue.requestAs('ann', 'GET /account/limits');
    expect(body.value).toMatchObject({
      read: { requests: 20, window_ms: 1000 },
      write: { requests: 5, window_ms: 2000 },
    });
  });
});

describe('refused reads', () => {
  it.each([
    ['GET /markets?limit=0', 400, /"msg":"Parameter validation failed for markets: limit/],
    ['GET /markets?limit=1001', 400, /"msg":.*limit: expected 1 to 1000, found 1001/],
    ['GET /markets?limit=ten', 400, /"msg":.*limit/],
    ['GET /markets?status=sleeping', 400, /"msg":.*status/],
    ['GET /markets/RAIN-26-A/orderbook?depth=101', 400, /"msg":.*depth: expected 0 to 100, found 101/],
    ['GET /markets/NOWHERE', 404, /"code":"not_found"/],
    ['GET /events/NOWHERE', 404, /"code":"not_found"/],
    ['GET /series/NOWHERE', 404, /"code":"not_found"/],
    ['GET /series/RAIN/markets/NOWHERE/candlesticks?start_ts=0&end_ts=9&period_interval=1', 404, /"not_found"/],
    ['GET /series/RAIN/markets/RAIN-26-A/candlesticks?start_ts=0&end_ts=9&period_interval=5', 400, /"msg":/],
    ['GET /series/RAIN/markets/RAIN-26-A/candlesticks?period_interval=1', 400, /"msg":/],
    ['GET /portfolio/orders?status=sleeping', 400, /"msg":.*status/],
    ['GET /portfolio/orders?min_ts=yesterday', 400, /"msg":.*min_ts/],
    ['GET /portfolio/orders/not-a-uuid', 400, /"code":"invalid_UUID"/],
    ['GET /portfolio/orders/00000000-0000-8000-8000-000000000000', 404, /"code":"not_found"/],
    ['GET /nowhere', 404, /^404 page not found/],
    ['GET /trade-api/v3/markets', 404, /^404 page not found/],
    ['PUT /markets', 404, /^404 page not found/],
  ])('answer %s with %i', async (line, status, text) => {
    const venue = await startTestServer();
    const answer = await venue.requestAs('ann', line);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)]);
    expect(answer.headers.get('date')).not.toBeNull();
    if (status === 404 && answer.text.startsWith('404'))
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  });
});
