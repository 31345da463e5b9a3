// The venue's own guard rails and its changes of a market, with the bot's `kalshi` venue at the local exchange, over
// real sockets.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DECI_CENT_GRID } from '../../src/domain/price-grid.ts';
import { cents, contracts, price } from '../../src/domain/units.ts';
import type { OrderView } from '../../src/exchange/machine/exchange-output.ts';
import { NO_VENUE_GUARDS } from '../../src/venues/trade-api/rest/venue-guards.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { VenueConversation } from './harness.ts';
import { CONTRACT_SUBJECT, type LocalExchange, localExchange } from './local-exchange.ts';

const start = localExchange({ profile: kalshiProfile, scheme: 'ed25519' });
const [market] = CONTRACT_SUBJECT.markets;

describe('kalshi at the local exchange', () => {
  let local: LocalExchange;
  let stop: () => Promise<void>;
  let talk: VenueConversation;
  beforeEach(async () => {
    local = await start();
    const guards = { ...NO_VENUE_GUARDS, cancelOnPause: true, restMsMax: 60_000 };
    const venue = local.venueWith(local.ours, { guards, orderGroupQty: contracts(10) });
    talk = new VenueConversation(venue);
    talk.subscribe([market]);
    talk.startFeed();
    await talk.waitForEvent('book-snapshot');
    stop = async () => {
      await venue.feed.stop();
      await venue.gateway.stop();
      await local.running.stop();
    };
  });
  afterEach(() => stop());
  const resting = (): readonly OrderView[] => local.running.session.exchange.restingOrders('ours');

  it('puts all orders into one group, which halts the account when its limit has traded', async () => {
    const bid = (at: number) => talk.place({ ticker: market, price: cents(at), qty: contracts(8) });
    await talk.requestEvent(bid(40), 'order-accepted');
    await talk.requestEvent(bid(39), 'order-accepted');
    expect(new Set(resting().map(({ groupId }) => groupId)).size).toBe(1);
    expect(resting().every(({ cancelOnPause, expiresAt }) => cancelOnPause && expiresAt !== null)).toBe(true);
    local.placeAs('rival', { ticker: market, side: 'sell', price: cents(39), qty: contracts(10) });
    const halt = await talk.waitForEvent('operator');
    expect(halt.order).toMatchObject({ type: 'halt', scope: { type: 'account' } });
    expect(resting()).toEqual([]);
    await talk.requestEvent(bid(38), 'order-accepted');
  });

  it('cancels resting orders when trading pauses', async () => {
    await talk.requestEvent(talk.place({ ticker: market, price: cents(40), qty: contracts(8) }), 'order-accepted');
    local.running.session.submit({ type: 'set-exchange', isActive: true, isTrading: false });
    await talk.waitForEvent('order-updated', ({ order }) => order.status === 'canceled');
    expect(resting()).toEqual([]);
  });

  it('publishes a changed grid, and accepts prices on it', async () => {
    const gridRanges = DECI_CENT_GRID.ranges;
    local.running.session.submit({ type: 'set-grid', ticker: market, gridName: 'deci_cent', gridRanges });
    expect((await talk.waitForEvent('market-changed')).grid).toEqual(DECI_CENT_GRID);
    const order = talk.place({ ticker: market, price: price(4010), qty: contracts(1) });
    await talk.requestEvent(order, 'order-accepted');
    expect((await talk.waitForEvent('book-delta')).price).toBe(4010);
  });
});
