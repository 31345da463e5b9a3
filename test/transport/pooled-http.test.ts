// Outcomes of requests, against a server that misbehaves byte by byte.
import { afterEach, expect, test, vi } from 'vitest';
import { READS_IN_FLIGHT_MAX, TRADES_IN_FLIGHT_MAX } from '../../src/domain/rate-budget.ts';
import { headerOf, type HttpRequest } from '../../src/transport/http-client.ts';
import { type HttpClientOptions, PooledHttpClient } from '../../src/transport/pooled-http.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { FakeScheduler } from '../support/transport/fake-scheduler.ts';
import { closedPort, type RawPeer, type RawServer, rawServer } from '../support/transport/raw-server.ts';

const POST: HttpRequest = {
  method: 'POST',
  path: '/portfolio/orders?x=1',
  headers: { 'access-signature': 'geheim' },
  body: '{"count":1}',
  timeoutMs: 1000,
};
const END_OF_POST = '{"count":1}';
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ndate: Sat, 21 Nov 2026 04:00:00 GMT\r\n\r\n{}';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(onPeer?: (peer: RawPeer, index: number) => void): Promise<RawServer> {
  const server = await rawServer(onPeer);
  closers.push(server.close);
  return server;
}

function clientTo(origin: string, options: Partial<HttpClientOptions> = {}) {
  const scheduler = new FakeScheduler();
  const client = new PooledHttpClient({
    origin,
    connections: 1,
    connectTimeoutMs: 10_000,
    idleMs: 4000,
    bodyBytesMax: 1000,
    scheduler,
    ...options,
  });
  closers.push(() => client.stop());
  return { client, scheduler };
}

const origin = (server: RawServer): string => `http://127.0.0.1:${server.port}`;

/** Answers every request on every connection as soon as its body is complete. */
const answerAll = (text: string) => (peer: RawPeer) => {
  peer.socket.on('data', (chunk) => {
    if (chunk.toString('latin1').includes(END_OF_POST)) peer.socket.write(text);
  });
};

test('returns status, headers and body of an answer', async () => {
  const server = await serve(answerAll(OK));
  const { client, scheduler } = clientTo(origin(server));
  const outcome = await client.request(POST);
  expect(outcome).toMatchObject({ type: 'answered', status: 200, body: '{}' });
  if (outcome.type === 'answered') expect(headerOf(outcome.headers, 'date')).toBe('Sat, 21 Nov 2026 04:00:00 GMT');
  expect(server.peers[0]!.received()).toMatch(/^POST \/portfolio\/orders\?x=1 HTTP\/1\.1\r\n/);
  expect(server.peers[0]!.received()).toContain('access-signature: geheim\r\n');
  expect(scheduler.pendingCount).toBe(0);
});

test('returns the first value of a repeated header, and null for an absent one', () => {
  expect(headerOf({ 'retry-after': ['1', '2'] }, 'retry-after')).toBe('1');
  expect(headerOf({}, 'retry-after')).toBeNull();
});

test('joins a body that comes in pieces, cut within a character', async () => {
  const body = Buffer.from('"café"');
  const server = await serve((peer) => {
    peer.onText(END_OF_POST, () => {
      peer.socket.write(
        `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      peer.socket.write(body.subarray(0, 5));
      setImmediate(() => peer.socket.write(body.subarray(5)));
    });
  });
  expect(await clientTo(origin(server)).client.request(POST)).toMatchObject({ status: 201, body: '"café"' });
});

test('returns not sent when the connection is refused', async () => {
  const { client } = clientTo(`http://127.0.0.1:${await closedPort()}`);
  const outcome = await client.request(POST);
  expect(outcome).toMatchObject({ type: 'not-sent', reason: expect.stringContaining('ECONNREFUSED') });
});

test('returns not sent when the name does not resolve', async () => {
  const { client } = clientTo('http://nowhere.invalid');
  expect(await client.request(POST)).toMatchObject({ type: 'not-sent', reason: expect.stringMatching(/nowhere|EAI/) });
});

test('returns not sent when the deadline passes while connecting', async () => {
  const server = await serve();
  const { client, scheduler } = clientTo(`https://127.0.0.1:${server.port}`);
  const outcome = client.request(POST);
  const peer = await server.peer(0);
  scheduler.advance(1000);
  expect(await outcome).toEqual({ type: 'not-sent', reason: 'no answer within 1000 ms' });
  expect(peer.received()).not.toContain('POST');
  peer.socket.destroy();
});

test('returns unknown when the server accepts and closes at once', async () => {
  const server = await serve((peer) => peer.socket.end());
  expect((await clientTo(origin(server)).client.request(POST)).type).toBe('unknown');
});

test('returns unknown when the server resets at the first byte', async () => {
  const server = await serve((peer) => peer.socket.once('data', () => peer.socket.resetAndDestroy()));
  expect((await clientTo(origin(server)).client.request(POST)).type).toBe('unknown');
});

test('returns unknown when the server reads the request and closes, and never sends it again', async () => {
  const server = await serve((peer) => {
    peer.onText(END_OF_POST, () => peer.socket.end());
  });
  const { client } = clientTo(origin(server));
  expect((await client.request({ ...POST, method: 'GET' })).type).toBe('unknown');
  expect((await client.request(POST)).type).toBe('unknown');
  const text = server.peers.map((peer) => peer.received()).join('');
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(2);
});

test.each([
  ['nothing', ''],
  ['half of the headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
  ['headers without a body', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'],
  ['half of a body', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{'],
  ['half of a chunked body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{'],
])('returns unknown when the deadline passes after %s came', async (_what, text) => {
  const server = await serve();
  const { client, scheduler } = clientTo(origin(server));
  const outcome = client.request(POST);
  const peer = await server.peer(0);
  await peer.waitForText(END_OF_POST);
  peer.socket.write(text);
  scheduler.advance(999);
  expect(await Promise.race([outcome, new Promise((resolve) => setImmediate(resolve, 'open'))])).toBe('open');
  scheduler.advance(1);
  expect(await outcome).toEqual({ type: 'unknown', reason: 'no answer within 1000 ms' });
});

test.each([
  ['garbage', 'kaput\r\n\r\n'],
  ['a body cut short', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}'],
])('returns unknown when the answer is %s', async (_what, text) => {
  const server = await serve((peer) => {
    peer.onText(END_OF_POST, () => peer.socket.end(text));
  });
  expect((await clientTo(origin(server)).client.request(POST)).type).toBe('unknown');
});

test('returns unknown when the body is larger than allowed, and reads no further', async () => {
  const server = await serve((peer) => {
    peer.onText(END_OF_POST, () => {
      peer.socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      peer.socket.write(`3e9\r\n${'x'.repeat(1001)}\r\n`);
    });
  });
  const { client } = clientTo(origin(server));
  expect(await client.request(POST)).toEqual({
    type: 'unknown',
    reason: "the answer's body is larger than 1000 bytes",
  });
  const peer = await server.peer(0);
  if (!peer.socket.closed) await new Promise((resolve) => peer.socket.once('close', resolve));
});

test('accepts a body of exactly the allowed size', async () => {
  const text = `HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(1000)}`;
  const server = await serve(answerAll(text));
  expect(await clientTo(origin(server)).client.request(POST)).toMatchObject({ body: 'x'.repeat(1000) });
});

test('returns not sent when aborted before the call, and opens no connection', async () => {
  const server = await serve();
  const { client } = clientTo(origin(server));
  const outcome = await client.request({ ...POST, signal: AbortSignal.abort() });
  expect(outcome).toEqual({ type: 'not-sent', reason: 'aborted before it was sent' });
  expect(server.peers).toHaveLength(0);
});

test('returns not sent when aborted while waiting for a free connection, and never writes it', async () => {
  const server = await serve();
  const { client } = clientTo(origin(server));
  const abort = new AbortController();
  const first = client.request(POST);
  const second = client.request({ ...POST, path: '/second', signal: abort.signal });
  const third = client.request({ ...POST, path: '/third' });
  const peer = await server.peer(0);
  await peer.waitForText(END_OF_POST);
  abort.abort();
  expect(await second).toEqual({ type: 'not-sent', reason: 'aborted' });
  peer.socket.write(OK);
  expect((await first).type).toBe('answered');
  await peer.waitForText('/third');
  peer.socket.write(OK);
  expect((await third).type).toBe('answered');
  expect(peer.received()).not.toContain('/second');
});

test('looks again at a request that waited for a free connection, and does not write one that must not leave', async () => {
  const server = await serve();
  const { client } = clientTo(origin(server));
  let reason: string | null = null;
  const lastLook = (): string | null => reason;
  const first = client.request({ ...POST, lastLook });
  const second = client.request({ ...POST, path: '/second', lastLook });
  const third = client.request({ ...POST, path: '/third' });
  const peer = await server.peer(0);
  await peer.waitForText(END_OF_POST);
  reason = 'halted';
  peer.socket.write(OK);
  expect((await first).type).toBe('answered');
  expect(await second).toEqual({ type: 'not-sent', reason: 'halted' });
  await peer.waitForText('/third');
  peer.socket.write(OK);
  expect((await third).type).toBe('answered');
  expect(peer.received()).not.toContain('/second');
  expect(server.peers).toHaveLength(1);
});

test('looks again at a request whose connection was opened for it', async () => {
  const server = await serve(answerAll(OK));
  const { client } = clientTo(origin(server));
  let reason: string | null = null;
  const outcome = client.request({ ...POST, path: '/gone', lastLook: () => reason });
  reason = 'halted';
  expect(await outcome).toEqual({ type: 'not-sent', reason: 'halted' });
  expect((await client.request({ ...POST, lastLook: () => null })).type).toBe('answered');
  expect(server.peers.map((peer) => peer.received().includes('/gone'))).toEqual([false]);
});

test('returns not sent when aborted in the same turn, before a connection is open', async () => {
  const server = await serve(answerAll(OK));
  const { client } = clientTo(origin(server));
  const abort = new AbortController();
  const outcome = client.request({ ...POST, path: '/gone', signal: abort.signal });
  abort.abort();
  expect(await outcome).toEqual({ type: 'not-sent', reason: 'aborted' });
  expect((await client.request(POST)).type).toBe('answered');
  expect(server.peers).toHaveLength(1);
  expect(server.peers[0]!.received()).not.toContain('/gone');
});

test('returns unknown when aborted after it was written, and cuts the connection', async () => {
  const server = await serve();
  const { client } = clientTo(origin(server));
  const abort = new AbortController();
  const outcome = client.request({ ...POST, signal: abort.signal });
  const peer = await server.peer(0);
  await peer.waitForText(END_OF_POST);
  const closed = new Promise((resolve) => peer.socket.once('close', resolve));
  abort.abort();
  expect(await outcome).toEqual({ type: 'unknown', reason: 'aborted' });
  await closed;
});

test('leaves no listener on a signal that outlives its request', async () => {
  const server = await serve(answerAll(OK));
  const { client } = clientTo(origin(server));
  const abort = new AbortController();
  let listeners = 0;
  const { signal } = abort;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => ((listeners += 1), add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => ((listeners -= 1), remove(...args));
  await client.request({ ...POST, signal });
  expect(listeners).toBe(0);
});

test('returns not sent for a request that cannot be written, without showing its headers', async () => {
  const server = await serve();
  const { client } = clientTo(origin(server));
  const outcome = await client.request({ ...POST, headers: { 'access-signature': 'geheim\n' } });
  expect(outcome.type).toBe('not-sent');
  expect(JSON.stringify(outcome)).not.toContain('geheim');
  expect(await client.request({ ...POST, path: '/a b' })).toMatchObject({ type: 'not-sent' });
});

test('reuses one connection', async () => {
  const server = await serve(answerAll(OK));
  const { client } = clientTo(origin(server), { connections: 4 });
  for (let i = 0; i < 5; i++) expect((await client.request(POST)).type).toBe('answered');
  expect(server.peers).toHaveLength(1);
});

test('never exceeds the allowed number of connections, and answers all requests', async () => {
  const server = await serve(answerAll(OK));
  const { client } = clientTo(origin(server), { connections: 3 });
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => client.request(POST)));
  expect(outcomes.every((outcome) => outcome.type === 'answered')).toBe(true);
  expect(server.peers.length).toBeLessThanOrEqual(3);
});

test('sends a request at once while as many others wait for answers as a config may allow', async () => {
  const allowed = READS_IN_FLIGHT_MAX + TRADES_IN_FLIGHT_MAX;
  const arrived = new Set<RawPeer>();
  const server = await serve((peer) => peer.onText(END_OF_POST, () => void arrived.add(peer)));
  const { client } = clientTo(origin(server), { connections: allowed });
  const outcomes = Array.from({ length: allowed }, () => client.request(POST));
  await vi.waitFor(() => expect(arrived.size).toBe(allowed), { timeout: PATIENCE_MS });
  for (const { socket } of arrived) socket.write(OK);
  expect((await Promise.all(outcomes)).every(({ type }) => type === 'answered')).toBe(true);
});

test('opens a new connection after the server closed an idle one', async () => {
  const server = await serve(answerAll(OK));
  const { client } = clientTo(origin(server));
  await client.request(POST);
  const { socket } = server.peers[0]!;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end();
  await closed;
  expect((await client.request(POST)).type).toBe('answered');
  expect(server.peers).toHaveLength(2);
});

test('opens connections ahead without sending a byte, and uses them', async () => {
  const server = await serve(answerAll(OK));
  const { client } = clientTo(origin(server), { connections: 2 });
  await client.warm();
  await server.peer(1);
  expect(server.peers.map((peer) => peer.received())).toEqual(['', '']);
  await Promise.all([client.request(POST), client.request(POST)]);
  await client.warm();
  expect(server.peers).toHaveLength(2);
});

test('keeps only the configured number of connections warm, and uses those first', async () => {
  const server = await serve(answerAll(OK));
  const { client } = clientTo(origin(server), { connections: 5, warmConnections: 1 });
  await client.warm();
  await server.peer(0);
  await client.request(POST);
  expect(server.peers).toHaveLength(1);
});

test('reopens a warm connection at once when it lasted a while, and after growing waits when it is turned away', async () => {
  const server = await serve();
  const { client, scheduler } = clientTo(origin(server));
  await client.warm();
  scheduler.advance(1000);
  (await server.peer(0)).socket.end();
  for (const [index, waitMs] of [750, 1500].entries()) {
    (await server.peer(index + 1)).socket.end();
    await vi.waitFor(() => expect(scheduler.nextInMs).toBe(waitMs), PATIENCE_MS);
    expect(server.peers).toHaveLength(index + 2);
    scheduler.advance(waitMs);
  }
  await server.peer(3);
});

test('opens warm connections again once a server that was away is back', async () => {
  const before = await rawServer();
  const { client, scheduler } = clientTo(origin(before));
  await client.warm();
  scheduler.advance(2000);
  await before.peer(0);
  await before.close();
  await vi.waitFor(() => expect(scheduler.nextInMs).toBe(750), PATIENCE_MS);
  const after = await rawServer(answerAll(OK), before.port);
  closers.push(after.close);
  scheduler.advance(750);
  await after.peer(0);
  await vi.waitFor(() => expect(scheduler.nextInMs).toBe(4000), PATIENCE_MS);
});

test('waits for no server any more once it is stopped', async () => {
  const { client, scheduler } = clientTo(`http://127.0.0.1:${await closedPort()}`);
  await client.warm();
  expect(scheduler.pendingCount).toBe(1);
  await client.stop();
  expect(scheduler.pendingCount).toBe(0);
});

test('finishes warming up when no server listens', async () => {
  const { client } = clientTo(`http://127.0.0.1:${await closedPort()}`, { connections: 2 });
  await client.warm();
  expect((await client.request(POST)).type).toBe('not-sent');
});

test('waits for requests in flight when stopped, and sends nothing after', async () => {
  const server = await serve();
  const { client } = clientTo(origin(server));
  const outcome = client.request(POST);
  const peer = await server.peer(0);
  await peer.waitForText(END_OF_POST);
  const stopped = client.stop();
  expect(await client.request(POST)).toEqual({ type: 'not-sent', reason: 'the client is stopped' });
  peer.socket.write(OK);
  expect((await outcome).type).toBe('answered');
  await stopped;
});
