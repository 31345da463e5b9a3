// A reconnecting WebSocket, against servers that drop, stall and block.
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { closedPort } from '../support/transport/raw-server.ts';
import { acceptByHand, makeSocket, bytesServer, wsServer } from '../support/transport/socket-harness.ts';

test('reports when it is up, passes on frames and sends messages', async () => {
  const { url } = await wsServer((peer) => peer.on('message', (data: Buffer) => peer.send(`echo ${data.toString()}`)));
  const { socket, until } = makeSocket(url);
  expect(socket.send('too early')).toBe(false);
  socket.start();
  expect(await until('up')).toEqual({ what: 'up', connection: 1 });
  expect(socket.send('hello')).toBe(true);
  expect((await until('frame')).text).toBe('echo hello');
});

test('answers pings with their own body and reports them as heartbeats', async () => {
  let sayPong: (body: string) => void = () => {};
  const pong = new Promise<string>((resolve) => (sayPong = resolve));
  const { url } = await wsServer((peer) => {
    peer.once('pong', (body) => sayPong(body.toString()));
    peer.ping('heartbeat');
  });
  const { socket, until } = makeSocket(url);
  socket.start();
  expect(await pong).toBe('heartbeat');
  await until('heartbeat');
});

test('reconnects after the venue closed, with new headers each time', async () => {
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

test('waits as after a first failure once a connection lasted', async () => {
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

test('cuts a connection without any bytes, after an unanswered ping', async () => {
  const { url, server } = await bytesServer((peer) => acceptByHand(peer));
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  await until('up');
  const before = server.peers[0]!.received().length;
  // The first check counts the bytes of the handshake as a heartbeat.
  scheduler.advance(500 + 1000);
  const { socket: peer, received } = server.peers[0]!;
  while (received().length === before) await new Promise((resolve) => peer.once('data', resolve));
  expect(received().charCodeAt(before)).toBe(0x89);
  scheduler.advance(1000);
  expect((await until('down')).reason).toEqual({ type: 'silent', silenceMs: 2000 });
});

test('keeps a silent connection that answers pings', async () => {
  const { url } = await wsServer();
  const { socket, scheduler, until, events } = makeSocket(url);
  socket.start();
  await until('up');
  for (let round = 1; round <= 4; round++) {
    scheduler.advance(round === 1 ? 1500 : 1000);
    await until('heartbeat', round);
    scheduler.advance(500);
  }
  expect(events.map(({ what }) => what)).not.toContain('down');
});

test.each([
  ['a frame larger than allowed', Buffer.concat([Buffer.from([0x81, 126, 0x07, 0xd0]), Buffer.alloc(2000, 120)])],
  ['a frame with a reserved bit', Buffer.from([0xc1, 1, 65])],
])('ends a connection that sends %s, and reconnects', async (_what, bytes) => {
  const { url } = await bytesServer((peer, index) => {
    acceptByHand(peer, () => {
      if (index === 0) peer.socket.write(bytes);
    });
  });
  const { socket, scheduler, until, events } = makeSocket(url);
  socket.start();
  expect((await until('down')).reason?.type).toBe('broken');
  scheduler.advance(50);
  await until('up', 2);
  expect(events.map(({ what }) => what)).not.toContain('frame');
});

test('reports that bytes came before the frames that came with them', async () => {
  const { url, server } = await bytesServer((peer) => acceptByHand(peer));
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

test('passes on a text that is not UTF-8 unchanged', async () => {
  const { url } = await bytesServer((peer) =>
    acceptByHand(peer, () => peer.socket.write(Buffer.from([0x81, 2, 0xc3, 0x28]))),
  );
  const { socket, until } = makeSocket(url);
  socket.start();
  expect((await until('frame')).text).toBe('\ufffd(');
});

test('reports a reset connection as broken or closed', async () => {
  const { url } = await bytesServer((peer) =>
    acceptByHand(peer, () => setImmediate(() => peer.socket.resetAndDestroy())),
  );
  const { socket, until } = makeSocket(url);
  socket.start();
  const { reason } = await until('down');
  expect(['broken', 'closed']).toContain(reason?.type);
});

test('ends a connection whose peer does not read', async () => {
  const { url } = await bytesServer((peer) => {
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

test('opens a new connection on request', async () => {
  const { url } = await wsServer();
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  await until('up');
  socket.reconnect('sequence lost');
  expect((await until('down')).reason).toEqual({ type: 'broken', detail: 'sequence lost' });
  scheduler.advance(50);
  expect((await until('up', 2)).connection).toBe(2);
});

test('closes with a closing handshake when stopped, reports nothing more and leaves no timer', async () => {
  const codes: number[] = [];
  const { url, server } = await wsServer((peer) => {
    peer.on('close', (code) => codes.push(code));
    peer.send('one');
  });
  const { socket, scheduler, until, events } = makeSocket(url);
  socket.start();
  await until('frame');
  for (const peer of server.clients) peer.send('two');
  const count = events.length;
  await Promise.all([socket.stop(), socket.stop()]);
  expect(events).toHaveLength(count);
  expect(scheduler.pendingCount).toBe(0);
  expect(socket.send('late')).toBe(false);
  if (codes.length === 0) await new Promise((resolve) => [...server.clients][0]!.once('close', resolve));
  expect(codes).toEqual([1000]);
});

test('stops although the venue does not answer the closing handshake', async () => {
  const { url } = await bytesServer((peer) => acceptByHand(peer));
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  await until('up');
  const stopped = socket.stop();
  scheduler.advance(1000);
  await stopped;
  expect(scheduler.pendingCount).toBe(0);
});

test('stops in the middle of a handshake, while waiting to retry, and before it was started', async () => {
  const { url, server } = await bytesServer(() => {});
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
  expect(connecting.events).toEqual([]);
  expect(idle.events).toEqual([]);
  expect(server.peers).toHaveLength(1);
});
