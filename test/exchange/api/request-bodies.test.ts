// Bodies that clients send in tiny pieces, slowly, or not to their end, and the memory that they take.
import { type Socket, connect } from 'node:net';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { BASE, signedHeaders } from './bare-client.ts';
import { KEYS, type TestServer, orderBody, startTestServer } from './test-server.ts';

const HEAD = `POST ${BASE}/portfolio/orders HTTP/1.1\r\nHost: exchange\r\n`;

const open: Socket[] = [];

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

class RawClient {
  readonly socket: Socket;
  answer = '';

  constructor({ running }: TestServer) {
    const { hostname, port } = new URL(running.url);
    this.socket = connect({ host: hostname, port: Number(port) });
    this.socket.on('error', () => undefined);
    this.socket.on('data', (bytes) => (this.answer += bytes.toString()));
    open.push(this.socket);
  }

  async write(bytes: string | Buffer): Promise<void> {
    if (!this.socket.write(bytes)) await once(this.socket, 'drain');
  }
}

function retainedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Waits until the exchange has read all that was sent before. */
async function settle(venue: TestServer): Promise<void> {
  for (let turn = 0; turn < 3; turn++) expect((await venue.request('GET /exchange/status')).status).toBe(200);
}

describe('The body of a request', () => {
  it('takes no more memory in chunks of one byte than in one piece', async () => {
    const venue = await startTestServer();
    await settle(venue);
    const before = retainedBytes();
    const client = new RawClient(venue);
    await client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    for (let part = 0; part < 20; part++) await client.write('1\r\nx\r\n'.repeat(10_000));
    await settle(venue);
    expect(retainedBytes() - before).toBeLessThan(3_000_000);
    await client.write(`0\r\n\r\n`);
    await expect.poll(() => client.answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('arrives whole, whatever pieces it comes in', async () => {
    const venue = await startTestServer();
    const client = new RawClient(venue);
    const body = JSON.stringify({ note: 'é'.repeat(70_000), ...orderBody() });
    const headers = Object.entries(signedHeaders(KEYS.ann, `POST ${BASE}/portfolio/orders`));
    const signed = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    await client.write(`${HEAD}${signed}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
    const bytes = Buffer.from(body);
    for (let at = 0, length = 1; at < bytes.length; at += length, length = (length * 3) % 997) {
      await client.write(bytes.subarray(at, at + length));
    }
    await expect.poll(() => client.answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('is refused when it began first and unfinished bodies are too large together; others go on', async () => {
    const venue = await startTestServer();
    const clients: RawClient[] = [];
    const almostAll = Buffer.alloc(950_000, ' ');
    for (let number = 0; number < 72; number++) {
      const client = new RawClient(venue);
      clients.push(client);
      await client.write(`${HEAD}Content-Length: 960000\r\n\r\n`);
      await client.write(almostAll);
    }
    await expect.poll(() => clients[0]?.answer).toMatch(/^HTTP\/1\.1 503 [^]*Connection: close[^]*service_unavailable/);
    expect(clients.at(-1)?.answer).toBe('');
    expect((await venue.placeOrder('ann')).status).toBe(201);
    for (const { socket } of clients) socket.destroy();
    expect(venue.running.summary().answersByStatus).not.toHaveProperty('413');
  });

  it('that the client does not finish before it leaves is not counted as refused', async () => {
    const venue = await startTestServer();
    const client = new RawClient(venue);
    await client.write(`${HEAD}Content-Length: 100\r\n\r\nhalf`);
    await settle(venue);
    client.socket.destroy();
    await settle(venue);
    expect(venue.running.summary().answersByStatus).not.toHaveProperty('413');
  });
});
