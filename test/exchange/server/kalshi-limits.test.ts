// Rate limits in the `kalshi` dialect, on a manual clock: tokens by tier, by shard, by caller.
import { describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { UntellableError, assertTellable } from '../../../src/exchange/server/tellable.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import { KalshiHall, bodyOf } from './kalshi-hall.ts';
import type { QuietAnswer } from './quiet-hall.ts';

const ORDERS = '/portfolio/events/orders';

/** Number of requests answered before one is refused by the rate limit. */
function countUntilRefused(ask: () => QuietAnswer): number {
  let count = 0;
  while (ask().status !== 429) count++;
  return count;
}

describe('rate limits in the kalshi dialect', () => {
  it('hold one second of tokens in the lowest tier, refill at its rate, and send no Retry-After header', () => {
    const harness = new KalshiHall({ extra: '' });
    const place = () => harness.create('ann', { count: '1.00', exchange_index: 0 });
    expect(countUntilRefused(place)).toBe(10);
    const refused = place();
    expect([refused.status, refused.text, refused.retryAfter]).toEqual([
      429,
      '{"error":{"code":"too_many_requests","message":"too many requests"}}',
      undefined,
    ]);
    // A refused request takes no tokens.
    harness.wait(100);
    expect(countUntilRefused(place)).toBe(1);
    harness.wait(100);
    const [row] = harness.tell('ann', 'GET /portfolio/orders?limit=1').body.rows('orders');
    expect(countUntilRefused(() => harness.cancel('ann', row?.text('order_id') ?? ''))).toBe(5);
    expect(harness.create('bob').status).toBe(201);
  });

  it('are those of the tier in the config, which must be one of the dialect', () => {
    const harness = new KalshiHall({ extra: 'tier: advanced' });
    expect(countUntilRefused(() => harness.tell('ann', 'GET /portfolio/balance'))).toBe(90);
    const config = parseExchangeConfig(
      'seed: 1\ntier: gold\nseries: [{ ticker: S, title: S, category: S }]\nchurn: [{ series: S, every: 1m, lifetime: 1m }]',
      'exchange.yaml',
    );
    expect(() => assertTellable(config, kalshiProfile)).toThrow(
      new UntellableError(
        'tier of profile kalshi: expected one of basic, advanced, expert, premier, paragon, prime, prestige, found gold',
      ),
    );
    expect(() => assertTellable(config, serviceProfile)).toThrow('expected none, for it has no tiers, found gold');
  });

  it('charge a batch as a whole or not at all, by the sum of its items', () => {
    const harness = new KalshiHall({ extra: '' });
    const batch = (count: number) =>
      harness.tell('ann', `POST ${ORDERS}/batched`, {
        orders: Array.from({ length: count }, () => bodyOf({ count: '1.00' })),
      });
    expect([batch(11).status, batch(6).status, batch(6).status, batch(4).status]).toEqual([429, 201, 429, 201]);
    expect(harness.session.exchange.orders('ann')).toHaveLength(10);
  });

  it('allow a batch as large as a full bucket of a higher tier', () => {
    const harness = new KalshiHall({ extra: 'tier: prestige' });
    const orders = Array.from({ length: 200 }, () => bodyOf({ count: '0.01' }));
    expect(harness.tell('ann', `POST ${ORDERS}/batched`, { orders }).body.rows('orders')).toHaveLength(200);
  });

  it('charge the shard that a write names, or every shard when the market decides', () => {
    const harness = new KalshiHall({ extra: '' });
    const place = (changes: Record<string, unknown>) => () => harness.create('ann', { count: '1.00', ...changes });
    const [unscoped, second] = [place({ exchange_index: 0 }), place({ ticker: 'COIN', exchange_index: 2 })];
    expect(countUntilRefused(unscoped)).toBe(10);
    expect(place({ exchange_index: 7 })().status).toBe(429);
    // The other shard's bucket is still full; a write routed by its market needs both.
    expect(place({})().status).toBe(429);
    expect(countUntilRefused(second)).toBe(10);
    harness.wait(100);
    expect(place({})().status).toBe(201);
    expect([unscoped().status, second().status]).toEqual([429, 429]);
    harness.wait(1000);
    const batch = {
      orders: Array.from({ length: 10 }, () => bodyOf({ ticker: 'COIN', count: '1.00', exchange_index: 2 })),
    };
    expect(harness.tell('ann', `POST ${ORDERS}/batched`, batch).status).toBe(201);
    // A batch is never charged to one shard.
    expect([second().status, unscoped().status]).toEqual([201, 429]);
  });

  it('allow a caller without a key twenty reads a second and sixty at once', () => {
    const harness = new KalshiHall({ extra: '' });
    const read = () => harness.tell(null, 'GET /markets');
    expect(countUntilRefused(read)).toBe(60);
    harness.wait(1000);
    expect(countUntilRefused(read)).toBe(20);
    expect(countUntilRefused(() => harness.tell('ann', 'GET /markets'))).toBe(20);
  });
});
