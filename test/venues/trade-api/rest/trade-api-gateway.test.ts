// The gateway over an HTTP client that records its requests: signed, sent once, and never an exception.
import { describe, expect, it } from 'vitest';
import type { RequestCommand } from '../../../../src/domain/venue-command.ts';
import { micros, price } from '../../../../src/domain/units.ts';
import type { ClockSample } from '../../../../src/state/feed/clock-offset.ts';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../../../src/transport/http-client.ts';
import { PooledHttpClient } from '../../../../src/transport/pooled-http.ts';
import type { RequestSigner } from '../../../../src/venues/trade-api/signing/authorizer.ts';
import { TradeApiGateway } from '../../../../src/venues/trade-api/rest/trade-api-gateway.ts';
import { generateKeyPair, readPrivateKey, readPublicKey } from '../../../../src/venues/trade-api/signing/key-files.ts';
import type { WireProfile } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { createVerifier } from '../../../../src/venues/trade-api/signing/signers.ts';
import { cancel, place, read } from '../normalize/raw-input.ts';

const scheme = 'ecdsa-p256';
const pair = generateKeyPair(scheme);
const credential = { keyId: 'key-1', privateKey: readPrivateKey(pair.privatePem, { scheme, source: 'test' }) };
const isOurs = createVerifier(serviceProfile, readPublicKey(pair.publicPem, { scheme, source: 'test' }));
const START = 1_700_000_000_000_000;

class RecordingClient implements HttpClient {
  readonly requests: HttpRequest[] = [];
  outcome: HttpOutcome = { type: 'answered', status: 200, headers: {}, body: '{}' };
  warmed = 0;
  stopped = 0;

  request(request: HttpRequest): Promise<HttpOutcome> {
    this.requests.push(request);
    return Promise.resolve(this.outcome);
  }
  warm(): Promise<void> {
    this.warmed += 1;
    return Promise.resolve();
  }
  stop(): Promise<void> {
    this.stopped += 1;
    return Promise.resolve();
  }
}

function setUp(options: { readonly isWatcher?: boolean; readonly profile?: WireProfile } = {}) {
  const http = new RecordingClient();
  const samples: ClockSample[] = [];
  let now = START;
  const gateway = new TradeApiGateway({
    profile: options.profile ?? serviceProfile,
    http,
    credential: options.isWatcher === true ? null : credential,
    clock: () => micros((now += 1000)),
    onVenueTime: (sample) => samples.push(sample),
    orderTimeoutMs: 5000,
    readTimeoutMs: 10_000,
  });
  const send = (command: RequestCommand) => gateway.send(command, new AbortController().signal);
  return { http, gateway, send, samples };
}

const header = (request: HttpRequest | undefined, name: string): string => request?.headers[name] ?? '';

describe('a request that needs a key', () => {
  it('sends the key, a timestamp, and a signature over timestamp, method and path without query', async () => {
    const { http, send } = setUp();
    await send(place);
    await send(cancel);
    await send(read({ what: 'orders', status: 'working', since: null }));
    for (const request of http.requests) {
      expect(header(request, 'ACCESS-KEY')).toBe('key-1');
      const timestamp = header(request, 'ACCESS-TIMESTAMP');
      expect(Math.abs(Number(timestamp) - START / 1000)).toBeLessThan(100);
      const [path] = request.path.split('?');
      expect(isOurs(`${timestamp}${request.method}${path}`, header(request, 'ACCESS-SIGNATURE'))).toBe(true);
    }
    expect(http.requests.map(({ method, timeoutMs }) => [method, timeoutMs])).toEqual([
      ['POST', 5000],
      ['DELETE', 5000],
      ['GET', 10_000],
    ]);
  });

  it('never repeats a signature', async () => {
    const { http, gateway, send } = setUp();
    await gateway.warmUp();
    for (let i = 0; i < 40; i++) await send(place);
    await gateway.stop();
    expect(new Set(http.requests.map((request) => header(request, 'ACCESS-SIGNATURE'))).size).toBe(40);
    expect([http.warmed, http.stopped]).toEqual([1, 1]);
  });

  it('signs for the venue’s time, once answers have shown the clock offset', async () => {
    const { http, send, samples } = setUp();
    // The venue is an hour ahead of us.
    const venueSeconds = START / 1_000_000 + 3600;
    http.outcome = {
      type: 'answered',
      status: 200,
      headers: { date: new Date(venueSeconds * 1000).toUTCString() },
      body: '{}',
    };
    const first = await send(read({ what: 'status' }));
    expect(first.outcome).toMatchObject({ venueAt: venueSeconds * 1_000_000 });
    expect(samples).toEqual([
      { sentAt: first.askedAt, receivedAt: first.at - 2000, venueAt: venueSeconds * 1_000_000 },
    ]);
    await send(place);
    const ahead = Number(header(http.requests[1], 'ACCESS-TIMESTAMP')) - START / 1000;
    expect(Math.abs(ahead - 3_600_000)).toBeLessThan(2000);
  });

  it('shows neither key nor signature in its outcome', async () => {
    const { http, send } = setUp();
    const text = JSON.stringify(await send(place));
    expect(text).not.toContain(header(http.requests[0], 'ACCESS-SIGNATURE'));
    expect(text).not.toContain('key-1');
  });

  it('does not send a private request without a key', async () => {
    const { http, send } = setUp({ isWatcher: true });
    expect((await send(place)).outcome).toEqual({
      type: 'not-sent',
      reason: 'POST /portfolio/orders needs a key, and none is configured',
    });
    expect((await send(read({ what: 'balance' }))).outcome).toMatchObject({ type: 'not-sent' });
    expect(http.requests).toEqual([]);
    expect(setUp({ isWatcher: true }).gateway.signHandshake()).toBeNull();
  });
});

describe('a public read', () => {
  it('sends a public read without a key', async () => {
    const { http, send } = setUp();
    await send(read({ what: 'status' }));
    expect(http.requests[0]).toMatchObject({ method: 'GET', path: '/trade-api/v2/exchange/status', headers: {} });
  });
});

describe('the handshake of the feed', () => {
  it('signs the handshake like a GET of its path', async () => {
    const headers = (await setUp().gateway.signHandshake()) ?? {};
    const text = `${headers['ACCESS-TIMESTAMP']}GET/trade-api/ws/v2`;
    expect(isOurs(text, headers['ACCESS-SIGNATURE'] ?? '')).toBe(true);
  });
});

describe('the outcome of a request', () => {
  it.each([
    ['no answer in time', { type: 'unknown', reason: 'no answer within 5000 ms' }],
    ['a connection cut', { type: 'unknown', reason: 'ECONNRESET' }],
    ['a connection refused', { type: 'not-sent', reason: 'ECONNREFUSED' }],
    ['a server error', { type: 'answered', status: 503, headers: {}, body: '' }],
    [
      'a refusal for exceeding the rate limit',
      { type: 'answered', status: 429, headers: { 'retry-after': '0' }, body: '' },
    ],
    ['an unreadable answer', { type: 'answered', status: 201, headers: {}, body: '' }],
  ] as const)('reports the outcome and never sends again after %s', async (_, outcome) => {
    const { http, send } = setUp();
    http.outcome = outcome;
    for (const command of [place, cancel]) await send(command);
    await new Promise((resolve) => setImmediate(resolve));
    expect(http.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  });

  it('returns the command and its times with the outcome', async () => {
    const { send } = setUp();
    const answer = await send(place);
    expect(answer).toMatchObject({ type: 'answer', command: place, outcome: { status: 200, retryAfter: null } });
    expect(answer.askedAt).toBeLessThan(answer.at);
  });

  it('does not send a command that the wire cannot hold', async () => {
    const { http, send } = setUp();
    const { outcome } = await send({ ...place, price: price(4250) });
    expect(outcome).toMatchObject({ type: 'not-sent' });
    expect(outcome).toHaveProperty('reason', expect.stringContaining('create_order.yes_price'));
    expect(http.requests).toEqual([]);
  });

  it.each<HttpOutcome>([
    { type: 'not-sent', reason: 'connection refused' },
    { type: 'unknown', reason: 'the connection was lost' },
  ])('returns the client’s outcome unchanged, and sends nothing twice: %j', async (outcome) => {
    const { http, send } = setUp();
    http.outcome = outcome;
    expect((await send(place)).outcome).toEqual(outcome);
    expect(http.requests).toHaveLength(1);
  });

  it.each([
    ['2', 2_000_000],
    ['0.5', 500_000],
    ['0', null],
    ['0.0', null],
    ['Sat, 21 Nov 2026 04:00:07 GMT', 7_000_000],
    ['Sat, 21 Nov 2026 03:59:59 GMT', null],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 999_999_000_000],
    ['soon, GMT', null],
    ['soon', null],
    ['-1', null],
    [undefined, null],
  ])('returns the wait that %s asks for', async (text, retryAfter) => {
    const { http, send } = setUp();
    const headers = { 'retry-after': text, date: 'Sat, 21 Nov 2026 04:00:00 GMT' };
    http.outcome = { type: 'answered', status: 429, headers, body: '' };
    expect((await send(place)).outcome).toMatchObject({ status: 429, retryAfter });
  });

  it('returns no wait when the profile has none', async () => {
    const limits = { ...serviceProfile.limits, retryAfterOn429: 'absent' } as const;
    const { http, send } = setUp({ profile: { ...serviceProfile, limits } });
    http.outcome = { type: 'answered', status: 429, headers: { 'retry-after': '2' }, body: '' };
    expect((await send(place)).outcome).toMatchObject({ retryAfter: null });
  });

  it('takes no venue time from the answer of a cache: an old Date would move the timestamps of signatures', async () => {
    const { http, send, samples } = setUp({ profile: kalshiProfile });
    const headers = {
      date: new Date(START / 1000 - 14_000).toUTCString(),
      age: '14',
      'x-cache': 'Hit from cloudfront',
    };
    http.outcome = { type: 'answered', status: 200, headers, body: '{}' };
    expect((await send(read({ what: 'status' }))).outcome).toMatchObject({ status: 200, venueAt: null });
    await send(place);
    expect(samples).toEqual([]);
    expect(Math.abs(Number(header(http.requests[1], 'KALSHI-ACCESS-TIMESTAMP')) - START / 1000)).toBeLessThan(1000);
  });

  it('returns no venue time when the Date header is invalid', async () => {
    const { http, send } = setUp();
    http.outcome = { type: 'answered', status: 200, headers: { date: 'yesterday' }, body: '' };
    expect((await send(place)).outcome).toMatchObject({ venueAt: null });
  });
});

it('an order that waits for nothing leaves at once, without another look', async () => {
  const { http, gateway } = setUp({ profile: kalshiProfile });
  const answer = gateway.send(place, new AbortController().signal, () => 'halted');
  expect(http.requests).toHaveLength(1);
  expect((await answer).outcome).toMatchObject({ type: 'answered' });
});

it('an order that waits for a connection is looked at again', async () => {
  const { http, gateway } = setUp({ profile: kalshiProfile });
  await gateway.send(place, new AbortController().signal, ({ type }) => `no ${type} any more`);
  expect(http.requests[0]?.lastLook?.()).toBe('no place any more');
});

describe('a key that signs off the event loop', () => {
  const rsa = generateKeyPair('rsa-pss-sha256');
  const rsaScheme = { scheme: 'rsa-pss-sha256', source: 'test' } as const;
  const isByRsa = createVerifier(kalshiProfile, readPublicKey(rsa.publicPem, rsaScheme));
  const slow = (http: HttpClient, signer?: RequestSigner) =>
    new TradeApiGateway({
      profile: kalshiProfile,
      http,
      credential: { keyId: 'key-2', privateKey: readPrivateKey(rsa.privatePem, rsaScheme) },
      clock: () => micros(START),
      orderTimeoutMs: 5000,
      readTimeoutMs: 10_000,
      ...(signer && { signer }),
    });
  const go = new AbortController().signal;

  it('sends in the order of the commands, although only signatures of new orders are prepared', async () => {
    const http = new RecordingClient();
    const gateway = slow(http);
    await gateway.warmUp();
    await Promise.all([cancel, place, cancel, place, place].map((command) => gateway.send(command, go)));
    await gateway.stop();
    expect(http.requests.map(({ method }) => method)).toEqual(['DELETE', 'POST', 'DELETE', 'POST', 'POST']);
    for (const request of http.requests) {
      const [path] = request.path.split('?');
      const text = `${header(request, 'KALSHI-ACCESS-TIMESTAMP')}${request.method}${path}`;
      expect(isByRsa(text, header(request, 'KALSHI-ACCESS-SIGNATURE'))).toBe(true);
      expect(header(request, 'KALSHI-ACCESS-KEY')).toBe('key-2');
    }
  });

  it('returns a promise of the handshake headers', async () => {
    const headers = (await slow(new RecordingClient()).signHandshake()) ?? {};
    const text = `${headers['KALSHI-ACCESS-TIMESTAMP']}GET/trade-api/ws/v2`;
    expect(isByRsa(text, headers['KALSHI-ACCESS-SIGNATURE'] ?? '')).toBe(true);
  });

  it('sends nothing that was aborted while it was being signed', async () => {
    const tuning = { connections: 1, connectTimeoutMs: 100, idleMs: 100, bodyBytesMax: 100 };
    const gateway = slow(new PooledHttpClient({ ...tuning, origin: 'http://127.0.0.1:9' }));
    const controller = new AbortController();
    const answer = gateway.send(cancel, controller.signal);
    controller.abort();
    expect((await answer).outcome).toEqual({ type: 'not-sent', reason: 'aborted before it was sent' });
    await gateway.stop();
  });

  it.each([place, cancel, read({ what: 'balance' })])(
    'does not send a $type that must not leave any more once it is signed',
    async (command) => {
      const http = new RecordingClient();
      const gateway = slow(http, { warm: () => {}, stop: () => {}, headersOf: () => Promise.resolve({}) });
      const answer = await gateway.send(command, go, ({ type }) => `no ${type} after a halt`);
      expect(answer.outcome).toEqual({ type: 'not-sent', reason: `no ${command.type} after a halt` });
      expect(http.requests).toEqual([]);
      await gateway.send(command, go, () => null);
      expect(http.requests).toHaveLength(1);
    },
  );

  it.each([
    ['later', () => Promise.reject(new Error('of key-2'))],
    [
      'at once',
      () => {
        throw new Error('of key-2');
      },
    ],
  ])('sends nothing whose signing fails %s, and does not repeat the platform’s message', async (_when, headersOf) => {
    const http = new RecordingClient();
    const gateway = slow(http, { warm: () => undefined, stop: () => undefined, headersOf });
    expect((await gateway.send(cancel, go)).outcome).toEqual({
      type: 'not-sent',
      reason: 'DELETE /portfolio/events/orders/{orderId} could not be signed',
    });
    expect(http.requests).toEqual([]);
  });
});
