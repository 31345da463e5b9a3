// The bot's requests in the kalshi dialect, with the venue's guard rails.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestCommand } from '../../../../src/domain/venue-command.ts';
import { ticker, venueOrderId } from '../../../../src/domain/ids.ts';
import { micros, price, qty } from '../../../../src/domain/units.ts';
import {
  type VenueGuards,
  NO_VENUE_GUARDS,
  guardExpiryOf,
  unsupportedGuard,
} from '../../../../src/venues/trade-api/rest/venue-guards.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { RequestBuilder } from '../../../../src/venues/trade-api/rest/request-builder.ts';
import { AT, amend, cancel, decrease, place, read } from '../normalize/raw-input.ts';

const V2 = '/trade-api/v2/portfolio/events/orders';
const ID = '2597b999-f887-4195-8bac-c3f97a1f2021';
const built = (command: RequestCommand, guards?: VenueGuards) => {
  const { endpoint, path, body } = new RequestBuilder(kalshiProfile, guards).buildRequest(command);
  return { method: endpoint.method, path, body: body === null ? null : (JSON.parse(body) as unknown) };
};

describe('requests of the bot', () => {
  it('sends price and count of a new order as texts, on the side of the single book', () => {
    expect(built(place)).toEqual({
      method: 'POST',
      path: V2,
      body: {
        ticker: 'M-1',
        client_order_id: 'ours-1',
        side: 'bid',
        count: '10.00',
        price: '0.4200',
        time_in_force: 'good_till_canceled',
        post_only: true,
        reduce_only: false,
        self_trade_prevention_type: 'taker_at_cross',
      },
    });
    const sale = { ...place, side: 'sell', price: price(123), qty: qty(1), timeInForce: 'ioc' } as const;
    expect(built(sale).body).toMatchObject({
      side: 'ask',
      price: '0.0123',
      count: '0.01',
      time_in_force: 'immediate_or_cancel',
    });
  });

  it('sends the guard rails of the session with a new order', () => {
    const guards: VenueGuards = { cancelOnPause: true, restMsMax: 3_600_000, groupId: 'g-1', subaccount: 2 };
    const made = { ...place, createdAt: micros(1_700_000_000_900_000) };
    expect(built(made, guards).body).toMatchObject({
      cancel_order_on_pause: true,
      expiration_time: 1_700_003_600,
      order_group_id: 'g-1',
      subaccount: 2,
    });
    const own = { ...made, timeInForce: 'gtd', expiresAt: micros(1_700_000_100_000_000) } as const;
    expect(built(own, guards).body).toMatchObject({ expiration_time: 1_700_000_100 });
    expect(built({ ...made, timeInForce: 'ioc' }, guards).body).not.toHaveProperty('expiration_time');
    expect(built(cancel, guards).path).toBe(`${V2}/theirs-1?market_ticker=M-1&subaccount=2`);
    expect(built(amend, guards).path).toBe(`${V2}/theirs-1/amend?subaccount=2`);
    expect(built(read({ what: 'balance' }), guards).path).toBe('/trade-api/v2/portfolio/balance?subaccount=2');
    expect(built(read({ what: 'positions' }), guards).path).toContain('&subaccount=2');
  });

  it('names the market in other writes', () => {
    expect(built(cancel)).toEqual({ method: 'DELETE', path: `${V2}/theirs-1?market_ticker=M-1`, body: null });
    expect(built(amend)).toEqual({
      method: 'POST',
      path: `${V2}/theirs-1/amend`,
      body: { ticker: 'M-1', side: 'bid', price: '0.4000', count: '8.00', client_order_id: 'ours-1' },
    });
    expect(built(decrease)).toEqual({
      method: 'POST',
      path: `${V2}/theirs-1/decrease`,
      body: { reduce_to: '4.00', market_ticker: 'M-1' },
    });
  });

  it('reads orders at the path for reads, a single order with its market', () => {
    const id = venueOrderId(ID);
    expect(built(read({ what: 'order', venueOrderId: id, ticker: ticker('M-1') })).path).toBe(
      `/trade-api/v2/portfolio/orders/${ID}?market_ticker=M-1`,
    );
    expect(built(read({ what: 'order', venueOrderId: id })).path).toBe(`/trade-api/v2/portfolio/orders/${ID}`);
    expect(built(read({ what: 'orders', status: 'working', since: null })).path).toBe(
      '/trade-api/v2/portfolio/orders?status=resting&limit=1000',
    );
  });
});

describe('guard rails', () => {
  it('ends an order at a whole second within the allowed rest time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e15 }), fc.integer({ min: 1000, max: 1e9 }), (at, restMsMax) => {
        const until = guardExpiryOf(micros(at), { ...NO_VENUE_GUARDS, restMsMax })!;
        expect(until % 1_000_000).toBe(0);
        expect(at + restMsMax * 1000 - until).toBeGreaterThanOrEqual(0);
        expect(at + restMsMax * 1000 - until).toBeLessThan(1_000_000);
      }),
    );
    expect(guardExpiryOf(AT, NO_VENUE_GUARDS)).toBeNull();
  });

  it('names the guard rail that a dialect does not support', () => {
    const all: VenueGuards = { cancelOnPause: true, restMsMax: 1000, groupId: null, subaccount: 0 };
    expect(unsupportedGuard(kalshiProfile, all)).toBeNull();
    expect(unsupportedGuard(serviceProfile, all)).toBe('subaccounts');
    expect(unsupportedGuard(serviceProfile, NO_VENUE_GUARDS)).toBeNull();
  });
});
