// Assembles one `trade-api` exchange as a venue: feed, gateway, normalizer and capabilities of one profile. Must never
// decide anything: it only connects the parts.
import { TickerTable } from '../../domain/ids.ts';
import { READS_IN_FLIGHT_MAX, TRADES_IN_FLIGHT_MAX } from '../../domain/rate-budget.ts';
import type { Micros, Qty } from '../../domain/units.ts';
import type { ClockSample } from '../../state/feed/clock-offset.ts';
import type { HttpClient } from '../../transport/http-client.ts';
import { PooledHttpClient } from '../../transport/pooled-http.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { DialConnection } from '../../transport/reconnecting-socket.ts';
import type { Venue } from '../../venue.ts';
import type { Credential, RequestSigner, SigningPlace } from './signing/authorizer.ts';
import { type FeedTuning, TradeApiFeed } from './feed/trade-api-feed.ts';
import type { LeftGroup } from './rest/session-order-groups.ts';
import { TradeApiGateway } from './rest/trade-api-gateway.ts';
import type { VenueGuards } from './rest/venue-guards.ts';
import { TradeApiNormalizer } from './normalize/trade-api-normalizer.ts';
import { type VenueTerms, capabilitiesOf } from './replay-parts.ts';
import { MarketShards } from './rest/market-shards.ts';

export type { Credential, SigningPlace };

export interface TradeApiVenueOptions extends VenueTerms {
  /** Origins, without a path: `https://host[:port]` and `wss://host[:port]`. */
  readonly urls: { readonly rest: string; readonly feed: string };
  /** `null` without a key: then the venue only reads, and receives public channels only. */
  readonly credential: Credential | null;
  /** Guard rails that the venue enforces. Default: none. */
  readonly guards?: VenueGuards;
  /**
   * When this many contracts trade within fifteen seconds, the venue cancels the resting orders. Default: unlimited.
   */
  readonly orderGroupQty?: Qty | null;
  /** Called at the stop with each order group that could not be deleted. */
  readonly onGroupLeft?: (group: LeftGroup) => void;
  /** Subscribes to public channels only, even with a key. */
  readonly publicOnly?: boolean;
  readonly clock: () => Micros;
  readonly onVenueTime?: (sample: ClockSample) => void;
  /** Source of reconnection jitter: from 0 up to but not including 1. */
  readonly random: () => number;
  readonly tickers?: TickerTable;
  readonly tuning?: Partial<VenueTuning>;
  /** The place where signatures are computed. Default: `loop`. */
  readonly signingPlace?: SigningPlace;
  /** From `http` on, the members replace the network, the keys and the timers, for tests. */
  readonly http?: HttpClient;
  readonly dial?: DialConnection;
  readonly signer?: RequestSigner;
  readonly scheduler?: Scheduler;
}

/** Timeouts, sizes and the number of connections of one venue. Each has a default. */
export interface VenueTuning {
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** An idle connection is closed after this time. Typical servers close it after five seconds. */
  readonly idleMs: number;
  readonly bodyBytesMax: number;
  readonly orderTimeoutMs: number;
  readonly readTimeoutMs: number;
  readonly feed: Partial<FeedTuning>;
}

const DEFAULTS: VenueTuning = {
  // As many as a config allows in flight, 64 reads and 256 trades: a cancel must not wait for a connection.
  connections: READS_IN_FLIGHT_MAX + TRADES_IN_FLIGHT_MAX,
  connectTimeoutMs: 3000,
  idleMs: 4000,
  bodyBytesMax: 32 * 1024 * 1024,
  orderTimeoutMs: 5000,
  readTimeoutMs: 10_000,
  feed: {},
};

/**
 * A venue that uses a profile's wire format.
 * @throws {FeedKeyError} without a key, when even public channels need one.
 * @throws {RangeError} when `orderGroupQty` is set and the dialect has no order groups.
 */
export function tradeApiVenue(options: TradeApiVenueOptions): Venue {
  const { profile, urls, credential, guards, clock, onVenueTime, random, scheduler, dial, signer, signingPlace } =
    options;
  const tickers = options.tickers ?? new TickerTable();
  const tuning = { ...DEFAULTS, ...options.tuning };
  const shards = new MarketShards();
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
    ...(options.onGroupLeft && { onGroupLeft: options.onGroupLeft }),
    ...(scheduler && { scheduler }),
    ...(signer && { signer }),
    ...(signingPlace && { signingPlace }),
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
  const onGroupTriggered = (groupId: string): void => gateway.markGroupTriggered(groupId);
  const normalizer = new TradeApiNormalizer({ profile, tickers, shards, onGroupTriggered });
  return { name: profile.name, capabilities: capabilitiesOf(options), tickers, feed, gateway, normalizer };
}
