// Requests that offer another protocol than WebSocket, as Java's client does with HTTP/2 and `curl --http2` do.
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { BASE, FEED, signedHeaders } from '../api/bare-client.ts';
import { KEYS, type TestServer, orderBody, startTestServer } from '../api/test-server.ts';

const OFFER = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n';

/** Answers to this request come later than all requests of a test. */
const SLOW_STATUS = 'faults: { requests: [{ fault: delay, after: 200ms, on: [status] }] }';

/** Sends requests over one connection, and returns the statuses of all answers once `count` have come. */
async function statusesOf({ running }: TestServer, requests: readonly string[], count: number): Promise<string[]> {
  const { hostname, port } = new URL(running.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
  for (const [index, request] of requests.entries()) {
    socket.write(request);
    await expect.poll(() => statuses().length).toBeGreaterThan(index);
  }
  await expect.poll(() => statuses().length).toBe(count);
  socket.destroy();
  return statuses();
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: exchange\r\n${headers}\r\n`;

function signedOrder(headers: string): string {
  const body = JSON.stringify(orderBody());
  const signed = Object.entries(signedHeaders(KEYS.ann, `POST ${BASE}/portfolio/orders`));
  const lines = signed.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `POST ${BASE}/portfolio/orders HTTP/1.1\r\nHost: exchange\r\n${lines}${headers}`;
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
}

describe('A request that offers HTTP/2', () => {
  it('is answered over HTTP/1.1, and its connection goes on', async () => {
    const venue = await startTestServer();
    const status = `${BASE}/exchange/status`;
    const requests = [get(status, OFFER), get(status), signedOrder(OFFER), get(status, OFFER), signedOrder('')];
    expect(await statusesOf(venue, requests, 5)).toEqual(['200', '200', '201', '200', '201']);
    expect(venue.running.exchange.orders('ann')).toHaveLength(2);
  });

  it('is answered in turn when others follow at once', async () => {
    const venue = await startTestServer();
    const status = `${BASE}/exchange/status`;
    const all = [get(status, OFFER), get('/elsewhere'), signedOrder(''), get(status)].join('');
    expect(await statusesOf(venue, [all], 4)).toEqual(['200', '404', '201', '200']);
  });

  it('is answered in turn when it follows others at once', async () => {
    const venue = await startTestServer();
    const status = `${BASE}/exchange/status`;
    const all = [get('/elsewhere'), get(status, OFFER), signedOrder(OFFER), get(status), get('/elsewhere', OFFER)];
    expect(await statusesOf(venue, [all.join('')], 5)).toEqual(['404', '200', '201', '200', '404']);
  });

  it('is answered in turn when it follows requests that are not answered yet', async () => {
    const venue = await startTestServer({ extra: SLOW_STATUS });
    const status = `${BASE}/exchange/status`;
    const all = [get(status), get('/elsewhere'), get(status, OFFER), signedOrder(''), get(status, OFFER), get(status)];
    expect(await statusesOf(venue, [all.join('')], 6)).toEqual(['200', '404', '200', '201', '200', '200']);
    expect(venue.running.exchange.orders('ann')).toHaveLength(1);
  });

  it('is dropped with its connection when the client leaves before the answer to an earlier one', async () => {
    const venue = await startTestServer({ extra: SLOW_STATUS });
    const { hostname, port } = new URL(venue.running.url);
    const status = `${BASE}/exchange/status`;
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      socket.write([get(status), get(status, OFFER)].join(''), () => resolve());
    });
    await expect.poll(() => venue.running.summary().requests).toBe(1);
    socket.resetAndDestroy();
    expect(await statusesOf(venue, [get(status)], 1)).toEqual(['200']);
  });

  it('does not open a feed', async () => {
    const venue = await startTestServer();
    expect(await statusesOf(venue, [get(FEED, OFFER)], 1)).toEqual(['404']);
    const both = 'Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n';
    expect(await statusesOf(venue, [get(FEED, both)], 1)).not.toEqual(['101']);
  });
});
