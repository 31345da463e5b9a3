// Answers as events: each starts with `answered`, and no order that may be in is reported as rejected.
import { describe, expect, it } from 'vitest';
import { micros } from '../../../../src/domain/units.ts';
import type { AnswerOutcome } from '../../../../src/venue.ts';
import {
  ASKED_AT,
  AT,
  ORDER,
  after,
  amend,
  answer,
  answered,
  cancel,
  decrease,
  normalizing,
  place,
  read,
} from './raw-input.ts';

const error = (code: string, details?: string) => ({ error: { code, message: code.replaceAll('_', ' '), details } });
const NOT_SENT = { type: 'not-sent', reason: 'connection refused' } as const satisfies AnswerOutcome;
const UNKNOWN = { type: 'unknown', reason: 'no answer within 5000 ms' } as const satisfies AnswerOutcome;

describe('the answer to a new order', () => {
  it('reports the filled and the resting quantity of an accepted order', () => {
    expect(after(place, 201, { order: { ...ORDER, fill_count: 3, remaining_count: 7 } })).toEqual([
      {
        kind: 'order-accepted',
        at: AT,
        exchangeAt: null,
        clientOrderId: 'ours-1',
        venueOrderId: 'theirs-1',
        filledQty: 300,
        leavesQty: 700,
        isFinished: false,
      },
    ]);
    const done = { ...ORDER, status: 'executed', fill_count: 10, remaining_count: 0 };
    expect(after(place, 201, { order: done })).toMatchObject([{ kind: 'order-accepted', isFinished: true }]);
  });

  it.each([
    [400, error('invalid_order', 'post only cross'), 'invalid_order', 'invalid order: post only cross'],
    [400, error('insufficient_balance'), 'insufficient_balance', 'insufficient balance'],
    [400, { msg: 'no such field' }, 'http_400', 'no such field'],
    [401, error('header_timestamp_expired'), 'header_timestamp_expired', 'header timestamp expired'],
    [403, '', 'http_403', ''],
    [404, error('market_not_found'), 'market_not_found', 'market not found'],
    [
      409,
      error('fill_or_kill_insufficient_resting_volume'),
      'fill_or_kill_insufficient_resting_volume',
      'fill or kill insufficient resting volume',
    ],
    [410, error('deprecated_v1_order_endpoint'), 'deprecated_v1_order_endpoint', 'deprecated v1 order endpoint'],
  ])('reports a rejection for %d %j', (status, body, code, message) => {
    expect(after(place, status, body)).toEqual([
      { kind: 'order-rejected', at: AT, clientOrderId: 'ours-1', code, message },
    ]);
  });

  it.each([
    [409, error('order_already_exists'), '409 order_already_exists: order already exists'],
    [500, error('internal_error'), '500 internal_error: internal error'],
    [502, '<html>Bad Gateway</html>', '502 http_502: <html>Bad Gateway</html>'],
    [503, error('service_unavailable'), '503 service_unavailable: service unavailable'],
    [408, '', '408 http_408'],
    [302, '', '302 http_302'],
    [201, '{"order":', '201 without an order: order_created.(the whole): expected a record, found nothing'],
    [201, {}, '201 without an order: order_created.order'],
    [200, { order: { ...ORDER, order_id: '' } }, '200 without an order: order.order_id'],
  ])('reports the order as unknown for %d %j', (status, body, reason) => {
    const events = after(place, status, body);
    expect(events).toMatchObject([{ kind: 'order-unknown', clientOrderId: 'ours-1' }]);
    expect(events[0]).toHaveProperty('reason', expect.stringContaining(reason));
  });

  // Every answer to a new order gives one of these events, and only a definite refusal is a rejection.
  const bodies = ['', 'ok', '<html>', '{', '[]', '{}', '{"order":null}', '{"order":{}}', '{"order":{"order_id":7}}'];
  const statuses = [100, 200, 201, 202, 204, 206, 301, 302, 304, 307, 400, 401, 403, 404, 405, 408, 409, 410, 418, 422];
  const later = [425, 451, 499, 500, 501, 502, 503, 504, 507, 520, 522, 524, 599];
  it.each([...statuses, ...later])('never reports an order as accepted for %d without an order id', (status) => {
    for (const body of bodies) {
      const kinds = after(place, status, body).map(({ kind }) => kind);
      // A conflict without a code may be about the id: then the order is in.
      const isRefused = status >= 400 && status < 500 && ![408, 409, 425, 499].includes(status);
      expect(kinds.at(-1), body).toBe(isRefused ? 'order-rejected' : 'order-unknown');
    }
  });

  it('reports that the client order id is taken, which no list can disprove', () => {
    expect(after(place, 409, error('order_already_exists'))).toMatchObject([{ isTaken: true }]);
    expect(after(place, 503, error('order_already_exists'))[0]).not.toHaveProperty('isTaken');
  });

  it('reports an order without an answer as unknown, and one that was never sent as not sent', () => {
    const { normalize } = normalizing();
    const came = { kind: 'answered', at: AT, commandId: 7, ok: false, clockOffset: null, askedAt: ASKED_AT };
    expect(normalize(answer(place, UNKNOWN))).toEqual([
      came,
      { kind: 'order-unknown', at: AT, clientOrderId: 'ours-1', reason: 'no answer within 5000 ms' },
    ]);
    expect(normalize(answer(place, NOT_SENT))).toEqual([
      came,
      { kind: 'order-not-sent', at: AT, clientOrderId: 'ours-1', reason: 'connection refused' },
    ]);
  });
});

describe('a refusal for exceeding the rate limit', () => {
  it.each([
    ['place', place, 'trade'],
    ['cancel', cancel, 'trade'],
    ['read', read({ what: 'balance' }), 'read'],
  ] as const)('reports only the rate limit and the wait for a %s', (_what, command, budget) => {
    const [, ...rest] = normalizing().normalize(
      answered(command, 429, { body: { error: 'too many requests' }, retryAfter: micros(2_000_000) }),
    );
    expect(rest).toEqual([{ kind: 'rate-limited', at: AT, commandId: 7, budget, retryAfter: 2_000_000 }]);
  });
});

describe('the answer to a cancel', () => {
  it('reports the canceled quantity of an accepted cancel', () => {
    expect(after(cancel, 200, { order: { ...ORDER, status: 'canceled', remaining_count: 0 }, reduced_by: 10 })).toEqual(
      [{ kind: 'cancel-accepted', at: AT, clientOrderId: 'ours-1', reducedBy: 1000, filledQty: 0 }],
    );
  });

  it('says nothing about the order’s end for a 404', () => {
    expect(after(cancel, 404, error('not_found'))).toEqual([
      { kind: 'cancel-refused', at: AT, clientOrderId: 'ours-1', code: 'not_found' },
    ]);
  });

  it.each([
    [500, ''],
    [401, error('authentication_error')],
    [409, error('exchange_is_paused')],
    [200, '{'],
    [200, {}],
  ])('reports the cancel as lost for %d %j, so that it can be sent again', (status, body) => {
    expect(after(cancel, status, body)).toMatchObject([{ kind: 'cancel-lost' }]);
  });

  it('reports a cancel as lost that was not sent or not answered', () => {
    for (const outcome of [NOT_SENT, UNKNOWN])
      expect(normalizing().normalize(answer(cancel, outcome))).toMatchObject([{ ok: false }, { kind: 'cancel-lost' }]);
  });
});

describe.each([
  ['amend', amend],
  ['decrease', decrease],
] as const)('the answer to an %s', (_what, command) => {
  it('reports the new terms after an accepted change', () => {
    expect(after(command, 200, { order: { ...ORDER, yes_price: 40, remaining_count: 8 } })).toEqual([
      { kind: 'amend-accepted', at: AT, clientOrderId: 'ours-1', price: 4000, filledQty: 0, leavesQty: 800 },
    ]);
  });

  it('keeps the old terms after a refusal, and when it was not sent', () => {
    expect(after(command, 400, error('invalid_price'))).toMatchObject([
      { kind: 'amend-refused', code: 'invalid_price' },
    ]);
    expect(normalizing().normalize(answer(command, NOT_SENT))).toMatchObject([
      {},
      { kind: 'amend-refused', code: 'not_sent' },
    ]);
  });

  it('reports a decrease as lost without the filled quantity: the total is then unknown', () => {
    const { fill_count: _, ...half } = ORDER;
    expect(after(command, 200, { order: { ...half, remaining_count: 8 } })).toMatchObject([{ kind: 'amend-lost' }]);
  });

  it('reports an unreadable answer as lost', () => {
    expect(after(command, 503, '')).toMatchObject([{ kind: 'amend-lost' }]);
    expect(after(command, 200, 'ok')).toMatchObject([{ kind: 'amend-lost' }]);
    expect(normalizing().normalize(answer(command, UNKNOWN))).toMatchObject([{}, { kind: 'amend-lost' }]);
  });
});
