// One `trade-api` exchange as a venue: its feed, its gateway, its normalizer, and what it can do, of one profile.
// Must never decide anything: it only puts the parts together.
import { TickerTable } from '../../domain/ids.ts';
import type { FeeRounding } from '../../domain/fees.ts';
import type { Micros, Qty } from '../../domain/units.ts';
import type { ClockSample } from '../../state/clock-offset.ts';
import type { HttpClient } from '../../transport/http.ts';
import { PooledHttpClient } from '../../transport/pooled-http.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { Dial } from '../../transport/socket.ts';
import type { Capabilities, RateLimit, Venue } from '../../venue.ts';
import type { Credential, RequestSigner } from './authorize.ts';
import { type FeedTuning, TradeApiFeed } from './feed.ts';
import { TradeApiGateway } from './gateway.ts';
import type { Guards } from './guards.ts';
import { TradeApiNormalizer } from './normalize.ts';
import type { WireProfile } from './profile.ts';
import { type EndpointCosts, costOf } from './requests.ts';
import { Shards } from './shards.ts';

export type { Credential };

export interface TradeApiVenueOptions {
  readonly profile: WireProfile;
  /** Origins, without a path: `https://host[:port]` and `wss://host[:port]`. */
  readonly urls: { readonly rest: string; readonly feed: string };
  /** `null` watches only: reads and public channels. */
  readonly credential: Credential | null;
  /** What the venue is asked to see to; nothing unless said. */
  readonly guards?: Guards;
  /** Contracts that may trade in any fifteen seconds before the venue withdraws what rests; any number unless said. */
  readonly orderGroupQty?: Qty | null;
  /** Takes only the feed's public channels, with a key too: for whoever only watches where public channels need one. */
  readonly publicOnly?: boolean;
  /** Our clock. */
  readonly clock: () => Micros;
  /** Learns what each answer tells of the venue's clock. */
  readonly onVenueTime?: (sample: ClockSample) => void;
  /** From 0 up to but not including 1: jitter of reconnections. */
  readonly random: () => number;
  /** Limits in place of the profile's. */
  readonly limits?: { readonly read?: RateLimit; readonly trade?: RateLimit };
  /** What endpoints cost by their names, in place of what the profile says. */
  readonly costs?: EndpointCosts;
  /** To what the account's fees are rounded, in the order of time, in place of what the profile says. */
  readonly feeRounding?: readonly FeeRounding[];
  readonly tickers?: TickerTable;
  readonly tuning?: Partial<VenueTuning>;
  /** In place of the network, the machine's timers and keys, for tests. */
  readonly http?: HttpClient;
  readonly dial?: Dial;
  readonly signer?: RequestSigner;
  readonly scheduler?: Scheduler;
}

/** What may be set otherwise than usual. */
export interface VenueTuning {
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Below the idle time of usual servers, which is five seconds. */
  readonly idleMs: number;
  readonly bodyBytesMax: number;
  readonly orderTimeoutMs: number;
  readonly readTimeoutMs: number;
  readonly feed: Partial<FeedTuning>;
}

const USUAL: VenueTuning = {
  // As many as may ever be under way at once: what the planner let go must not wait for a place again.
  connections: 64,
  connectTimeoutMs: 3000,
  idleMs: 4000,
  bodyBytesMax: 32 * 1024 * 1024,
  orderTimeoutMs: 5000,
  readTimeoutMs: 10_000,
  feed: {},
};

/**
 * A venue that speaks a profile's wire.
 * @throws {FeedKeyError} without a key, where even public channels need one.
 */
export function tradeApiVenue(options: TradeApiVenueOptions): Venue {
  const { profile, urls, credential, guards, clock, onVenueTime, random, scheduler, dial, signer } = options;
  const tickers = options.tickers ?? new TickerTable();
  const tuning = { ...USUAL, ...options.tuning };
  const shards = new Shards();
  const gateway = new TradeApiGateway({
    profile,
    http: options.http ?? new PooledHttpClient({ ...tuning, origin: urls.rest, ...(scheduler && { scheduler }) }),
    credential,
    clock,
    orderTimeoutMs: tuning.orderTimeoutMs,
    readTimeoutMs: tuning.readTimeoutMs,
    shards,
    ...(guards && { guards }),
    ...(onVenueTime && { onVenueTime }),
    ...(options.orderGroupQty && { orderGroupQty: options.orderGroupQty }),
    ...(scheduler && { scheduler }),
    ...(signer && { signer }),
  });
  const feed = new TradeApiFeed({
    profile,
    url: urls.feed + profile.feed.path,
    sign: credential === null && signer === undefined ? null : () => gateway.signHandshake() ?? {},
    publicOnly: options.publicOnly ?? false,
    clock,
    random,
    tuning: tuning.feed,
    ...(scheduler && { scheduler }),
    ...(dial && { dial }),
  });
  const normalizer = new TradeApiNormalizer({ profile, tickers, shards });
  return { name: profile.name, capabilities: capabilitiesOf(options), tickers, feed, gateway, normalizer };
}

/** What reads a venue's input without the venue: for a replay. It connects to nothing and signs nothing. */
export function tradeApiReading(
  options: Told & { readonly tickers: TickerTable },
): Pick<Venue, 'capabilities' | 'tickers' | 'normalizer'> {
  const { profile, tickers } = options;
  return { capabilities: capabilitiesOf(options), tickers, normalizer: new TradeApiNormalizer({ profile, tickers }) };
}

/** What a dialect's capabilities are made of. */
type Told = Pick<TradeApiVenueOptions, 'profile' | 'limits' | 'costs' | 'feeRounding'>;

function capabilitiesOf({ profile, limits, costs, feeRounding = profile.feeRounding }: Told): Capabilities {
  const { abilities } = profile;
  return {
    canAmend: abilities.canAmend,
    canDecrease: abilities.canDecrease,
    dedupesClientIds: abilities.dedupesClientIds,
    canPostOnly: abilities.canPostOnly,
    canReduceOnly: abilities.canReduceOnly,
    timeInForce: abilities.timeInForce,
    qtyStep: abilities.qtyStep,
    priceMin: abilities.priceMin,
    priceMax: abilities.priceMax,
    feeRounding,
    tellsFeeChanges: profile.endpoints.seriesFeeChanges !== undefined,
    tellsQueue: profile.endpoints.queuePositions !== undefined,
    limits: { read: limits?.read ?? profile.limits.read, trade: limits?.trade ?? profile.limits.trade },
    cost: (command) => costOf(profile, command, costs),
    ...(costs && { costs }),
  };
}
