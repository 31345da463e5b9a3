// Markets on other shards, over real sockets: money, orders and order groups are on the shard of the market.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../src/config/exchange-config.ts';
import { type VenueOrderId, ticker } from '../../src/domain/ids.ts';
import { cents, contracts, dollars, micros } from '../../src/domain/units.ts';
import { type RunningExchange, startExchange } from '../../src/exchange/api/exchange-server.ts';
import { generateKeyPair, readPrivateKey } from '../../src/venues/trade-api/signing/key-files.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { tradeApiVenue } from '../../src/venues/trade-api/trade-api-venue.ts';
import type { Venue } from '../../src/venue.ts';
import { VenueConversation } from './harness.ts';

const CONFIG = `
seed: 3
accounts: [{ name: ours, cash: 100, shards: { "2": 50 } }]
series: [{ ticker: COIN, title: Coin, category: Crypto }]
eventGroups: [{ ticker: COIN-26, series: COIN, title: Coin in 26, exclusive: false }]
markets:
  - { ticker: COIN-26-A, eventGroup: COIN-26, title: Up?, closesIn: 1h, shard: 2 }
  - { ticker: COIN-26-B, eventGroup: COIN-26, title: Down?, closesIn: 1h, shard: 3 }
flow: { enabled: false }
`;
const FUNDED = ticker('COIN-26-A');
const EMPTY = ticker('COIN-26-B');
const scheme = 'ed25519';
const pair = generateKeyPair(scheme);

let running: RunningExchange;
let venue: Venue;
let talk: VenueConversation;
beforeEach(async () => {
  const keys = [{ id: 'k', account: 'ours', scheme, publicPem: pair.publicPem }] as const;
  running = await startExchange({
    config: parseExchangeConfig(CONFIG, 'shards'),
    profile: kalshiProfile,
    port: 0,
    keys,
  });
  venue = tradeApiVenue({
    profile: kalshiProfile,
    urls: { rest: running.url, feed: running.feedUrl },
    credential: { keyId: 'k', privateKey: readPrivateKey(pair.privatePem, { scheme, source: 'the test' }) },
    orderGroupQty: contracts(50),
    clock: () => micros(Date.now() * 1000),
    random: () => 0.5,
  });
  talk = new VenueConversation(venue);
  for (const name of [FUNDED, EMPTY]) await talk.requestEvent(talk.read({ what: 'market', ticker: name }), 'market');
});
afterEach(async () => {
  await venue.gateway.stop();
  await running.stop();
});

const bid = (name: typeof FUNDED, size: number) => talk.place({ ticker: name, price: cents(50), qty: contracts(size) });
const lookUp = async (venueOrderId: VenueOrderId, name?: typeof FUNDED) =>
  (await talk.requestEvent(talk.read({ what: 'order', venueOrderId, ...(name && { ticker: name }) }), 'order-found'))
    .order;

describe('an order on another shard', () => {
  it('an order is placed, looked up by its market, reduced and canceled on its shard', async () => {
    const order = bid(FUNDED, 10);
    const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
    expect(await lookUp(venueOrderId, FUNDED)).toMatchObject({ status: 'working', leavesQty: contracts(10) });
    // Without the market only the first shard is searched.
    expect(await lookUp(venueOrderId)).toBeNull();
    expect(await talk.requestEvent(talk.decrease(order, venueOrderId, contracts(4)), 'amend-accepted')).toMatchObject({
      leavesQty: contracts(4),
    });
    const canceled = await talk.requestEvent(talk.cancel(order, venueOrderId), 'cancel-accepted');
    expect(canceled).toMatchObject({ reducedBy: contracts(4) });
  });

  it('an order is paid from the money on its shard, and refused with a message where there is none', async () => {
    // Fifty dollars are there, and a hundred elsewhere.
    const dear = await talk.requestEvent(bid(FUNDED, 120), 'order-rejected');
    expect(dear).toMatchObject({ code: 'insufficient_balance', message: expect.stringContaining('shard') as string });
    await talk.requestEvent(bid(FUNDED, 90), 'order-accepted');
    const words = (await talk.sendRequest(bid(EMPTY, 1))).at(-1);
    expect(words).toMatchObject({
      kind: 'order-not-sent',
      reason: expect.stringContaining('has never had money on the shard') as string,
    });
    expect((await talk.requestEvent(talk.read({ what: 'balance' }), 'balance')).available).toBe(dollars(105));
  });
});
