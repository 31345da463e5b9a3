// The feed and markets that are not listed, in both readings: the others are served, or the whole command is refused.
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/domain/assert.ts';
import { ticker } from '../../../src/domain/ids.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import { withReadings } from '../../../src/venues/trade-api/profile.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi.ts';
import { placeOp } from '../hall.ts';
import { FeedHall, bodies, codes, last } from './kalshi-feed-hall.ts';

describe('a market that is not listed', () => {
  const asked = { channels: ['orderbook_delta'], market_tickers: ['A', 'NONE'] };
  const refusing = withReadings(kalshiProfile, { unlistedMarkets: 'refused' });
  const empty = { market_ticker: 'NONE', market_id: '' };

  it('gets an empty book without an id, and the others are served', () => {
    const hall = new FeedHall();
    hall.submit(placeOp('bob', { side: 'sell', price: cents(52), qty: contracts(2) }));
    const feed = hall.subscribed('ann', asked);
    expect(feed.messages.map((message) => [message.at('type'), message.at('seq')])).toEqual([
      ['subscribed', undefined],
      ['orderbook_snapshot', 1],
      ['orderbook_snapshot', 2],
    ]);
    const [listed, unlisted] = bodies(feed, 'orderbook_snapshot');
    expect(listed).toMatchObject({ market_ticker: 'A', no_dollars_fp: [['0.4800', '2.00']] });
    expect(unlisted).toEqual(empty);
    hall.submit(placeOp('bob', { side: 'sell', price: cents(53) }));
    expect(last(feed).value).toMatchObject({ type: 'orderbook_delta', seq: 3 });
  });

  it('gets the same when it is added, and when its snapshot is asked for again', () => {
    const feed = new FeedHall().subscribed('ann', { channels: ['orderbook_delta'], market_ticker: 'A' });
    feed.send('update_subscription', { sid: 1, action: 'add_markets', market_tickers: ['NONE'] });
    expect(feed.of('ok').map((message) => message.at('msg'))).toEqual([{ market_tickers: ['A', 'NONE'] }]);
    expect(last(feed).at('msg')).toEqual(empty);
    feed.send('update_subscription', { sid: 1, action: 'get_snapshot', market_tickers: ['NONE'] });
    expect(last(feed).value).toMatchObject({ id: 1, type: 'orderbook_snapshot', msg: empty });
  });

  it('is followed from its listing on', () => {
    const hall = new FeedHall();
    const feed = hall.subscribed('ann', asked);
    const { definition } = must(hall.session.exchange.market(ticker('A')), 'the market');
    hall.submit({ type: 'define-market', market: { ...definition, ticker: ticker('NONE') } });
    hall.submit(placeOp('bob', { ticker: ticker('NONE'), price: cents(40), qty: contracts(3) }));
    expect(last(feed).value).toMatchObject({
      type: 'orderbook_delta',
      seq: 3,
      msg: { market_ticker: 'NONE', price_dollars: '0.4000', delta_fp: '3.00' },
    });
  });

  it('leaves the other channels silent about it', () => {
    const feed = new FeedHall().subscribed('ann', {
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

  it('is refused with number 11 together with all others where the reading says so', () => {
    const feed = new FeedHall(refusing).subscribed('ann', asked);
    expect(feed.messages.map(({ value }) => value)).toEqual([
      { id: 1, type: 'error', msg: { code: 11, msg: 'Invalid parameter', market_tickers: ['NONE'] } },
    ]);
    feed.send('subscribe', { channels: ['orderbook_delta'], market_ticker: 'A' });
    feed.send('update_subscription', { sid: 1, action: 'add_markets', market_tickers: ['B', 'NONE'] });
    expect(codes(feed)).toEqual([11, 11]);
  });
});
