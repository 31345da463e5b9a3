// Authentication: signatures made by a signer that shares no code with the server, and every kind of refusal.
import { describe, expect, it } from 'vitest';
import { NO_MONEY, micros } from '../../../src/domain/units.ts';
import { KeyringError, openKeyring } from '../../../src/exchange/api/keyring.ts';
import { KeyFault } from '../../../src/venues/trade-api/signing/key-files.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { BareFeed, FEED, bareKey, signedHeaders } from './bare-client.ts';
import { KEYS, startTestServer } from './test-server.ts';

const PATH = '/trade-api/v2/portfolio/balance';
const LINE = `GET ${PATH}`;
const WRONG = 'INCORRECT_API_KEY_SIGNATURE';

type Headers = Record<string, string>;
const without = (name: string): Headers =>
  Object.fromEntries(Object.entries(signedHeaders(KEYS.ann, LINE)).filter(([header]) => header !== name));

describe('authentication', () => {
  it('accepts keys of every curve of the profile', async () => {
    const venue = await startTestServer();
    for (const name of ['ann', 'bob', 'cat'] as const)
      expect((await venue.requestAs(name, 'GET /portfolio/balance')).status).toBe(200);
  });

  it('excludes the query from the signed text', async () => {
    const venue = await startTestServer();
    expect((await venue.requestAs('ann', 'GET /portfolio/orders?limit=5&status=resting')).status).toBe(200);
  });

  it.each<[string, () => Headers, unknown]>([
    [
      'no headers at all',
      () => ({}),
      { error: { code: 'signature_is_missing_from_headers', message: 'signature is missing from headers' } },
    ],
    [
      'no signature',
      () => without('ACCESS-SIGNATURE'),
      { error: { code: 'signature_is_missing_from_headers', message: 'signature is missing from headers' } },
    ],
    [
      'no timestamp',
      () => without('ACCESS-TIMESTAMP'),
      { error: { code: 'header_timestamp_expired', message: 'header timestamp expired' } },
    ],
    [
      'no key',
      () => without('ACCESS-KEY'),
      { error: { code: 'authentication_error', message: 'authentication_error', details: 'NOT_FOUND' } },
    ],
    [
      'an unknown key',
      () => signedHeaders(bareKey('stranger'), LINE),
      { error: { code: 'authentication_error', message: 'authentication_error', details: 'NOT_FOUND' } },
    ],
    [
      'another key’s signature',
      () => signedHeaders({ ...KEYS.bob, id: 'ann-key' }, LINE),
      { error: { code: 'authentication_error', message: 'authentication_error', details: WRONG } },
    ],
    [
      'a signature for another method',
      () => signedHeaders(KEYS.ann, `POST ${PATH}`),
      { error: { code: 'authentication_error', message: 'authentication_error', details: WRONG } },
    ],
    [
      'a signature for another path',
      () => signedHeaders(KEYS.ann, `${LINE}s`),
      { error: { code: 'authentication_error', message: 'authentication_error', details: WRONG } },
    ],
    [
      'a malformed signature',
      () => ({ ...signedHeaders(KEYS.ann, LINE), 'ACCESS-SIGNATURE': 'AAAA' }),
      { error: { code: 'authentication_error', message: 'authentication_error', details: WRONG } },
    ],
    [
      'a timestamp that was not signed',
      () => ({ ...signedHeaders(KEYS.ann, LINE), 'ACCESS-TIMESTAMP': String(Date.now() - 5) }),
      { error: { code: 'authentication_error', message: 'authentication_error', details: WRONG } },
    ],
    [
      'a timestamp that is not a number',
      () => ({ ...signedHeaders(KEYS.ann, LINE), 'ACCESS-TIMESTAMP': 'now' }),
      { error: { code: 'header_timestamp_expired', message: 'header timestamp expired' } },
    ],
  ])('refuses a request with %s', async (_what, headers, body) => {
    const venue = await startTestServer();
    const answer = await venue.request('GET /portfolio/balance', { headers: headers() });
    expect([answer.status, answer.body.value]).toEqual([401, body]);
  });

  it('refuses timestamps beyond the allowed skew, in both directions, by its own clock', async () => {
    const now = Date.now() - 3_600_000;
    const venue = await startTestServer({ clock: () => micros(now * 1000) });
    const statusAt = async (off: number): Promise<number> =>
      (await venue.request('GET /portfolio/balance', { key: KEYS.ann, at: now + off })).status;
    expect([await statusAt(0), await statusAt(-15_000), await statusAt(15_000)]).toEqual([200, 200, 200]);
    expect([await statusAt(-15_001), await statusAt(15_001)]).toEqual([401, 401]);
    const answer = await venue.request('GET /markets');
    expect(Date.parse(answer.headers.get('date') ?? '')).toBe(Math.floor(now / 1000) * 1000);
  });

  it('serves public reads without a key, but not with an invalid signature', async () => {
    const venue = await startTestServer();
    expect((await venue.request('GET /markets')).status).toBe(200);
    expect((await venue.request('GET /markets', { headers: signedHeaders(bareKey('stranger'), LINE) })).status).toBe(
      401,
    );
    expect((await venue.request('POST /portfolio/orders', { body: {} })).status).toBe(401);
  });

  it('refuses a feed handshake with an unknown key, and accepts one without a key', async () => {
    const venue = await startTestServer();
    const { feedUrl } = venue.running;
    await expect(BareFeed.signed(feedUrl, bareKey('stranger'))).rejects.toThrow(/^401 .*NOT_FOUND/);
    await expect(BareFeed.connect(feedUrl, signedHeaders(KEYS.ann, `POST ${FEED}`))).rejects.toThrow(
      /^401 .*INCORRECT/,
    );
    expect((await venue.openFeed(null)).closed).toBeNull();
  });
});

describe('the keyring', () => {
  it('refuses two keys of one id, an unknown account, and a key of the wrong kind', async () => {
    const key = (changes: object): object => ({
      id: 'x',
      account: 'ann',
      scheme: 'ecdsa-p256',
      publicPem: KEYS.ann.publicPem,
      ...changes,
    });
    const start = (...keys: object[]): Promise<unknown> => startTestServer({ keys: keys as never });
    await expect(start(key({}), key({}))).rejects.toThrow(KeyringError);
    await expect(start(key({ account: 'nobody' }))).rejects.toThrow(/expected an account of the config, found nobody/);
    await expect(start(key({ scheme: 'ed25519' }))).rejects.toThrow(KeyFault);
    await expect(start(key({ publicPem: 'nothing' }))).rejects.toThrow(/expected PEM/);
  });

  it('refuses a key whose scheme the dialect does not support', async () => {
    const { publicPem } = KEYS.ann;
    const key = { id: 'x', account: 'ann', scheme: 'ecdsa-p256', publicPem } as const;
    const account = { name: 'ann', cash: NO_MONEY, shards: {}, keys: [] };
    expect(() => openKeyring([account], { profile: kalshiProfile, extra: [key] })).toThrow(
      new KeyringError('key x: expected one of rsa-pss-sha256, ed25519, found ecdsa-p256'),
    );
  });

  it('is not needed when the wire cannot encode every price of every market: the start is refused', async () => {
    await expect(startTestServer({ grid: 'deci_cent' })).rejects.toThrow(
      /market RAIN-26-A: profile service cannot encode price: expected a whole number of cents, found "0.0010"/,
    );
  });
});
