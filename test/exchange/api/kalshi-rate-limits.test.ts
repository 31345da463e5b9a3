// Rate limits in the `kalshi` dialect, on a manual clock: tokens by tier, by shard, by caller.
import { describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { EncodingError, assertEncodable } from '../../../src/exchange/api/encodable-markets.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { KalshiHarness, bodyOf } from './kalshi-harness.ts';
import type { HarnessAnswer } from './api-harness.ts';

const ORDERS = '/portfolio/events/orders';

/** Number of requests answered before one is refused by the rate limit. */
function countUntilRefused(ask: () => HarnessAnswer): number {
  let count = 0;
  while (ask().status !== 429) count++;
  return count;
}

describe('rate limits in the kalshi dialect', () => {
  it('hold one second of tokens in the lowest tier, refill at its rate, and send no Retry-After header', () => {
    const harness = new KalshiHarness({ extra: '' });
    const place = () => harness.createOrder('ann', { count: '1.00', exchange_index: 0 });
    expect(countUntilRefused(place)).toBe(10);
    const refused = place();
    expect([refused.status, refused.text, refused.retryAfter]).toEqual([
      429,
      '{"error":{"code":"too_many_requests","message":"too many requests"}}',
      undefined,
    ]);
    // A refused request takes no tokens.
    harness.advance(100);
    expect(countUntilRefused(place)).toBe(1);
    harness.advance(100);
    const [row] = harness.requestNow('ann', 'GET /portfolio/orders?limit=1').body.rows('orders');
    expect(countUntilRefused(() => harness.cancelOrder('ann', row?.text('order_id') ?? ''))).toBe(5);
    expect(harness.createOrder('bob').status).toBe(201);
  });

  it('are those of the tier in the config, which must be one of the dialect', () => {
    const harness = new KalshiHarness({ extra: 'tier: advanced' });
    expect(countUntilRefused(() => harness.requestNow('ann', 'GET /portfolio/balance'))).toBe(90);
    const config = parseExchangeConfig(
      'seed: 1\ntier: gold\nseries: [{ ticker: S, title: S, category: S }]\nchurn: [{ series: S, every: 1m, lifetime: 1m }]',
      'exchange.yaml',
    );
    expect(() => assertEncodable(config, kalshiProfile)).toThrow(
      new EncodingError(
        'tier of profile kalshi: expected one of basic, advanced, expert, premier, paragon, prime, prestige, found gold',
      ),
    );
    expect(() => assertEncodable(config, serviceProfile)).toThrow('expected none, for it has no tiers, found gold');
  });

  it('charge a batch as a whole or not at all, by the sum of its items', () => {
    const harness = new KalshiHarness({ extra: '' });
    const batch = (count: number) =>
      harness.requestNow('ann', `POST ${ORDERS}/batched`, {
        orders: Array.from({ length: count }, () => bodyOf({ count: '1.00' })),
      });
    expect([batch(11).status, batch(6).status, batch(6).status, batch(4).status]).toEqual([429, 201, 429, 201]);
    expect(harness.session.exchange.orders('ann')).toHaveLength(10);
  });

  it('allow a batch as large as a full bucket of a higher tier', () => {
    const harness = new KalshiHarness({ extra: 'tier: prestige' });
    const orders = Array.from({ length: 200 }, () => bodyOf({ count: '0.01' }));
    expect(harness.requestNow('ann', `POST ${ORDERS}/batched`, { orders }).body.rows('orders')).toHaveLength(200);
  });

  it('charge the shard that a write names, or every shard when the market decides', () => {
    const harness = new KalshiHarness({ extra: '' });
    const place = (changes: Record<string, unknown>) => () => harness.createOrder('ann', { count: '1.00', ...changes });
    const [unscoped, second] = [place({ exchange_index: 0 }), place({ ticker: 'COIN', exchange_index: 2 })];
    expect(countUntilRefused(unscoped)).toBe(10);
    expect(place({ exchange_index: 7 })().status).toBe(429);
    // The other shard's bucket is still full; a write routed by its market needs both.
    expect(place({})().status).toBe(429);
    expect(countUntilRefused(second)).toBe(10);
    harness.advance(100);
    expect(place({})().status).toBe(201);
    expect([unscoped().status, second().status]).toEqual([429, 429]);
    harness.advance(1000);
    const batch = {
      orders: Array.from({ length: 10 }, () => bodyOf({ ticker: 'COIN', count: '1.00', exchange_index: 2 })),
    };
    expect(harness.requestNow('ann', `POST ${ORDERS}/batched`, batch).status).toBe(201);
    // A batch is never charged to one shard.
    expect([second().status, unscoped().status]).toEqual([201, 429]);
  });

  it('belong to the account: a second key of it has no tokens of its own', () => {
    const harness = new KalshiHarness({ extra: '', keys: [['ann-2', 'ann']] });
    const placeBy = (key: string) => () => harness.createOrder(key, { count: '1.00', exchange_index: 0 });
    expect(countUntilRefused(placeBy('ann'))).toBe(10);
    expect([placeBy('ann-2')().status, placeBy('bob')().status]).toEqual([429, 201]);
    const readBy = (key: string) => () => harness.requestNow(key, 'GET /portfolio/balance');
    expect(countUntilRefused(readBy('ann-2'))).toBe(20);
    expect(readBy('ann')().status).toBe(429);
  });

  it('allow a caller without a key twenty reads a second and sixty at once', () => {
    const harness = new KalshiHarness({ extra: '' });
    const read = () => harness.requestNow(null, 'GET /markets');
    expect(countUntilRefused(read)).toBe(60);
    harness.advance(1000);
    expect(countUntilRefused(read)).toBe(20);
    expect(countUntilRefused(() => harness.requestNow('ann', 'GET /markets'))).toBe(20);
  });
});
