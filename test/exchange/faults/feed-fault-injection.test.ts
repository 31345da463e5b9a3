// Every feed fault, at the API: what a connection receives, in which order, and what it does not.
import { describe, expect, it } from 'vitest';
import { type CollectedFeed, ApiHarness } from '../api/api-harness.ts';

/** A connection that subscribes to one book: sequence 1 is the snapshot, and each order placed adds one. */
function follow(
  rule: Record<string, unknown>,
  name: string | null = 'ann',
): { harness: ApiHarness; feed: CollectedFeed } {
  const harness = new ApiHarness({ plan: { feed: [rule] } });
  const feed = harness.openFeed(name);
  feed.send('subscribe', { channels: ['orderbook_delta'], market_ticker: 'A' });
  return { harness, feed };
}

/** Orders at ever better prices: one delta each. */
function trade(harness: ApiHarness, count: number): void {
  for (let i = 0; i < count; i++) harness.placeOrder('bob', { yes_price: 1 + i });
}

describe('a feed fault', () => {
  it('loses a message, so that a sequence number is missing', () => {
    const { harness, feed } = follow({ fault: 'lose', on: ['book'], nth: 3 });
    trade(harness, 3);
    expect(feed.seqs).toEqual([1, 2, 4]);
  });

  it('duplicates a message', () => {
    const { harness, feed } = follow({ fault: 'duplicate', on: ['book'], nth: 2 });
    trade(harness, 2);
    expect(feed.seqs).toEqual([1, 2, 2, 3]);
  });

  it('delivers a message after the next one', () => {
    const { harness, feed } = follow({ fault: 'reorder', on: ['book'], nth: 2 });
    trade(harness, 3);
    expect(feed.seqs).toEqual([1, 3, 2, 4]);
  });

  it('delivers a message a little late when none follows', () => {
    const { harness, feed } = follow({ fault: 'reorder', on: ['book'], nth: 2 });
    trade(harness, 1);
    expect(feed.seqs).toEqual([1]);
    harness.advance(100);
    expect(feed.seqs).toEqual([1, 2]);
  });

  it.each([
    { body: 'half', expected: /^\{"type":"orderbook_delta"/ },
    { body: 'noise', expected: /not a message/ },
  ])('corrupts a message: $body', ({ body, expected }) => {
    const { harness, feed } = follow({ fault: 'garbage', body, on: ['book'], nth: 2 });
    trade(harness, 1);
    const text = feed.texts.at(-1) ?? '';
    expect(text).toMatch(expected);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it('delays messages, each more than the last, and keeps their order', () => {
    const { harness, feed } = follow({ fault: 'slow', by: '100ms', growing: '50ms', on: ['book'], times: 3 });
    trade(harness, 3);
    const seen: number[] = [];
    for (let i = 0; i < 6; i++) {
      seen.push(feed.seqs.length);
      harness.advance(50);
    }
    expect(seen).toEqual([0, 0, 1, 2, 4, 4]);
    expect(feed.seqs).toEqual([1, 2, 3, 4]);
  });

  it('closes the connection with or without a close frame', () => {
    const closed = follow({ fault: 'close', code: 1012, on: ['book'], nth: 2 });
    trade(closed.harness, 2);
    expect([closed.feed.ended, closed.feed.seqs, closed.harness.api.feeds]).toEqual([1012, [1], 0]);
    const cut = follow({ fault: 'cut', on: ['book'], nth: 2 });
    trade(cut.harness, 2);
    expect([cut.feed.ended, cut.feed.seqs, cut.harness.api.feeds]).toEqual(['cut', [1], 0]);
  });

  it('is not used up by a connection that it has closed', () => {
    const harness = new ApiHarness({ plan: { feed: [{ fault: 'close', code: 1012, on: ['book'], times: 2 }] } });
    const [first, second, third] = ['ann', 'ann', 'ann'].map((name) => {
      const feed = harness.openFeed(name);
      feed.send('subscribe', { channels: ['orderbook_delta'], market_tickers: ['A', 'B'] });
      return feed;
    });
    expect([first?.ended, second?.ended, third?.ended]).toEqual([1012, 1012, null]);
    expect([harness.injectedFaults, third?.seqs]).toEqual([
      ['close', 'close'],
      [1, 2],
    ]);
  });

  it.each([
    ['orderbook_delta', 'book'],
    ['ticker', 'ticker'],
  ])('that ends the channel %s is its last message, also among several snapshots', (name, on) => {
    const harness = new ApiHarness({ plan: { feed: [{ fault: 'end-channel', on: [on], nth: 2 }] } });
    const feed = harness.openFeed('ann');
    feed.send('subscribe', { channels: [name], market_tickers: ['A', 'B'], send_initial_snapshot: true });
    feed.send('subscribe', { channels: [name], market_tickers: ['A', 'B'], send_initial_snapshot: true });
    const types = feed.messages.map((message) => [message.at('sid'), message.at('type')]);
    const kind = name === 'ticker' ? 'ticker' : 'orderbook_snapshot';
    expect(types).toEqual([
      [undefined, 'subscribed'],
      [1, kind],
      [1, 'error'],
      [undefined, 'subscribed'],
      [2, kind],
      [2, kind],
    ]);
  });

  it('silences an open connection: no message, no reply, no ping', () => {
    const { harness, feed } = follow({ fault: 'silence', on: ['book'], nth: 2 });
    feed.connection?.sendPing();
    trade(harness, 2);
    const { length } = feed.texts;
    feed.connection?.sendPing();
    feed.send('list_subscriptions', {});
    harness.advance(3_600_000);
    trade(harness, 1);
    expect([feed.pings, feed.texts.length, feed.ended, harness.api.feeds]).toEqual([1, length, null, 1]);
    const other = harness.openFeed(null);
    other.send('list_subscriptions', {});
    expect(other.texts).toHaveLength(1);
  });

  it('ends a silence with a duration', () => {
    const { harness, feed } = follow({ fault: 'silence', lasting: '2s', on: ['book'], nth: 2 });
    trade(harness, 2);
    harness.advance(2000);
    trade(harness, 1);
    expect(feed.seqs).toEqual([1, 4]);
  });

  it('loses private messages while public ones arrive', () => {
    const harness = new ApiHarness({
      plan: { feed: [{ fault: 'lose', on: ['fills', 'orders', 'positions'], from: '1s', until: '2s' }] },
    });
    const feed = harness.openFeed('ann');
    feed.send('subscribe', { channels: ['fill', 'user_orders', 'market_positions', 'trade'] });
    const cross = (): void => {
      harness.placeOrder('ann', { count: 1 });
      harness.placeOrder('bob', { count: 1, action: 'sell' });
    };
    harness.advance(1000);
    cross();
    expect([feed.ofType('fill').length, feed.ofType('user_order').length, feed.ofType('trade').length]).toEqual([
      0, 0, 1,
    ]);
    harness.advance(1000);
    cross();
    expect([feed.ofType('fill').length, feed.ofType('market_position').length, feed.ofType('trade').length]).toEqual([
      1, 1, 2,
    ]);
  });

  it('ends a channel with an error message, and its subscription with it', () => {
    const { harness, feed } = follow({ fault: 'end-channel', on: ['book'], nth: 3 });
    trade(harness, 4);
    expect(feed.seqs).toEqual([1, 2]);
    const [error] = feed.ofType('error');
    expect([error?.at('sid'), error?.at('msg.code')]).toEqual([1, 10]);
    feed.send('list_subscriptions', {});
    expect(feed.ofType('ok').at(-1)?.at('msg')).toEqual([]);
  });

  it('applies to replies only when it names no channel', () => {
    const { feed } = follow({ fault: 'lose', on: ['book'] });
    expect(feed.ofType('subscribed')).toHaveLength(1);
    const filtered = follow({ fault: 'lose' });
    expect(filtered.feed.texts).toEqual([]);
  });

  it('applies only to the accounts it names', () => {
    const { harness, feed } = follow({ fault: 'lose', accounts: ['bob'] });
    const other = harness.openFeed('bob');
    other.send('subscribe', { channels: ['orderbook_delta'], market_ticker: 'A' });
    expect([feed.texts.length, other.texts.length]).toEqual([2, 0]);
  });
});
