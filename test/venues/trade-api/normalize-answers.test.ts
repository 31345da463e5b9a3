// Answers to events: that each begins with its coming, and that no order is called refused that may be in.
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import type { AnswerOutcome } from '../../../src/venue.ts';
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
} from './input.ts';

const error = (code: string, details?: string) => ({ error: { code, message: code.replaceAll('_', ' '), details } });
const NOT_SENT = { type: 'not-sent', reason: 'connection refused' } as const satisfies AnswerOutcome;
const UNKNOWN = { type: 'unknown', reason: 'no answer within 5000 ms' } as const satisfies AnswerOutcome;

describe('the answer to a new order', () => {
  it('that took it tells what fills and what rests', () => {
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
  ])('of %d %j is a rejection', (status, body, code, message) => {
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
  ])('of %d %j leaves it unknown', (status, body, reason) => {
    const events = after(place, status, body);
    expect(events).toMatchObject([{ kind: 'order-unknown', clientOrderId: 'ours-1' }]);
    expect(events[0]).toHaveProperty('reason', expect.stringContaining(reason));
  });

  // Whatever comes back for a new order is one of these words, and only a definite refusal may call it rejected.
  const bodies = ['', 'ok', '<html>', '{', '[]', '{}', '{"order":null}', '{"order":{}}', '{"order":{"order_id":7}}'];
  const statuses = [100, 200, 201, 202, 204, 206, 301, 302, 304, 307, 400, 401, 403, 404, 405, 408, 409, 410, 418, 422];
  const later = [425, 451, 499, 500, 501, 502, 503, 504, 507, 520, 522, 524, 599];
  it.each([...statuses, ...later])('of %d without an order id is never an acceptance, nor a guess', (status) => {
    for (const body of bodies) {
      const kinds = after(place, status, body).map(({ kind }) => kind);
      // A conflict that does not say with what may be about the id: then the order is in.
      const isRefused = status >= 400 && status < 500 && ![408, 409, 425, 499].includes(status);
      expect(kinds.at(-1), body).toBe(isRefused ? 'order-rejected' : 'order-unknown');
    }
  });

  it('of an id that is taken says so: no list can unsay it', () => {
    expect(after(place, 409, error('order_already_exists'))).toMatchObject([{ isTaken: true }]);
    expect(after(place, 503, error('order_already_exists'))[0]).not.toHaveProperty('isTaken');
  });

  it('that never came leaves it unknown; one that never left was not sent', () => {
    const { tell } = normalizing();
    const came = { kind: 'answered', at: AT, commandId: 7, ok: false, clockOffset: null, askedAt: ASKED_AT };
    expect(tell(answer(place, UNKNOWN))).toEqual([
      came,
      { kind: 'order-unknown', at: AT, clientOrderId: 'ours-1', reason: 'no answer within 5000 ms' },
    ]);
    expect(tell(answer(place, NOT_SENT))).toEqual([
      came,
      { kind: 'order-not-sent', at: AT, clientOrderId: 'ours-1', reason: 'connection refused' },
    ]);
  });
});

describe('a refusal for rate', () => {
  it.each([
    ['place', place, 'trade'],
    ['cancel', cancel, 'trade'],
    ['read', read({ what: 'balance' }), 'read'],
  ] as const)('of a %s is only that, and says how long to wait', (_what, command, budget) => {
    const [, ...rest] = normalizing().tell(
      answered(command, 429, { body: { error: 'too many requests' }, retryAfter: micros(2_000_000) }),
    );
    expect(rest).toEqual([{ kind: 'rate-limited', at: AT, commandId: 7, budget, retryAfter: 2_000_000 }]);
  });
});

describe('the answer to a cancel', () => {
  it('that took it tells what was withdrawn', () => {
    expect(after(cancel, 200, { order: { ...ORDER, status: 'canceled', remaining_count: 0 }, reduced_by: 10 })).toEqual(
      [{ kind: 'cancel-accepted', at: AT, clientOrderId: 'ours-1', reducedBy: 1000, filledQty: 0 }],
    );
  });

  it('of 404 says nothing of what became of the order', () => {
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
  ])('of %d %j is lost, and can be sent again', (status, body) => {
    expect(after(cancel, status, body)).toMatchObject([{ kind: 'cancel-lost' }]);
  });

  it('that never left or never came is lost', () => {
    for (const outcome of [NOT_SENT, UNKNOWN])
      expect(normalizing().tell(answer(cancel, outcome))).toMatchObject([{ ok: false }, { kind: 'cancel-lost' }]);
  });
});

describe.each([
  ['amend', amend],
  ['decrease', decrease],
] as const)('the answer to an %s', (_what, command) => {
  it('that took it tells the terms that hold', () => {
    expect(after(command, 200, { order: { ...ORDER, yes_price: 40, remaining_count: 8 } })).toEqual([
      { kind: 'amend-accepted', at: AT, clientOrderId: 'ours-1', price: 4000, filledQty: 0, leavesQty: 800 },
    ]);
  });

  it('that refused it leaves the old terms, as does one that never left', () => {
    expect(after(command, 400, error('invalid_price'))).toMatchObject([
      { kind: 'amend-refused', code: 'invalid_price' },
    ]);
    expect(normalizing().tell(answer(command, NOT_SENT))).toMatchObject([
      {},
      { kind: 'amend-refused', code: 'not_sent' },
    ]);
  });

  it('that does not say how much has traded by then leaves it lost: its total cannot be told from what remains', () => {
    const { fill_count: _, ...half } = ORDER;
    expect(after(command, 200, { order: { ...half, remaining_count: 8 } })).toMatchObject([{ kind: 'amend-lost' }]);
  });

  it('that does not say leaves it lost', () => {
    expect(after(command, 503, '')).toMatchObject([{ kind: 'amend-lost' }]);
    expect(after(command, 200, 'ok')).toMatchObject([{ kind: 'amend-lost' }]);
    expect(normalizing().tell(answer(command, UNKNOWN))).toMatchObject([{}, { kind: 'amend-lost' }]);
  });
});
