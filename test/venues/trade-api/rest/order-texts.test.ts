// Bodies from templates: the same text as the codec's for every order, in every profile.
import { array, assert, boolean, constantFrom, integer, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../../src/domain/ids.ts';
import { cents, contracts, fromSeconds } from '../../../../src/domain/units.ts';
import { profileByName, profileNames } from '../../../../src/venues/trade-api/profiles/profile-registry.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { OrderTexts } from '../../../../src/venues/trade-api/rest/order-texts.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import type * as Wire from '../../../../src/venues/trade-api/wire/wire-records.ts';

const orders = record({
  market: constantFrom('A-1', 'B-"2"', 'Ünï-3'),
  number: integer({ min: 1, max: 1000 }),
  side: constantFrom('buy', 'sell'),
  price: integer({ min: 1, max: 99 }),
  qty: integer({ min: 1, max: 100_000 }),
  timeInForce: constantFrom('gtc', 'ioc', 'fok'),
  postOnly: boolean(),
  reduceOnly: boolean(),
  expiry: option(integer({ min: 1_700_000_000, max: 1_800_000_000 })),
}).map(({ market, number, price, qty, expiry, ...kept }): Wire.CreateOrderRecord => ({
  ...kept,
  ticker: ticker(market),
  clientOrderId: `session-0-${number}`,
  outcome: null,
  price: cents(price),
  qty: contracts(qty),
  selfTrade: serviceProfile.abilities.selfTrade,
  cancelOnPause: true,
  expiresAt: expiry === null ? null : fromSeconds(expiry),
  groupId: 'group-1',
  subaccount: null,
  shard: null,
}));

describe('bodies of new orders', () => {
  it.each(profileNames())('equal the codec’s text in profile %s', (name) => {
    const spec = profileByName(name)!.records.createOrder;
    assert(
      property(array(orders, { minLength: 1, maxLength: 30 }), (some) => {
        const texts = new OrderTexts(spec);
        for (const order of some) expect(texts.bodyOf(order)).toBe(JSON.stringify(codecOf(spec).encode(order)));
      }),
    );
  });

  it('refuse a value that the wire cannot hold, as the codec does, also after a first order', () => {
    const spec = serviceProfile.records.createOrder;
    const texts = new OrderTexts(spec);
    const first = { ...sample(), price: cents(40) };
    texts.bodyOf(first);
    const off = { ...first, qty: 1 as Wire.CreateOrderRecord['qty'], price: 1 as Wire.CreateOrderRecord['price'] };
    expect(() => codecOf(spec).encode(off)).toThrow();
    expect(() => texts.bodyOf(off)).toThrow();
  });
});

const sample = (): Wire.CreateOrderRecord => ({
  ticker: ticker('A-1'),
  clientOrderId: 'session-0-1',
  side: 'buy',
  outcome: null,
  price: cents(1),
  qty: contracts(1),
  timeInForce: 'ioc',
  postOnly: false,
  reduceOnly: false,
  selfTrade: null,
  cancelOnPause: null,
  expiresAt: null,
  groupId: null,
  subaccount: null,
  shard: null,
});
