// Feed handshakes that the exchange refuses, from clients that never close their half of the connection.
import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FEED } from '../api/bare-client.ts';
import { startTestServer } from '../api/test-server.ts';

/** Sends a handshake and reads the refusal. The client's half stays open. */
async function openRefused(url: string, path: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let answer = '';
  socket.on('data', (bytes) => (answer += bytes.toString()));
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: exchange',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'ACCESS-KEY: nobody',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'end');
  return { socket, answer };
}

describe('A client whose handshake is refused, and who keeps its half of the connection open', () => {
  it('gets the whole answer, and is then disconnected', async () => {
    const { running } = await startTestServer();
    const { socket, answer } = await openRefused(running.url, FEED);
    expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    expect(answer).toContain('signature_is_missing_from_headers');
    const failure = new Promise((resolve) => void socket.once('error', resolve));
    const writing = setInterval(() => socket.write('x'), 10);
    expect(await failure).toMatchObject({ syscall: expect.stringMatching(/read|write/) as string });
    clearInterval(writing);
  });

  it('does not keep the exchange from stopping', async () => {
    const { running } = await startTestServer();
    const { socket } = await openRefused(running.url, '/elsewhere');
    await running.stop();
    socket.destroy();
  });
});
