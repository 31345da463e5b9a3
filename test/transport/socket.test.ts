// A WebSocket that stays, against servers that refuse, drop, stall and choke.
import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { describeDown, type DownReason } from '../../src/transport/down-reason.ts';
import { ReconnectingSocket, type SocketOptions } from '../../src/transport/socket.ts';
import { FakeScheduler } from '../support/fake-scheduler.ts';
import { closedPort, type RawPeer, rawServer } from '../support/raw-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Heard {
  readonly what: 'up' | 'down' | 'heard' | 'frame';
  readonly connection?: number;
  readonly reason?: DownReason;
  readonly retryMs?: number;
  readonly text?: string;
  /** The how many-th piece of bytes it came with. */
  readonly chunk?: number;
}

/** Collects what a socket tells, and waits for things to be told. */
function makeSocket(url: string, options: Partial<SocketOptions> = {}) {
  const scheduler = new FakeScheduler();
  const heard: Heard[] = [];
  let chunks = 0;
  const waiters: (() => void)[] = [];
  const tell = (one: Heard): void => {
    heard.push(one);
    waiters.splice(0).forEach((waiter) => waiter());
  };
  const socket = new ReconnectingSocket(
    {
      url,
      headers: () => ({}),
      backoff: { firstMs: 100, capMs: 1000, jitter: 'equal' },
      random: () => 0,
      stableMs: 5000,
      handshakeTimeoutMs: 3000,
      silenceMs: 2000,
      frameBytesMax: 1000,
      sendBufferBytesMax: 10_000_000,
      scheduler,
      ...options,
    },
    {
      onUp: (connection) => tell({ what: 'up', connection }),
      onDown: (reason, retryMs) => tell({ what: 'down', reason, retryMs }),
      onBytes: () => (chunks += 1),
      onHeard: () => tell({ what: 'heard' }),
      onFrame: (bytes) => tell({ what: 'frame', text: bytes.toString('utf8'), chunk: chunks }),
    },
  );
  closers.push(() => {
    const stopped = socket.stop();
    scheduler.advance(1000);
    return stopped;
  });
  const until = async (what: Heard['what'], count = 1): Promise<Heard> => {
    for (;;) {
      const found = heard.filter((one) => one.what === what);
      if (found.length >= count) return found[count - 1]!;
      await new Promise<void>((resolve) => waiters.push(resolve));
    }
  };
  return { socket, scheduler, heard, until };
}

async function wsServer(onPeer: (peer: WebSocket, headers: Record<string, unknown>) => void = () => {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (peer, request) => {
    peer.on('error', () => {});
    onPeer(peer, request.headers);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => {
    for (const peer of server.clients) peer.terminate();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as { port: number };
  return { server, url: `ws://127.0.0.1:${port}/feed` };
}

async function raw(onPeer: (peer: RawPeer, index: number) => void) {
  const server = await rawServer(onPeer);
  closers.push(server.close);
  return { server, url: `ws://127.0.0.1:${server.port}/feed` };
}

/** Answers a handshake by hand, and then says only what it is told to. */
function acceptByHand(peer: RawPeer, then: () => void = () => {}): void {
  peer.once('\r\n\r\n', () => {
    const key = /sec-websocket-key: (\S+)/i.exec(peer.received())![1]!;
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n';
    peer.socket.write(`${head}sec-websocket-accept: ${accept}\r\n\r\n`);
    then();
  });
}

test('tells when it is up, hands over frames and takes messages', async () => {
  const { url } = await wsServer((peer) => peer.on('message', (data: Buffer) => peer.send(`echo ${data.toString()}`)));
  const { socket, until } = makeSocket(url);
  expect(socket.send('too early')).toBe(false);
  socket.start();
  expect(await until('up')).toEqual({ what: 'up', connection: 1 });
  expect(socket.send('hello')).toBe(true);
  expect((await until('frame')).text).toBe('echo hello');
});

test('answers pings with their own body and tells that it heard them', async () => {
  let sayPong: (body: string) => void = () => {};
  const pong = new Promise<string>((resolve) => (sayPong = resolve));
  const { url } = await wsServer((peer) => {
    peer.once('pong', (body) => sayPong(body.toString()));
    peer.ping('heartbeat');
  });
  const { socket, until } = makeSocket(url);
  socket.start();
  expect(await pong).toBe('heartbeat');
  await until('heard');
});

test('comes back after the venue closed, and makes its headers anew each time', async () => {
  const seen: unknown[] = [];
  const { url } = await wsServer((peer, headers) => {
    seen.push(headers['x-count']);
    if (seen.length < 3) peer.close(4001, 'go away');
  });
  let count = 0;
  const headers = async () => {
    await Promise.resolve();
    count += 1;
    return { 'x-count': String(count) };
  };
  const { socket, scheduler, until } = makeSocket(url, { headers });
  socket.start();
  const first = await until('down');
  expect(first).toEqual({ what: 'down', reason: { type: 'closed', code: 4001, text: 'go away' }, retryMs: 50 });
  scheduler.advance(50);
  expect((await until('down', 2)).retryMs).toBe(100);
  scheduler.advance(100);
  expect((await until('up', 3)).connection).toBe(3);
  expect(seen).toEqual(['1', '2', '3']);
});

test('waits as after a first failure once a connection held', async () => {
  const peers: WebSocket[] = [];
  const { url } = await wsServer((peer) => void peers.push(peer));
  const { socket, scheduler, until } = makeSocket(url, { silenceMs: 1_000_000 });
  socket.start();
  for (const [round, heldMs, retryMs] of [
    [1, 4999, 50],
    [2, 4999, 100],
    [3, 5000, 50],
  ] as const) {
    await until('up', round);
    scheduler.advance(heldMs);
    peers[round - 1]!.close();
    expect((await until('down', round)).retryMs).toBe(retryMs);
    scheduler.advance(retryMs);
  }
});

test.each([
  [401, '', 'bad signature', null],
  [403, '', '', null],
  [429, 'retry-after: 7\r\n', '{"error":"slow down"}', 7000],
  [503, 'retry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n', 'down', null],
])('tells a handshake refused with %s as such', async (status, header, body, retryAfterMs) => {
  const { url } = await raw((peer) => {
    const head = `HTTP/1.1 ${status} No\r\n${header}content-length: ${body.length}\r\n\r\n`;
    peer.once('\r\n\r\n', () => peer.socket.write(head + body));
  });
  const { socket, until } = makeSocket(url);
  socket.start();
  const down = await until('down');
  expect(down.reason).toEqual({ type: 'refused', status, retryAfterMs, body });
  expect(down.retryMs).toBe(retryAfterMs ?? 50);
});

test('tells a refusal whose body never ends as a refusal, by the handshake deadline', async () => {
  const { url, server } = await raw((peer) => {
    peer.once('\r\n\r\n', () => peer.socket.write('HTTP/1.1 403 No\r\ncontent-length: 9\r\n\r\nwhy'));
  });
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  const peer = await server.peer(0);
  await peer.sees('\r\n\r\n');
  await new Promise((resolve) => setTimeout(resolve, 20));
  scheduler.advance(3000);
  expect((await until('down')).reason).toMatchObject({ type: 'refused', status: 403 });
});

test('keeps no more of a refusal than a few hundred characters', async () => {
  const { url } = await raw((peer) => {
    peer.once('\r\n\r\n', () => peer.socket.write(`HTTP/1.1 401 No\r\n\r\n${'x'.repeat(100_000)}`));
  });
  const { socket, until } = makeSocket(url);
  socket.start();
  const { reason } = await until('down');
  expect(reason?.type === 'refused' && reason.body.length).toBe(500);
});

test('tells that nothing listens', async () => {
  const { socket, until } = makeSocket(`ws://127.0.0.1:${await closedPort()}`);
  socket.start();
  const { reason } = await until('down');
  expect(reason).toEqual({ type: 'unreachable', detail: expect.stringContaining('ECONNREFUSED') });
});

test('gives up a handshake that nobody answers', async () => {
  const { url, server } = await raw(() => {});
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  await (await server.peer(0)).sees('\r\n\r\n');
  scheduler.advance(3000);
  expect((await until('down')).reason).toEqual({ type: 'handshake-timeout', timeoutMs: 3000 });
});

test('tries again when the headers could not be made, or cannot be sent', async () => {
  const { url } = await wsServer();
  let round = 0;
  const headers = () => {
    round += 1;
    if (round === 1) throw new Error('key file is gone');
    return round === 2 ? { 'x-key': 'geheim\n' } : { 'x-key': 'good' };
  };
  const { socket, scheduler, until, heard } = makeSocket(url, { headers });
  socket.start();
  expect((await until('down')).reason).toEqual({ type: 'headers-failed', detail: 'key file is gone' });
  scheduler.advance(50);
  expect((await until('down', 2)).reason?.type).toBe('headers-failed');
  scheduler.advance(100);
  await until('up');
  expect(JSON.stringify(heard)).not.toContain('geheim');
});

test('cuts a connection from which no byte comes, after pinging it in vain', async () => {
  const { url, server } = await raw((peer) => acceptByHand(peer));
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  await until('up');
  const before = server.peers[0]!.received().length;
  // The handshake's own bytes count as a sign of life at the first look.
  scheduler.advance(500 + 1000);
  const { socket: peer, received } = server.peers[0]!;
  while (received().length === before) await new Promise((resolve) => peer.once('data', resolve));
  expect(received().charCodeAt(before)).toBe(0x89);
  scheduler.advance(1000);
  expect((await until('down')).reason).toEqual({ type: 'silent', silenceMs: 2000 });
});

test('keeps a quiet connection that answers pings', async () => {
  const { url } = await wsServer();
  const { socket, scheduler, until, heard } = makeSocket(url);
  socket.start();
  await until('up');
  for (let round = 1; round <= 4; round++) {
    scheduler.advance(round === 1 ? 1500 : 1000);
    await until('heard', round);
    scheduler.advance(500);
  }
  expect(heard.map(({ what }) => what)).not.toContain('down');
});

test.each([
  ['a frame larger than allowed', Buffer.concat([Buffer.from([0x81, 126, 0x07, 0xd0]), Buffer.alloc(2000, 120)])],
  ['a frame with a reserved bit', Buffer.from([0xc1, 1, 65])],
])('ends a connection that sends %s, and comes back', async (_what, bytes) => {
  const { url } = await raw((peer, index) => {
    acceptByHand(peer, () => {
      if (index === 0) peer.socket.write(bytes);
    });
  });
  const { socket, scheduler, until, heard } = makeSocket(url);
  socket.start();
  expect((await until('down')).reason?.type).toBe('broken');
  scheduler.advance(50);
  await until('up', 2);
  expect(heard.map(({ what }) => what)).not.toContain('frame');
});

test('tells that bytes came before it tells the frames that came with them', async () => {
  const { url, server } = await raw((peer) => acceptByHand(peer));
  const { socket, until } = makeSocket(url);
  socket.start();
  await until('up');
  const { socket: peer } = server.peers[0]!;
  const frame = Buffer.from([0x81, 2, 0x68, 0x69]);
  peer.write(Buffer.concat([frame, frame, frame.subarray(0, 3)]));
  expect([(await until('frame', 1)).chunk, (await until('frame', 2)).chunk]).toEqual([1, 1]);
  peer.write(frame.subarray(3));
  expect(await until('frame', 3)).toEqual({ what: 'frame', text: 'hi', chunk: 2 });
});

test('hands on a text that is not UTF-8 as it came', async () => {
  const { url } = await raw((peer) => acceptByHand(peer, () => peer.socket.write(Buffer.from([0x81, 2, 0xc3, 0x28]))));
  const { socket, until } = makeSocket(url);
  socket.start();
  expect((await until('frame')).text).toBe('\ufffd(');
});

test('tells a connection reset under it as broken or closed', async () => {
  const { url } = await raw((peer) => acceptByHand(peer, () => setImmediate(() => peer.socket.resetAndDestroy())));
  const { socket, until } = makeSocket(url);
  socket.start();
  const { reason } = await until('down');
  expect(['broken', 'closed']).toContain(reason?.type);
});

test('ends a connection that does not take what is sent', async () => {
  const { url } = await raw((peer) => {
    acceptByHand(peer, () => peer.socket.pause());
  });
  const { socket, until } = makeSocket(url, { sendBufferBytesMax: 1_000_000 });
  socket.start();
  await until('up');
  const text = 'x'.repeat(100_000);
  let sent = 0;
  while (sent < 1000 && socket.send(text)) sent += 1;
  expect(sent).toBeLessThan(1000);
  const { reason } = await until('down');
  expect(reason?.type).toBe('overflow');
  expect(reason?.type === 'overflow' && reason.bufferedBytes).toBeGreaterThan(1_000_000);
});

test('makes a new connection when told to', async () => {
  const { url } = await wsServer();
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  await until('up');
  socket.reconnect('sequence lost');
  expect((await until('down')).reason).toEqual({ type: 'broken', detail: 'sequence lost' });
  scheduler.advance(50);
  expect((await until('up', 2)).connection).toBe(2);
});

test('says goodbye when stopped, tells nothing more and leaves no timer', async () => {
  const codes: number[] = [];
  const { url, server } = await wsServer((peer) => {
    peer.on('close', (code) => codes.push(code));
    peer.send('one');
  });
  const { socket, scheduler, until, heard } = makeSocket(url);
  socket.start();
  await until('frame');
  for (const peer of server.clients) peer.send('two');
  const count = heard.length;
  await Promise.all([socket.stop(), socket.stop()]);
  expect(heard).toHaveLength(count);
  expect(scheduler.pendingCount).toBe(0);
  expect(socket.send('late')).toBe(false);
  if (codes.length === 0) await new Promise((resolve) => [...server.clients][0]!.once('close', resolve));
  expect(codes).toEqual([1000]);
});

test('stops although the venue does not answer the goodbye', async () => {
  const { url } = await raw((peer) => acceptByHand(peer));
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  await until('up');
  const stopped = socket.stop();
  scheduler.advance(1000);
  await stopped;
  expect(scheduler.pendingCount).toBe(0);
});

test('stops in the middle of a handshake, while waiting to retry, and before it was started', async () => {
  const { url, server } = await raw(() => {});
  const connecting = makeSocket(url);
  connecting.socket.start();
  await server.peer(0);
  await connecting.socket.stop();
  const waiting = makeSocket(`ws://127.0.0.1:${await closedPort()}`);
  waiting.socket.start();
  await waiting.until('down');
  await waiting.socket.stop();
  const idle = makeSocket(url);
  await idle.socket.stop();
  idle.socket.start();
  for (const { scheduler } of [connecting, waiting, idle]) expect(scheduler.pendingCount).toBe(0);
  expect(connecting.heard).toEqual([]);
  expect(idle.heard).toEqual([]);
  expect(server.peers).toHaveLength(1);
});

test('opens no connection when stopped while its headers are being made', async () => {
  const { url, server } = await raw(() => {});
  let give: (headers: Record<string, string>) => void = () => {};
  const { socket } = makeSocket(url, { headers: () => new Promise((resolve) => (give = resolve)) });
  socket.start();
  await socket.stop();
  give({});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.peers).toHaveLength(0);
});

test('refuses an address that is none', () => {
  expect(() => makeSocket('not an address')).toThrow(TypeError);
});

test('puts every reason for an end into words', () => {
  const reasons: DownReason[] = [
    { type: 'refused', status: 401, retryAfterMs: null, body: 'bad key' },
    { type: 'unreachable', detail: 'ECONNREFUSED' },
    { type: 'handshake-timeout', timeoutMs: 3000 },
    { type: 'headers-failed', detail: 'no key' },
    { type: 'silent', silenceMs: 2000 },
    { type: 'closed', code: 1001, text: 'away' },
    { type: 'broken', detail: 'ECONNRESET' },
    { type: 'overflow', bufferedBytes: 9 },
    { type: 'stopped' },
  ];
  expect(reasons.map(describeDown)).toEqual([
    'handshake refused with status 401: bad key',
    'unreachable: ECONNREFUSED',
    'no handshake within 3000 ms',
    'handshake headers could not be made: no key',
    'silent for 2000 ms, ping unanswered',
    'closed by the venue with code 1001: away',
    'broken: ECONNRESET',
    '9 bytes were waiting to be sent',
    'stopped by us',
  ]);
});
