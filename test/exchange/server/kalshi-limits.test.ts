// What may be asked how often in the `kalshi` dialect, by a clock that is moved by hand: tokens by tier, by shard, by caller.
import { describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { UntellableError, assertTellable } from '../../../src/exchange/server/tellable.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import { KalshiHall, bodyOf } from './kalshi-hall.ts';
import type { QuietAnswer } from './quiet-hall.ts';

const ORDERS = '/portfolio/events/orders';

/** How many requests are answered before one is refused for its rate. */
function countUntilRefused(ask: () => QuietAnswer): number {
  let count = 0;
  while (ask().status !== 429) count++;
  return count;
}

describe('limits in the kalshi dialect', () => {
  it('hold a second of tokens in the lowest tier, refill by the rate, and are said without a header', () => {
    const hall = new KalshiHall({ extra: '' });
    const place = () => hall.create('ann', { count: '1.00', exchange_index: 0 });
    expect(countUntilRefused(place)).toBe(10);
    const over = place();
    expect([over.status, over.text, over.retryAfter]).toEqual([
      429,
      '{"error":{"code":"too_many_requests","message":"too many requests"}}',
      undefined,
    ]);
    // An over-draw takes nothing.
    hall.wait(100);
    expect(countUntilRefused(place)).toBe(1);
    hall.wait(100);
    const [row] = hall.tell('ann', 'GET /portfolio/orders?limit=1').body.rows('orders');
    expect(countUntilRefused(() => hall.cancel('ann', row?.text('order_id') ?? ''))).toBe(5);
    expect(hall.create('bob').status).toBe(201);
  });

  it('are those of the tier that the config names, and of none that the dialect does not know', () => {
    const hall = new KalshiHall({ extra: 'tier: advanced' });
    expect(countUntilRefused(() => hall.tell('ann', 'GET /portfolio/balance'))).toBe(90);
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

  it('take a batch whole or not at all, by the sum of its items', () => {
    const hall = new KalshiHall({ extra: '' });
    const batch = (count: number) =>
      hall.tell('ann', `POST ${ORDERS}/batched`, {
        orders: Array.from({ length: count }, () => bodyOf({ count: '1.00' })),
      });
    expect([batch(11).status, batch(6).status, batch(6).status, batch(4).status]).toEqual([429, 201, 429, 201]);
    expect(hall.session.exchange.orders('ann')).toHaveLength(10);
  });

  it('let a full bucket of a higher tier be one batch', () => {
    const hall = new KalshiHall({ extra: 'tier: prestige' });
    const orders = Array.from({ length: 200 }, () => bodyOf({ count: '0.01' }));
    expect(hall.tell('ann', `POST ${ORDERS}/batched`, { orders }).body.rows('orders')).toHaveLength(200);
  });

  it('are of a shard’s own where a write says which, and of every shard’s where the market decides', () => {
    const hall = new KalshiHall({ extra: '' });
    const place = (changes: Record<string, unknown>) => () => hall.create('ann', { count: '1.00', ...changes });
    const [unscoped, second] = [place({ exchange_index: 0 }), place({ ticker: 'COIN', exchange_index: 2 })];
    expect(countUntilRefused(unscoped)).toBe(10);
    expect(place({ exchange_index: 7 })().status).toBe(429);
    // The other shard's own bucket is still full; what is routed by its market needs both.
    expect(place({})().status).toBe(429);
    expect(countUntilRefused(second)).toBe(10);
    hall.wait(100);
    expect(place({})().status).toBe(201);
    expect([unscoped().status, second().status]).toEqual([429, 429]);
    hall.wait(1000);
    const batch = {
      orders: Array.from({ length: 10 }, () => bodyOf({ ticker: 'COIN', count: '1.00', exchange_index: 2 })),
    };
    expect(hall.tell('ann', `POST ${ORDERS}/batched`, batch).status).toBe(201);
    // Batches are never of a shard.
    expect([second().status, unscoped().status]).toEqual([201, 429]);
  });

  it('let a caller without a key read twenty times a second and sixty times at once', () => {
    const hall = new KalshiHall({ extra: '' });
    const read = () => hall.tell(null, 'GET /markets');
    expect(countUntilRefused(read)).toBe(60);
    hall.wait(1000);
    expect(countUntilRefused(read)).toBe(20);
    expect(countUntilRefused(() => hall.tell('ann', 'GET /markets'))).toBe(20);
  });
});
