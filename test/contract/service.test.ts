// The `service` profile held to the contract, over real sockets, against the local exchange.
import { parseExchangeConfig } from '../../src/config/exchange-config.ts';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { dollars, micros } from '../../src/domain/units.ts';
import { startExchange } from '../../src/exchange/server/exchange-server.ts';
import { generateKeyPair, readPrivateKey } from '../../src/venues/trade-api/keys.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service.ts';
import { type Credential, tradeApiVenue } from '../../src/venues/trade-api/venue.ts';
import { feedContract } from './feed.ts';
import { gatewayContract } from './gateway.ts';
import type { Subject } from './harness.ts';

const CONFIG = `
seed: 3
accounts:
  - { name: ours, cash: 1000 }
  - { name: rival, cash: 1000 }
series:
  - { ticker: RAIN, title: Rain, category: Weather }
eventGroups:
  - { ticker: RAIN-26, series: RAIN, title: Rain in 26, exclusive: true }
markets:
  - { ticker: RAIN-26-A, eventGroup: RAIN-26, title: Rain in A?, closesIn: 1h }
  - { ticker: RAIN-26-B, eventGroup: RAIN-26, title: Rain in B?, closesIn: 1h }
flow: { enabled: false }
limits:
  read: { model: rolling-window, count: 100000, windowMs: 1000 }
  trade: { model: rolling-window, count: 100000, windowMs: 1000 }
  feed: { model: rolling-window, count: 100000, windowMs: 1000 }
`;

const scheme = 'ecdsa-p256';
const pair = generateKeyPair(scheme);
const ours: Credential = {
  keyId: 'contract-key',
  privateKey: readPrivateKey(pair.privatePem, { scheme, source: 'the test' }),
};

async function make(): Promise<Subject> {
  const running = await startExchange({
    config: parseExchangeConfig(CONFIG, 'contract.yaml'),
    profile: serviceProfile,
    keys: [{ id: ours.keyId, account: 'ours', scheme, publicPem: pair.publicPem }],
  });
  const venueWith = (credential: Credential | null) =>
    tradeApiVenue({
      profile: serviceProfile,
      urls: { rest: running.url, feed: running.feedUrl },
      credential,
      clock: () => micros(Date.now() * 1000),
      random: () => 0.5,
    });
  const venue = venueWith(ours);
  const watcher = venueWith(null);
  return {
    venue,
    watcher,
    markets: [ticker('RAIN-26-A'), ticker('RAIN-26-B')],
    eventTicker: eventTicker('RAIN-26'),
    seriesTicker: seriesTicker('RAIN'),
    cash: dollars(1000),
    rival(order) {
      const { answer } = running.session.submit({
        type: 'place',
        account: 'rival',
        order: {
          ...order,
          clientOrderId: null,
          timeInForce: 'gtc',
          postOnly: false,
          reduceOnly: false,
          selfTrade: 'taker_at_cross',
          expiresAt: null,
          cancelOnPause: false,
        },
      });
      if (answer.type === 'refused') throw new Error(`the rival's order was refused: ${answer.refusal.code}`);
      return Promise.resolve();
    },
    async stop() {
      for (const each of [venue, watcher]) {
        await each.feed.stop();
        await each.gateway.stop();
      }
      await running.stop();
    },
  };
}

const contracted = { make };
gatewayContract('the service profile at the local exchange', contracted);
feedContract('the service profile at the local exchange', contracted);
