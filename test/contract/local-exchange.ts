// The local exchange in any dialect, for the contract: three accounts, two markets of one exclusive group, no flow.
import { parseExchangeConfig } from '../../src/config/exchange-config.ts';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { dollars, micros } from '../../src/domain/units.ts';
import { type RunningExchange, startExchange } from '../../src/exchange/api/exchange-server.ts';
import { generateKeyPair, readPrivateKey } from '../../src/venues/trade-api/signing/key-files.ts';
import type { SigningScheme, WireProfile } from '../../src/venues/trade-api/profiles/wire-profile.ts';
import {
  type Credential,
  type TradeApiVenueOptions,
  tradeApiVenue,
} from '../../src/venues/trade-api/trade-api-venue.ts';
import type { Venue } from '../../src/venue.ts';
import type { OtherTradersOrder, ContractSubject } from './harness.ts';

const BUCKET = '{ model: token-bucket, refillPerSecond: 1000000, capacity: 1000000 }';

const CONFIG = `
seed: 3
accounts:
  - { name: ours, cash: 1000 }
  - { name: rival, cash: 1000 }
  - { name: bystander, cash: 1000 }
series:
  - { ticker: RAIN, title: Rain, category: Weather }
eventGroups:
  - { ticker: RAIN-26, series: RAIN, title: Rain in 26, exclusive: true }
markets:
  - { ticker: RAIN-26-A, eventGroup: RAIN-26, title: Rain in A?, closesIn: 1h }
  - { ticker: RAIN-26-B, eventGroup: RAIN-26, title: Rain in B?, closesIn: 1h }
flow: { enabled: false }
limits: { read: ${BUCKET}, trade: ${BUCKET}, feed: ${BUCKET} }
`;

/** The subjects of the contract's tests. */
export const CONTRACT_SUBJECT = {
  markets: [ticker('RAIN-26-A'), ticker('RAIN-26-B')],
  eventTicker: eventTicker('RAIN-26'),
  seriesTicker: seriesTicker('RAIN'),
  cash: dollars(1000),
} as const satisfies Partial<ContractSubject>;

/** A dialect, and its kind of key. */
export interface DialectWithKey {
  readonly profile: WireProfile;
  readonly scheme: SigningScheme;
  /** Further lines of the exchange's config. */
  readonly extra?: string;
}

/** A running exchange, and ways to use it. */
export interface LocalExchange {
  readonly running: RunningExchange;
  /** The account's key. */
  readonly ours: Credential;
  venueWith(credential: Credential | null, options?: Partial<TradeApiVenueOptions>): Venue;
  /** Places a resting order of another account, without HTTP. */
  placeAs(account: 'rival' | 'bystander', order: OtherTradersOrder): void;
}

/** Makes exchanges of a dialect, all with one key. */
export function localExchange({ profile, scheme, extra = '' }: DialectWithKey): () => Promise<LocalExchange> {
  const pair = generateKeyPair(scheme);
  const ours: Credential = {
    keyId: 'contract-key',
    privateKey: readPrivateKey(pair.privatePem, { scheme, source: 'the test' }),
  };
  return async () => {
    const config = parseExchangeConfig(CONFIG + extra, 'contract.yaml');
    const { read, trade } = config.limits;
    const running = await startExchange({
      config,
      profile,
      port: 0,
      keys: [{ id: ours.keyId, account: 'ours', scheme, publicPem: pair.publicPem }],
    });
    return {
      running,
      ours,
      venueWith: (credential, options = {}) =>
        tradeApiVenue({
          profile,
          urls: { rest: running.url, feed: running.feedUrl },
          credential,
          clock: () => micros(Date.now() * 1000),
          random: () => 0.5,
          limits: { ...(read && { read }), ...(trade && { trade }) },
          ...options,
        }),
      placeAs(account, order) {
        const { answer } = running.session.submit({ type: 'place', account, order: { ...order, ...RESTING } });
        if (answer.type === 'refused') throw new Error(`the order of ${account} was refused: ${answer.refusal.code}`);
      },
    };
  };
}

const RESTING = {
  clientOrderId: null,
  timeInForce: 'gtc',
  postOnly: false,
  reduceOnly: false,
  selfTrade: 'taker_at_cross',
  expiresAt: null,
  cancelOnPause: false,
} as const;

/** Subjects whose venue is the local exchange as the bot reaches it. */
export function localSubject(spoken: DialectWithKey): () => Promise<ContractSubject> {
  const start = localExchange(spoken);
  return async () => {
    const local = await start();
    const venue = local.venueWith(local.ours);
    const watcher = spoken.profile.feed.publicFeedNeedsKey ? null : local.venueWith(null);
    return {
      ...CONTRACT_SUBJECT,
      venue,
      watcher,
      rival: (order) => Promise.resolve(local.placeAs('rival', order)),
      bystander: (order) => Promise.resolve(local.placeAs('bystander', order)),
      async stop() {
        for (const each of watcher ? [venue, watcher] : [venue]) {
          await each.feed.stop();
          await each.gateway.stop();
        }
        await local.running.stop();
      },
    };
  };
}
