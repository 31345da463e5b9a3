// A dialect unlike the shipped profile in paths, headers, signatures, statuses, names and number forms, served without
// any change to the server. Also the address the server listens on.
import { sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import type { WireProfile } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import type { CreateOrderRecord } from '../../../src/venues/trade-api/wire/wire-records.ts';
import type { RecordSpec } from '../../../src/venues/trade-api/wire/record-spec.ts';
import { JsonAnswer } from './json-answer.ts';
import { KEYS, startTestServer } from './test-server.ts';

const { endpoints, feed, records, signing } = serviceProfile;

/** Dollars and contracts as strings, one book side instead of two legs. */
const createOrder: RecordSpec<CreateOrderRecord> = {
  ...records.createOrder,
  constants: {},
  fields: {
    ...records.createOrder.fields,
    side: { kind: 'enum', values: { bid: 'buy', ask: 'sell' }, wire: 'side' },
    price: { kind: 'price', form: 'dollars', wire: 'price' },
    qty: { kind: 'qty', form: 'decimal', wire: 'count' },
  },
};

const other: WireProfile = {
  ...serviceProfile,
  name: 'other',
  basePath: '/elsewhere/v9',
  endpoints: {
    ...endpoints,
    createOrder: { ...endpoints.createOrder, path: '/book/orders', success: 200 },
    book: { ...endpoints.book, path: '/book/{ticker}' },
  },
  signing: {
    ...signing,
    template: '{method} {path} at {timestamp}',
    timestampUnit: 's',
    form: 'der',
    encoding: 'hex',
    headers: { key: 'X-WHO', timestamp: 'X-WHEN', signature: 'X-PROOF' },
  },
  records: { ...records, createOrder },
  feed: {
    ...feed,
    path: '/elsewhere/stream',
    publicFeedNeedsKey: true,
    messages: { ...feed.messages, snapshot: { ...feed.messages.snapshot, type: 'whole' } },
    commands: { ...feed.commands, subscribe: { ...feed.commands.subscribe, cmd: 'follow' } },
  },
};

const headersFor = (line: string): Record<string, string> => {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const text = Buffer.from(`${line} at ${timestamp}`);
  const proof = sign('sha256', text, { key: KEYS.ann.privateKey, dsaEncoding: 'der' });
  return { 'X-WHO': KEYS.ann.id, 'X-WHEN': timestamp, 'X-PROOF': proof.toString('hex') };
};

describe('another dialect', () => {
  it('is served from its profile alone, over REST and on the feed', async () => {
    const venue = await startTestServer({ profile: other });
    const path = '/elsewhere/v9/book/orders';
    const body = { ticker: 'RAIN-26-A', side: 'ask', price: '0.4200', count: '3.00' };
    const placed = await fetch(venue.running.url + path, {
      method: 'POST',
      headers: headersFor(`POST ${path}`),
      body: JSON.stringify(body),
    });
    expect(placed.status).toBe(200);
    const number = await fetch(venue.running.url + path, {
      method: 'POST',
      headers: headersFor(`POST ${path}`),
      body: JSON.stringify({ ...body, count: 3 }),
    });
    expect([number.status, new JsonAnswer(await number.json()).at('code')]).toEqual([400, 'bad_request']);
    const book = await fetch(`${venue.running.url}/elsewhere/v9/book/RAIN-26-A`);
    expect(await book.json()).toEqual({ orderbook: { yes: [], no: [[58, 3]] } });
    const url = `${venue.running.feedUrl}/elsewhere/stream`;
    const refused = new WebSocket(url);
    const status = await new Promise((resolve) => {
      refused.on('error', () => {});
      refused.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    });
    expect(status).toBe(401);
    refused.terminate();
    const socket = new WebSocket(url, { headers: headersFor('GET /elsewhere/stream') });
    const snapshot = await new Promise<JsonAnswer>((resolve) => {
      socket.on('open', () =>
        socket.send('{"id":1,"cmd":"follow","params":{"channels":["orderbook_delta"],"market_ticker":"RAIN-26-A"}}'),
      );
      socket.on('message', (data: Buffer) => {
        const message = new JsonAnswer(JSON.parse(data.toString()));
        if (message.at('type') === 'whole') resolve(message);
      });
    });
    expect(snapshot.at('msg')).toEqual({ market_ticker: 'RAIN-26-A', no: [[58, 3]] });
    socket.terminate();
  });
});

describe('the server', () => {
  it('listens on loopback, and names the port when it is taken', async () => {
    const venue = await startTestServer();
    const { hostname, port } = new URL(venue.running.url);
    expect(hostname).toBe('127.0.0.1');
    await expect(startTestServer({ port: Number(port) })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the port is taken`,
    );
  });
});
