// The exchange API without sockets: the same requests at the same times get the same answers.
import { describe, expect, it } from 'vitest';
import { profileByName, profileNames } from '../../../src/venues/trade-api/profiles/profile-registry.ts';
import { EndpointRoutes } from '../../../src/exchange/api/endpoint-routes.ts';
import { memoryStore } from '../../../src/exchange/store/input-store.ts';
import { ApiHarness } from './api-harness.ts';

/** A short session of varied requests, and everything that was sent in answer. */
function session(): string[] {
  const harness = new ApiHarness();
  const feed = harness.openFeed('ann');
  feed.send('subscribe', { channels: ['orderbook_delta', 'fill'], market_tickers: ['A', 'B'] });
  const said: (string | undefined)[] = [];
  const ask = (...request: Parameters<ApiHarness['request']>): void =>
    void said.push(harness.request(...request)?.text);
  ask('ann', 'POST /portfolio/orders', harness.orderBody());
  harness.advance(250);
  ask('bob', 'POST /portfolio/orders', harness.orderBody({ action: 'sell', count: 4 }));
  ask('ann', 'GET /portfolio/fills?limit=5');
  ask(null, 'GET /markets/A/orderbook');
  ask('ann', 'GET /portfolio/orders?status=resting');
  return [...said.map((text) => text ?? 'nothing'), ...feed.texts, harness.api.date()];
}

describe('the exchange API', () => {
  it('gives the same answers and messages to the same requests at the same times', () => {
    const first = session();
    expect(first.length).toBeGreaterThan(8);
    expect(session()).toEqual(first);
  });

  it('can accept a key id without a signature, and still checks its timestamp', () => {
    const harness = new ApiHarness();
    expect(harness.request('ann', 'GET /portfolio/balance')?.body.at('balance')).toBe(100_000);
    expect(harness.request('eve', 'GET /portfolio/balance')?.status).toBe(401);
    expect(harness.request(null, 'GET /portfolio/balance')?.status).toBe(401);
    const old = harness.header('ann');
    harness.advance(16_000);
    harness.header = () => old;
    expect(harness.request('ann', 'GET /portfolio/balance')?.text).toContain('header_timestamp_expired');
  });

  it('continues after a crash, on a store in memory', () => {
    const store = memoryStore(7);
    const before = new ApiHarness({ store });
    before.placeOrder('ann');
    const feed = before.openFeed('ann');
    const after = new ApiHarness({ store });
    expect(after.session.exchange.ledger()).toEqual(before.session.exchange.ledger());
    expect(after.request('ann', 'GET /portfolio/orders')?.body.rows('orders')).toHaveLength(1);
    expect(feed.ended).toBeNull();
  });

  it('closes every feed connection when it closes, and refuses everyone', () => {
    const harness = new ApiHarness();
    const feed = harness.openFeed(null);
    harness.api.close();
    expect(feed.ended).toBe(1001);
    expect(harness.api.feeds).toBe(0);
    expect(() => harness.openFeed(null)).toThrow('404');
    expect(harness.placeOrder('ann')?.status).toBe(503);
  });
});

describe('the route of a request', () => {
  const profiles = profileNames().flatMap((name) => profileByName(name) ?? []);

  it.each(profiles.map((profile) => [profile.name, profile] as const))('is its endpoint: %s', (_name, profile) => {
    const routes = new EndpointRoutes(profile);
    const paths = new Set<string>();
    for (const [endpoint, { method, path }] of Object.entries(profile.endpoints)) {
      const target = profile.basePath + path.replaceAll(/\{\w+\}/g, 'X%2F1');
      const found = routes.findRoute(method, `${target}?limit=5&limit=6&cursor=`);
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => [part, 'X/1']);
      const query = { limit: ['5', '6'] };
      expect(found).toEqual({ method, path: target, endpoint, parts: Object.fromEntries(parts), query });
      expect(routes.findRoute('PATCH', target)).toBeNull();
      expect(routes.findRoute(method, `${target}/more/than/any`)).toBeNull();
      paths.add(path);
    }
    expect(paths.size).toBeGreaterThan(10);
  });
});
