// Clients that sign like other languages trade over real sockets: place, read back, trade, cancel, and check their
// money. Must never sign with this project's code: only with node:crypto defaults and the `openssl` program.
import { execFileSync, spawnSync } from 'node:child_process';
import { type KeyObject, constants, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { type RunningExchange, startExchange } from '../../../src/exchange/api/exchange-server.ts';
import type { SigningScheme } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { type BareAnswer, BareFeed, FEED, BASE, sendRequest } from './bare-client.ts';

/** A signer like one client library's. */
type Sign = (text: Buffer, privateKey: KeyObject) => Buffer;

/** The parts of a dialect that a client needs to trade. */
interface Dialect {
  readonly profile: typeof kalshiProfile;
  readonly scheme: SigningScheme;
  readonly prefix: string;
  readonly pairs: Readonly<Record<'ann' | 'bob', { readonly privateKey: KeyObject; readonly publicKey: KeyObject }>>;
  readonly ordersPath: string;
  readonly bid: object;
  readonly sell: object;
  /** Order id in the answer to a new order. */
  readonly idOf: (answer: BareAnswer) => string;
  /** Names of an order's members when it is read back. */
  readonly filled: string;
  readonly remaining: string;
  /** Four contracts, in the dialect's form. */
  readonly four: unknown;
  readonly six: unknown;
}

const rsaPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256Pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const KALSHI: Dialect = {
  profile: kalshiProfile,
  scheme: 'rsa-pss-sha256',
  prefix: 'KALSHI-ACCESS',
  pairs: { ann: rsaPair(), bob: rsaPair() },
  ordersPath: '/portfolio/events/orders',
  bid: {
    ticker: 'A',
    side: 'bid',
    count: '10.00',
    price: '0.5000',
    time_in_force: 'good_till_canceled',
    self_trade_prevention_type: 'taker_at_cross',
  },
  sell: {
    ticker: 'A',
    side: 'ask',
    count: '4.00',
    price: '0.5000',
    time_in_force: 'immediate_or_cancel',
    self_trade_prevention_type: 'taker_at_cross',
  },
  idOf: (answer) => answer.body.text('order_id'),
  filled: 'order.fill_count_fp',
  remaining: 'order.remaining_count_fp',
  four: '4.00',
  six: '6.00',
};

const SERVICE: Dialect = {
  profile: serviceProfile,
  scheme: 'ecdsa-p256',
  prefix: 'ACCESS',
  pairs: { ann: p256Pair(), bob: p256Pair() },
  ordersPath: '/portfolio/orders',
  bid: { ticker: 'A', side: 'yes', action: 'buy', type: 'limit', count: 10, yes_price: 50 },
  sell: {
    ticker: 'A',
    side: 'yes',
    action: 'sell',
    type: 'limit',
    count: 4,
    yes_price: 50,
    time_in_force: 'immediate_or_cancel',
  },
  idOf: (answer) => answer.body.text('order.order_id'),
  filled: 'order.fill_count',
  remaining: 'order.remaining_count',
  four: 4,
  six: 6,
};

const CONFIG = `
seed: 7
accounts: [{ name: ann, cash: 1000 }, { name: bob, cash: 1000 }]
series: [{ ticker: RAIN, title: Rain, category: Weather }]
eventGroups: [{ ticker: RAIN-26, series: RAIN, title: Rain in 26 }]
markets: [{ ticker: A, eventGroup: RAIN-26, title: Rain in A?, closesIn: 1h }]
flow: { enabled: false }
`;

const open: RunningExchange[] = [];
afterEach(async () => {
  for (const running of open.splice(0)) await running.stop();
});

/** A running exchange with a request function for each of two clients. `extra`: further lines of its config. */
async function openedFor(dialect: Dialect, signAs: Sign, extra = '') {
  const { pairs } = dialect;
  const keys = (['ann', 'bob'] as const).map((account) => ({
    id: account,
    account,
    scheme: dialect.scheme,
    publicPem: pairs[account].publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }));
  const config = parseExchangeConfig(CONFIG + extra, '/tmp/exchange.yaml');
  const running = await startExchange({ config, profile: dialect.profile, port: 0, keys });
  open.push(running);
  const headersOf = (name: keyof typeof pairs, method: string, path: string): Record<string, string> => {
    const at = String(Date.now());
    const signature = signAs(Buffer.from(`${at}${method}${path}`), pairs[name].privateKey);
    return {
      [`${dialect.prefix}-KEY`]: name,
      [`${dialect.prefix}-TIMESTAMP`]: at,
      [`${dialect.prefix}-SIGNATURE`]: signature.toString('base64'),
    };
  };
  const request = (name: keyof typeof pairs, line: string, body?: unknown): Promise<BareAnswer> => {
    const [method = '', below = ''] = line.split(' ');
    const [path = ''] = below.split('?');
    return sendRequest(running.url, line, { body, headers: headersOf(name, method, `${BASE}${path}`) });
  };
  const feed = (name: keyof typeof pairs): Promise<BareFeed> =>
    BareFeed.connect(running.feedUrl, headersOf(name, 'GET', FEED));
  return { request, feed };
}

/** A complete small trade, every request of it signed. */
async function trades(dialect: Dialect, signAs: Sign): Promise<void> {
  const { request, feed } = await openedFor(dialect, signAs);
  const { ordersPath, idOf } = dialect;
  const connection = await feed('ann');

  const placed = await request('ann', `POST ${ordersPath}`, dialect.bid);
  expect([placed.status, placed.text]).toEqual([201, expect.any(String)]);
  const orderId = idOf(placed);
  const resting = await request('ann', `GET /portfolio/orders/${orderId}`);
  expect([resting.status, resting.body.at('order.status')]).toEqual([200, 'resting']);

  expect((await request('bob', `POST ${ordersPath}`, dialect.sell)).status).toBe(201);
  const traded = await request('ann', `GET /portfolio/orders/${orderId}`);
  expect([traded.body.at(dialect.filled), traded.body.at(dialect.remaining)]).toEqual([dialect.four, dialect.six]);
  expect((await request('ann', 'GET /portfolio/fills?limit=5')).body.rows('fills')).toHaveLength(1);

  expect((await request('ann', `DELETE ${ordersPath}/${orderId}`)).status).toBe(200);
  // Four contracts at $0.50; only the taker pays a fee, 7 % of 4 × 0.50 × 0.50.
  expect((await request('ann', 'GET /portfolio/balance')).body.at('balance')).toBe(99_800);
  expect((await request('bob', 'GET /portfolio/balance')).body.at('balance')).toBe(99_793);
  connection.close();
}

const asGo: Sign = (text, key) =>
  sign('sha256', text, {
    key,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN,
  });
const asOpenssl: Sign = (text, key) => sign('sha256', text, key);

/** The status and text of a refused read. */
async function refusal(dialect: Dialect, signAs: Sign, readings: string): Promise<readonly [number, unknown]> {
  const { request } = await openedFor(dialect, signAs, `readings: ${readings}`);
  const answer = await request('ann', 'GET /portfolio/balance');
  return [answer.status, answer.body.at('error.details')];
}

describe('a client that signs like Go, RSA-PSS with the longest salt', () => {
  it('trades in the kalshi dialect', async () => {
    await trades(KALSHI, asGo);
  });

  it('is refused when the config accepts no salt but that of the digest’s length', async () => {
    expect(await refusal(KALSHI, asGo, '{ rsaSalt: digest }')).toEqual([401, 'INCORRECT_API_KEY_SIGNATURE']);
  });
});

describe('a client that signs like OpenSSL, ECDSA in DER', () => {
  it('trades in the service dialect', async () => {
    await trades(SERVICE, asOpenssl);
  });

  it('is refused when the config accepts only the compact form', async () => {
    expect(await refusal(SERVICE, asOpenssl, '{ ecdsaForms: compact }')).toEqual([401, 'INCORRECT_API_KEY_SIGNATURE']);
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const why = hasOpenssl ? '' : ' (skipped: there is no openssl program on the path)';

describe.skipIf(!hasOpenssl)(`a client that signs with the openssl program${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-openssl-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const files = new Map<KeyObject, string>();
  const fileOf = (key: KeyObject): string => {
    let file = files.get(key);
    if (file === undefined) {
      file = join(folder, `${files.size}.pem`);
      writeFileSync(file, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
      files.set(key, file);
    }
    return file;
  };
  const signing =
    (...options: readonly string[]): Sign =>
    (text, key) =>
      execFileSync('openssl', ['dgst', '-sha256', '-sign', fileOf(key), ...options], { input: text });

  it('trades in the kalshi dialect with RSA-PSS and the program’s default salt', async () => {
    await trades(KALSHI, signing('-sigopt', 'rsa_padding_mode:pss'));
  });

  it('trades in the service dialect with ECDSA', async () => {
    await trades(SERVICE, signing());
  });
});
