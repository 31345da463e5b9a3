// Feed subscriptions to unlisted markets, in both readings of a profile: the other markets are served, or the whole
// command is refused.
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { ticker } from '../../../src/domain/ids.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import { replaceReadings } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { placeOp } from '../exchange-harness.ts';
import { KalshiFeedHarness, bodiesOf, errorCodes, lastMessage } from './kalshi-feed-harness.ts';

describe('a market that is not listed', () => {
  const params = { channels: ['orderbook_delta'], market_tickers: ['A', 'NONE'] };
  const refusing = replaceReadings(kalshiProfile, { unlistedMarkets: 'refused' });
  const empty = { market_ticker: 'NONE', market_id: '' };

  it('gets an empty book without an id, and the other markets are served', () => {
    const harness = new KalshiFeedHarness();
    harness.submit(placeOp('bob', { side: 'sell', price: cents(52), qty: contracts(2) }));
    const feed = harness.subscribed('ann', params);
    expect(feed.messages.map((message) => [message.at('type'), message.at('seq')])).toEqual([
      ['subscribed', undefined],
      ['orderbook_snapshot', 1],
      ['orderbook_snapshot', 2],
    ]);
    const [listed, unlisted] = bodiesOf(feed, 'orderbook_snapshot');
    expect(listed).toMatchObject({ market_ticker: 'A', no_dollars_fp: [['0.4800', '2.00']] });
    expect(unlisted).toEqual(empty);
    harness.submit(placeOp('bob', { side: 'sell', price: cents(53) }));
    expect(lastMessage(feed).value).toMatchObject({ type: 'orderbook_delta', seq: 3 });
  });

  it('gets the same when it is added, and when its snapshot is requested again', () => {
    const feed = new KalshiFeedHarness().subscribed('ann', { channels: ['orderbook_delta'], market_ticker: 'A' });
    feed.send('update_subscription', { sid: 1, action: 'add_markets', market_tickers: ['NONE'] });
    expect(feed.ofType('ok').map((message) => message.at('msg'))).toEqual([{ market_tickers: ['A', 'NONE'] }]);
    expect(lastMessage(feed).at('msg')).toEqual(empty);
    feed.send('update_subscription', { sid: 1, action: 'get_snapshot', market_tickers: ['NONE'] });
    expect(lastMessage(feed).value).toMatchObject({ id: 1, type: 'orderbook_snapshot', msg: empty });
  });

  it('is served from its listing on', () => {
    const harness = new KalshiFeedHarness();
    const feed = harness.subscribed('ann', params);
    const { definition } = must(harness.session.exchange.market(ticker('A')), 'the market');
    harness.submit({ type: 'define-market', market: { ...definition, ticker: ticker('NONE') } });
    harness.submit(placeOp('bob', { ticker: ticker('NONE'), price: cents(40), qty: contracts(3) }));
    expect(lastMessage(feed).value).toMatchObject({
      type: 'orderbook_delta',
      seq: 3,
      msg: { market_ticker: 'NONE', price_dollars: '0.4000', delta_fp: '3.00' },
    });
  });

  it('gets no message on the other channels', () => {
    const feed = new KalshiFeedHarness().subscribed('ann', {
      channels: ['ticker', 'trade'],
      market_tickers: ['A', 'NONE'],
      send_initial_snapshot: true,
    });
    expect(feed.messages.map((message) => [message.at('type'), message.at('msg.market_ticker')])).toEqual([
      ['subscribed', undefined],
      ['subscribed', undefined],
      ['ticker', 'A'],
    ]);
  });

  it('is refused with code 11, together with all others, when the profile says so', () => {
    const feed = new KalshiFeedHarness(refusing).subscribed('ann', params);
    expect(feed.messages.map(({ value }) => value)).toEqual([
      { id: 1, type: 'error', msg: { code: 11, msg: 'Invalid parameter', market_tickers: ['NONE'] } },
    ]);
    feed.send('subscribe', { channels: ['orderbook_delta'], market_ticker: 'A' });
    feed.send('update_subscription', { sid: 1, action: 'add_markets', market_tickers: ['B', 'NONE'] });
    expect(errorCodes(feed)).toEqual([11, 11]);
  });
});
