// tidy: table. The wire profile: every difference between `trade-api` dialects, as one typed value. Must never hold
// behavior. No code may ask which profile it has.
import type { Readings } from '../../../config/readings.ts';
import { must } from '../../../base/assert.ts';
import type { Capabilities, RateLimit } from '../../../venue.ts';
import type * as Wire from '../wire/wire-records.ts';
import type { FeeRounding } from '../../../domain/fee-schedule.ts';
import type { Endpoint, EndpointName, Endpoints, Method } from './endpoint.ts';
import type { RecordSpec } from '../wire/record-spec.ts';

export type * from './endpoint.ts';

/** Origins of requests and the feed in one environment of a venue, without a path. */
export interface VenueEnvironment {
  readonly rest: string;
  readonly feed: string;
}

export type SigningScheme = 'ecdsa-p256' | 'ecdsa-secp256k1' | 'ed25519' | 'rsa-pss-sha256';

/** The rules by which requests are signed. */
export interface Signing {
  /** Scheme of a new key, unless another is requested. */
  readonly scheme: SigningScheme;
  readonly schemes: readonly SigningScheme[];
  /**
   * Template of the signed text, with `{timestamp}`, `{method}` and `{path}`: the path from the root, without query.
   */
  readonly template: string;
  readonly timestampUnit: 'ms' | 's';
  /** Digest of the ECDSA schemes. Each other scheme fixes its own digest. */
  readonly digest: 'sha256' | 'sha512';
  /** Form of our ECDSA signatures: `compact` is r and s concatenated. `raw` is for dialects without ECDSA keys. */
  readonly form: 'compact' | 'der' | 'raw';
  readonly encoding: 'base64' | 'hex';
  readonly headers: { readonly key: string; readonly timestamp: string; readonly signature: string };
  /** Largest difference between a timestamp and the venue's clock. */
  readonly clockSkewMs: number;
}

export interface WireLimits {
  /** Owner of the budgets: each key, or an account with all its keys. */
  readonly owner: 'key' | 'account';
  readonly read: RateLimit;
  readonly trade: RateLimit;
  readonly feed: RateLimit;
  /** For callers without a key, by IP address; the same as `read` when absent. */
  readonly anonymous?: RateLimit;
  /** Rate limits by account tier, the default first. */
  readonly tiers?: Readonly<Record<string, { readonly read: RateLimit; readonly trade: RateLimit }>>;
  /** `seconds` when an answer with status 429 says how long to wait. */
  readonly retryAfterOn429: 'seconds' | 'absent';
  /** True when the venue briefly closes the feed of a client over its limit. */
  readonly closesFeedOverLimit: boolean;
}

/** A feed message that carries a record. */
export interface FeedMessage<T> {
  readonly type: string;
  readonly channel: Wire.Channel;
  /** True when the message carries a sequence number of its subscription. */
  readonly hasSeq: boolean;
  readonly record: RecordSpec<T>;
}

export interface FeedMessages {
  readonly snapshot: FeedMessage<Wire.SnapshotRecord>;
  readonly delta: FeedMessage<Wire.DeltaRecord>;
  readonly ticker: FeedMessage<Wire.TickerRecord>;
  readonly print: FeedMessage<Wire.PrintRecord>;
  readonly fill: FeedMessage<Wire.FillRecord>;
  readonly order: FeedMessage<Wire.OrderRecord>;
  readonly position: FeedMessage<Wire.PositionRecord>;
  readonly marketLife: FeedMessage<Wire.MarketLifeRecord>;
  readonly eventLife: FeedMessage<Wire.EventLifeRecord>;
  readonly feeChange: FeedMessage<Wire.FeeChangeRecord>;
  /** `null` when the dialect has no order groups. */
  readonly group: FeedMessage<Wire.GroupRecord> | null;
}

export interface FeedChannel {
  readonly name: string;
  readonly isPrivate: boolean;
  /** Naming of markets when subscribing: required, optional (all markets by default), or not possible. */
  readonly markets: 'required' | 'optional' | 'none';
}

/** Codes of feed errors that we handle specially. */
export interface FeedErrorCodes {
  /** The connection has no key, or none that the venue accepted. */
  readonly keyNeeded: number;
  readonly tooManyMarkets: number;
  readonly tooManyCommands: number;
}

/** The feed: its channels, messages and commands. The whole family shares the envelope: type, id, sid, seq, msg. */
export interface FeedProfile {
  readonly path: string;
  /** `null` for channels that the dialect lacks. */
  readonly channels: Readonly<Record<Wire.Channel, FeedChannel | null>>;
  readonly messages: FeedMessages;
  /** The changes of a market's life that carry its result. */
  readonly changesWithResult: readonly Wire.LifeChange[];
  /** Format of an unlisted market's empty book, if it differs from other snapshots. */
  readonly unlistedSnapshot?: RecordSpec<Wire.SnapshotRecord>;
  /**
   * Handling of sequence numbers. By default a subscription counts from 1. With `joined`, a recording may begin in the
   * middle: an unannounced subscription starts at the first number seen. With `ignored`, numbers have no meaning.
   */
  readonly numbers?: 'joined' | 'ignored';
  readonly commands: {
    readonly subscribe: { readonly cmd: string; readonly params: RecordSpec<Wire.SubscribeRecord> };
    readonly unsubscribe: { readonly cmd: string; readonly params: RecordSpec<Wire.UnsubscribeRecord> };
    readonly update: { readonly cmd: string; readonly params: RecordSpec<Wire.UpdateSubscriptionRecord> };
    readonly list: { readonly cmd: string };
  };
  readonly replies: {
    readonly subscribed: { readonly type: string; readonly record: RecordSpec<Wire.SubscribedRecord> };
    readonly unsubscribed: { readonly type: string };
    readonly updated: { readonly type: string; readonly record: RecordSpec<Wire.UpdatedRecord> };
    readonly error: { readonly type: string; readonly record: RecordSpec<Wire.FeedErrorRecord> };
  };
  readonly terminalErrors: readonly number[];
  readonly errors: FeedErrorCodes;
  readonly canRequestSnapshot: boolean;
  /**
   * Value of `onYesScale` when subscribing to books; `null` when the wire has no such flag. With `true`, NO prices come
   * on the YES scale, so the specs are used without their conversion.
   */
  readonly onYesScale: boolean | null;
  /** True when public channels need a key, too. */
  readonly publicFeedNeedsKey: boolean;
  readonly pingEveryMs: number;
  readonly pingBody: string;
}

/** Formats of requests and answers. */
export interface WireSpecs {
  readonly market: RecordSpec<Wire.MarketAnswer>;
  readonly markets: RecordSpec<Wire.PageRecord<Wire.MarketRecord>>;
  readonly event: RecordSpec<Wire.EventAnswer>;
  readonly events: RecordSpec<Wire.PageRecord<Wire.EventRecord>>;
  readonly series: RecordSpec<Wire.SeriesAnswer>;
  readonly seriesList: RecordSpec<Wire.SeriesList>;
  readonly book: RecordSpec<Wire.BookAnswer>;
  readonly prints: RecordSpec<Wire.PageRecord<Wire.PrintRecord>>;
  readonly candles: RecordSpec<Wire.CandlesAnswer>;
  readonly balance: RecordSpec<Wire.BalanceRecord>;
  readonly positions: RecordSpec<Wire.PositionsPage>;
  readonly orders: RecordSpec<Wire.PageRecord<Wire.OrderRecord>>;
  readonly order: RecordSpec<Wire.OrderAnswer>;
  readonly fills: RecordSpec<Wire.PageRecord<Wire.FillRecord>>;
  readonly settlements: RecordSpec<Wire.PageRecord<Wire.SettlementRecord>>;
  readonly status: RecordSpec<Wire.StatusRecord>;
  readonly limits: RecordSpec<Wire.LimitsRecord>;
  readonly createOrder: RecordSpec<Wire.CreateOrderRecord>;
  readonly orderCreated: RecordSpec<Wire.OrderWritten>;
  readonly orderCanceled: RecordSpec<Wire.OrderCanceled>;
  readonly amendOrder: RecordSpec<Wire.AmendOrderRecord>;
  readonly orderAmended: RecordSpec<Wire.OrderWritten>;
  readonly decreaseOrder: RecordSpec<Wire.DecreaseOrderRecord>;
  readonly orderDecreased: RecordSpec<Wire.OrderWritten>;
  readonly createOrders: RecordSpec<Wire.CreateBatch>;
  readonly ordersCreated: RecordSpec<Wire.CreateBatchAnswer>;
  readonly orderCreatedItem: RecordSpec<Wire.CreateBatchItem>;
  readonly cancelOrders: RecordSpec<Wire.CancelBatch>;
  readonly ordersCanceled: RecordSpec<Wire.CancelBatchAnswer>;
  readonly orderCanceledItem: RecordSpec<Wire.CancelBatchItem>;
  /** Formats of the extension endpoints; absent when the dialect has none. */
  readonly extensions?: ExtensionRecords;
}

/** Formats of requests and answers of the extension endpoints. */
export interface ExtensionRecords {
  readonly books: RecordSpec<Wire.BooksAnswer>;
  readonly candlesBatch: RecordSpec<Wire.CandlesBatchAnswer>;
  readonly eventCandles: RecordSpec<Wire.EventCandlesAnswer>;
  readonly eventMetadata: RecordSpec<Wire.EventMetadataRecord>;
  readonly schedule: RecordSpec<Wire.ScheduleAnswer>;
  readonly userDataTimestamp: RecordSpec<Wire.FreshnessRecord>;
  readonly endpointCosts: RecordSpec<Wire.CostsRecord>;
  readonly seriesFeeChanges: RecordSpec<Wire.SeriesFeeChangesAnswer>;
  readonly eventFeeChanges: RecordSpec<Wire.PageRecord<Wire.EventFeeChangeRecord>>;
  readonly historicalCutoff: RecordSpec<Wire.CutoffRecord>;
  readonly queuePosition: RecordSpec<Wire.QueuePositionAnswer>;
  readonly queuePositions: RecordSpec<Wire.QueuePositionsAnswer>;
  readonly createGroup: RecordSpec<Wire.CreateGroupRecord>;
  readonly groupCreated: RecordSpec<Wire.GroupCreated>;
  readonly groups: RecordSpec<Wire.GroupsAnswer>;
  readonly group: RecordSpec<Wire.GroupDetails>;
  readonly limitGroup: RecordSpec<Wire.GroupLimitRecord>;
  readonly createSubaccount: RecordSpec<Wire.CreateSubaccountRecord>;
  readonly subaccountCreated: RecordSpec<Wire.SubaccountCreated>;
  readonly subaccountTransfer: RecordSpec<Wire.SubaccountTransferRecord>;
  readonly subaccountTransfers: RecordSpec<Wire.PageRecord<Wire.SubaccountTransferRow>>;
  readonly subaccountBalances: RecordSpec<Wire.SubaccountBalancesAnswer>;
  readonly shardTransfer: RecordSpec<Wire.ShardTransferRecord>;
  readonly shardTransferred: RecordSpec<Wire.ShardTransferAnswer>;
  readonly shardTransfers: RecordSpec<Wire.PageRecord<Wire.ShardTransferRow>>;
  readonly shardTransferOf: RecordSpec<Wire.ShardTransferFound>;
  readonly historicalCandles: RecordSpec<Wire.CandlesAnswer>;
  readonly restingValue: RecordSpec<Wire.RestingValueRecord>;
  readonly netting: RecordSpec<Wire.NettingAnswer>;
  readonly apiKeys: RecordSpec<Wire.ApiKeysAnswer>;
  readonly communicationsId: RecordSpec<Wire.CommunicationsIdRecord>;
  readonly tagsByCategory: RecordSpec<Wire.TagsAnswer>;
}

type EndpointCapability = 'canReadFeeChanges' | 'canReadQueue';

/**
 * The venue's abilities: the general capabilities that no other member of the profile gives, plus those of this wire.
 */
export interface Abilities extends Omit<
  Capabilities,
  'limits' | 'cost' | 'costs' | 'feeRounding' | EndpointCapability
> {
  readonly batchMax: number;
  readonly expiryStep: number;
  /** Self-trade prevention that is sent with every order; `null` when the wire has none. */
  readonly selfTrade: Wire.SelfTrade | null;
  readonly clientOrderIdLengthMax: number;
}

/** The guard rails that the wire supports. */
export interface GuardAbilities {
  /** True when the venue can cancel orders as soon as trading pauses. */
  readonly cancelOnPause: boolean;
  readonly expiry: boolean;
  /**
   * True when the venue has order groups. The venue cancels a group's orders when too many of their contracts trade
   * within fifteen seconds.
   */
  readonly orderGroups: boolean;
  readonly subaccounts: boolean;
}

/** A removed endpoint, and the refusal that reports it. */
export interface RetiredEndpoint {
  readonly method: Method;
  /** Relative to the base path; `{name}` matches any part. */
  readonly path: string;
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly code: string;
}

/** A channel that accepts subscriptions but never sends anything at the local exchange. */
export interface SilentChannel {
  readonly name: string;
  /** Names that a subscription selects instead of markets; `null` when it selects nothing. */
  readonly follows: 'indices' | 'underlyings' | null;
  /** True when the channel's messages can be divided among connections. */
  readonly isDivisible: boolean;
}

/** Behavior of the local exchange that the records do not describe. */
export interface Quirks {
  /**
   * With `ours`, refusals carry details of our own. With `theirs`, they carry only details that the venue is known to
   * send.
   */
  readonly detailsOfRefusals: 'ours' | 'theirs';
  /**
   * Details of the refusal of a wrong JSON type: of a member, with placeholders {found} {record} {field} {type}, and of the
   * whole body, with {found} {type}. `null` for our own details.
   */
  readonly wrongType: { readonly member: string; readonly whole: string } | null;
  /** Message about an unfit query, with placeholders {operation} {record} {field} {tag}; `null` for our own message. */
  readonly wrongQuery: string | null;
  readonly retired: readonly RetiredEndpoint[];
  readonly silentChannels: readonly SilentChannel[];
}

/** Error codes that we handle specially. */
export interface ErrorCodes {
  /** The client order id is taken: the order is or was at the venue. */
  readonly duplicate: string;
  readonly notFound: string;
  readonly tooManyRequests: string;
  /** The order's group has triggered. The group accepts no order until it is reset. */
  readonly groupTriggered?: string;
  /** Explanations of codes that do not explain themselves. */
  readonly meanings?: Readonly<Record<string, string>>;
}

/** One dialect of the wire. */
export interface WireProfile {
  readonly name: string;
  readonly basePath: string;
  readonly endpoints: Endpoints;
  /** The venue's own environments by name; empty when addresses come from the config only. */
  readonly environments: Readonly<Record<string, VenueEnvironment>>;
  readonly signing: Signing;
  readonly limits: WireLimits;
  readonly records: WireSpecs;
  readonly feed: FeedProfile;
  readonly abilities: Abilities;
  readonly guards: GuardAbilities;
  readonly quirks: Quirks;
  /** Our choice for each open question about the venue. */
  readonly readings: Readings;
  /** Fee rounding over time, earliest first. */
  readonly feeRounding: readonly [FeeRounding, ...FeeRounding[]];
  readonly errors: ErrorCodes;
}

/**
 * An endpoint of a dialect.
 * @throws {RangeError} when the dialect has no such endpoint.
 */
export function endpointOf({ name: dialect, endpoints }: WireProfile, name: EndpointName): Endpoint {
  const endpoint = endpoints[name];
  if (endpoint === undefined) throw new RangeError(`dialect ${dialect} has no endpoint ${name}`);
  return endpoint;
}

/** The explanation of a venue's code; `null` when it has none. */
export const meaningOf = ({ meanings = {} }: ErrorCodes, code: string): string | null =>
  // A code may be any text, also the name of a member that every object has.
  Object.hasOwn(meanings, code) ? (meanings[code] ?? null) : null;

/** A dialect with some of its readings replaced. */
export const replaceReadings = (profile: WireProfile, readings: Partial<Readings>): WireProfile => ({
  ...profile,
  readings: { ...profile.readings, ...readings },
});

/** Wire names of an endpoint's query parameters. */
export const parametersOf = ({ query }: Pick<Endpoint, 'query'>): string[] =>
  Object.values(query?.fields ?? {}).flatMap((field) => ('wire' in field ? [field.wire] : []));

/** A channel that the dialect must have. */
export const channelOf = ({ channels }: Pick<FeedProfile, 'channels'>, name: Wire.Channel): FeedChannel =>
  must(channels[name], `channel ${name} of the dialect`);

/** A feed message with any record. */
export type AnyFeedMessage = Pick<FeedMessage<unknown>, 'type' | 'channel' | 'hasSeq'>;

/** Every message of the dialect. */
export const feedMessagesOf = ({ messages }: Pick<FeedProfile, 'messages'>): readonly AnyFeedMessage[] =>
  Object.values(messages).filter((message: AnyFeedMessage | null) => message !== null);

/** The types of messages about an account. */
export const privateTypesOf = (feed: FeedProfile): readonly string[] =>
  feedMessagesOf(feed).flatMap(({ type, channel }) => (channelOf(feed, channel).isPrivate ? [type] : []));

/**
 * The path of an endpoint from the root. Values are escaped, so they cannot add path segments.
 * @throws {RangeError} when a value is missing or empty, or the dialect has no such endpoint.
 */
export function pathOf(profile: WireProfile, name: EndpointName, parts: Readonly<Record<string, string>> = {}): string {
  const path = endpointOf(profile, name).path.replace(/\{(\w+)\}/g, (_whole, part: string) => {
    const value = parts[part];
    if (value === undefined || value === '') throw new RangeError(`path of ${name}: part ${part} is missing`);
    return encodeURIComponent(value);
  });
  return profile.basePath + path;
}
