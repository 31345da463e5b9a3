// Every fault of the feed, against the hall: what comes over a line, in which order, and what does not.
import { describe, expect, it } from 'vitest';
import { type QuietFeed, QuietHall } from '../quiet-hall.ts';

/** A line that follows one book, whose sequence is 1 for the snapshot and one more for each order placed. */
function follow(rule: Record<string, unknown>, name: string | null = 'ann'): { hall: QuietHall; feed: QuietFeed } {
  const hall = new QuietHall({ plan: { feed: [rule] } });
  const feed = hall.feed(name);
  feed.send('subscribe', { channels: ['orderbook_delta'], market_ticker: 'A' });
  return { hall, feed };
}

/** Orders at ever better prices: one delta each. */
function trade(hall: QuietHall, count: number): void {
  for (let i = 0; i < count; i++) hall.place('bob', { yes_price: 1 + i });
}

describe('a fault of the feed', () => {
  it('loses a message, so that a number is missing', () => {
    const { hall, feed } = follow({ fault: 'lose', on: ['book'], nth: 3 });
    trade(hall, 3);
    expect(feed.seqs).toEqual([1, 2, 4]);
  });

  it('doubles a message', () => {
    const { hall, feed } = follow({ fault: 'duplicate', on: ['book'], nth: 2 });
    trade(hall, 2);
    expect(feed.seqs).toEqual([1, 2, 2, 3]);
  });

  it('lets a message come after the next one', () => {
    const { hall, feed } = follow({ fault: 'reorder', on: ['book'], nth: 2 });
    trade(hall, 3);
    expect(feed.seqs).toEqual([1, 3, 2, 4]);
  });

  it('lets a message that none follows come a little later', () => {
    const { hall, feed } = follow({ fault: 'reorder', on: ['book'], nth: 2 });
    trade(hall, 1);
    expect(feed.seqs).toEqual([1]);
    hall.wait(100);
    expect(feed.seqs).toEqual([1, 2]);
  });

  it.each([
    { body: 'half', expected: /^\{"type":"orderbook_delta"/ },
    { body: 'noise', expected: /not a message/ },
  ])('spoils a message: $body', ({ body, expected }) => {
    const { hall, feed } = follow({ fault: 'garbage', body, on: ['book'], nth: 2 });
    trade(hall, 1);
    const text = feed.texts.at(-1) ?? '';
    expect(text).toMatch(expected);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it('makes messages late, each more than the one before, and keeps their order', () => {
    const { hall, feed } = follow({ fault: 'slow', by: '100ms', growing: '50ms', on: ['book'], times: 3 });
    trade(hall, 3);
    const seen: number[] = [];
    for (let i = 0; i < 6; i++) {
      seen.push(feed.seqs.length);
      hall.wait(50);
    }
    expect(seen).toEqual([0, 0, 1, 2, 4, 4]);
    expect(feed.seqs).toEqual([1, 2, 3, 4]);
  });

  it('closes the line politely, or cuts it', () => {
    const closed = follow({ fault: 'close', code: 1012, on: ['book'], nth: 2 });
    trade(closed.hall, 2);
    expect([closed.feed.ended, closed.feed.seqs, closed.hall.hall.feeds]).toEqual([1012, [1], 0]);
    const cut = follow({ fault: 'cut', on: ['book'], nth: 2 });
    trade(cut.hall, 2);
    expect([cut.feed.ended, cut.feed.seqs, cut.hall.hall.feeds]).toEqual(['cut', [1], 0]);
  });

  it('silences a line that stays open: no message, no reply, no ping', () => {
    const { hall, feed } = follow({ fault: 'silence', on: ['book'], nth: 2 });
    feed.line?.ping();
    trade(hall, 2);
    const { length } = feed.texts;
    feed.line?.ping();
    feed.send('list_subscriptions', {});
    hall.wait(3_600_000);
    trade(hall, 1);
    expect([feed.pings, feed.texts.length, feed.ended, hall.hall.feeds]).toEqual([1, length, null, 1]);
    const other = hall.feed(null);
    other.send('list_subscriptions', {});
    expect(other.texts).toHaveLength(1);
  });

  it('ends a silence that was to last', () => {
    const { hall, feed } = follow({ fault: 'silence', lasting: '2s', on: ['book'], nth: 2 });
    trade(hall, 2);
    hall.wait(2000);
    trade(hall, 1);
    expect(feed.seqs).toEqual([1, 4]);
  });

  it('loses what is an account’s own while the public part lives', () => {
    const hall = new QuietHall({
      plan: { feed: [{ fault: 'lose', on: ['fills', 'orders', 'positions'], from: '1s', until: '2s' }] },
    });
    const feed = hall.feed('ann');
    feed.send('subscribe', { channels: ['fill', 'user_orders', 'market_positions', 'trade'] });
    const cross = (): void => {
      hall.place('ann', { count: 1 });
      hall.place('bob', { count: 1, action: 'sell' });
    };
    hall.wait(1000);
    cross();
    expect([feed.of('fill').length, feed.of('user_order').length, feed.of('trade').length]).toEqual([0, 0, 1]);
    hall.wait(1000);
    cross();
    expect([feed.of('fill').length, feed.of('market_position').length, feed.of('trade').length]).toEqual([1, 1, 2]);
  });

  it('ends a channel with an error that says so, and its subscription with it', () => {
    const { hall, feed } = follow({ fault: 'end-channel', on: ['book'], nth: 3 });
    trade(hall, 4);
    expect(feed.seqs).toEqual([1, 2]);
    const [error] = feed.of('error');
    expect([error?.at('sid'), error?.at('msg.code')]).toEqual([1, 10]);
    feed.send('list_subscriptions', {});
    expect(feed.of('ok').at(-1)?.at('msg')).toEqual([]);
  });

  it('strikes replies only where it names no channel', () => {
    const { feed } = follow({ fault: 'lose', on: ['book'] });
    expect(feed.of('subscribed')).toHaveLength(1);
    const deaf = follow({ fault: 'lose' });
    expect(deaf.feed.texts).toEqual([]);
  });

  it('strikes only the accounts it names', () => {
    const { hall, feed } = follow({ fault: 'lose', accounts: ['bob'] });
    const other = hall.feed('bob');
    other.send('subscribe', { channels: ['orderbook_delta'], market_ticker: 'A' });
    expect([feed.texts.length, other.texts.length]).toEqual([2, 0]);
  });
});
