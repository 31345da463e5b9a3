// Requests over a warm connection: written in the same turn, once, and never to a connection that said something unasked.
import { afterEach, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/transport/http-client.ts';
import { PooledHttpClient } from '../../src/transport/pooled-http.ts';
import { FakeScheduler } from '../support/transport/fake-scheduler.ts';
import { type RawPeer, type RawServer, rawServer } from '../support/transport/raw-server.ts';

const POST: HttpRequest = {
  method: 'POST',
  path: '/portfolio/orders',
  headers: { 'access-signature': 'geheim' },
  body: '{"count":1}',
  timeoutMs: 1000,
};
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A client with one warm connection to a server. */
async function warmed(onPeer?: (peer: RawPeer, index: number) => void) {
  const server: RawServer = await rawServer(onPeer);
  closers.push(server.close);
  const scheduler = new FakeScheduler();
  const client = new PooledHttpClient({
    origin: `http://127.0.0.1:${server.port}`,
    connections: 4,
    warmConnections: 1,
    connectTimeoutMs: 10_000,
    idleMs: 4000,
    bodyBytesMax: 1000,
    scheduler,
  });
  closers.push(() => client.stop());
  await client.warm();
  const peer = await server.peer(0);
  return { server, scheduler, client, peer };
}

const answerAll =
  (text: string) =>
  (peer: RawPeer): void => {
    peer.socket.on('data', (chunk) => {
      if (chunk.toString('latin1').includes('{"count":1}')) peer.socket.write(text);
    });
  };
const closed = ({ socket }: RawPeer): Promise<void> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));

test('writes the whole request in one piece, and reuses the connection', async () => {
  const { server, client, peer } = await warmed(answerAll(OK));
  for (let count = 0; count < 3; count++)
    expect(await client.request(POST)).toMatchObject({ type: 'answered', status: 200, body: '{}' });
  expect(server.peers).toHaveLength(1);
  expect(peer.received()).toBe(
    (
      'POST /portfolio/orders HTTP/1.1\r\n' +
      `host: 127.0.0.1:${server.port}\r\n` +
      'connection: keep-alive\r\naccess-signature: geheim\r\ncontent-type: application/json\r\n' +
      'content-length: 11\r\n\r\n{"count":1}'
    ).repeat(3),
  );
});

test('counts the bytes of a body, not its characters', async () => {
  const { client, peer } = await warmed();
  const outcome = client.request({ ...POST, body: '{"name":"é"}' });
  await peer.waitForText('"}');
  expect(peer.received()).toContain('content-length: 13\r\n');
  peer.socket.write(OK);
  expect((await outcome).type).toBe('answered');
});

test('leaves reads and further requests to other connections', async () => {
  const { server, client, peer } = await warmed();
  const outcomes = [client.request({ ...POST, method: 'GET', body: null }), client.request(POST), client.request(POST)];
  const others = [await server.peer(1), await server.peer(2)];
  await peer.waitForText('{"count":1}');
  for (const [at, text] of ['GET', '{"count":1}'].entries()) await others[at]!.waitForText(text);
  for (const { socket } of [peer, ...others]) socket.write(OK);
  expect((await Promise.all(outcomes)).map(({ type }) => type)).toEqual(['answered', 'answered', 'answered']);
});

test('gives up a connection that sends something unasked, and writes the next request to another', async () => {
  const { server, client, peer, scheduler } = await warmed();
  scheduler.advance(1000);
  peer.socket.write('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n');
  await closed(peer);
  const next = await server.peer(1);
  const outcome = client.request(POST);
  await next.waitForText('{"count":1}');
  next.socket.write(OK);
  expect(await outcome).toMatchObject({ status: 200 });
  expect(peer.received()).toBe('');
});

test('gives up a connection whose answer had something behind it', async () => {
  const { client, peer } = await warmed(answerAll(OK + OK));
  expect(await client.request(POST)).toMatchObject({ type: 'answered', body: '{}' });
  await closed(peer);
});

test.each([
  ['closes', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}'],
  ['keeps connections for a second', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\n{}'],
])('writes nothing more to a server that %s', async (_what, text) => {
  const { server, client } = await warmed(answerAll(text));
  // The second request is made as soon as the first is answered.
  const second = client.request(POST).then(() => client.request(POST));
  expect(await second).toMatchObject({ type: 'answered' });
  expect(server.peers.length).toBeGreaterThan(1);
});

test('returns unknown when the server closes without an answer, and never sends the request again', async () => {
  const { server, client, peer } = await warmed();
  const outcome = client.request(POST);
  await peer.waitForText('{"count":1}');
  peer.socket.end();
  expect((await outcome).type).toBe('unknown');
  expect(
    server.peers
      .map((each) => each.received())
      .join('')
      .match(/POST/g),
  ).toHaveLength(1);
});

test.each(['kaput\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\ncontent-length: 2\r\n\r\n{}'])(
  'returns unknown and cuts the connection when the answer is %j',
  async (text) => {
    const { client, peer } = await warmed(answerAll(text));
    expect((await client.request(POST)).type).toBe('unknown');
    await closed(peer);
  },
);

test('returns unknown when the deadline passes, and cuts the connection', async () => {
  const { client, peer, scheduler } = await warmed();
  const outcome = client.request(POST);
  await peer.waitForText('{"count":1}');
  scheduler.advance(1000);
  expect(await outcome).toEqual({ type: 'unknown', reason: 'no answer within 1000 ms' });
  await closed(peer);
});

test('returns unknown when aborted, and cuts the connection', async () => {
  const { client, peer } = await warmed();
  const abort = new AbortController();
  const outcome = client.request({ ...POST, signal: abort.signal });
  await peer.waitForText('{"count":1}');
  abort.abort();
  expect(await outcome).toEqual({ type: 'unknown', reason: 'aborted' });
  await closed(peer);
});

test('returns unknown when the body is larger than allowed', async () => {
  const { client } = await warmed(answerAll(`HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n${'x'.repeat(1001)}`));
  expect(await client.request(POST)).toMatchObject({ type: 'unknown', reason: expect.stringContaining('1000 bytes') });
});

test.each([{ headers: { 'access-signature': 'geheim\r\nx: y' } }, { path: '/a b' }, { path: '/a\r\nx: y' }])(
  'writes no byte of a request that would break its lines: %j',
  async (part) => {
    const { client, peer } = await warmed(answerAll(OK));
    const outcome = await client.request({ ...POST, ...part });
    expect(outcome.type).toBe('not-sent');
    expect(JSON.stringify(outcome)).not.toContain('geheim');
    expect((await client.request(POST)).type).toBe('answered');
    expect(peer.received()).not.toContain('x: y');
  },
);

test('closes when idle for too long, and opens again', async () => {
  const { server, client, peer, scheduler } = await warmed(answerAll(OK));
  scheduler.advance(3000);
  await client.request(POST);
  scheduler.advance(3999);
  expect(peer.socket.readableEnded).toBe(false);
  scheduler.advance(1);
  await closed(peer);
  await server.peer(1);
  expect((await client.request(POST)).type).toBe('answered');
});

test('leaves no timer behind when it is stopped', async () => {
  const { client, scheduler, peer } = await warmed(answerAll(OK));
  await client.request(POST);
  await client.stop();
  await closed(peer);
  await new Promise((resolve) => setImmediate(resolve));
  expect(scheduler.pendingCount).toBe(0);
});
