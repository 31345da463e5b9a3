// Answers to reads as events: facts, and pages that are either complete or not reported.
import { describe, expect, it } from 'vitest';
import type { ReadTarget, RequestCommand } from '../../../../src/domain/venue-command.ts';
import { eventTicker, seriesTicker, ticker, venueOrderId } from '../../../../src/domain/ids.ts';
import type { AnswerOutcome } from '../../../../src/venue.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { AT, ASKED_AT, ORDER, after, answer, answered, normalizing, place, read } from './raw-input.ts';

const error = (code: string, details?: string) => ({ error: { code, message: code.replaceAll('_', ' '), details } });
const NOT_SENT = { type: 'not-sent', reason: 'connection refused' } as const satisfies AnswerOutcome;
const UNKNOWN = { type: 'unknown', reason: 'no answer within 5000 ms' } as const satisfies AnswerOutcome;

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
const common = { at: AT, askedAt: ASKED_AT, commandId: 7 };

const SETTLEMENT = {
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

describe('the answer to a read', () => {
  it('reports the exchange’s status', () => {
    expect(after(read({ what: 'status' }), 200, { exchange_active: true, trading_active: false })).toEqual([
      { kind: 'exchange-status', at: AT, isActive: true, isTrading: false },
    ]);
  });

  it('reports an inactive exchange as not trading', () => {
    expect(after(read({ what: 'status' }), 200, { exchange_active: false, trading_active: true })).toEqual([
      { kind: 'exchange-status', at: AT, isActive: false, isTrading: false },
    ]);
  });

  it('reports the status of the shards of our markets, once one is known', () => {
    const { normalize } = normalizing(kalshiProfile);
    const shard = (index: number, isTrading: boolean) => ({
      exchange_index: index,
      description: '',
      exchange_active: true,
      trading_active: isTrading,
      intra_exchange_transfers_active: true,
    });
    const statusOf = (...areTrading: readonly [boolean, boolean, boolean]) => {
      const shards = areTrading.map((isTrading, index) => shard(index, isTrading));
      const status = { exchange_active: true, trading_active: areTrading[0], exchange_index_statuses: shards };
      return normalize(answered(read({ what: 'status' }), 200, { body: JSON.stringify(status) })).at(-1);
    };
    const list = (name: string, index: number) => {
      const body = JSON.stringify({ market: { ...MARKET, ticker: name, exchange_index: index } });
      expect(normalize(answered(read({ what: 'market', ticker: ticker(name) }), 200, { body })).at(-1)).toMatchObject({
        kind: 'market',
      });
    };
    expect(statusOf(false, true, true)).toMatchObject({ isActive: true, isTrading: false });
    list('M-2', 2);
    expect(statusOf(false, true, true)).toMatchObject({ isActive: true, isTrading: true });
    expect(statusOf(true, true, false)).toMatchObject({ isActive: true, isTrading: false });
    // A paused shard refuses orders by itself; the others may trade on.
    list('M-1', 1);
    expect(statusOf(false, true, false)).toMatchObject({ isActive: true, isTrading: true });
    expect(statusOf(true, false, false)).toMatchObject({ isActive: true, isTrading: false });
  });

  it('reports the exact balance', () => {
    expect(after(read({ what: 'balance' }), 200, { balance: 12, balance_dollars: '0.129900' })).toEqual([
      { kind: 'balance', ...common, available: 129_900 },
    ]);
  });

  it('reports a market with its grid and its close', () => {
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

  it('reports a page of markets with its cursor, without the unreadable ones', () => {
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

  it('reports an event group with its markets, and a series with its fees', () => {
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

  it('reports the event groups of a series with their markets, as a page of a list', () => {
    const event = { event_ticker: 'M', series_ticker: 'S', title: 'T', mutually_exclusive: false, markets: [MARKET] };
    const target: ReadTarget = { what: 'events', seriesTicker: seriesTicker('S'), closesAfter: null };
    expect(after(read(target), 200, { events: [event], cursor: 'next' })).toMatchObject([
      { kind: 'event-group', group: { eventTicker: 'M', seriesTicker: 'S', tickers: ['M-1'] } },
      { kind: 'market', market: { ticker: 'M-1' } },
      { kind: 'markets-listed', commandId: 7, cursor: 'next' },
    ]);
  });

  it('reports a book as a poll', () => {
    const { market } = place;
    const target: ReadTarget = { what: 'book', market, ticker: ticker('M-1') };
    expect(after(read(target), 200, { orderbook: { yes: [[42, 13]], no: [[55, 7]] } })).toEqual([
      { kind: 'book-poll', at: AT, askedAt: ASKED_AT, market: 0, bids: [[4200, 1300]], asks: [[4500, 700]] },
    ]);
  });

  it('does not take a book with unknown sides for an empty one', () => {
    const target: ReadTarget = { what: 'book', market: place.market, ticker: ticker('M-1') };
    expect(after(read(target), 200, { orderbook: { bid: [[42, 13]], ask: [[55, 7]] } }).at(-1)).toMatchObject({
      kind: 'read-failed',
    });
  });

  it('reports no book of a market that is no longer followed, even if its index was reassigned', () => {
    const { tickers, normalize } = normalizing();
    tickers.internTicker(ticker('M-2'));
    const target: ReadTarget = { what: 'book', market: place.market, ticker: ticker('M-1') };
    const events = normalize(answered(read(target), 200, { body: { orderbook: { yes: [], no: [] } } }));
    expect(events.map(({ kind }) => kind)).toEqual(['answered']);
  });

  it('reports pages of orders, fills, positions and settlements', () => {
    const orders: ReadTarget = { what: 'orders', status: 'any', since: null };
    expect(after(read(orders), 200, { orders: [ORDER], cursor: '' })).toMatchObject([
      {
        kind: 'orders',
        ...common,
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
    expect(after(read({ what: 'settlements', since: null }), 200, { settlements: [SETTLEMENT] })).toMatchObject([
      { kind: 'settlements', rows: [{ result: 'no', settlementValue: 0, revenue: 2_000_000, settledAt: AT }] },
    ]);
  });

  it.each([
    [
      'with an unknown result',
      { market_result: 'void' },
      'record settlement.market_result',
      'settlement.market_result: expected one of yes, no, scalar, found "void" ("M-2")',
    ],
    [
      'with a scalar result without a value',
      { market_result: 'scalar' },
      'record settlement.value',
      'settlement.value: expected the payout of each YES, as the result is scalar, found nothing (M-2)',
    ],
  ])('reports a settlement %s by itself, and the others of its page', (_case, change, what, detail) => {
    const settlements = [{ ...SETTLEMENT, ticker: 'M-2', ...change }, SETTLEMENT];
    expect(after(read({ what: 'settlements', since: null }), 200, { settlements, cursor: 'next' })).toMatchObject([
      { kind: 'unrecognized', what, detail },
      { kind: 'settlements', rows: [{ result: 'no' }], cursor: 'next' },
    ]);
  });

  it('reports a single order, or that there is none', () => {
    const target: ReadTarget = { what: 'order', venueOrderId: venueOrderId('theirs-1') };
    expect(after(read(target), 200, { order: ORDER })).toMatchObject([{ kind: 'order-found', order: { side: 'buy' } }]);
    expect(after(read(target), 404, error('not_found'))).toEqual([{ kind: 'order-found', ...common, order: null }]);
  });

  it('reports nothing further for readable limits', () => {
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
    ['a body that is not JSON', orders, 200, '<html>', 'orders_page.(the whole): expected a record, found nothing'],
    ['a body without the list', orders, 200, {}, 'orders_page.orders: expected a list, found nothing'],
    ['an order that cannot be read', orders, 200, { orders: [{ ...ORDER, status: 'dreaming' }] }, 'order.status'],
    [
      'a balance as text',
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
    ['limits without those for writes', read({ what: 'limits' }), 200, { read: {} }, 'account_limits.write'],
  ])('fails with a reason for %s', (_what, command, status, body, reason) => {
    const events = after(command, status, body);
    expect(events).toMatchObject([{ kind: 'read-failed', commandId: 7 }]);
    expect(events[0]).toHaveProperty('reason', expect.stringContaining(reason));
  });

  it('fails when it was not sent or not answered', () => {
    for (const outcome of [NOT_SENT, UNKNOWN])
      expect(normalizing().normalize(answer(orders, outcome))).toMatchObject([
        { ok: false, clockOffset: null, askedAt: ASKED_AT },
        { kind: 'read-failed', reason: outcome.reason, isRefused: false },
      ]);
  });
});
