// Rate limits over real sockets, on a manual clock: who is refused, when, and for how long.
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { BareFeed } from './bare-client.ts';
import { KEYS, type TestServer, type TestServerOptions, orderBody, startTestServer } from './test-server.ts';

const START_MS = 1_795_000_000_000;

/** An exchange with a manual clock. */
async function atStandstill(options: TestServerOptions): Promise<{ venue: TestServer; time: { ms: number } }> {
  const time = { ms: START_MS };
  const venue = await startTestServer({ clock: () => micros(time.ms * 1000), ...options });
  return { venue, time };
}

const windows = (count: number, windowMs: number): string =>
  `{ model: rolling-window, count: ${count}, windowMs: ${windowMs} }`;

describe('rate limits', () => {
  it('refuse the request over the limit with 429 and a Retry-After in whole seconds, rounded up', async () => {
    const { venue, time } = await atStandstill({ limits: `{ trade: ${windows(2, 2500)}, read: ${windows(3, 1000)} }` });
    const at = { key: KEYS.ann };
    const place = () => venue.request('POST /portfolio/orders', { ...at, at: time.ms, body: orderBody({ count: 1 }) });
    expect([(await place()).status, (await place()).status]).toEqual([201, 201]);
    const refused = await place();
    expect([refused.status, refused.text, refused.headers.get('retry-after')]).toEqual([
      429,
      '{"error":{"code":"too_many_requests","message":"too many requests"}}',
      '3',
    ]);
    // Reads have a limit of their own.
    expect((await venue.request('GET /portfolio/balance', { ...at, at: time.ms })).status).toBe(200);
    time.ms += 1600;
    expect((await place()).headers.get('retry-after')).toBe('1');
    time.ms += 901;
    expect((await place()).status).toBe(201);
    expect(venue.running.exchange.orders('ann')).toHaveLength(3);
  });

  it('count each key separately, and callers without a key by their address', async () => {
    const { venue, time } = await atStandstill({ limits: `{ read: ${windows(1, 1000)} }` });
    const read = async (name?: 'ann' | 'bob'): Promise<number> =>
      (await venue.request('GET /markets', { key: name && KEYS[name], at: time.ms })).status;
    expect([await read('ann'), await read('bob'), await read()]).toEqual([200, 200, 200]);
    expect([await read('ann'), await read('bob'), await read()]).toEqual([429, 429, 429]);
  });

  it('count every item of a batch, and charge all of it or none', async () => {
    const { venue, time } = await atStandstill({ limits: `{ trade: ${windows(3, 1000)} }` });
    const batch = (count: number) => {
      const orders = Array.from({ length: count }, () => orderBody({ count: 1 }));
      return venue.request('POST /portfolio/orders/batched', { key: KEYS.ann, at: time.ms, body: { orders } });
    };
    expect((await batch(2)).status).toBe(201);
    expect((await batch(2)).status).toBe(429);
    expect((await batch(1)).status).toBe(201);
    expect(venue.running.exchange.orders('ann')).toHaveLength(3);
  });

  it('refill a token bucket, and send no Retry-After when the profile has none', async () => {
    const limits = { ...serviceProfile.limits, retryAfterOn429: 'absent' as const };
    const { venue, time } = await atStandstill({
      limits: '{ read: { model: token-bucket, refillPerSecond: 10, capacity: 2 } }',
      profile: { ...serviceProfile, limits },
    });
    const read = () => venue.request('GET /markets', { key: KEYS.ann, at: time.ms });
    expect([(await read()).status, (await read()).status]).toEqual([200, 200]);
    const refused = await read();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    time.ms += 100;
    expect([(await read()).status, (await read()).status]).toEqual([200, 429]);
  });

  it.each([
    [windows(2, 1000), '2'],
    ['{ model: token-bucket, refillPerSecond: 2, capacity: 2 }', '1'],
  ])(
    'of %s make a caller wait %s s also when the clock of the machine steps back by an hour',
    async (limit, seconds) => {
      const { venue, time } = await atStandstill({ limits: `{ read: ${limit} }` });
      const read = () => venue.request('GET /markets', { key: KEYS.ann, at: time.ms });
      expect([(await read()).status, (await read()).status]).toEqual([200, 200]);
      time.ms -= 3_600_000;
      const refused = await read();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, seconds]);
      time.ms += 1001;
      expect((await read()).status).toBe(200);
    },
  );

  it('pause a feed for no longer when the clock of the machine steps back by an hour', async () => {
    const { venue, time } = await atStandstill({ limits: `{ feed: ${windows(1, 1000)} }` });
    const feed = await BareFeed.connect(venue.running.feedUrl);
    for (let i = 0; i < 2; i++) feed.send('list_subscriptions');
    expect(await feed.closing()).toEqual({ code: 1008, reason: 'too many requests' });
    time.ms -= 3_600_000;
    await expect(BareFeed.connect(venue.running.feedUrl)).rejects.toThrow(/^429 .* retry-after [12]$/);
    time.ms += 2001;
    const back = await venue.openFeed(null);
    expect((await back.reply(back.send('list_subscriptions'))).at('type')).toBe('ok');
  });

  it('close a feed with too many commands, and accept the key again after the pause', async () => {
    const { venue, time } = await atStandstill({ limits: `{ feed: ${windows(3, 1000)} }` });
    const { feedUrl } = venue.running;
    const feed = await BareFeed.connect(feedUrl);
    for (let i = 0; i < 4; i++) feed.send('list_subscriptions');
    expect(await feed.closing()).toEqual({ code: 1008, reason: 'too many requests' });
    expect(feed.ofType('error').map((message) => message.at('msg.code'))).toEqual([27]);
    await expect(BareFeed.connect(feedUrl)).rejects.toThrow(/^429 .*too_many_requests.* retry-after 2$/);
    time.ms += 1001;
    const back = await venue.openFeed(null);
    expect((await back.reply(back.send('list_subscriptions'))).at('type')).toBe('ok');
  });

  it('only refuse the command when the profile does not close the feed', async () => {
    const limits = { ...serviceProfile.limits, closesFeedOverLimit: false };
    const { venue } = await atStandstill({
      limits: `{ feed: ${windows(1, 1000)} }`,
      profile: { ...serviceProfile, limits },
    });
    const feed = await venue.openFeed(null);
    feed.send('list_subscriptions');
    feed.send('list_subscriptions');
    expect((await feed.message((message) => message.at('type') === 'error')).at('msg.code')).toBe(27);
    expect(feed.closed).toBeNull();
  });
});
