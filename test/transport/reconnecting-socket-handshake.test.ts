// Handshakes that are refused, stall, or cannot start.
import { expect, test } from 'vitest';
import { closedPort } from '../support/transport/raw-server.ts';
import { makeSocket, bytesServer, wsServer } from '../support/transport/socket-harness.ts';

test.each([
  [401, '', 'bad signature', null],
  [403, '', '', null],
  [429, 'retry-after: 7\r\n', '{"error":"slow down"}', 7000],
  [503, 'retry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n', 'down', null],
])('reports a handshake refused with %s as such', async (status, header, body, retryAfterMs) => {
  const { url } = await bytesServer((peer) => {
    const head = `HTTP/1.1 ${status} No\r\n${header}content-length: ${body.length}\r\n\r\n`;
    peer.onText('\r\n\r\n', () => peer.socket.write(head + body));
  });
  const { socket, until } = makeSocket(url);
  socket.start();
  const down = await until('down');
  expect(down.reason).toEqual({ type: 'refused', status, retryAfterMs, body });
  expect(down.retryMs).toBe(retryAfterMs ?? 50);
});

test.each(['61', '3600', '999999', '99999999999999999999'])(
  'waits at most a minute, although the venue asks for %s seconds',
  async (seconds) => {
    const { url } = await bytesServer((peer) => {
      peer.onText('\r\n\r\n', () =>
        peer.socket.write(`HTTP/1.1 429 No\r\nretry-after: ${seconds}\r\ncontent-length: 0\r\n\r\n`),
      );
    });
    const { socket, scheduler, until } = makeSocket(url);
    socket.start();
    expect((await until('down')).retryMs).toBe(60_000);
    scheduler.advance(60_000);
    expect((await until('down', 2)).reason).toMatchObject({ type: 'refused', status: 429 });
  },
);

test('reports a refusal whose body never ends as a refusal, by the handshake deadline', async () => {
  const { url, server } = await bytesServer((peer) => {
    peer.onText('\r\n\r\n', () => peer.socket.write('HTTP/1.1 403 No\r\ncontent-length: 9\r\n\r\nwhy'));
  });
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  const peer = await server.peer(0);
  await peer.waitForText('\r\n\r\n');
  // Written bytes can be read in the next turns of the event loop.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  scheduler.advance(3000);
  expect((await until('down')).reason).toMatchObject({ type: 'refused', status: 403 });
});

test('keeps only a few hundred characters of a refusal', async () => {
  const { url } = await bytesServer((peer) => {
    peer.onText('\r\n\r\n', () => peer.socket.write(`HTTP/1.1 401 No\r\n\r\n${'x'.repeat(100_000)}`));
  });
  const { socket, until } = makeSocket(url);
  socket.start();
  const { reason } = await until('down');
  expect(reason?.type === 'refused' && reason.body.length).toBe(500);
});

test('reports that no server listens', async () => {
  const { socket, until } = makeSocket(`ws://127.0.0.1:${await closedPort()}`);
  socket.start();
  const { reason } = await until('down');
  expect(reason).toEqual({ type: 'unreachable', detail: expect.stringContaining('ECONNREFUSED') });
});

test('gives up a handshake without an answer', async () => {
  const { url, server } = await bytesServer(() => {});
  const { socket, scheduler, until } = makeSocket(url);
  socket.start();
  await (await server.peer(0)).waitForText('\r\n\r\n');
  scheduler.advance(3000);
  expect((await until('down')).reason).toEqual({ type: 'handshake-timeout', timeoutMs: 3000 });
});

test('tries again when the headers could not be created, or cannot be sent', async () => {
  const { url } = await wsServer();
  let round = 0;
  const headers = () => {
    round += 1;
    if (round === 1) throw new Error('key file is gone');
    return round === 2 ? { 'x-key': 'geheim\n' } : { 'x-key': 'good' };
  };
  const { socket, scheduler, until, events } = makeSocket(url, { headers });
  socket.start();
  expect((await until('down')).reason).toEqual({ type: 'headers-failed', detail: 'key file is gone' });
  scheduler.advance(50);
  expect((await until('down', 2)).reason?.type).toBe('headers-failed');
  scheduler.advance(100);
  await until('up');
  expect(JSON.stringify(events)).not.toContain('geheim');
});

test('opens no connection when stopped while its headers are being created', async () => {
  const { url, server } = await bytesServer(() => {});
  let give: (headers: Record<string, string>) => void = () => {};
  const { socket } = makeSocket(url, { headers: () => new Promise((resolve) => (give = resolve)) });
  socket.start();
  await socket.stop();
  give({});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.peers).toHaveLength(0);
});

test('refuses an invalid address', () => {
  expect(() => makeSocket('not an address')).toThrow(TypeError);
});
