// The venue's limits and costs before a session: read if possible, otherwise the profile's.
import { describe, expect, it } from 'vitest';
import { TickerTable } from '../../../../src/domain/ids.ts';
import { micros } from '../../../../src/domain/units.ts';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../../../src/transport/http-client.ts';
import { generateKeyPair, readPrivateKey } from '../../../../src/venues/trade-api/signing/key-files.ts';
import type { WireProfile } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { endpointCostsOf, readPublishedTerms } from '../../../../src/venues/trade-api/rest/published-terms.ts';
import { tradeApiReplayParts } from '../../../../src/venues/trade-api/replay-parts.ts';
import { cancel, place, read } from '../normalize/raw-input.ts';

const scheme = 'ed25519';
const { privatePem } = generateKeyPair(scheme);
const credential = { keyId: 'key-1', privateKey: readPrivateKey(privatePem, { scheme, source: 'test' }) };
const NOW = 1_790_000_000;
/** The venue's clock is an hour ahead of ours. */
const DATE = new Date((NOW + 3600) * 1000).toUTCString();

const COSTS = {
  default_cost: 10,
  endpoint_costs: [
    { cost: 2, method: 'DELETE', path: '/trade-api/v2/portfolio/events/orders/:order_id' },
    { cost: 20, method: 'POST', path: '/trade-api/v2/portfolio/orders' },
    { cost: 7, method: 'POST', path: '/trade-api/v2/portfolio/events/orders' },
    { cost: 3, method: 'GET', path: '/trade-api/v2/portfolio/orders/:order_id' },
  ],
};
const LIMITS = {
  usage_tier: 'advanced',
  read: { refill_rate: 300, bucket_capacity: 900 },
  write: { refill_rate: 300, bucket_capacity: 600 },
  grants: [],
};

type Answers = Readonly<Record<string, HttpOutcome | object>>;

/** Answers by the end of the path; any other path is not found. */
class Venue implements HttpClient {
  readonly requests: HttpRequest[] = [];
  readonly #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }
  request(request: HttpRequest): Promise<HttpOutcome> {
    this.requests.push(request);
    const found = this.#answers[request.path.slice('/trade-api/v2'.length)];
    if (found && 'type' in found) return Promise.resolve(found);
    const headers = { date: DATE };
    const body = JSON.stringify(found ?? {});
    return Promise.resolve({ type: 'answered', status: found ? 200 : 404, headers, body });
  }
  warm(): Promise<void> {
    return Promise.resolve();
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

async function learn(answers: Answers, options: { profile?: WireProfile; isWatcher?: boolean } = {}) {
  const http = new Venue(answers);
  const unlearnt: string[] = [];
  const terms = await readPublishedTerms({
    profile: options.profile ?? kalshiProfile,
    http,
    credential: options.isWatcher === true ? null : credential,
    clock: () => micros(NOW * 1_000_000),
    onUnreadable: (what, why) => unlearnt.push(`${what}: ${why}`),
  });
  return { terms, unlearnt, requests: http.requests };
}

const KNOWN = { '/account/endpoint_costs': COSTS, '/account/limits': LIMITS };

describe('the terms of a venue', () => {
  it('reads the venue’s limits and the cost of each request', async () => {
    const { terms, unlearnt } = await learn(KNOWN);
    expect(unlearnt).toEqual([]);
    expect(terms.tier).toBe('advanced');
    expect(terms.limits).toEqual({
      read: { model: 'token-bucket', refillPerSecond: 300, capacity: 900 },
      trade: { model: 'token-bucket', refillPerSecond: 300, capacity: 600 },
    });
    const { capabilities } = tradeApiReplayParts({ profile: kalshiProfile, ...terms, tickers: new TickerTable() });
    expect([place, cancel, read({ what: 'balance' })].map((command) => capabilities.cost(command))).toEqual([7, 2, 10]);
    expect(capabilities.limits).toEqual(terms.limits);
  });

  it('signs the requests by the venue’s clock, not by ours', async () => {
    const { requests } = await learn(KNOWN);
    const request = requests.find(({ path }) => path.endsWith('/limits'));
    const stamp = Number(request?.headers['KALSHI-ACCESS-TIMESTAMP']) / 1000;
    expect(Math.abs(stamp - NOW - 3600)).toBeLessThan(2);
  });

  it('reads only public terms without a key', async () => {
    const { terms, requests } = await learn(KNOWN, { isWatcher: true });
    expect(terms).toMatchObject({ limits: {}, tier: null, costs: { createOrder: 7 } });
    expect(requests.map(({ path }) => path)).toEqual(['/trade-api/v2/account/endpoint_costs']);
  });

  it('requests nothing in a dialect that does not publish endpoint costs', async () => {
    const { terms, requests } = await learn(KNOWN, { profile: serviceProfile });
    expect(terms).toEqual({ limits: {}, costs: {}, tier: null });
    expect(requests).toEqual([]);
  });

  it.each<readonly [string, Answers, readonly string[]]>([
    [
      'are not there',
      {},
      ['the endpoint costs: it was answered with status 404', 'its rate limits: it was answered with status 404'],
    ],
    [
      'do not come',
      {
        '/account/endpoint_costs': { type: 'unknown', reason: 'no answer within 3000 ms' },
        '/account/limits': { type: 'not-sent', reason: 'ECONNREFUSED' },
      },
      ['the endpoint costs: no answer within 3000 ms', 'its rate limits: ECONNREFUSED'],
    ],
    [
      'are of another shape',
      { '/account/endpoint_costs': { costs: [] }, '/account/limits': { ...LIMITS, read: null } },
      ['the endpoint costs: endpoint_costs.default_cost', 'its rate limits: account_limits.read'],
    ],
  ])('keeps the profile’s terms when they %s, and reports it', async (_what, answers, expected) => {
    const { terms, unlearnt } = await learn(answers);
    expect(terms).toEqual({ limits: {}, costs: {}, tier: null });
    expect(unlearnt).toHaveLength(2);
    for (const [place, words] of expected.entries()) expect(unlearnt.toSorted().toReversed()[place]).toContain(words);
  });

  it('ignores a limit that would allow no request at all', async () => {
    const none = { ...LIMITS, write: { refill_rate: 0, bucket_capacity: 0 } };
    const { terms, unlearnt } = await learn({ ...KNOWN, '/account/limits': none });
    expect(terms.limits).toEqual({ read: { model: 'token-bucket', refillPerSecond: 300, capacity: 900 } });
    expect(unlearnt).toEqual(['its rate limits: one of them is not a limit']);
  });
});

describe('costs by the venue’s list', () => {
  it('finds costs by method and path, whatever the placeholders are called', () => {
    const costs = endpointCostsOf(kalshiProfile, {
      defaultCost: 11,
      costs: [
        { method: 'delete', path: '/trade-api/v2/portfolio/events/orders/{order}', cost: 4 },
        { method: 'POST', path: '/trade-api/v2/portfolio/events/orders/:id/amend', cost: 5 },
      ],
    });
    expect(costs).toMatchObject({ cancelOrder: 4, amendOrder: 5, createOrder: 11, cancelAll: 11, order: 11 });
  });
});
