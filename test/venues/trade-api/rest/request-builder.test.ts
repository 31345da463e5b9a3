// Requests of commands, in the format of the service profile.
import { describe, expect, it } from 'vitest';
import type { ReadTarget, RequestCommand } from '../../../../src/domain/venue-command.ts';
import { eventTicker, seriesTicker, ticker, venueOrderId } from '../../../../src/domain/ids.ts';
import { cents, contracts, micros, price, qty } from '../../../../src/domain/units.ts';
import { pathOf } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { RequestBuilder, costsOf } from '../../../../src/venues/trade-api/rest/request-builder.ts';
import { cancel, place, read } from '../normalize/raw-input.ts';

const builder = new RequestBuilder(serviceProfile);
const build = (command: RequestCommand) => {
  const { endpoint, path, body } = builder.buildRequest(command);
  return { method: endpoint.method, path, body: body === null ? null : (JSON.parse(body) as unknown) };
};
const ROOT = '/trade-api/v2';

describe('a new order', () => {
  it('places an order by a POST with the price on the YES leg', () => {
    expect(build(place)).toEqual({
      method: 'POST',
      path: `${ROOT}/portfolio/orders`,
      body: {
        ticker: 'M-1',
        client_order_id: 'ours-1',
        side: 'yes',
        action: 'buy',
        type: 'limit',
        yes_price: 42,
        count: 10,
        time_in_force: 'good_till_canceled',
        post_only: true,
        reduce_only: false,
        self_trade_prevention_type: 'taker_at_cross',
      },
    });
  });

  it('sends a sell order as a sale of YES at the same price', () => {
    expect(build({ ...place, side: 'sell' }).body).toMatchObject({ side: 'yes', action: 'sell', yes_price: 42 });
  });

  it('sends the expiry of an order', () => {
    const until = micros(1_700_000_123_900_000);
    expect(build({ ...place, timeInForce: 'gtd', expiresAt: until }).body).toMatchObject({
      time_in_force: 'good_till_canceled',
      expiration_ts: 1_700_000_123,
    });
    expect(build({ ...place, timeInForce: 'ioc' }).body).toMatchObject({ time_in_force: 'immediate_or_cancel' });
    expect(build({ ...place, timeInForce: 'ioc', expiresAt: until }).body).not.toHaveProperty('expiration_ts');
  });

  it.each([
    [{ price: price(4250) }, 'create_order.yes_price: expected a whole number of cents, found "0.4250"'],
    [{ qty: qty(50) }, 'create_order.count: expected a whole number of contracts, found "0.50"'],
  ])('builds no request for a value that the wire cannot hold: %j', (terms, message) => {
    expect(() => builder.buildRequest({ ...place, ...terms })).toThrow(message);
  });
});

describe('other writes', () => {
  const { clientOrderId } = place;
  const common = { id: 1, createdAt: place.createdAt, validUntil: null, clientOrderId, ticker: place.ticker } as const;
  it('cancels by a DELETE, and amends and decreases by POSTs below the order’s path', () => {
    expect(build(cancel)).toEqual({ method: 'DELETE', path: `${ROOT}/portfolio/orders/theirs-1`, body: null });
    const { venueOrderId } = cancel;
    const terms = { side: 'buy', price: cents(40), qty: contracts(8) } as const;
    expect(build({ ...common, type: 'amend', lane: 'new', venueOrderId, ...terms })).toMatchObject({
      method: 'POST',
      path: `${ROOT}/portfolio/orders/theirs-1/amend`,
      body: { ticker: 'M-1', side: 'yes', action: 'buy', yes_price: 40, count: 8, client_order_id: 'ours-1' },
    });
    expect(build({ ...common, type: 'decrease', lane: 'reduce', venueOrderId, leavesQty: contracts(4) })).toEqual({
      method: 'POST',
      path: `${ROOT}/portfolio/orders/theirs-1/decrease`,
      body: { reduce_to: 4 },
    });
  });
});

describe('a read', () => {
  const since = micros(1_700_000_000_500_000);
  const cases: readonly (readonly [ReadTarget, string])[] = [
    [{ what: 'status' }, '/exchange/status'],
    [{ what: 'limits' }, '/account/limits'],
    [{ what: 'balance' }, '/portfolio/balance'],
    [{ what: 'positions' }, '/portfolio/positions?limit=1000&cursor=c%3D'],
    [{ what: 'orders', status: 'working', since: null }, '/portfolio/orders?status=resting&limit=1000&cursor=c%3D'],
    [{ what: 'orders', status: 'any', since }, '/portfolio/orders?min_ts=1700000000&limit=1000&cursor=c%3D'],
    [{ what: 'order', venueOrderId: venueOrderId('a/b') }, '/portfolio/orders/a%2Fb'],
    [{ what: 'fills', since }, '/portfolio/fills?min_ts=1700000000&limit=1000&cursor=c%3D'],
    [{ what: 'settlements', since: null }, '/portfolio/settlements?limit=1000&cursor=c%3D'],
    [{ what: 'market', ticker: ticker('M-1') }, '/markets/M-1'],
    [{ what: 'book', market: place.market, ticker: ticker('M-1') }, '/markets/M-1/orderbook'],
    [{ what: 'markets', by: { tickers: [ticker('A'), ticker('B')] } }, '/markets?tickers=A%2CB&limit=1000&cursor=c%3D'],
    [{ what: 'markets', by: { eventTicker: eventTicker('E') } }, '/markets?event_ticker=E&limit=1000&cursor=c%3D'],
    [{ what: 'markets', by: { seriesTicker: seriesTicker('S') } }, '/markets?series_ticker=S&limit=1000&cursor=c%3D'],
    [
      { what: 'events', seriesTicker: seriesTicker('S'), closesAfter: micros(1_700_000_000_000_000) },
      '/events?series_ticker=S&min_close_ts=1700000000&limit=200&cursor=c%3D&with_nested_markets=true',
    ],
    [{ what: 'event', eventTicker: eventTicker('E') }, '/events/E?with_nested_markets=true'],
    [{ what: 'series', seriesTicker: seriesTicker('S') }, '/series/S'],
  ];
  it.each(cases)('requests a page for the read %j', (target, path) => {
    expect(build({ ...read(target), cursor: 'c=' })).toEqual({ method: 'GET', path: ROOT + path, body: null });
  });
});

describe('paths and costs', () => {
  it('refuses a path with a missing part', () => {
    expect(() => pathOf(serviceProfile, 'order')).toThrow('path of order: part orderId is missing');
    expect(() => pathOf(serviceProfile, 'order', { orderId: '' })).toThrow(RangeError);
  });

  it('takes a command’s cost from its endpoint, and none for feed commands', () => {
    const costly = {
      ...serviceProfile,
      endpoints: { ...serviceProfile.endpoints, cancelOrder: { ...serviceProfile.endpoints.cancelOrder, cost: 2 } },
    };
    const costOf = costsOf(costly);
    expect(costOf(cancel)).toBe(2);
    expect(costOf(place)).toBe(1);
    expect(costOf(cancel)).toBe(2);
    const subscribe = { id: 1, createdAt: place.createdAt, validUntil: null, type: 'subscribe', lane: 'read' } as const;
    expect(costOf({ ...subscribe, tickers: [] })).toBe(0);
  });
});
