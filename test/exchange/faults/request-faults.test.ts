// Every request fault, at the API: what the caller receives, and what the exchange did.
import { describe, expect, it } from 'vitest';
import { ApiHarness } from '../api/api-harness.ts';

interface Case {
  readonly name: string;
  readonly rule: Record<string, unknown>;
  /** The immediate answer to the caller: a status, `dropped`, or `nothing`. */
  readonly seen: number | 'dropped' | 'nothing';
  /** Orders accepted afterwards. */
  readonly orders: number;
  readonly text?: string | RegExp;
  readonly retryAfter?: number | undefined;
}

const CASES: readonly Case[] = [
  { name: 'drops the answer after executing the request', rule: { fault: 'drop-answer' }, seen: 'dropped', orders: 1 },
  { name: 'drops the request before executing it', rule: { fault: 'drop-request' }, seen: 'dropped', orders: 0 },
  { name: 'executes late', rule: { fault: 'delay', before: '1s' }, seen: 'nothing', orders: 0 },
  { name: 'answers late', rule: { fault: 'delay', after: '1s' }, seen: 'nothing', orders: 1 },
  {
    name: 'refuses for the rate limit, with the profile’s Retry-After',
    rule: { fault: 'too-many-requests' },
    seen: 429,
    orders: 0,
    text: /too_many_requests/,
    retryAfter: 1,
  },
  {
    name: 'refuses for the rate limit, with a Retry-After of its own',
    rule: { fault: 'too-many-requests', retryAfter: 30 },
    seen: 429,
    orders: 0,
    retryAfter: 30,
  },
  {
    name: 'refuses for the rate limit, without a Retry-After',
    rule: { fault: 'too-many-requests', retryAfter: 'never-said' },
    seen: 429,
    orders: 0,
    retryAfter: undefined,
  },
  {
    name: 'fails before executing',
    rule: { fault: 'server-error' },
    seen: 503,
    orders: 0,
    text: /service_unavailable/,
  },
  { name: 'fails after executing', rule: { fault: 'server-error', status: 502, acts: true }, seen: 502, orders: 1 },
  { name: 'answers success without an order', rule: { fault: 'odd-answer' }, seen: 201, orders: 1, text: '{}' },
  {
    name: 'answers success with an empty body',
    rule: { fault: 'odd-answer', body: 'empty' },
    seen: 201,
    orders: 1,
    text: '',
  },
  {
    name: 'answers success with garbage',
    rule: { fault: 'odd-answer', body: 'garbage' },
    seen: 201,
    orders: 1,
    text: /^<html>/,
  },
];

const ordersIn = (harness: ApiHarness): number => harness.session.exchange.orders('ann').length;

describe('a request fault', () => {
  it.each(CASES)('$name', ({ rule, seen, orders, text, ...expected }) => {
    const harness = new ApiHarness({ plan: { requests: [{ on: ['createOrder'], ...rule }] } });
    const answer = harness.placeOrder('ann');
    expect(answer === null ? 'dropped' : (answer?.status ?? 'nothing')).toBe(seen);
    expect(ordersIn(harness)).toBe(orders);
    if (text !== undefined) expect(answer?.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
    if ('retryAfter' in expected) expect(answer?.retryAfter).toBe(expected.retryAfter);
    expect(harness.injectedFaults).toEqual([rule['fault']]);
  });

  it('delays by its durations, before and after executing', () => {
    const harness = new ApiHarness({ plan: { requests: [{ fault: 'delay', before: '200ms', after: '1s' }] } });
    const answer = harness.startRequest('ann', 'POST /portfolio/orders', harness.orderBody());
    harness.advance(199);
    expect(ordersIn(harness)).toBe(0);
    harness.advance(1);
    expect([ordersIn(harness), answer()]).toEqual([1, undefined]);
    harness.advance(1000);
    expect(answer()?.status).toBe(201);
  });

  it('leaves a refusal unchanged when it would corrupt a success', () => {
    const harness = new ApiHarness({ plan: { requests: [{ fault: 'odd-answer' }] } });
    expect(harness.placeOrder('ann', { yes_price: 0 })?.status).toBe(400);
  });

  it('may follow another: delayed, executed, and never answered', () => {
    const plan = { requests: [{ fault: 'delay', before: '1s' }, { fault: 'drop-answer' }] };
    const harness = new ApiHarness({ plan });
    const answer = harness.startRequest('ann', 'POST /portfolio/orders', harness.orderBody());
    harness.advance(1000);
    expect([ordersIn(harness), answer()]).toEqual([1, null]);
  });

  it('applies only to the accounts, endpoints, times and counts of its rule', () => {
    const rule = { fault: 'drop-request', accounts: ['ann'], on: ['trades'], from: '10s', until: '20s', times: 2 };
    const harness = new ApiHarness({ plan: { requests: [rule] } });
    const ask = (name: string) => (harness.placeOrder(name) === null ? 'dropped' : 'answered');
    expect(ask('ann')).toBe('answered');
    harness.advance(10_000);
    expect(harness.request('ann', 'GET /portfolio/balance')?.status).toBe(200);
    expect([ask('bob'), ask('ann'), ask('ann'), ask('ann')]).toEqual(['answered', 'dropped', 'dropped', 'answered']);
    const late = new ApiHarness({ plan: { requests: [rule] } });
    late.advance(20_000);
    expect(late.placeOrder('ann')?.status).toBe(201);
  });

  it('applies to the request with its number, and to all in its burst', () => {
    const harness = new ApiHarness({
      plan: { requests: [{ fault: 'too-many-requests', retryAfter: 'never-said', nth: 2, for: '5s' }] },
    });
    const statuses = [
      harness.placeOrder('ann')?.status,
      harness.placeOrder('ann')?.status,
      harness.placeOrder('bob')?.status,
    ];
    harness.advance(5000);
    expect([...statuses, harness.placeOrder('ann')?.status]).toEqual([201, 429, 429, 201]);
  });

  it('is drawn alike for the same seed, and differently for another', () => {
    const plan = { requests: [{ fault: 'drop-request', probability: 0.5 }] };
    const draws = (faultSeed: number): boolean[] => {
      const harness = new ApiHarness({ plan, faultSeed });
      return Array.from({ length: 64 }, () => harness.placeOrder('ann') === null);
    };
    expect(draws(3)).toEqual(draws(3));
    expect(draws(3)).not.toEqual(draws(4));
    expect(draws(3).filter((isDropped) => isDropped).length).toBeGreaterThan(16);
  });

  it('does not affect the draws of another rule', () => {
    const dice = { fault: 'drop-request', on: ['createOrder'], probability: 0.5 };
    const draws = (others: readonly unknown[]): boolean[] => {
      const harness = new ApiHarness({ plan: { requests: [dice, ...others] } });
      return Array.from({ length: 32 }, () => {
        harness.request('ann', 'GET /portfolio/balance');
        return harness.placeOrder('ann') === null;
      });
    };
    expect(draws([{ fault: 'drop-answer', on: ['balance'], probability: 0.5 }])).toEqual(draws([]));
  });
});

describe('stale reads', () => {
  const plan = { requests: [{ fault: 'stale', by: '500ms', on: ['reads'] }] };

  it('show orders, fills, positions, cash and books as of the lag', () => {
    const harness = new ApiHarness({ plan });
    harness.advance(1000);
    harness.placeOrder('ann');
    harness.placeOrder('bob', { action: 'sell', count: 4 });
    const read = () => ({
      orders: harness.request('ann', 'GET /portfolio/orders')?.body.rows('orders').length,
      fills: harness.request('ann', 'GET /portfolio/fills')?.body.rows('fills').length,
      positions: harness.request('ann', 'GET /portfolio/positions')?.body.rows('market_positions').length,
      balance: harness.request('ann', 'GET /portfolio/balance')?.body.at('balance'),
      book: harness.request(null, 'GET /markets/A/orderbook')?.body.at('orderbook.yes'),
    });
    const before = { orders: 0, fills: 0, positions: 0, balance: 100_000 };
    expect(read()).toMatchObject(before);
    harness.advance(499);
    expect(read()).toMatchObject(before);
    harness.advance(1);
    expect(read()).toMatchObject({ orders: 1, fills: 1, positions: 1, book: [[50, 6]] });
  });

  it('do not affect writes, which act on the current state', () => {
    const harness = new ApiHarness({ plan });
    const placed = harness.placeOrder('ann');
    const orderId = placed?.body.text('order.order_id') ?? '';
    expect(harness.request('ann', `GET /portfolio/orders/${orderId}`)?.status).toBe(404);
    expect(harness.request('ann', `DELETE /portfolio/orders/${orderId}`)?.status).toBe(200);
  });

  it('still lag after the exchange restarted from its log', () => {
    const harness = new ApiHarness({ plan });
    harness.placeOrder('ann');
    harness.advance(1000);
    const again = new ApiHarness({ plan, store: harness.store });
    again.now = harness.now;
    expect(again.request('ann', 'GET /portfolio/orders')?.body.rows('orders')).toHaveLength(1);
    again.placeOrder('ann');
    expect(again.request('ann', 'GET /portfolio/orders')?.body.rows('orders')).toHaveLength(1);
  });
});

describe('a wrong server clock', () => {
  const plan = {
    clock: [
      { from: '10s', until: '20s', ahead: '20s' },
      { from: '30s', behind: '1h' },
    ],
  };

  it('shows in the date header, and in the check of timestamps, while it lasts', () => {
    const harness = new ApiHarness({ plan });
    const off = (): number => Date.parse(harness.api.date()) - Math.floor(harness.now / 1_000_000) * 1000;
    const status = () => harness.request('ann', 'GET /portfolio/balance')?.status;
    expect([off(), status()]).toEqual([0, 200]);
    harness.advance(10_000);
    expect([off(), status()]).toEqual([20_000, 401]);
    expect(() => harness.openFeed('ann')).toThrow('header_timestamp_expired');
    harness.advance(10_000);
    expect([off(), status()]).toEqual([0, 200]);
    harness.advance(10_000);
    expect([off(), status()]).toEqual([-3_600_000, 401]);
  });
});
