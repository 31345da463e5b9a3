// Many signed requests at once, so that their signatures are checked on other threads: the same answers in the same
// sequence as one by one, and nothing applied after a crash.
import { type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fromMillis } from '../../../src/domain/units.ts';
import { BASE, type BareKey, signedHeaders } from './bare-client.ts';
import { KEYS, type TestServer, orderBody, startTestServer } from './test-server.ts';

const PATH = `${BASE}/portfolio/orders`;
/** More than the event loop checks by itself. */
const ORDERS = 240;

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** One order as the text of a request. With `isForged`, its signature is another key's. */
function orderRequest(id: string, key: BareKey, isForged = false): string {
  const body = JSON.stringify(orderBody({ client_order_id: id, count: 1 }));
  const signed = signedHeaders(isForged ? { ...KEYS.bob, id: key.id } : key, `POST ${PATH}`);
  const lines = [
    `POST ${PATH} HTTP/1.1`,
    'Host: exchange',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...Object.entries(signed).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

interface Pipeline {
  readonly socket: Socket;
  /** Statuses of the answers so far. */
  readonly statuses: () => number[];
}

/** Sends everything in one write on a connection of its own. */
function sendTogether(venue: TestServer, text: string): Pipeline {
  const { hostname, port } = new URL(venue.running.url);
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text));
  sockets.push(socket);
  let received = '';
  socket.setEncoding('latin1').on('data', (part) => (received += String(part)));
  socket.on('error', () => undefined);
  const statuses = (): number[] => [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { socket, statuses };
}

const clientOrderIds = (venue: TestServer): (string | null)[] =>
  venue.running.exchange.orders('ann').map(({ clientOrderId }) => clientOrderId);

const numbers = Array.from({ length: ORDERS }, (_, number) => number);

describe('many signed requests at once', () => {
  it('are answered and applied in the sequence of their arrival, forged ones refused', async () => {
    const venue = await startTestServer();
    const isForged = (number: number): boolean => number % 7 === 3;
    const text = numbers.map((number) => orderRequest(`load-${number}`, KEYS.ann, isForged(number))).join('');
    const read = `GET ${BASE}/markets HTTP/1.1\r\nHost: exchange\r\n\r\n`;
    const { statuses } = sendTogether(venue, text + read);
    await expect.poll(() => statuses().length).toBe(ORDERS + 1);
    expect(statuses()).toEqual([...numbers.map((number) => (isForged(number) ? 401 : 201)), 200]);
    const accepted = numbers.filter((number) => !isForged(number)).map((number) => `load-${number}`);
    expect(clientOrderIds(venue)).toEqual(accepted);
  });

  it('of several connections keep the sequence of each', async () => {
    const venue = await startTestServer();
    const lines = ['a', 'b', 'c', 'd'];
    const pipelines = lines.map((line) =>
      sendTogether(venue, numbers.map((number) => orderRequest(`${line}-${number}`, KEYS.ann)).join('')),
    );
    const answered = (): number => pipelines.reduce((sum, { statuses }) => sum + statuses().length, 0);
    await expect.poll(answered).toBe(lines.length * ORDERS);
    const ids = clientOrderIds(venue);
    for (const line of lines)
      expect(ids.filter((id) => id?.startsWith(line))).toEqual(numbers.map((number) => `${line}-${number}`));
  });

  it('are not applied after a crash, even when their signatures were being checked', async () => {
    const extra = 'faults: { incidents: [{ incident: crash, after: 1h, for: 50ms }] }';
    const venue = await startTestServer({ extra });
    const { session } = venue.running;
    let placed = 0;
    session.onStep(({ answer }) => {
      if (answer.type !== 'order') return;
      placed += 1;
      if (placed === 100) setImmediate(() => venue.running.crash(fromMillis(50)));
    });
    const text = numbers.map((number) => orderRequest(`crash-${number}`, KEYS.ann)).join('');
    const { socket, statuses } = sendTogether(venue, text);
    await new Promise((resolve) => void socket.on('close', resolve));
    const atCrash = placed;
    await expect.poll(() => venue.running.session !== session).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(placed).toBe(atCrash);
    expect(clientOrderIds(venue)).toHaveLength(atCrash);
    expect(statuses().filter((status) => status === 201).length).toBeLessThanOrEqual(atCrash);
    expect((await venue.placeOrder('ann')).status).toBe(201);
  });
});
