// Limits of what one feed connection may follow, in the `kalshi` dialect: what it holds for a client is bounded.
import { describe, expect, it } from 'vitest';
import { KalshiFeedHarness, errorCodes } from './kalshi-feed-harness.ts';

const TOO_MANY_MARKETS = 26;
const INVALID = 11;

const namesOf = (set: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `S${set}-${index}`);

describe('the subscriptions of one connection', () => {
  it('name half a million markets together, and not one more', () => {
    const feed = new KalshiFeedHarness().openFeed('ann');
    for (let set = 1; set <= 50; set++)
      feed.send('subscribe', { channels: ['trade'], market_tickers: namesOf(set, 10_000) });
    expect(errorCodes(feed)).toEqual([]);
    feed.send('subscribe', { channels: ['trade'], market_ticker: 'A' });
    expect(errorCodes(feed)).toEqual([TOO_MANY_MARKETS]);
    feed.send('update_subscription', { sid: 7, action: 'delete_markets', market_tickers: namesOf(7, 2) });
    feed.send('subscribe', { channels: ['trade', 'ticker', 'fill'], market_ticker: 'A' });
    expect(errorCodes(feed)).toEqual([TOO_MANY_MARKETS, TOO_MANY_MARKETS]);
    feed.send('subscribe', { channels: ['trade', 'ticker'], market_ticker: 'A' });
    feed.send('update_subscription', { sid: 7, action: 'add_markets', market_ticker: 'A' });
    expect(errorCodes(feed)).toEqual([TOO_MANY_MARKETS, TOO_MANY_MARKETS, TOO_MANY_MARKETS]);
    expect(feed.ofType('subscribed')).toHaveLength(52);
  });

  it('name no market that is not listed and whose ticker is longer than any', () => {
    const feed = new KalshiFeedHarness().openFeed('ann');
    feed.send('subscribe', { channels: ['trade'], market_ticker: 'X'.repeat(201) });
    feed.send('subscribe', { channels: ['trade'], market_ticker: 'X'.repeat(200) });
    feed.send('update_subscription', { sid: 1, action: 'add_markets', market_tickers: ['A', 'X'.repeat(900_000)] });
    expect(errorCodes(feed)).toEqual([INVALID, INVALID]);
    expect(feed.ofType('error').map((message) => message.at('msg.market_tickers'))).toEqual([undefined, undefined]);
  });
});
