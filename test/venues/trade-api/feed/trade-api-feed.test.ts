// The feed over a real socket: what it sends, what it passes on, and how it recovers.
import { afterEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Ticker, ticker } from '../../../../src/domain/ids.ts';
import { micros } from '../../../../src/domain/units.ts';
import type { FeedSignal } from '../../../../src/venue.ts';
import { FeedReplyReader } from '../../../../src/venues/trade-api/feed/feed-reply-reader.ts';
import {
  FeedKeyError,
  TradeApiFeed,
  type TradeApiFeedOptions,
} from '../../../../src/venues/trade-api/feed/trade-api-feed.ts';
import type { WireProfile } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { FakeScheduler } from '../../../support/transport/fake-scheduler.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const withFeed = (change: Partial<WireProfile['feed']>): WireProfile => ({
  ...serviceProfile,
  feed: { ...serviceProfile.feed, ...change },
});
const A = ticker('KX-A');
const B = ticker('KX-B');
const subscribe = (...tickers: Ticker[]) => ({ ...BASE, type: 'subscribe', tickers }) as const;
const resync = (...tickers: Ticker[]) => ({ ...BASE, type: 'resync', tickers }) as const;
const BASE = { id: 1, createdAt: micros(0), validUntil: null, lane: 'read' } as const;

/** A list of events with a way to wait for its length. */
class Log<T> {
  readonly all: T[] = [];
  #waiters: (() => void)[] = [];

  push(entry: T): void {
    this.all.push(entry);
    for (const wake of this.#waiters.splice(0)) wake();
  }

  async until(count: number): Promise<readonly T[]> {
    while (this.all.length < count) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    return this.all;
  }
}

async function setUp(options: Partial<TradeApiFeedOptions> = {}) {
  const peers = new Log<{ peer: WebSocket; headers: Record<string, unknown>; url: string | undefined }>();
  const commands = new Log<{ id: number; cmd: string; params: Record<string, unknown> }>();
  const texts: string[] = [];
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (peer, { headers, url }) => {
    peer.on('message', (data: Buffer) => {
      texts.push(data.toString());
      commands.push(JSON.parse(data.toString()));
    });
    peers.push({ peer, headers, url });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const scheduler = new FakeScheduler();
  const feed = new TradeApiFeed({
    profile: serviceProfile,
    url: `ws://127.0.0.1:${port}/trade-api/ws/v2`,
    sign: null,
    clock: () => micros(Math.round(scheduler.now() * 1000)),
    random: () => 0,
    scheduler,
    ...options,
  });
  const signals = new Log<FeedSignal>();
  const frames = new Log<string>();
  const order: string[] = [];
  const start = (): void =>
    feed.start((input) => {
      order.push(input.type);
      if (input.type === 'frame') frames.push(Buffer.from(input.bytes).toString());
      else signals.push(input);
    });
  closers.push(async () => {
    const stopped = feed.stop();
    for (const peer of server.clients) peer.terminate();
    await stopped;
    await new Promise((resolve) => server.close(resolve));
  });
  const latest = (): WebSocket => peers.all.at(-1)!.peer;
  const say = (message: object): void => latest().send(JSON.stringify(message));
  return { feed, start, scheduler, peers, commands, texts, signals, frames, order, say, latest };
}

const subscribed = (id: number, channel: string, sid: number) => ({ id, type: 'subscribed', msg: { channel, sid } });

test('subscribes to the wanted markets once it is up, and reports each command that it sent', async () => {
  const { feed, start, commands, texts, signals, peers } = await setUp();
  feed.send(subscribe(A));
  feed.send(subscribe(B));
  start();
  expect(await commands.until(2)).toEqual([
    { id: 1, cmd: 'subscribe', params: { channels: ['market_lifecycle_v2'] } },
    {
      id: 2,
      cmd: 'subscribe',
      params: {
        channels: ['orderbook_delta', 'ticker', 'trade'],
        market_tickers: ['KX-A', 'KX-B'],
        use_yes_price: false,
        send_initial_snapshot: true,
      },
    },
  ]);
  const [up, ...sent] = signals.all;
  expect(up).toEqual({ type: 'feed-up', at: 0, connection: 1 });
  expect(sent).toEqual(texts.map((text) => ({ type: 'feed-sent', at: 0, text })));
  expect(peers.all[0]!.url).toBe('/trade-api/ws/v2');
});

test('passes on frames unchanged, and heartbeats', async () => {
  const { start, say, latest, frames, signals, commands } = await setUp();
  start();
  await commands.until(1);
  const messages = [{ type: 'trade', msg: { more: 'é' } }, subscribed(1, 'market_lifecycle_v2', 1), { odd: [] }];
  for (const message of messages) say(message);
  latest().send('not JSON');
  latest().ping('heartbeat');
  expect(await frames.until(4)).toEqual([...messages.map((message) => JSON.stringify(message)), 'not JSON']);
  expect((await signals.until(3)).at(-1)).toEqual({ type: 'feed-heard', at: 0 });
});

test('stamps each frame with the time its bytes came', async () => {
  const { feed, say, scheduler, commands } = await setUp();
  const times = new Log<number>();
  feed.start((input) => {
    if (input.type === 'frame') times.push(input.at);
  });
  await commands.until(1);
  for (const [index, advanceMs] of [3, 4, 5].entries()) {
    scheduler.advance(advanceMs);
    say({ type: 'trade' });
    await times.until(index + 1);
  }
  expect(times.all).toEqual([3000, 7000, 12_000]);
});

test('subscribes to private channels with a key, and signs every connection separately', async () => {
  let count = 0;
  const sign = () => ({ 'ACCESS-SIGNATURE': `signature ${(count += 1)}` });
  const { start, latest, peers, commands, scheduler, signals } = await setUp({ sign });
  start();
  const [first] = await commands.until(2);
  expect(first!.params['channels']).toEqual(['fill', 'user_orders', 'market_positions']);
  latest().terminate();
  await signals.until(4);
  scheduler.advance(1000);
  const both = await peers.until(2);
  expect(both.map(({ headers }) => headers['access-signature'])).toEqual(['signature 1', 'signature 2']);
});

test('refuses to start without a key when public channels need one', async () => {
  const profile = withFeed({ publicFeedNeedsKey: true });
  const options = { profile, url: 'ws://127.0.0.1:1', clock: () => micros(0), random: () => 0 };
  expect(() => new TradeApiFeed({ ...options, sign: null })).toThrow(FeedKeyError);
  expect(() => new TradeApiFeed({ ...options, sign: null })).toThrow('"service" needs a key');
  await new TradeApiFeed({ ...options, sign: () => ({}) }).stop();
});

test('subscribes to everything again after the venue closed, with new command ids', async () => {
  const { feed, start, latest, commands, signals, scheduler } = await setUp();
  feed.send(subscribe(A));
  start();
  await commands.until(2);
  latest().close(1013, 'over the limit');
  const down = (await signals.until(4)).at(-1);
  const reason = 'closed by the venue with code 1013: over the limit; next attempt in 0.125 s';
  expect(down).toEqual({ type: 'feed-down', at: 0, reason });
  feed.send(subscribe(B));
  scheduler.advance(250);
  const again = (await commands.until(4)).slice(2);
  expect(again.map(({ id }) => id)).toEqual([3, 4]);
  expect(again[1]!.params['market_tickers']).toEqual(['KX-A', 'KX-B']);
  expect(signals.all.filter(({ type }) => type === 'feed-up')).toHaveLength(2);
});

test('requests snapshots by subscription id, combining all requests of a turn in one command', async () => {
  const { feed, start, say, commands, frames, scheduler } = await setUp();
  feed.send(subscribe(A, B));
  start();
  await commands.until(2);
  say(subscribed(2, 'ticker', 7));
  say(subscribed(2, 'orderbook_delta', 8));
  await frames.until(2);
  feed.send(resync(A));
  feed.send(resync(B));
  scheduler.advance(0);
  expect((await commands.until(3))[2]).toEqual({
    id: 3,
    cmd: 'update_subscription',
    params: { sid: 8, market_tickers: ['KX-A', 'KX-B'], action: 'get_snapshot' },
  });
});

test('unsubscribes and subscribes when snapshots cannot be requested', async () => {
  const { feed, start, say, commands, frames, scheduler } = await setUp({
    profile: withFeed({ canRequestSnapshot: false }),
  });
  feed.send(subscribe(A));
  start();
  await commands.until(2);
  say(subscribed(2, 'orderbook_delta', 8));
  await frames.until(1);
  feed.send(resync(A));
  scheduler.advance(0);
  const [, , first, second] = await commands.until(4);
  expect(first).toEqual({ id: 3, cmd: 'unsubscribe', params: { sids: [8] } });
  expect(second).toMatchObject({
    cmd: 'subscribe',
    params: { channels: ['orderbook_delta'], market_tickers: ['KX-A'] },
  });
});

test('passes on a refusal before it repeats the command without the refused market', async () => {
  const { feed, start, say, commands, scheduler, frames, order } = await setUp();
  feed.send(subscribe(A, B));
  start();
  await commands.until(2);
  say({ id: 2, type: 'error', msg: { code: 14, msg: 'unknown market', market_tickers: ['KX-A'] } });
  await frames.until(1);
  scheduler.advance(0);
  expect((await commands.until(3))[2]!.params['market_tickers']).toEqual(['KX-B']);
  expect(order.slice(-2)).toEqual(['frame', 'feed-sent']);
});

test('requests refused prints of a market with a book again, with pauses that grow until they are granted', async () => {
  const { feed, start, say, commands, scheduler, frames } = await setUp();
  feed.send(subscribe(A));
  start();
  await commands.until(2);
  say(subscribed(2, 'orderbook_delta', 1));
  say(subscribed(2, 'ticker', 2));
  say({ id: 2, type: 'error', msg: { code: 9, msg: 'not now' } });
  await frames.until(3);
  for (const [index, pauseMs] of [2500, 5000, 10_000].entries()) {
    scheduler.advance(pauseMs - 1);
    expect(commands.all).toHaveLength(2 + index);
    scheduler.advance(1);
    const again = (await commands.until(3 + index)).at(-1)!;
    expect(again.params).toMatchObject({ channels: ['trade'], market_tickers: ['KX-A'] });
    say(
      index < 2 ? { id: again.id, type: 'error', msg: { code: 9, msg: 'not now' } } : subscribed(again.id, 'trade', 3),
    );
    await frames.until(4 + index);
  }
  scheduler.advance(20_000);
  expect(commands.all).toHaveLength(5);
});

test("never exceeds the feed's limit on commands, and sends the rest as soon as possible", async () => {
  const limits = { ...serviceProfile.limits, feed: { model: 'rolling-window', count: 3, windowMs: 1000 } as const };
  const tuning = { tickersPerCommand: 1, guardMs: 100, silenceMs: 1_000_000 };
  const { feed, start, commands, scheduler } = await setUp({ profile: { ...serviceProfile, limits }, tuning });
  feed.send(subscribe(...Array.from({ length: 7 }, (_, i) => ticker(`KX-${i}`))));
  start();
  await commands.until(3);
  scheduler.advance(1099);
  feed.send(subscribe(ticker('KX-LAST')));
  scheduler.advance(0);
  expect(commands.all).toHaveLength(3);
  scheduler.advance(2);
  await commands.until(6);
  scheduler.advance(1101);
  await commands.until(9);
  expect(commands.all.slice(1).flatMap(({ params }) => params['market_tickers'])).toHaveLength(8);
});

test('pauses after a refusal for sending too fast, and then repeats the command', async () => {
  const { feed, start, say, commands, frames, scheduler } = await setUp();
  feed.send(subscribe(A));
  start();
  await commands.until(2);
  say({ id: 2, type: 'error', msg: { code: 27, msg: 'Too many requests' } });
  await frames.until(1);
  feed.send(subscribe(B));
  scheduler.advance(999);
  expect(commands.all).toHaveLength(2);
  scheduler.advance(1);
  const [, , again] = await commands.until(3);
  expect(again!.params['market_tickers']).toEqual(['KX-A', 'KX-B']);
});

test('passes on nothing after it was stopped, and leaves no timer', async () => {
  const { feed, start, say, commands, scheduler, order } = await setUp();
  start();
  await commands.until(1);
  say({ type: 'trade' });
  const count = order.length;
  await feed.stop();
  expect(order).toHaveLength(count);
  feed.send(subscribe(A));
  expect(scheduler.pendingCount).toBe(0);
});

test('distinguishes replies from data by their type, wherever it is in the frame', () => {
  const replies = new FeedReplyReader(serviceProfile.feed);
  const read = (message: unknown) => replies.readReply(Buffer.from(JSON.stringify(message)));
  const granted = { kind: 'subscribed', id: 2, channel: 'book', sid: 8 };
  expect(read(subscribed(2, 'orderbook_delta', 8))).toEqual(granted);
  expect(read({ type: 'subscribed', id: 2, msg: { channel: 'orderbook_delta', sid: 8 } })).toEqual(granted);
  const msg = { code: 10, msg: 'Channel error' };
  expect(read({ type: 'error', sid: 4, msg })).toEqual({ kind: 'refused', id: null, sid: 4, code: 10, tickers: [] });
  expect(read({ id: 0, type: 'error', msg: { ...msg, market_ticker: 'KX-A' } })).toEqual({
    kind: 'refused',
    id: null,
    sid: null,
    code: 10,
    tickers: ['KX-A'],
  });
});

test.each([
  ['data', { type: 'orderbook_delta', sid: 1, seq: 2, msg: {} }],
  ['an answer that changes nothing', { id: 3, type: 'ok', msg: {} }],
  ['a grant without its command', { type: 'subscribed', msg: { channel: 'trade', sid: 1 } }],
  ['a grant of an unknown channel', subscribed(1, 'weather', 1)],
  ['a grant with an invalid subscription id', { id: 1, type: 'subscribed', msg: { channel: 'trade', sid: 'one' } }],
  ['a command id that is not a number', { id: 'two', type: 'error', msg: { code: 1 } }],
  ['an error without a code', { id: 2, type: 'error', msg: 'no' }],
  ['an error without a message', { id: 2, type: 'error' }],
  ['a list', []],
  ['nothing', null],
])('reads no reply from %s', (_what, message) => {
  expect(new FeedReplyReader(serviceProfile.feed).readReply(Buffer.from(JSON.stringify(message)))).toBeNull();
});

test('reads a reply in JSON with spaces', () => {
  const text = '{"type": "subscribed", "id": 2, "msg": {"channel": "orderbook_delta", "sid": 8}}';
  const granted = { kind: 'subscribed', id: 2, channel: 'book', sid: 8 };
  expect(new FeedReplyReader(serviceProfile.feed).readReply(Buffer.from(text))).toEqual(granted);
});

test('reads no reply from a frame that is not JSON', () => {
  const replies = new FeedReplyReader(serviceProfile.feed);
  for (const text of ['', '{', '{"type":"error"', '\u0000']) expect(replies.readReply(Buffer.from(text))).toBeNull();
});
