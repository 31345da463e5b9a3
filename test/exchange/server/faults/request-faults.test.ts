// Every fault of a request, against the hall: what the caller sees, and what the exchange did.
import { describe, expect, it } from 'vitest';
import { QuietHall } from '../quiet-hall.ts';

interface Case {
  readonly name: string;
  readonly rule: Record<string, unknown>;
  /** What the caller is answered at once: a status, `dropped`, or `nothing`. */
  readonly seen: number | 'dropped' | 'nothing';
  /** Orders that are in after it. */
  readonly orders: number;
  readonly text?: string | RegExp;
  readonly retryAfter?: number | undefined;
}

const CASES: readonly Case[] = [
  { name: 'drops the answer after acting', rule: { fault: 'drop-answer' }, seen: 'dropped', orders: 1 },
  { name: 'drops the request before acting', rule: { fault: 'drop-request' }, seen: 'dropped', orders: 0 },
  { name: 'acts late', rule: { fault: 'delay', before: '1s' }, seen: 'nothing', orders: 0 },
  { name: 'answers late', rule: { fault: 'delay', after: '1s' }, seen: 'nothing', orders: 1 },
  {
    name: 'refuses for the rate, and says how long to wait as the profile does',
    rule: { fault: 'too-many-requests' },
    seen: 429,
    orders: 0,
    text: /too_many_requests/,
    retryAfter: 1,
  },
  {
    name: 'refuses for the rate, with a wait of its own',
    rule: { fault: 'too-many-requests', retryAfter: 30 },
    seen: 429,
    orders: 0,
    retryAfter: 30,
  },
  {
    name: 'refuses for the rate, and does not say how long to wait',
    rule: { fault: 'too-many-requests', retryAfter: 'never-said' },
    seen: 429,
    orders: 0,
    retryAfter: undefined,
  },
  { name: 'breaks before acting', rule: { fault: 'server-error' }, seen: 503, orders: 0, text: /service_unavailable/ },
  { name: 'breaks after acting', rule: { fault: 'server-error', status: 502, acts: true }, seen: 502, orders: 1 },
  { name: 'answers success without an order', rule: { fault: 'odd-answer' }, seen: 201, orders: 1, text: '{}' },
  {
    name: 'answers success with nothing',
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

const ordersIn = (hall: QuietHall): number => hall.session.exchange.orders('ann').length;

describe('a fault of a request', () => {
  it.each(CASES)('$name', ({ rule, seen, orders, text, ...told }) => {
    const hall = new QuietHall({ plan: { requests: [{ on: ['createOrder'], ...rule }] } });
    const answer = hall.place('ann');
    expect(answer === null ? 'dropped' : (answer?.status ?? 'nothing')).toBe(seen);
    expect(ordersIn(hall)).toBe(orders);
    if (text !== undefined) expect(answer?.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
    if ('retryAfter' in told) expect(answer?.retryAfter).toBe(told.retryAfter);
    expect(hall.struck).toEqual([rule['fault']]);
  });

  it('comes late by what was said, before and after', () => {
    const hall = new QuietHall({ plan: { requests: [{ fault: 'delay', before: '200ms', after: '1s' }] } });
    const answer = hall.begin('ann', 'POST /portfolio/orders', hall.orderBody());
    hall.wait(199);
    expect(ordersIn(hall)).toBe(0);
    hall.wait(1);
    expect([ordersIn(hall), answer()]).toEqual([1, undefined]);
    hall.wait(1000);
    expect(answer()?.status).toBe(201);
  });

  it('leaves a refusal as it is where success was to be odd', () => {
    const hall = new QuietHall({ plan: { requests: [{ fault: 'odd-answer' }] } });
    expect(hall.place('ann', { yes_price: 0 })?.status).toBe(400);
  });

  it('may follow another: late, carried out, and never answered', () => {
    const plan = { requests: [{ fault: 'delay', before: '1s' }, { fault: 'drop-answer' }] };
    const hall = new QuietHall({ plan });
    const answer = hall.begin('ann', 'POST /portfolio/orders', hall.orderBody());
    hall.wait(1000);
    expect([ordersIn(hall), answer()]).toEqual([1, null]);
  });

  it('strikes only whom, what, when and how often it says', () => {
    const rule = { fault: 'drop-request', accounts: ['ann'], on: ['trades'], from: '10s', until: '20s', times: 2 };
    const hall = new QuietHall({ plan: { requests: [rule] } });
    const ask = (name: string) => (hall.place(name) === null ? 'dropped' : 'answered');
    expect(ask('ann')).toBe('answered');
    hall.wait(10_000);
    expect(hall.ask('ann', 'GET /portfolio/balance')?.status).toBe(200);
    expect([ask('bob'), ask('ann'), ask('ann'), ask('ann')]).toEqual(['answered', 'dropped', 'dropped', 'answered']);
    const late = new QuietHall({ plan: { requests: [rule] } });
    late.wait(20_000);
    expect(late.place('ann')?.status).toBe(201);
  });

  it('strikes the one that is counted, and all that come in its burst', () => {
    const hall = new QuietHall({
      plan: { requests: [{ fault: 'too-many-requests', retryAfter: 'never-said', nth: 2, for: '5s' }] },
    });
    const statuses = [hall.place('ann')?.status, hall.place('ann')?.status, hall.place('bob')?.status];
    hall.wait(5000);
    expect([...statuses, hall.place('ann')?.status]).toEqual([201, 429, 429, 201]);
  });

  it('is drawn the same by the same seed, and otherwise by another', () => {
    const plan = { requests: [{ fault: 'drop-request', probability: 0.5 }] };
    const draws = (faultSeed: number): boolean[] => {
      const hall = new QuietHall({ plan, faultSeed });
      return Array.from({ length: 64 }, () => hall.place('ann') === null);
    };
    expect(draws(3)).toEqual(draws(3));
    expect(draws(3)).not.toEqual(draws(4));
    expect(draws(3).filter((isDropped) => isDropped).length).toBeGreaterThan(16);
  });

  it('does not move the fate of what another rule decides', () => {
    const dice = { fault: 'drop-request', on: ['createOrder'], probability: 0.5 };
    const draws = (others: readonly unknown[]): boolean[] => {
      const hall = new QuietHall({ plan: { requests: [dice, ...others] } });
      return Array.from({ length: 32 }, () => {
        hall.ask('ann', 'GET /portfolio/balance');
        return hall.place('ann') === null;
      });
    };
    expect(draws([{ fault: 'drop-answer', on: ['balance'], probability: 0.5 }])).toEqual(draws([]));
  });
});

describe('stale reads', () => {
  const plan = { requests: [{ fault: 'stale', by: '500ms', on: ['reads'] }] };

  it('tell orders, fills, positions, cash and books as they were so long ago', () => {
    const hall = new QuietHall({ plan });
    hall.wait(1000);
    hall.place('ann');
    hall.place('bob', { action: 'sell', count: 4 });
    const read = () => ({
      orders: hall.ask('ann', 'GET /portfolio/orders')?.body.rows('orders').length,
      fills: hall.ask('ann', 'GET /portfolio/fills')?.body.rows('fills').length,
      positions: hall.ask('ann', 'GET /portfolio/positions')?.body.rows('market_positions').length,
      balance: hall.ask('ann', 'GET /portfolio/balance')?.body.at('balance'),
      book: hall.ask(null, 'GET /markets/A/orderbook')?.body.at('orderbook.yes'),
    });
    const before = { orders: 0, fills: 0, positions: 0, balance: 100_000 };
    expect(read()).toMatchObject(before);
    hall.wait(499);
    expect(read()).toMatchObject(before);
    hall.wait(1);
    expect(read()).toMatchObject({ orders: 1, fills: 1, positions: 1, book: [[50, 6]] });
  });

  it('never keep a write from acting on the present', () => {
    const hall = new QuietHall({ plan });
    const placed = hall.place('ann');
    const orderId = placed?.body.text('order.order_id') ?? '';
    expect(hall.ask('ann', `GET /portfolio/orders/${orderId}`)?.status).toBe(404);
    expect(hall.ask('ann', `DELETE /portfolio/orders/${orderId}`)?.status).toBe(200);
  });

  it('still hold after the exchange came back on its log', () => {
    const hall = new QuietHall({ plan });
    hall.place('ann');
    hall.wait(1000);
    const again = new QuietHall({ plan, store: hall.store });
    again.now = hall.now;
    expect(again.ask('ann', 'GET /portfolio/orders')?.body.rows('orders')).toHaveLength(1);
    again.place('ann');
    expect(again.ask('ann', 'GET /portfolio/orders')?.body.rows('orders')).toHaveLength(1);
  });
});

describe('a clock that is wrong', () => {
  const plan = {
    clock: [
      { from: '10s', until: '20s', ahead: '20s' },
      { from: '30s', behind: '1h' },
    ],
  };

  it('shows in the date, and in the judgment of timestamps, while it is', () => {
    const hall = new QuietHall({ plan });
    const off = (): number => Date.parse(hall.hall.date()) - Math.floor(hall.now / 1_000_000) * 1000;
    const status = () => hall.ask('ann', 'GET /portfolio/balance')?.status;
    expect([off(), status()]).toEqual([0, 200]);
    hall.wait(10_000);
    expect([off(), status()]).toEqual([20_000, 401]);
    expect(() => hall.feed('ann')).toThrow('header_timestamp_expired');
    hall.wait(10_000);
    expect([off(), status()]).toEqual([0, 200]);
    hall.wait(10_000);
    expect([off(), status()]).toEqual([-3_600_000, 401]);
  });
});
