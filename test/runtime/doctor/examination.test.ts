// The doctor at the local exchange: a healthy setup passes, and every planted fault is reported for what it is.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { micros } from '../../../src/domain/units.ts';
import { type RunningExchange, startExchange } from '../../../src/exchange/api/exchange-server.ts';
import type { Check } from '../../../src/runtime/doctor/check-result.ts';
import { type Examination, runChecks } from '../../../src/runtime/doctor/examination.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import type { Answer, Gateway, Venue } from '../../../src/venue.ts';
import { generateKeyPair, readPrivateKey } from '../../../src/venues/trade-api/signing/key-files.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { tradeApiVenue } from '../../../src/venues/trade-api/trade-api-venue.ts';

const SCHEME = 'ed25519';
const profile = kalshiProfile;
const CONFIG = `
seed: 3
accounts:
  - { name: ours, cash: 1000 }
series:
  - { ticker: RAIN, title: Rain, category: Weather }
eventGroups:
  - { ticker: RAIN-26, series: RAIN, title: Rain in 26, exclusive: true }
  - { ticker: SNOW-26, series: RAIN, title: Snow in 26 }
markets:
  - { ticker: RAIN-26-A, eventGroup: RAIN-26, title: Rain in A?, closesIn: 1h }
  - { ticker: RAIN-26-B, eventGroup: RAIN-26, title: Rain in B?, closesIn: 1h }
  - { ticker: SNOW-26-A, eventGroup: SNOW-26, title: Snow in A?, closesIn: 1h, shard: 2 }
flow: { enabled: false }
`;

const running: RunningExchange[] = [];
const venues: Venue[] = [];
afterEach(async () => {
  for (const { gateway } of venues.splice(0)) await gateway.stop();
  for (const exchange of running.splice(0)) await exchange.stop();
});

const pair = generateKeyPair(SCHEME);
const privateKey = readPrivateKey(pair.privatePem, { scheme: SCHEME, source: 'the test' });

async function exchange(keyId = 'a-key', added = ''): Promise<RunningExchange> {
  const keys = [{ id: keyId, account: 'ours', scheme: SCHEME, publicPem: pair.publicPem } as const];
  const config = parseExchangeConfig(CONFIG + added, 'doctor.yaml');
  const started = await startExchange({ config, profile, port: 0, keys });
  running.push(started);
  return started;
}

interface Planted {
  readonly at: Pick<RunningExchange, 'url' | 'feedUrl'>;
  readonly keyId?: string;
  readonly key?: typeof privateKey;
  readonly clockOffMs?: number;
}

function venueOf({ at, keyId = 'a-key', key = privateKey, clockOffMs = 0 }: Planted): Venue {
  const venue = tradeApiVenue({
    profile,
    urls: { rest: at.url, feed: at.feedUrl },
    credential: { keyId, privateKey: key },
    clock: () => micros((Date.now() + clockOffMs) * 1000),
    random: () => 0.5,
  });
  venues.push(venue);
  return venue;
}

async function examined(planted: Planted, options: Partial<Examination> = {}): Promise<Check[]> {
  const { gateway, feed, normalizer, tickers, capabilities } = venueOf(planted);
  const now = () => micros((Date.now() + (planted.clockOffMs ?? 0)) * 1000);
  return runChecks({
    subject: {
      profile,
      place: 'demo',
      gateway,
      feed,
      normalizer,
      tickers,
      hasKey: true,
      now,
      scheduler: systemScheduler,
    },
    markets: { tickers: ['RAIN-26-A'], events: ['RAIN-26'], series: [] },
    clock: { warnMs: 5000, maxMs: 10_000 },
    budgets: { readPerSecond: 100, tradePerSecond: 50 },
    others: [],
    keyProblem: null,
    keyWords: 'an Ed25519 key',
    orders: { step: capabilities.qtyStep },
    ...options,
  });
}

/** The checks that are not ok, as `state name: words`. */
const ills = (checks: readonly Check[]): string[] =>
  checks.flatMap(({ name, state, words }) =>
    state === 'ok' || state === 'skipped' ? [] : [`${state} ${name}: ${words}`],
  );

describe('the doctor of a healthy setup', () => {
  it('passes every check, and leaves nothing of the test orders', async () => {
    const at = await exchange();
    const checks = await examined({ at });
    expect(ills(checks)).toEqual([]);
    const names = ['key', 'reach', 'clock', 'signature', 'limits', 'market RAIN-26-A', 'event RAIN-26', 'money'];
    expect(checks.map(({ name }) => name)).toEqual([
      ...names,
      'shard 0',
      'feed',
      'books',
      'order in RAIN-26-A',
      'order in RAIN-26-B',
    ]);
    expect(at.ledger().accounts).toMatchObject([{ account: 'ours', reserved: 0, cash: 1_000_000_000 }]);
  });

  it('reports readable figures: dollars and cents, tokens, and the state of each market', async () => {
    const checks = await examined({ at: await exchange() }, { orders: null });
    const wordsOf = (wanted: string) => checks.find(({ name }) => name === wanted)?.words;
    expect(wordsOf('money')).toBe('$1,000.00 can be spent');
    expect(wordsOf('shard 0')).toBe('$1,000.00 can be spent; RAIN-26-A, RAIN-26-B are there');
    expect(wordsOf('limits')).toMatch(
      /^tier \w+: reads \d+ tokens a second, \d+ at once; writes \d+ tokens a second, \d+ at once$/,
    );
    expect(wordsOf('market RAIN-26-A')).toBe('1 market, open');
    expect(wordsOf('event RAIN-26')).toBe('2 markets, all open, of one exclusive group');
  });

  it('places no order without a request', async () => {
    const at = await exchange();
    const checks = await examined({ at }, { orders: null });
    expect(ills(checks)).toEqual([]);
    expect(checks.at(-1)).toMatchObject({ name: 'orders', state: 'skipped' });
    expect(at.exchange.orders('ours')).toEqual([]);
  });
});

describe('the doctor with a planted fault', () => {
  it('reports a private half of another key', async () => {
    const other = readPrivateKey(generateKeyPair(SCHEME).privatePem, { scheme: SCHEME, source: 'the test' });
    const checks = await examined({ at: await exchange(), key: other });
    expect(ills(checks)).toEqual([
      'bad signature: demo knows the key’s id, but the signature is not by its private half',
    ]);
  });

  it('reports an unknown key', async () => {
    const checks = await examined({ at: await exchange(), keyId: 'stranger' });
    expect(ills(checks)).toEqual([
      'bad signature: demo does not know the key’s id: 401 authentication_error: NOT_FOUND',
    ]);
    const skipped = checks.filter(({ state }) => state === 'skipped').map(({ name }) => name);
    expect(skipped).toEqual(['limits', 'money', 'feed', 'orders']);
  });

  it('reports a wrong dialect, with the profile as the first suspect', async () => {
    const at = await exchange();
    const pem = generateKeyPair('ecdsa-p256').privatePem;
    const venue = tradeApiVenue({
      profile: serviceProfile,
      urls: { rest: at.url, feed: at.feedUrl },
      credential: { keyId: 'a-key', privateKey: readPrivateKey(pem, { scheme: 'ecdsa-p256', source: 'the test' }) },
      clock: () => micros(Date.now() * 1000),
      random: () => 0.5,
    });
    venues.push(venue);
    const { gateway, feed, normalizer, tickers } = venue;
    const now = () => micros(Date.now() * 1000);
    const parts = { profile: serviceProfile, place: 'demo', gateway, feed, normalizer, tickers };
    const checks = await examined({ at }, { subject: { ...parts, hasKey: true, now, scheduler: systemScheduler } });
    expect(checks.find(({ name }) => name === 'signature')).toMatchObject({
      state: 'bad',
      words: 'demo found no signature, and one was sent',
      remedy: expect.stringMatching(/^check that venue\.profile is the venue’s dialect/),
    });
  });

  it('reports once a key that cannot be used, or does not exist', async () => {
    const at = await exchange();
    const { gateway, normalizer, tickers } = venueOf({ at });
    const now = () => micros(Date.now() * 1000);
    const parts = { profile, place: 'demo', gateway, normalizer, tickers, scheduler: systemScheduler, now };
    const patient = { ...parts, feed: null, hasKey: false };
    const unusable = await examined({ at }, { subject: patient, keyWords: null, keyProblem: 'f.pem: does not exist' });
    expect(ills(unusable)).toEqual(['bad key: f.pem: does not exist']);
    expect(unusable.find(({ name }) => name === 'feed')).toMatchObject({
      state: 'skipped',
      words: 'the key cannot be used',
    });
    const none = await examined({ at }, { subject: patient, keyWords: null });
    expect(ills(none)).toEqual(['bad key: the config has none, and here even watching needs one']);
    expect(none.find(({ name }) => name === 'money')).toMatchObject({ words: 'there is no key to sign with' });
  });

  it('reports a key of another of the venue’s environments, with its name', async () => {
    const at = await exchange('here');
    const elsewhere = await exchange('there');
    const others = [{ name: 'production', gateway: venueOf({ at: elsewhere, keyId: 'there' }).gateway }];
    const checks = await examined({ at, keyId: 'there' }, { others });
    expect(ills(checks)[0]).toBe('bad signature: demo does not know the key: it belongs to production');
  });

  it.each([
    [7000, /^warn clock: our clock is [67]\.\d s ahead of/],
    [-7000, /^warn clock: our clock is [678]\.\d s behind/],
    [40_000, /^bad clock: our clock is (39|40)\.\d s ahead of .* no order is sent$/],
  ])('reports a clock that is %i ms off, while signatures are still accepted', async (clockOffMs, words) => {
    const checks = await examined({ at: await exchange(), clockOffMs }, { orders: null });
    expect(ills(checks)).toEqual([expect.stringMatching(words)]);
    expect(checks.find(({ name }) => name === 'signature')).toMatchObject({ state: 'ok' });
  });

  it('reports an order that still reads as resting after it was canceled', async () => {
    const at = await exchange();
    const { gateway, feed, normalizer, tickers } = venueOf({ at });
    let first: Answer | null = null;
    const stale: Gateway = {
      warmUp: () => gateway.warmUp(),
      stop: () => gateway.stop(),
      async send(command, signal) {
        const answer = await gateway.send(command, signal);
        if (command.type !== 'read' || command.target.what !== 'order') return answer;
        first ??= answer;
        return first;
      },
    };
    const now = () => micros(Date.now() * 1000);
    // No time passes between two reads.
    const after = (delayMs: number, act: () => void) => systemScheduler.after(delayMs < 1000 ? 0 : delayMs, act);
    const parts = { profile, place: 'demo', gateway: stale, feed, normalizer, tickers, hasKey: true, now };
    const patient = { ...parts, scheduler: { ...systemScheduler, after } };
    const checks = await examined(
      { at },
      { subject: patient, markets: { tickers: ['RAIN-26-A'], events: [], series: [] } },
    );
    expect(ills(checks)).toEqual([
      expect.stringMatching(/^bad order in RAIN-26-A: .* was canceled, and still reads as resting$/),
    ]);
  });

  it('ends the examination when the venue cannot be reached', async () => {
    const at = await exchange();
    await at.stop();
    running.splice(0);
    const checks = await examined({ at });
    expect(ills(checks)).toEqual([expect.stringMatching(/^bad reach: demo cannot be reached: /)]);
    expect(checks.filter(({ state }) => state === 'skipped').map(({ name }) => name)).toContain('feed');
  });

  it('reports an address where another service answers', async () => {
    const server = createServer((_request, response) => response.end('<html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const checks = await examined({ at: { url, feedUrl: url.replace('http', 'ws') } });
    server.closeAllConnections();
    server.close();
    expect(ills(checks)).toEqual([expect.stringMatching(/^bad reach: demo does not speak kalshi: its answer /)]);
    expect(checks.find(({ name }) => name === 'reach')?.remedy).toBe('check the address and venue.profile');
  });

  it('reports an exchange that is paused, with the reason why orders were refused', async () => {
    const at = await exchange('a-key', 'maintenance: [{ from: 2020-01-01T00:00:00Z, until: 2090-01-01T00:00:00Z }]\n');
    const checks = await examined({ at });
    expect(ills(checks)).toContain('warn reach: demo answers; trading is paused');
    expect(checks.at(-1)).toMatchObject({
      words: expect.stringMatching(/ was refused: trading_is_paused$/),
      remedy: 'wait until it trades again',
    });
  });

  it('reports each market that is not listed', async () => {
    const markets = { tickers: ['RAIN-26-A', 'NO-SUCH'], events: ['NONE'], series: [] };
    const checks = await examined({ at: await exchange() }, { markets, orders: null });
    expect(ills(checks)).toEqual([
      expect.stringMatching(/^bad market NO-SUCH: it is not listed: 404/),
      expect.stringMatching(/^bad event NONE: it is not listed: 404/),
    ]);
  });

  it('reports a market on a shard without money, with the way to transfer some', async () => {
    const markets = { tickers: ['SNOW-26-A'], events: [], series: [] };
    const checks = await examined({ at: await exchange() }, { markets });
    expect(ills(checks)).toEqual([
      'bad shard 2: shard 2 was never given money, and SNOW-26-A is there: orders would be refused',
      expect.stringMatching(/^bad order in SNOW-26-A: .* was refused: user_not_found/),
    ]);
  });

  it('reports a budget above the account’s limits', async () => {
    const checks = await examined(
      { at: await exchange() },
      { budgets: { readPerSecond: 5000, tradePerSecond: 50 }, orders: null },
    );
    expect(ills(checks)).toEqual([expect.stringMatching(/^warn limits: .*budget for reads is above this/)]);
  });
});
