// The messages that wait for a feed connection: each arrives whole and in sequence, however long it is and with or without
// compression; a slow subscriber is closed alone, and reads are answered meanwhile.
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { FeedOutbox } from '../../../src/exchange/feed/feed-outbox.ts';
import { FeedRounds, type RoundMember } from '../../../src/exchange/feed/feed-rounds.ts';
import type { RunningExchange } from '../../../src/exchange/api/exchange-server.ts';
import type { BareFeed } from '../api/bare-client.ts';
import { ManualTime } from '../api/manual-time.ts';
import { startTestServer } from '../api/test-server.ts';

const COMPRESSED_FROM = 1024;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Pair {
  readonly outbox: FeedOutbox;
  readonly socket: WebSocket;
  readonly client: WebSocket;
  /** Texts that the client received. */
  readonly received: string[];
}

/** An outbox, and a client at its other end. */
async function openPair(isCompressed: boolean): Promise<Pair> {
  const server = createServer();
  servers.push(server);
  const perMessageDeflate = isCompressed && { threshold: COMPRESSED_FROM };
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate });
  const accepted = new Promise<Pick<Pair, 'outbox' | 'socket'>>((resolve) =>
    server.on('upgrade', (incoming, stream, head) =>
      sockets.handleUpgrade(incoming, stream, head, (socket) => {
        const rounds = new FeedRounds();
        resolve({ socket, outbox: new FeedOutbox({ socket, stream, rounds, compressedFrom: COMPRESSED_FROM }) });
      }),
    ),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: isCompressed });
  const received: string[] = [];
  client.on('message', (data) => received.push((data as Buffer).toString()));
  await new Promise((resolve) => void client.on('open', resolve));
  return { ...(await accepted), client, received };
}

const closed = (client: WebSocket): Promise<number> =>
  new Promise((resolve) => void client.on('close', (code) => resolve(code)));

const LENGTHS = [0, 1, 125, 126, 127, 1023, 1024, 4095, 4096, 15_999, 16_001, 65_535, 65_536, 70_000];

describe('the outbox of a feed connection', () => {
  it.each([false, true])('sends messages of every length in sequence, compressed: %s', async (isCompressed) => {
    const { outbox, socket, client, received } = await openPair(isCompressed);
    expect(client.extensions !== '').toBe(isCompressed);
    // The last letters take two and three bytes, so that a frame is longer than its text.
    const texts = ['x', 'é', '€'].flatMap((letter) => LENGTHS.map((length) => letter.repeat(length)));
    for (const text of texts) outbox.add(text);
    outbox.writeRest();
    socket.close(1000);
    expect(await closed(client)).toBe(1000);
    expect(received).toEqual(texts);
  });

  it('sends any messages in sequence, whenever they are added', async () => {
    const batches = fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 1500 }), { maxLength: 20 }), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(batches, fc.boolean(), async (added, isCompressed) => {
        const { outbox, socket, client, received } = await openPair(isCompressed);
        for (const texts of added) {
          for (const text of texts) outbox.add(text);
          await nextTurn();
        }
        outbox.writeRest();
        socket.close(1000);
        await closed(client);
        expect(received).toEqual(added.flat());
      }),
      { numRuns: 40 },
    );
  });

  it('holds what its client does not read, says how much, and sends it when the client reads again', async () => {
    const { outbox, client, received } = await openPair(false);
    client.pause();
    const texts: string[] = [];
    const add = (text: string): void => {
      texts.push(text);
      outbox.add(text);
    };
    while (outbox.waitingBytes < 500_000) {
      for (let count = 0; count < 100; count++) add(`${texts.length} ${'x'.repeat(1000)}`);
      await nextTurn();
    }
    const before = outbox.waitingBytes;
    for (let count = 0; count < 100; count++) add(`${texts.length} ${'x'.repeat(1000)}`);
    expect(outbox.waitingBytes).toBeGreaterThanOrEqual(before + 100_000);
    client.resume();
    await expect.poll(() => received.length).toBe(texts.length);
    expect(received).toEqual(texts);
    expect(outbox.waitingBytes).toBe(0);
    outbox.add('last');
    await expect.poll(() => received.at(-1)).toBe('last');
  });
});

describe('the rounds of a feed', () => {
  it('write each member once, in sequence, and let the event loop turn in between', async () => {
    const rounds = new FeedRounds();
    const written: number[] = [];
    let turns = 0;
    const busy = (ms: number): void => {
      for (const until = performance.now() + ms; performance.now() < until;);
    };
    const memberOf = (number: number): RoundMember => ({
      flush() {
        busy(0.2);
        written.push(number);
      },
    });
    const count = 200;
    for (let number = 0; number < count; number++) rounds.add(memberOf(number));
    while (written.length < count) {
      await nextTurn();
      turns += 1;
    }
    expect(written).toEqual(Array.from({ length: count }, (_, number) => number));
    // 40 ms of work come in parts of two.
    expect(turns).toBeGreaterThan(10);
  });

  it('write what is added while they write', async () => {
    const rounds = new FeedRounds();
    const written: string[] = [];
    rounds.add({
      flush() {
        written.push('first');
        rounds.add({ flush: () => written.push('second') });
      },
    });
    await expect.poll(() => written).toEqual(['first', 'second']);
  });
});

const market_ticker = 'RAIN-26-A';
const subscribe = (feed: BareFeed): Promise<unknown> =>
  feed.reply(feed.send('subscribe', { channels: ['orderbook_delta'], market_ticker }));

/** Changes the book of a market until something is so. Returns the number of changes. */
async function changeBook({ session }: RunningExchange, isDone: () => boolean): Promise<number> {
  const ticker = session.exchange.markets()[0]!.definition.ticker;
  const terms = { ticker, clientOrderId: null, side: 'buy', price: 4000, qty: 100, timeInForce: 'gtc' } as const;
  const flags = { postOnly: false, reduceOnly: false, selfTrade: 'taker_at_cross', cancelOnPause: false } as const;
  const order = { ...terms, ...flags, expiresAt: null };
  let changes = 0;
  for (; !isDone() && changes < 400_000; changes += 200) {
    for (let count = 0; count < 100; count++) {
      const { answer } = session.submit({ type: 'place', account: 'ann', order });
      if (answer.type === 'order') session.submit({ type: 'cancel', account: 'ann', orderId: answer.order.orderId });
    }
    await nextTurn();
  }
  expect(isDone()).toBe(true);
  return changes;
}

/** Expects every change, in sequence, in each of the feed's subscriptions. */
async function expectDeltas(feed: BareFeed, changes: number): Promise<void> {
  await expect.poll(() => feed.ofType('orderbook_delta').length).toBe(changes);
  const numbers = feed.messages.map((message) => message.at('seq')).filter((seq) => seq !== undefined);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(feed.closed).toBeNull();
}

/** On the system's timer, a client that does not read the reason within a second is cut off. */
const noTimer = new ManualTime().setTimer;

describe('a slow subscriber', () => {
  it('is closed with its reason; the others miss nothing, and reads are answered', async () => {
    const venue = await startTestServer({ feedBufferMax: 50_000, feedTimer: noTimer });
    const [slow, quick] = [await venue.openFeed('ann'), await venue.openFeed('bob')];
    for (const feed of [slow, quick]) await subscribe(feed);
    slow.socket.pause();
    const changes = await changeBook(venue.running, () => venue.running.summary().feeds === 1);
    slow.socket.resume();
    const closing = slow.closing();
    expect((await venue.request(`GET /markets/${market_ticker}/orderbook`)).status).toBe(200);
    await expectDeltas(quick, changes);
    expect(await closing).toEqual({ code: 1013, reason: 'slow reader' });
    expect(slow.ofType('error').map((message) => message.at('msg.code'))).toEqual([25]);
  });

  it('is closed when too much waits for all together, the slowest first', async () => {
    const bounds = { feedBufferMax: 50_000_000, feedBuffersMax: 500_000 };
    const venue = await startTestServer({ ...bounds, feedTimer: noTimer });
    const [slow, slowest, quick] = await Promise.all(
      (['ann', 'bob', 'cat'] as const).map((name) => venue.openFeed(name)),
    );
    for (const feed of [slow!, slowest!, quick!]) await subscribe(feed);
    for (let more = 0; more < 2; more++) await subscribe(slowest!);
    for (const feed of [slow!, slowest!]) feed.socket.pause();
    const changes = await changeBook(venue.running, () => venue.running.summary().feeds < 3);
    for (const feed of [slow!, slowest!]) feed.socket.resume();
    expect(await slowest!.closing()).toEqual({ code: 1013, reason: 'slow reader' });
    expect(slowest!.ofType('error').map((message) => message.at('msg.code'))).toEqual([25, 25, 25]);
    for (const feed of [slow!, quick!]) await expectDeltas(feed, changes);
  });

  it('is cut off while it closes, when too much waits for those that close', async () => {
    const bounds = { feedBufferMax: 400_000, feedBuffersMax: 1_000_000 };
    const venue = await startTestServer({ ...bounds, feedTimer: noTimer });
    const slow = await Promise.all(Array.from({ length: 6 }, () => venue.openFeed('ann')));
    for (const feed of slow) {
      await subscribe(feed);
      feed.socket.pause();
    }
    await changeBook(venue.running, () => venue.running.summary().feeds === 0);
    for (const feed of slow) feed.socket.resume();
    const codes = (await Promise.all(slow.map((feed) => feed.closing()))).map(({ code }) => code);
    // The client's own code for a connection that ends without a close frame is 1006.
    expect(new Set(codes)).toEqual(new Set([1006, 1013]));
  });
});
