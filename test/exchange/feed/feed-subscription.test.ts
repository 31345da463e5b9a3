// The feed over real sockets: replies, channels, sequences, price scales and refusals.
import { describe, expect, it } from 'vitest';
import { eventTicker } from '../../../src/domain/ids.ts';
import type { BareFeed } from '../api/bare-client.ts';
import type { JsonAnswer } from '../api/json-answer.ts';
import { startTestServer } from '../api/test-server.ts';

const A = 'RAIN-26-A';
const X = 'CITY-36-X';

/** Waits until everything sent earlier has arrived. */
async function settle(feed: BareFeed): Promise<void> {
  await feed.reply(feed.send('list_subscriptions'));
}

const books = (feed: BareFeed, tickers: string[], flags = {}): Promise<JsonAnswer> =>
  feed.reply(feed.send('subscribe', { channels: ['orderbook_delta'], market_tickers: tickers, ...flags }));

describe('feed subscriptions', () => {
  it('are acknowledged per channel with a number each, and can be listed', async () => {
    const venue = await startTestServer();
    const feed = await venue.openFeed('ann');
    const id = feed.send('subscribe', { channels: ['ticker', 'trade', 'market_lifecycle_v2'] });
    await settle(feed);
    expect(feed.messages.slice(0, 3).map((message) => message.value)).toEqual([
      { id, type: 'subscribed', msg: { channel: 'ticker', sid: 1 } },
      { id, type: 'subscribed', msg: { channel: 'trade', sid: 2 } },
      { id, type: 'subscribed', msg: { channel: 'market_lifecycle_v2', sid: 3 } },
    ]);
    const list = await feed.reply(feed.send('list_subscriptions'));
    expect(list.at('type')).toBe('ok');
    expect(list.rows('msg').map((row) => row.value)).toEqual([
      { channel: 'ticker', sid: 1 },
      { channel: 'trade', sid: 2 },
      { channel: 'market_lifecycle_v2', sid: 3 },
    ]);
  });

  it('begin with a snapshot, continue with signed deltas, and omit an empty side', async () => {
    const venue = await startTestServer();
    await venue.placeOrder('ann', { yes_price: 40, count: 5 });
    const feed = await venue.openFeed('bob');
    await books(feed, [A]);
    await venue.placeOrder('ann', { yes_price: 40, count: 2 });
    await venue.placeOrder('bob', { action: 'sell', yes_price: 40, count: 6 });
    await venue.placeOrder('bob', { action: 'sell', yes_price: 45, count: 3 });
    await settle(feed);
    const messages = feed.messages.filter((message) => message.at('sid') === 1);
    expect(messages.map((message) => [message.at('seq'), message.at('type')])).toEqual([
      [1, 'orderbook_snapshot'],
      [2, 'orderbook_delta'],
      [3, 'orderbook_delta'],
      [4, 'orderbook_delta'],
      [5, 'orderbook_delta'],
    ]);
    expect(messages[0]?.at('msg')).toEqual({ market_ticker: A, yes: [[40, 5]] });
    const deltas = messages
      .slice(1)
      .map((message) => [message.at('msg.side'), message.at('msg.price'), message.at('msg.delta')]);
    expect(deltas).toEqual([
      ['yes', 40, 2],
      ['yes', 40, -5],
      ['yes', 40, -1],
      ['no', 55, 3],
    ]);
  });

  it('name the order behind a delta to its owner only', async () => {
    const venue = await startTestServer();
    const [own, other, anonymous] = [
      await venue.openFeed('ann'),
      await venue.openFeed('bob'),
      await venue.openFeed(null),
    ];
    for (const feed of [own, other, anonymous]) await books(feed, [A]);
    await venue.placeOrder('ann', { client_order_id: 'mine' });
    for (const feed of [own, other, anonymous]) await settle(feed);
    const names = [own, other, anonymous].map((feed) => feed.ofType('orderbook_delta')[0]?.at('msg.client_order_id'));
    expect(names).toEqual(['mine', undefined, undefined]);
  });

  it('report NO prices on the YES scale when requested', async () => {
    const venue = await startTestServer();
    await venue.placeOrder('ann', { action: 'sell', yes_price: 60, count: 4 });
    const feed = await venue.openFeed(null);
    await books(feed, [A], { use_yes_price: true });
    await venue.placeOrder('ann', { action: 'sell', yes_price: 61, count: 1 });
    await settle(feed);
    expect(feed.ofType('orderbook_snapshot')[0]?.at('msg.no')).toEqual([[60, 4]]);
    expect(feed.ofType('orderbook_delta')[0]?.at('msg')).toMatchObject({ side: 'no', price: 61, delta: 1 });
  });

  it('share one sequence among their markets, which replies and new snapshots also use', async () => {
    const venue = await startTestServer();
    const feed = await venue.openFeed('ann');
    await books(feed, [A]);
    const added = await feed.reply(
      feed.send('update_subscription', { sid: 1, action: 'add_markets', market_tickers: [X, A] }),
    );
    expect([added.at('type'), added.at('sid'), added.at('seq'), added.at('msg.market_tickers')]).toEqual([
      'ok',
      1,
      2,
      [A, X],
    ]);
    await venue.placeOrder('ann', { ticker: X });
    await venue.placeOrder('ann', { ticker: A });
    const again = feed.send('update_subscription', { sid: 1, action: 'get_snapshot', market_tickers: [X] });
    const snapshot = await feed.reply(again);
    expect([snapshot.at('type'), snapshot.at('seq'), snapshot.at('msg.yes')]).toEqual([
      'orderbook_snapshot',
      6,
      [[50, 10]],
    ]);
    const removed = await feed.reply(
      feed.send('update_subscription', { sids: [1], action: 'delete_markets', market_ticker: A }),
    );
    expect([removed.at('seq'), removed.at('msg.market_tickers')]).toEqual([7, [X]]);
    await venue.placeOrder('ann', { ticker: A });
    await venue.placeOrder('ann', { ticker: X });
    const unsubscribed = await feed.reply(feed.send('unsubscribe', { sids: [1] }));
    expect(unsubscribed.value).toEqual({ id: unsubscribed.at('id'), sid: 1, seq: 9, type: 'unsubscribed' });
    await venue.placeOrder('ann', { ticker: X });
    await settle(feed);
    const numbers = feed.messages.map((message) => message.at('seq')).filter((seq) => seq !== undefined);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('have new numbers and sequences from one on a new connection', async () => {
    const venue = await startTestServer();
    for (let i = 0; i < 2; i++) {
      const feed = await venue.openFeed('ann');
      await books(feed, [A]);
      await venue.placeOrder('ann');
      await settle(feed);
      expect(feed.messages.map((message) => [message.at('sid'), message.at('seq')]).slice(1, 3)).toEqual([
        [1, 1],
        [1, 2],
      ]);
      feed.close();
    }
  });
});

describe('feed channels', () => {
  it('report orders, fills and positions to their own account only', async () => {
    const venue = await startTestServer();
    const [own, other] = [await venue.openFeed('ann'), await venue.openFeed('cat')];
    for (const feed of [own, other]) {
      await feed.reply(feed.send('subscribe', { channels: ['user_orders', 'fill', 'market_positions'] }));
    }
    await venue.placeOrder('ann', { client_order_id: 'mine', yes_price: 40, count: 5 });
    await venue.placeOrder('bob', { action: 'sell', yes_price: 40, count: 2 });
    await settle(own);
    await settle(other);
    expect(own.ofType('user_order').map((message) => message.at('msg.remaining_count'))).toEqual([5, 3]);
    expect(own.ofType('user_order')[1]?.at('msg.last_update_reason')).toBe('Trade');
    expect(own.ofType('fill')[0]?.at('msg')).toMatchObject({
      market_ticker: A,
      client_order_id: 'mine',
      side: 'yes',
      action: 'buy',
      yes_price: 40,
      count: 2,
      is_taker: false,
      post_position: 2,
    });
    expect(own.ofType('market_position')[0]?.at('msg')).toMatchObject({
      position: 2,
      position_cost_dollars: '0.800000',
    });
    expect([...own.ofType('fill'), ...own.ofType('user_order')].map((message) => message.at('seq'))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(other.messages.filter((message) => message.at('sid') !== undefined)).toEqual([]);
  });

  it('report prints with a sequence, and tickers without one, the current one first when requested', async () => {
    const venue = await startTestServer();
    await venue.placeOrder('ann', { yes_price: 40, count: 5 });
    const feed = await venue.openFeed(null);
    await feed.reply(
      feed.send('subscribe', { channels: ['ticker', 'trade'], market_ticker: A, send_initial_snapshot: true }),
    );
    await venue.placeOrder('bob', { action: 'sell', yes_price: 40, count: 2 });
    await venue.placeOrder('bob', { ticker: X });
    await settle(feed);
    expect(
      feed
        .ofType('ticker')
        .map((message) => [message.at('seq'), message.at('msg.yes_bid_size'), message.at('msg.volume')]),
    ).toEqual([
      [undefined, 5, 0],
      [undefined, 3, 2],
    ]);
    const [print] = feed.ofType('trade');
    expect(print?.at('seq')).toBe(1);
    expect(print?.at('msg')).toMatchObject({
      market_ticker: A,
      yes_price: 40,
      no_price: 60,
      count: 2,
      taker_side: 'no',
    });
    const rest = await venue.request('GET /markets/trades');
    expect(rest.body.rows('trades')[0]?.at('trade_id')).toBe(print?.at('msg.trade_id'));
  });

  it('report a market’s life, and every order that ends with it', async () => {
    const venue = await startTestServer();
    const feed = await venue.openFeed('ann');
    await feed.reply(feed.send('subscribe', { channels: ['market_lifecycle_v2', 'user_orders'] }));
    await venue.placeOrder('ann');
    const { session } = venue.running;
    const ticker = session.exchange.markets()[0]!.definition.ticker;
    session.submit({ type: 'halt', ticker });
    session.submit({ type: 'resume', ticker });
    await venue.placeOrder('ann');
    session.submit({ type: 'close', ticker });
    session.submit({ type: 'determine', ticker, result: 'no', settlementValue: null });
    session.submit({ type: 'settle', ticker });
    await settle(feed);
    const life = feed.ofType('market_lifecycle_v2');
    expect(life.map((message) => [message.at('seq'), message.at('msg.event_type')])).toEqual([
      [1, 'deactivated'],
      [2, 'activated'],
      [3, 'close_date_updated'],
      [4, 'determined'],
      [5, 'settled'],
    ]);
    const moved = life.find((message) => message.at('msg.event_type') === 'close_date_updated');
    expect(moved?.at('msg.close_ts')).toBe(Math.floor((session.exchange.markets()[0]?.closeAt ?? 0) / 1_000_000));
    expect(life.map((message) => [message.at('msg.event_type'), message.at('msg.result')])).toEqual([
      ['deactivated', ''],
      ['activated', ''],
      ['close_date_updated', ''],
      ['determined', 'no'],
      ['settled', 'no'],
    ]);
    const reasons = feed.ofType('user_order').map((message) => message.at('msg.last_update_reason'));
    expect(reasons).toEqual([undefined, 'HaltCancel', undefined, 'CloseCancel']);
  });
});

describe('an event group', () => {
  it('is reported on the lifecycle channel when it is listed and when its fees change', async () => {
    const venue = await startTestServer();
    const feed = await venue.openFeed(null);
    await feed.reply(feed.send('subscribe', { channels: ['market_lifecycle_v2'] }));
    const [group] = venue.running.exchange.groups();
    if (group === undefined) throw new Error('no group is listed');
    venue.running.session.submit({ type: 'define-group', group: { ...group, ticker: eventTicker('RAIN-27') } });
    const fees = { feeType: 'free', feeMultiplierPercent: 50 } as const;
    venue.running.session.submit({ type: 'set-fees', eventTicker: group.ticker, fees });
    const changed = await feed.message((message) => message.at('type') === 'event_fee_update');
    expect(changed.at('msg')).toMatchObject({ event_ticker: group.ticker, fee_type_override: 'free' });
    const messages = await feed.message((message) => message.at('type') === 'event_lifecycle');
    expect(messages.at('msg')).toEqual({ event_ticker: 'RAIN-27', series_ticker: 'RAIN', title: group.title });
  });
});

describe('refused commands', () => {
  it.each<[string, string, number]>([
    ['not JSON', '{', 1],
    ['a list', '[]', 1],
    ['no command', '{"id":1}', 1],
    ['an unknown command', '{"id":1,"cmd":"dance"}', 5],
    ['no params', '{"id":1,"cmd":"subscribe"}', 2],
    ['no channels', '{"id":1,"cmd":"subscribe","params":{}}', 3],
    ['an empty list of channels', '{"id":1,"cmd":"subscribe","params":{"channels":[]}}', 3],
    ['an unknown channel', '{"id":1,"cmd":"subscribe","params":{"channels":["gossip"]}}', 8],
    ['books of no market', '{"id":1,"cmd":"subscribe","params":{"channels":["orderbook_delta"]}}', 14],
    [
      'an unknown market',
      '{"id":1,"cmd":"subscribe","params":{"channels":["ticker"],"market_tickers":["NOWHERE"]}}',
      11,
    ],
    [
      'markets that are not a list',
      '{"id":1,"cmd":"subscribe","params":{"channels":["ticker"],"market_tickers":"A"}}',
      11,
    ],
    ['fills without a key', '{"id":1,"cmd":"subscribe","params":{"channels":["fill"]}}', 9],
    ['unsubscribing from nothing', '{"id":1,"cmd":"unsubscribe","params":{}}', 4],
    ['unsubscribing an unknown subscription', '{"id":1,"cmd":"unsubscribe","params":{"sids":[9]}}', 7],
    [
      'updating an unknown subscription',
      '{"id":1,"cmd":"update_subscription","params":{"sid":9,"action":"add_markets","market_ticker":"RAIN-26-A"}}',
      7,
    ],
    [
      'updating no subscription',
      '{"id":1,"cmd":"update_subscription","params":{"action":"add_markets","market_ticker":"RAIN-26-A"}}',
      12,
    ],
    [
      'updating two subscriptions at once',
      '{"id":1,"cmd":"update_subscription","params":{"sids":[1,2],"action":"add_markets","market_ticker":"A"}}',
      12,
    ],
    ['no action', '{"id":1,"cmd":"update_subscription","params":{"sid":1,"market_ticker":"RAIN-26-A"}}', 15],
    [
      'an unknown action',
      '{"id":1,"cmd":"update_subscription","params":{"sid":1,"action":"shuffle","market_ticker":"RAIN-26-A"}}',
      13,
    ],
  ])('answer %s (%s) with an error code', async (_what, text, code) => {
    const venue = await startTestServer();
    const feed = await venue.openFeed(null);
    feed.socket.send(text);
    const error = await feed.message((message) => message.at('type') === 'error');
    expect([error.at('id'), error.at('msg.code')]).toEqual([code === 1 && text !== '{"id":1}' ? 0 : 1, code]);
    await settle(feed);
    expect(feed.closed).toBeNull();
  });

  it.each<[string, object, number]>([
    ['no market', { sid: 1, action: 'add_markets' }, 14],
    ['an unknown market', { sid: 1, action: 'add_markets', market_tickers: ['NOWHERE'] }, 11],
    ['a snapshot of a market that is not subscribed', { sid: 1, action: 'get_snapshot', market_tickers: [X] }, 11],
    ['a snapshot of a channel that has none', { sid: 2, action: 'get_snapshot', market_tickers: [A] }, 13],
    ['removing one market from a wildcard subscription', { sid: 3, action: 'delete_markets', market_tickers: [A] }, 13],
    ['a market of a channel without markets', { sid: 4, action: 'add_markets', market_tickers: [A] }, 13],
  ])('answer an update of a subscription for %s with an error code', async (_what, params, code) => {
    const venue = await startTestServer();
    const feed = await venue.openFeed(null);
    await feed.reply(feed.send('subscribe', { channels: ['orderbook_delta', 'ticker'], market_ticker: A }));
    await feed.reply(feed.send('subscribe', { channels: ['trade', 'market_lifecycle_v2'] }));
    const id = feed.send('update_subscription', params);
    const error = await feed.reply(id);
    expect([error.at('type'), error.at('msg.code')]).toEqual(['error', code]);
    if (code === 11) expect(error.rows('msg.market_tickers')).toHaveLength(1);
  });
});
