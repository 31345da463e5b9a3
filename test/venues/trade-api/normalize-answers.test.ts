// Answers to events: that each begins with its coming, and that no order is called refused that may be in.
import { describe, expect, it } from 'vitest';
import type { AmendCommand, DecreaseCommand, ReadTarget, RequestCommand } from '../../../src/domain/command.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { eventTicker, seriesTicker, ticker, venueOrderId } from '../../../src/domain/ids.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import type { AnswerOutcome } from '../../../src/venue.ts';
import { ASKED_AT, AT, ORDER, answer, answered, cancel, normalizing, place, read } from './input.ts';

const error = (code: string, details?: string) => ({ error: { code, message: code.replaceAll('_', ' '), details } });
const NOT_SENT = { type: 'not-sent', reason: 'connection refused' } as const satisfies AnswerOutcome;
const UNKNOWN = { type: 'unknown', reason: 'no answer within 5000 ms' } as const satisfies AnswerOutcome;

/** The events after the first, which must say that the answer came. */
function after(command: RequestCommand, status: number, body: unknown): readonly EngineEvent[] {
  const { tickers, tell } = normalizing();
  tickers.intern(ticker('M-1'));
  const [first, ...rest] = tell(answered(command, status, { body }));
  expect(first).toEqual({
    kind: 'answered',
    at: AT,
    commandId: 7,
    ok: status >= 200 && status < 300,
    clockOffset: 500_000,
    askedAt: ASKED_AT,
  });
  return rest;
}

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
      const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 425;
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

const { clientOrderId, venueOrderId: theirs } = cancel;
const common = { id: 7, createdAt: ASKED_AT, validUntil: null, clientOrderId, venueOrderId: theirs } as const;
const amend: AmendCommand = {
  ...common,
  type: 'amend',
  lane: 'new',
  ticker: ticker('M-1'),
  side: 'buy',
  price: cents(40),
  qty: contracts(8),
};
const decrease: DecreaseCommand = {
  ...common,
  type: 'decrease',
  lane: 'reduce',
  ticker: ticker('M-1'),
  leavesQty: contracts(4),
};

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

const MARKET = {
  ticker: 'M-1',
  event_ticker: 'M',
  title: 'Will it?',
  status: 'active',
  open_time: '2023-11-14T00:00:00Z',
  close_time: '2023-11-15T00:00:00Z',
  can_close_early: true,
  result: '',
  price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
};
const told = { at: AT, askedAt: ASKED_AT, commandId: 7 };

describe('the answer to a read', () => {
  it('tells the exchange’s status', () => {
    expect(after(read({ what: 'status' }), 200, { exchange_active: true, trading_active: false })).toEqual([
      { kind: 'exchange-status', at: AT, isActive: true, isTrading: false },
    ]);
  });

  it('tells the exact balance', () => {
    expect(after(read({ what: 'balance' }), 200, { balance: 12, balance_dollars: '0.129900' })).toEqual([
      { kind: 'balance', ...told, available: 129_900 },
    ]);
  });

  it('tells a market, with its grid and its end', () => {
    const target: ReadTarget = { what: 'market', ticker: ticker('M-1') };
    expect(after(read(target), 200, { market: { ...MARKET, status: 'finalized', result: 'yes' } })).toMatchObject([
      {
        kind: 'market',
        market: {
          ticker: 'M-1',
          index: 0,
          status: 'finalized',
          result: 'yes',
          settlementValue: 10_000,
          closeAt: 1_700_006_400_000_000,
          grid: { cellCount: 99 },
        },
      },
    ]);
  });

  it('tells a page of markets, and where the next begins; one that cannot be read is left out', () => {
    const target: ReadTarget = { what: 'markets', by: { seriesTicker: seriesTicker('S') } };
    const body = {
      markets: [
        MARKET,
        { ...MARKET, status: 'asleep' },
        { ...MARKET, ticker: 'M-2', price_ranges: [{ start: '0.5000', end: '0.4000', step: '0.0100' }] },
      ],
      cursor: 'next',
    };
    expect(after(read(target), 200, body)).toMatchObject([
      { kind: 'unrecognized', what: 'record market.status' },
      { kind: 'market' },
      { kind: 'unrecognized', what: 'record market.price_ranges' },
      { kind: 'markets-listed', commandId: 7, cursor: 'next' },
    ]);
    expect(after(read(target), 200, { markets: [] })).toMatchObject([{ kind: 'markets-listed', cursor: null }]);
  });

  it('tells an event group with its markets, and a series with its fees', () => {
    const event = { event_ticker: 'M', series_ticker: 'S', title: 'T', mutually_exclusive: true };
    const target: ReadTarget = { what: 'event', eventTicker: eventTicker('M') };
    expect(after(read(target), 200, { event, markets: [MARKET] })).toMatchObject([
      { kind: 'event-group', group: { eventTicker: 'M', seriesTicker: 'S', isExclusive: true, tickers: ['M-1'] } },
      { kind: 'market' },
    ]);
    const series = { ticker: 'S', title: 'T', fee_type: 'quadratic', fee_multiplier: 0.5 };
    expect(after(read({ what: 'series', seriesTicker: seriesTicker('S') }), 200, { series })).toMatchObject([
      { kind: 'series', series: { feeType: 'quadratic', feeMultiplierPercent: 50 } },
    ]);
  });

  it('tells a book as a poll', () => {
    const { market } = place;
    const target: ReadTarget = { what: 'book', market, ticker: ticker('M-1') };
    expect(after(read(target), 200, { orderbook: { yes: [[42, 13]], no: [[55, 7]] } })).toEqual([
      { kind: 'book-poll', at: AT, askedAt: ASKED_AT, market: 0, bids: [[4200, 1300]], asks: [[4500, 700]] },
    ]);
  });

  it('tells no book of a market that nobody follows any more, whoever has its number now', () => {
    const { tickers, tell } = normalizing();
    tickers.intern(ticker('M-2'));
    const target: ReadTarget = { what: 'book', market: place.market, ticker: ticker('M-1') };
    const events = tell(answered(read(target), 200, { body: { orderbook: { yes: [], no: [] } } }));
    expect(events.map(({ kind }) => kind)).toEqual(['answered']);
  });

  it('tells a page of orders, of fills, of positions and of settlements', () => {
    const orders: ReadTarget = { what: 'orders', status: 'any', since: null };
    expect(after(read(orders), 200, { orders: [ORDER], cursor: '' })).toMatchObject([
      {
        kind: 'orders',
        ...told,
        cursor: null,
        rows: [{ venueOrderId: 'theirs-1', status: 'working', leavesQty: 1000 }],
      },
    ]);
    const fill = {
      trade_id: 't',
      order_id: 'o',
      ticker: 'M-1',
      side: 'yes',
      action: 'buy',
      yes_price: 42,
      count: 1,
      is_taker: false,
      fee_cost: '0.000000',
      created_time: '2023-11-14T22:13:20.5Z',
    };
    expect(after(read({ what: 'fills', since: null }), 200, { fills: [fill], cursor: 'c' })).toMatchObject([
      { kind: 'fills', cursor: 'c', rows: [{ liquidity: 'maker', fee: 0, exchangeAt: 1_700_000_000_500_000 }] },
    ]);
    const position = {
      ticker: 'M-1',
      position: -2,
      market_exposure: 116,
      realized_pnl: -5,
      fees_paid_dollars: '0.012345',
    };
    expect(
      after(read({ what: 'positions' }), 200, { market_positions: [{ ...position, fees_paid: 1 }] }),
    ).toMatchObject([{ kind: 'positions', rows: [{ qty: -200, cost: 1_160_000, realized: -50_000, fees: 12_345 }] }]);
    const settlement = {
      ticker: 'M-1',
      market_result: 'no',
      yes_count: 0,
      yes_total_cost: 0,
      no_count: 2,
      no_total_cost: 116,
      revenue: 200,
      fee_cost: '0.010000',
      settled_time: '2023-11-14T22:13:20Z',
    };
    expect(after(read({ what: 'settlements', since: null }), 200, { settlements: [settlement] })).toMatchObject([
      { kind: 'settlements', rows: [{ result: 'no', settlementValue: 0, revenue: 2_000_000, settledAt: AT }] },
    ]);
  });

  it('tells one order, or that there is none', () => {
    const target: ReadTarget = { what: 'order', venueOrderId: venueOrderId('theirs-1') };
    expect(after(read(target), 200, { order: ORDER })).toMatchObject([{ kind: 'order-found', order: { side: 'buy' } }]);
    expect(after(read(target), 404, error('not_found'))).toEqual([{ kind: 'order-found', ...told, order: null }]);
  });

  it('tells nothing more of limits that can be read', () => {
    const limits = {
      usage_tier: 'basic',
      read: { requests: 20, window_ms: 1000 },
      write: { requests: 10, window_ms: 1000 },
    };
    expect(after(read({ what: 'limits' }), 200, limits)).toEqual([]);
  });

  const orders = read({ what: 'orders', status: 'working', since: null });
  it.each<readonly [string, RequestCommand, number, unknown, string]>([
    [
      'a refusal',
      read({ what: 'balance' }),
      401,
      error('authentication_error', 'NOT_FOUND'),
      '401 authentication_error',
    ],
    ['a server that is down', orders, 503, '', '503 http_503'],
    ['a body that is no JSON', orders, 200, '<html>', 'orders_page.(the whole): expected a record, found nothing'],
    ['a body without the list', orders, 200, {}, 'orders_page.orders: expected a list, found nothing'],
    ['an order that cannot be read', orders, 200, { orders: [{ ...ORDER, status: 'dreaming' }] }, 'order.status'],
    [
      'a balance in words',
      read({ what: 'balance' }),
      200,
      { balance: 'much' },
      'balance.balance: expected a number, found "much"',
    ],
    [
      'no such market',
      read({ what: 'market', ticker: ticker('M') }),
      404,
      error('market_not_found'),
      '404 market_not_found',
    ],
    ['limits without those of writes', read({ what: 'limits' }), 200, { read: {} }, 'account_limits.write'],
    [
      'a scalar settlement without a value',
      read({ what: 'settlements', since: null }),
      200,
      {
        settlements: [
          {
            ticker: 'M-1',
            market_result: 'scalar',
            yes_count: 0,
            yes_total_cost: 0,
            no_count: 0,
            no_total_cost: 0,
            revenue: 0,
            fee_cost: '0',
            settled_time: '2023-11-14T22:13:20Z',
          },
        ],
      },
      'settlement.M-1: expected what each YES was paid',
    ],
  ])('fails in words at %s', (_what, command, status, body, reason) => {
    const events = after(command, status, body);
    expect(events).toMatchObject([{ kind: 'read-failed', commandId: 7 }]);
    expect(events[0]).toHaveProperty('reason', expect.stringContaining(reason));
  });

  it('fails when it never left or never came', () => {
    for (const outcome of [NOT_SENT, UNKNOWN])
      expect(normalizing().tell(answer(orders, outcome))).toMatchObject([
        { ok: false, clockOffset: null, askedAt: ASKED_AT },
        { kind: 'read-failed', reason: outcome.reason, isRefused: false },
      ]);
  });
});
