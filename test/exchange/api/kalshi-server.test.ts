// A server with the `kalshi` dialect over real sockets, with a signer that shares no code with it: both kinds of keys,
// the age of signatures, and answers without a body.
import { type KeyObject, constants, generateKeyPairSync, sign } from 'node:crypto';
import { type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { micros } from '../../../src/domain/units.ts';
import { type RunningExchange, startExchange } from '../../../src/exchange/api/exchange-server.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { BareFeed } from './bare-client.ts';

const BASE = '/trade-api/v2';
const ORDERS = `${BASE}/portfolio/events/orders`;
const FEED = '/trade-api/ws/v2';
const NOW_MS = 1_795_000_000_000;

const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed = generateKeyPairSync('ed25519');

const SIGNERS = {
  rsa: (text: Buffer) =>
    sign('sha256', text, { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  ed: (text: Buffer) => sign(null, text, ed.privateKey),
} as const;
type Kind = keyof typeof SIGNERS;

interface Asked {
  readonly kind?: Kind | null;
  readonly at?: number;
  readonly body?: unknown;
}

const headersOf = (kind: Kind, line: string, at = NOW_MS): Record<string, string> => {
  const [method = '', target = ''] = line.split(' ');
  const [path = ''] = target.split('?');
  return {
    'KALSHI-ACCESS-KEY': kind,
    'KALSHI-ACCESS-TIMESTAMP': String(at),
    'KALSHI-ACCESS-SIGNATURE': SIGNERS[kind](Buffer.from(`${at}${method}${path}`)).toString('base64'),
  };
};

const open: RunningExchange[] = [];
afterEach(async () => {
  for (const running of open.splice(0)) await running.stop();
});

async function start(extra = ''): Promise<RunningExchange> {
  const config = parseExchangeConfig(
    `
seed: 7
accounts: [{ name: ann, cash: 1000 }, { name: bob, cash: 1000 }]
series: [{ ticker: RAIN, title: Rain, category: Weather }]
eventGroups: [{ ticker: RAIN-26, series: RAIN, title: Rain in 26 }]
markets: [{ ticker: A, eventGroup: RAIN-26, title: Rain in A?, closesIn: 1h }]
flow: { enabled: false }
${extra}
`,
    '/tmp/exchange.yaml',
  );
  const keys = [
    { id: 'rsa', account: 'ann', scheme: 'rsa-pss-sha256', publicPem: pem(rsa.publicKey) },
    { id: 'ed', account: 'bob', scheme: 'ed25519', publicPem: pem(ed.publicKey) },
  ] as const;
  const clock = () => micros(NOW_MS * 1000);
  const running = await startExchange({ config, profile: kalshiProfile, port: 0, keys, clock });
  open.push(running);
  return running;
}

async function ask({ url }: RunningExchange, line: string, { kind = 'rsa', at, body }: Asked = {}) {
  const [method = 'GET', target = ''] = line.split(' ');
  const response = await fetch(url + target, {
    method,
    headers: kind === null ? {} : headersOf(kind, line, at),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const ORDER = {
  ticker: 'A',
  side: 'bid',
  count: '1.00',
  price: '0.5000',
  time_in_force: 'good_till_canceled',
  self_trade_prevention_type: 'taker_at_cross',
};

describe('a server with the kalshi dialect', () => {
  it.each(['rsa', 'ed'] as const)('accepts signatures of %s keys, with the query excluded', async (kind) => {
    const running = await start();
    expect((await ask(running, `GET ${BASE}/portfolio/orders?limit=5`, { kind })).status).toBe(200);
    expect((await ask(running, `POST ${ORDERS}`, { kind, body: ORDER })).status).toBe(201);
    const feed = await BareFeed.connect(running.feedUrl, headersOf(kind, `GET ${FEED}`));
    feed.close();
  });

  it.each([
    [-10_000, 200],
    [10_000, 200],
    [-20_000, 401],
    [20_000, 401],
  ])('answers a signature made %d ms from now with %d', async (skew, status) => {
    const running = await start();
    const answer = await ask(running, `GET ${BASE}/portfolio/balance`, { at: NOW_MS + skew });
    expect(answer.status).toBe(status);
    if (status === 401)
      expect(answer.text).toBe('{"error":{"code":"header_timestamp_expired","message":"header timestamp expired"}}');
  });

  it('refuses a feed handshake without a key, even for public channels', async () => {
    const running = await start();
    await expect(BareFeed.connect(running.feedUrl)).rejects.toThrow(/^401 .*signature_is_missing_from_headers/);
    expect((await ask(running, `GET ${BASE}/markets`, { kind: null })).status).toBe(200);
  });

  it.each([
    ['accepted', 'permessage-deflate'],
    ['declined', undefined],
  ] as const)('with compression %s, answers an offer of compression with %s', async (feedCompression, extension) => {
    const running = await start(`readings: { feedCompression: ${feedCompression} }`);
    const wire: Socket[] = [];
    const socket = new WebSocket(running.feedUrl + FEED, {
      headers: headersOf('ed', `GET ${FEED}`),
      perMessageDeflate: true,
      createConnection: () => {
        const { hostname, port } = new URL(running.feedUrl);
        const connection = connect({ host: hostname, port: Number(port) });
        wire.push(connection);
        return connection;
      },
    });
    const feed = new BareFeed(socket);
    await new Promise((resolve) => socket.once('open', resolve));
    expect(socket.extensions.split(';')[0]).toBe(extension ?? '');
    await feed.reply(feed.send('subscribe', { channels: ['ticker'], market_ticker: 'A' }));
    const names = Array.from({ length: 2000 }, (_, index) => `MARKET-${index}`);
    const added = await feed.reply(
      feed.send('update_subscription', { sid: 1, action: 'add_markets', market_tickers: names }),
    );
    expect(added.at('msg.market_tickers')).toEqual(['A', ...names]);
    // The list of names alone is about 26 kB long.
    const received = wire.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    expect(received > 20_000).toBe(extension === undefined);
    feed.close();
  });

  it('accepts an offer of compression by default', () => {
    expect(kalshiProfile.readings.feedCompression).toBe('accepted');
  });

  it('answers 204 without body and content type, and keeps the connection open', async () => {
    const running = await start();
    await ask(running, `POST ${ORDERS}`, { body: ORDER });
    const answer = await ask(running, `DELETE ${ORDERS}`);
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([204, '', null]);
    expect(answer.headers.get('content-length')).toBeNull();
    expect(running.exchange.restingOrders('ann')).toEqual([]);
    expect((await ask(running, `GET ${BASE}/portfolio/balance`)).status).toBe(200);
  });

  it('has no route for reads at the write path of orders, and says so in plain text', async () => {
    const running = await start();
    for (const line of [`GET ${ORDERS}`, `GET ${BASE}/margin/balance`, `PUT ${BASE}/markets`]) {
      const answer = await ask(running, line);
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
        404,
        '404 page not found\n',
        'text/plain; charset=utf-8',
      ]);
    }
  });

  it('accepts a PUT without a body', async () => {
    const running = await start();
    const groups = `${BASE}/portfolio/order_groups`;
    const made: unknown = JSON.parse(
      (await ask(running, `POST ${groups}/create`, { body: { contracts_limit_fp: '5.00' } })).text,
    );
    expect(made).toMatchObject({ order_group_id: expect.any(String) });
    const { order_group_id: groupId } = made as { order_group_id: string };
    const answer = await ask(running, `PUT ${groups}/${groupId}/trigger`);
    expect([answer.status, answer.text]).toEqual([200, '{}']);
  });
});
