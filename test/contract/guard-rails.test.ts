// The venue's own guard rails over real sockets: the orders that the local exchange cancels by itself.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cents, contracts } from '../../src/domain/units.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import type { Venue } from '../../src/venue.ts';
import { VenueConversation } from './harness.ts';
import { CONTRACT_SUBJECT, type LocalExchange, localExchange } from './local-exchange.ts';

const start = localExchange({ profile: kalshiProfile, scheme: 'ed25519' });
const GUARDS = { cancelOnPause: true, restMsMax: 3_600_000, groupId: null, subaccount: 0 };
const [A, B] = CONTRACT_SUBJECT.markets;

let local: LocalExchange;
let venue: Venue;
let talk: VenueConversation;
beforeEach(async () => {
  local = await start();
  venue = local.venueWith(local.ours, { guards: GUARDS, orderGroupQty: contracts(5) });
  talk = new VenueConversation(venue);
  for (const ticker of CONTRACT_SUBJECT.markets)
    await talk.requestEvent(talk.read({ what: 'market', ticker }), 'market');
});
afterEach(async () => {
  await venue.feed.stop();
  await venue.gateway.stop();
  await local.running.stop();
});

const working = async (): Promise<number> =>
  (await talk.requestEvent(talk.read({ what: 'orders', status: 'working', since: null }), 'orders')).rows.length;
const bid = (ticker: typeof A, size: number) => talk.place({ ticker, price: cents(40), qty: contracts(size) });

describe('an order group', () => {
  it('an order group cancels its orders when its limit has traded, halts the account, and is reset before the next order', async () => {
    talk.subscribe(CONTRACT_SUBJECT.markets);
    talk.startFeed();
    for (const channel of ['fills', 'orders'])
      await talk.waitForEvent('feed-channel', (event) => event.channel === channel && event.isUp);
    await talk.requestEvent(bid(A, 6), 'order-accepted');
    await talk.requestEvent(bid(B, 3), 'order-accepted');
    expect(await working()).toBe(2);
    local.placeAs('rival', { ticker: A, side: 'sell', price: cents(40), qty: contracts(5) });
    const { order } = await talk.waitForEvent('operator');
    expect(order).toMatchObject({ type: 'halt', scope: { type: 'account' }, by: 'risk' });
    expect(await working()).toBe(0);
    await talk.requestEvent(bid(B, 1), 'order-accepted');
    expect(talk.eventsOf('operator')).toHaveLength(1);
    expect(talk.eventsOf('unrecognized')).toEqual([]);
  });

  it('an order group is removed with its orders after the stop', async () => {
    await talk.requestEvent(bid(A, 1), 'order-accepted');
    expect(local.running.session.exchange.orderGroups('ours')).toHaveLength(1);
    await venue.gateway.stop();
    expect(local.running.session.exchange.orderGroups('ours')).toEqual([]);
  });
});

describe('an order in a trading pause', () => {
  it('an order is canceled when trading pauses, and would expire by itself within the hour', async () => {
    const { venueOrderId } = await talk.requestEvent(bid(A, 1), 'order-accepted');
    const view = local.running.session.exchange.order('ours', venueOrderId);
    expect(view).toMatchObject({ cancelOnPause: true, timeInForce: 'gtd' });
    local.running.session.submit({ type: 'set-exchange', isActive: true, isTrading: false });
    expect(await working()).toBe(0);
  });
});
