// Opens the venue of a bot's config: at an address, or an embedded exchange (a local exchange inside this process).
// Must never write the embedded exchange's key anywhere: the key dies with the session.
import type { BotConfig } from '../../config/bot-config.ts';
import { type ExchangeConfig, readExchangeConfig } from '../../config/exchange-config.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';
import type { ExchangeLedger } from '../../report/account/ledger-comparison.ts';
import { type FeeRounding, roundingsFor } from '../../domain/fee-schedule.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Logger } from '../../log.ts';
import { type Clock, SystemClock } from '../../runtime/session/system-clock.ts';
import { generateKeyPair, loadPrivateKey, readPrivateKey } from '../../venues/trade-api/signing/key-files.ts';
import type { VenueEnvironment, WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import {
  type Credential,
  type SigningPlace,
  type TradeApiVenueOptions,
  tradeApiVenue,
} from '../../venues/trade-api/trade-api-venue.ts';
import type { Venue } from '../../venue.ts';
import { lockExchangeFolder } from '../exchange/exchange-folder-lock.ts';
import { type GuardRails, guardRailsFor } from './guard-rails.ts';
import { knownProfile } from './known-profile.ts';
import { readVenueTerms } from './venue-terms.ts';

/** Options to open a venue. */
export interface OpenVenueOptions {
  readonly config: Pick<BotConfig, 'venue' | 'limits'>;
  readonly log: Logger;
  /** Seed of the embedded exchange. @default its config's seed. */
  readonly seed?: number;
  /** Opens public channels only. The key is used only where these channels need a key. */
  readonly publicOnly?: boolean;
  /** Rounding of the account's fees. @default by the config's clearing. */
  readonly feeRounding?: readonly FeeRounding[];
  /** Table of the markets' indexes. @default a new table. */
  readonly tickers?: TickerTable;
  /** Skips the request for the venue's limits and costs, for an urgent cancel. */
  readonly assumesTerms?: true;
  /** The connection serves a session, whose event loop must compute no signature. Default: signs on the event loop. */
  readonly isForSession?: true;
}

/** An open venue with its clock. */
export interface OpenedVenue {
  readonly venue: Venue;
  readonly clock: Clock;
  readonly hasKey: boolean;
  /** Reads the ledger of an embedded exchange or of a simulated account. `null` for any other venue. */
  readonly ledger: (() => ExchangeLedger) | null;
  /**
   * Opens a second connection to an embedded exchange, as the same account. `null` for any other venue, and for a
   * simulated account. Its `close` leaves the exchange running.
   */
  readonly openSecond: (() => Promise<OpenedVenue>) | null;
  /** The account and its orders are simulated. */
  readonly isPaper?: true;
  /** Stops the embedded exchange, if there is one. */
  close(): Promise<void>;
}

/**
 * Opens the venue of a config.
 * @throws {ConfigValueFault} when profile, environment or account is unknown, a required key is missing, or the profile
 *   cannot carry the guards.
 * @throws {ConfigError} when the embedded exchange's config cannot be used.
 * @throws {KeyFault} when the key cannot be used.
 * @throws {StorageFault} when another exchange uses the data folder of the embedded one.
 */
export async function openVenue(options: OpenVenueOptions): Promise<OpenedVenue> {
  const { venue } = options.config;
  const profile = knownProfile(venue.profile);
  const opening = { ...options, profile, rails: guardRailsFor(options.config, profile) };
  return venue.embedded === undefined ? openRemote(opening) : openEmbedded(opening, venue.embedded);
}

interface VenueOpening extends OpenVenueOptions {
  readonly profile: WireProfile;
  readonly rails: GuardRails;
}

async function openRemote(opening: VenueOpening): Promise<OpenedVenue> {
  const { config, profile, publicOnly = false } = opening;
  const { key } = config.venue;
  const usesKey = !publicOnly || profile.feed.publicFeedNeedsKey;
  const credential =
    key && usesKey ? { keyId: key.id, privateKey: loadPrivateKey(key.file, profile.signing.schemes) } : null;
  const clock = new SystemClock();
  const urls = venueOrigins(config.venue, profile);
  if (credential === null && profile.feed.publicFeedNeedsKey)
    throw new ConfigValueFault(
      { place: 'venue.key', value: undefined },
      `a key, because the feed of profile "${profile.name}" needs a key, for public channels too`,
    );
  const venue = await makeVenue({ urls, credential }, { ...opening, clock });
  const hasKey = credential !== null && !publicOnly;
  return { venue, clock, hasKey, ledger: null, openSecond: null, close: () => Promise.resolve() };
}

/**
 * Returns the venue's addresses: those in the config, or those of an environment of the profile.
 * @throws {ConfigValueFault} when the profile has no such environment.
 */
export function venueOrigins(
  { environment, url, feedUrl }: BotConfig['venue'],
  profile: WireProfile,
): VenueEnvironment {
  if (url !== undefined) return { rest: url, feed: feedUrl ?? url.replace(/^http/, 'ws') };
  const found = Object.entries(profile.environments).find(([name]) => name === environment);
  if (found) return found[1];
  const names = Object.keys(profile.environments);
  const expected =
    names.length === 0 ? `venue.url, for profile ${profile.name} has none` : `one of ${names.join(', ')}`;
  throw new ConfigValueFault({ place: 'venue.environment', value: environment }, expected);
}

async function openEmbedded(opening: VenueOpening, file: string): Promise<OpenedVenue> {
  const { config, profile, log, seed, publicOnly = false } = opening;
  const { account = '' } = config.venue;
  const exchangeConfig = withSeed(readExchangeConfig(file), seed);
  const own = exchangeConfig.accounts.find(({ name }) => name === account);
  if (own === undefined) {
    const names = exchangeConfig.accounts.map(({ name }) => name).join(', ');
    const expected = `one of the accounts of ${file} (${names})`;
    throw new ConfigValueFault({ place: 'venue.account', value: account }, expected);
  }
  const { scheme } = profile.signing;
  const { privatePem, publicPem } = generateKeyPair(scheme);
  const credential: Credential = {
    keyId: 'embedded',
    privateKey: readPrivateKey(privatePem, { scheme, source: 'the embedded exchange' }),
  };
  const { startExchange, ownerLedger } = await loadExchange();
  const unlock = lockExchangeFolder(exchangeConfig);
  const exchange = await startExchange({
    config: exchangeConfig,
    profile,
    port: 0,
    log: log.child({ part: 'exchange' }),
    keys: [{ id: credential.keyId, account, scheme, publicPem }],
  }).catch((fault: unknown) => {
    unlock();
    throw fault;
  });
  const { read, trade } = exchangeConfig.limits;
  const clock = new SystemClock();
  const urls = { rest: exchange.url, feed: exchange.feedUrl };
  const limits = { ...(read && { read }), ...(trade && { trade }) };
  const usesKey = !publicOnly || profile.feed.publicFeedNeedsKey;
  const place = { urls, credential: usesKey ? credential : null, limits };
  const feeRounding = roundingsFor(profile.feeRounding, config.venue.clearing ?? own.clearing ?? 'direct');
  const venue = await makeVenue(place, { feeRounding, ...opening, clock });
  const ledger = (): ExchangeLedger => ownerLedger(exchange.ledger().accounts, account, config.venue.subaccount);
  const opened = { clock, hasKey: !publicOnly, ledger, openSecond: null };
  const openSecond = async (): Promise<OpenedVenue> => {
    const second = await makeVenue(place, { feeRounding, ...opening, clock, assumesTerms: true });
    return { ...opened, venue: second, close: () => Promise.resolve() };
  };
  const close = async (): Promise<void> => {
    await exchange.stop();
    unlock();
  };
  return { ...opened, venue, openSecond, close };
}

/** The exchange is loaded on demand: it is a large part of the program, and rarely needed. */
async function loadExchange() {
  const [server, ledger] = await Promise.all([
    import('../../exchange/api/exchange-server.ts'),
    import('../../exchange/accounts/owner-ledger.ts'),
  ]);
  return { startExchange: server.startExchange, ownerLedger: ledger.ownerLedger };
}

const withSeed = (config: ExchangeConfig, seed: number | undefined): ExchangeConfig =>
  seed === undefined ? config : { ...config, seed };

type VenuePlace = Pick<TradeApiVenueOptions, 'urls' | 'credential' | 'limits'>;

/** A thread is started for a session alone: it takes longer to start than a command takes. */
function signingPlaceFor({ config, isForSession }: OpenVenueOptions): SigningPlace {
  if (config.venue.signer === 'platform') return 'platform';
  return isForSession === true ? 'thread' : 'loop';
}

/** Published limits and costs are read unless they are assumed. */
async function makeVenue(place: VenuePlace, opening: VenueOpening & { readonly clock: Clock }): Promise<Venue> {
  const { config, profile, rails, clock, log, publicOnly = false, tickers, assumesTerms } = opening;
  const { feeRounding = roundingsFor(profile.feeRounding, config.venue.clearing ?? 'direct') } = opening;
  const terms = assumesTerms ? {} : await readVenueTerms({ profile, ...place }, { clock, log });
  return tradeApiVenue({
    profile,
    ...place,
    ...terms,
    feeRounding,
    limits: { ...terms.limits, ...place.limits },
    publicOnly,
    ...(publicOnly ? {} : rails),
    onGroupLeft: (group) => log.warn(group, 'an order group was not deleted: it may still stand at the venue'),
    ...(tickers && { tickers }),
    signingPlace: signingPlaceFor(opening),
    clock: () => clock.now(),
    onVenueTime: (sample) => clock.observeAnswer?.(sample),
    random: Math.random,
  });
}
