// Feed connections over real sockets: pings, slow clients, closes, and sequences under load.
import { describe, expect, it } from 'vitest';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { BareFeed } from '../api/bare-client.ts';
import type { JsonAnswer } from '../api/json-answer.ts';
import { ManualTime } from '../api/manual-time.ts';
import { type TestServer, startTestServer } from '../api/test-server.ts';
import { WireBooks } from './wire-book.ts';

const { pingEveryMs } = serviceProfile.feed;
const A = 'RAIN-26-A';
const X = 'CITY-36-X';

/** Waits until everything sent earlier has arrived. */
async function settle(feed: BareFeed): Promise<void> {
  await feed.reply(feed.send('list_subscriptions'));
}

const books = (feed: BareFeed, tickers: string[], flags = {}): Promise<JsonAnswer> =>
  feed.reply(feed.send('subscribe', { channels: ['orderbook_delta'], market_tickers: tickers, ...flags }));

describe('a feed connection', () => {
  it('is pinged at the profile’s interval with the profile’s body', async () => {
    const time = new ManualTime();
    const venue = await startTestServer({ feedTimer: time.setTimer });
    const feed = await venue.openFeed(null);
    for (let count = 1; count <= 3; count++) {
      time.advance(pingEveryMs - 1);
      await settle(feed);
      expect(feed.pings).toHaveLength(count - 1);
      time.advance(1);
      await feed.until(() => feed.pings.length === count);
      // The pong arrives before what is sent after it.
      await settle(feed);
    }
    expect(feed.pings).toEqual(['heartbeat', 'heartbeat', 'heartbeat']);
  });

  it('is ended when it does not answer pings', async () => {
    const time = new ManualTime();
    const venue = await startTestServer({ feedTimer: time.setTimer });
    const feed = await venue.openFeed(null);
    feed.socket.pong = () => {};
    time.advance(pingEveryMs);
    await feed.until(() => feed.pings.length === 1);
    time.advance(pingEveryMs);
    expect((await feed.closing()).code).toBe(1006);
  });

  it('is ended with an error for each subscription when its client reads too slowly', async () => {
    // However long the client takes to read what waits, the close is not cut short.
    const venue = await startTestServer({ feedBufferMax: 20_000, feedTimer: new ManualTime().setTimer });
    const feed = await venue.openFeed('ann');
    await feed.reply(feed.send('subscribe', { channels: ['orderbook_delta', 'user_orders'], market_ticker: A }));
    feed.socket.pause();
    churn(venue, 4000);
    feed.socket.resume();
    expect(await feed.closing()).toEqual({ code: 1013, reason: 'slow reader' });
    const errors = feed.ofType('error').map((message) => [message.at('sid'), message.at('msg.code')]);
    expect(errors).toEqual([
      [1, 25],
      [2, 25],
    ]);
    const numbers = feed.messages.filter((message) => message.at('sid') === 1).map((message) => message.at('seq'));
    expect(numbers.filter((seq) => seq !== undefined)).toEqual(numbers.slice(0, -1).map((_, index) => index + 1));
  });

  it('is closed when the exchange stops, which then accepts no connection', async () => {
    const venue = await startTestServer();
    const feed = await venue.openFeed('ann');
    await venue.running.stop();
    expect(await feed.closing()).toEqual({ code: 1001, reason: 'going away' });
    await expect(venue.request('GET /markets')).rejects.toThrow('fetch failed');
  });

  it('is refused on any other path', async () => {
    const venue = await startTestServer();
    await expect(BareFeed.connect(`${venue.running.feedUrl}/elsewhere`)).rejects.toThrow(/^404 404 page not found/);
  });
});

/** Orders placed and canceled in one go, so that nothing can be read in between. */
function churn(venue: TestServer, rounds: number): void {
  const { session } = venue.running;
  const market = session.exchange.markets()[0]!.definition.ticker;
  const order = {
    ticker: market,
    clientOrderId: null,
    side: 'buy',
    price: 4000,
    qty: 100,
    timeInForce: 'gtc',
    postOnly: false,
    reduceOnly: false,
    selfTrade: 'taker_at_cross',
    expiresAt: null,
    cancelOnPause: false,
  } as const;
  for (let i = 0; i < rounds; i++) {
    const { answer } = session.submit({ type: 'place', account: 'ann', order });
    if (answer.type === 'order') session.submit({ type: 'cancel', account: 'ann', orderId: answer.order.orderId });
  }
}

describe('the feed under load', () => {
  it('loses no sequence number and crosses no book, whatever is subscribed', async () => {
    const venue = await startTestServer();
    const plain = await venue.openFeed('ann');
    const turned = await venue.openFeed(null);
    await books(plain, [A, X]);
    await books(turned, [X, A], { use_yes_price: true });
    const kept = [new WireBooks(1), new WireBooks(1, true)];
    const sides = ['buy', 'sell'] as const;
    for (let round = 0; round < 60; round++) {
      const asks = (['ann', 'bob', 'cat'] as const).map((name, index) => {
        const yes_price = 45 + ((round * 7 + index * 3) % 11);
        const count = 1 + ((round + index) % 5);
        return venue.placeOrder(name, {
          ticker: (round + index) % 2 ? A : X,
          action: sides[(round + index) % 2],
          yes_price,
          count,
        });
      });
      for (const { status } of await Promise.all(asks)) expect([201, 400]).toContain(status);
    }
    await settle(plain);
    await settle(turned);
    for (const [feed, held] of [
      [plain, kept[0]!],
      [turned, kept[1]!],
    ] as const) {
      for (const message of feed.messages) held.applyMessage(message);
      for (const ticker of [A, X]) {
        const rest = await venue.request(`GET /markets/${ticker}/orderbook`);
        expect(held.bookOf(ticker).toRest()).toEqual(rest.body.value);
      }
    }
    expect(kept[0]!.seq).toBeGreaterThan(180);
    expect(kept[0]!.seq).toBe(kept[1]!.seq);
  });
});
