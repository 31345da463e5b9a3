// tidy: table. The wire profile: all that a `trade-api` exchange may spell its own way, as one typed value.
// Must never hold behavior. No code may ask which profile it has; it may only read what the profile says.
import type { Readings } from '../../config/readings.ts';
import { must } from '../../domain/assert.ts';
import type { Capabilities, RateLimit } from '../../venue.ts';
import type * as Wire from './wire/records.ts';
import type { FeeRounding } from '../../domain/fees.ts';
import type { Endpoint, EndpointName, Endpoints, Method } from './endpoint.ts';
import type { RecordSpec } from './wire/spec.ts';

export type * from './endpoint.ts';

/** Where one of a venue's worlds is: the origins of requests and of the feed, without a path. */
export interface Environment {
  readonly rest: string;
  readonly feed: string;
}

export type SigningScheme = 'ecdsa-p256' | 'ecdsa-secp256k1' | 'ed25519' | 'rsa-pss-sha256';

/** How a request is signed. */
export interface Signing {
  /** What a new key is of, where nothing else is asked for. */
  readonly scheme: SigningScheme;
  /** What a key may be of. */
  readonly schemes: readonly SigningScheme[];
  /** The signed text over `{timestamp}`, `{method}` and `{path}`: from the root, without query. */
  readonly template: string;
  readonly timestampUnit: 'ms' | 's';
  /** Of the ECDSA schemes; the others fix their own. */
  readonly digest: 'sha256' | 'sha512';
  /** Of an ECDSA signature that we make: r and s side by side, or in DER. The others have one form of their own. */
  readonly form: 'compact' | 'der' | 'raw';
  readonly encoding: 'base64' | 'hex';
  readonly headers: { readonly key: string; readonly timestamp: string; readonly signature: string };
  /** How far a timestamp may be from the venue's clock. */
  readonly clockSkewMs: number;
}

export interface Limits {
  readonly read: RateLimit;
  readonly trade: RateLimit;
  /** Commands on the feed. */
  readonly feed: RateLimit;
  /** Of callers without a key, by their address; as `read` where it is absent. */
  readonly anonymous?: RateLimit;
  /** What callers may be granted, the usual first; absent where all are granted the same. */
  readonly tiers?: Readonly<Record<string, { readonly read: RateLimit; readonly trade: RateLimit }>>;
  /** Whether a 429 says how long to wait. */
  readonly retryAfterOn429: 'seconds' | 'absent';
  /** Whether the feed is closed for a moment when over its limit. */
  readonly closesFeedOverLimit: boolean;
}

/** A message of the feed that carries a record. */
export interface FeedMessage<T> {
  readonly type: string;
  readonly channel: Wire.Channel;
  /** Whether it takes a number of its subscription's sequence. */
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
  /** `null` where the dialect has no order groups. */
  readonly group: FeedMessage<Wire.GroupRecord> | null;
}

export interface FeedChannel {
  readonly name: string;
  /** Whether a key is needed. */
  readonly isPrivate: boolean;
  /** Whether markets are named on subscribing: they must be, may be (all otherwise), or are not. */
  readonly markets: 'required' | 'optional' | 'none';
}

/** Codes of the feed's refusals that mean something of their own to us. */
export interface FeedErrorCodes {
  /** The connection has no key, or none that was taken. */
  readonly keyNeeded: number;
  /** More markets than a subscription may follow. */
  readonly tooManyMarkets: number;
  /** Commands too close together. */
  readonly tooManyCommands: number;
}

/** The feed: its channels, messages and commands. The envelope is the family's: type, id, sid, seq, msg. */
export interface FeedProfile {
  readonly path: string;
  /** `null` where the dialect has none of that name. */
  readonly channels: Readonly<Record<Wire.Channel, FeedChannel | null>>;
  readonly messages: FeedMessages;
  /** The changes of a market's life that carry its result. */
  readonly resultIn: readonly Wire.LifeChange[];
  /** How the empty book of a market that is not listed is spelled; as any snapshot where this is absent. */
  readonly unlistedSnapshot?: RecordSpec<Wire.SnapshotRecord>;
  /**
   * How the numbers of messages are followed. By default a subscription counts from 1, as on a connection of our own.
   * `joined`: a recording may begin in the middle; the first number of a subscription that was not announced is the one it
   * begins with. `ignored`: numbers mean nothing, whether messages carry them or not.
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
  /** Error codes after which the subscription is over. */
  readonly terminalErrors: readonly number[];
  /** Error codes that ask for something of their own. */
  readonly errors: FeedErrorCodes;
  /** Whether a subscription can be asked for a fresh snapshot. */
  readonly canResnapshot: boolean;
  /**
   * What `onYesScale` to ask for on subscribing to books; `null` where the wire knows no such flag. The records are spelled
   * on the NO leg whatever is asked for; where it is true they are read turned.
   */
  readonly onYesScale: boolean | null;
  /** Whether public channels need a key too. */
  readonly publicFeedNeedsKey: boolean;
  readonly pingEveryMs: number;
  readonly pingBody: string;
}

/** How requests and answers are spelled. */
export interface Records {
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
  readonly cancelOrders: RecordSpec<Wire.CancelBatch>;
  readonly ordersCanceled: RecordSpec<Wire.CancelBatchAnswer>;
  /** How the further endpoints are spelled; absent where the dialect has none. */
  readonly further?: FurtherRecords;
}

/** How requests and answers of the further endpoints are spelled. */
export interface FurtherRecords {
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
  readonly group: RecordSpec<Wire.GroupView>;
  readonly limitGroup: RecordSpec<Wire.GroupLimitRecord>;
  readonly createSubaccount: RecordSpec<Wire.CreateSubaccountRecord>;
  readonly subaccountCreated: RecordSpec<Wire.SubaccountCreated>;
  readonly subaccountTransfer: RecordSpec<Wire.SubaccountTransferRecord>;
  readonly subaccountTransfers: RecordSpec<Wire.PageRecord<Wire.SubaccountTransferRow>>;
  readonly subaccountBalances: RecordSpec<Wire.SubaccountBalancesAnswer>;
  readonly shardTransfer: RecordSpec<Wire.ShardTransferRecord>;
  readonly shardTransferred: RecordSpec<Wire.ShardTransferAnswer>;
  readonly shardTransfers: RecordSpec<Wire.PageRecord<Wire.ShardTransferRow>>;
  /** One of them, asked for by its id. */
  readonly shardTransferOf: RecordSpec<Wire.ShardTransferFound>;
  readonly historicalCandles: RecordSpec<Wire.CandlesAnswer>;
  readonly restingValue: RecordSpec<Wire.RestingValueRecord>;
  readonly netting: RecordSpec<Wire.NettingAnswer>;
  readonly apiKeys: RecordSpec<Wire.ApiKeysAnswer>;
  readonly communicationsId: RecordSpec<Wire.CommunicationsIdRecord>;
  readonly tagsByCategory: RecordSpec<Wire.TagsAnswer>;
}

/** What of its capabilities is known by the endpoints that a dialect has. */
type Told = 'tellsFeeChanges' | 'tellsQueue';

/** What the venue can do: what every venue says of itself but its limits, and what only this wire knows. */
export interface Abilities extends Omit<Capabilities, 'limits' | 'cost' | 'costs' | 'feeRounding' | Told> {
  /** Said with every order; `null` where the wire knows no such member. */
  readonly selfTrade: Wire.SelfTrade | null;
  readonly clientOrderIdLengthMax: number;
  readonly batchMax: number;
}

/** What of the venue's guard rails the wire can carry. */
export interface GuardAbilities {
  /** Orders that are withdrawn when trading pauses. */
  readonly cancelOnPause: boolean;
  /** A time at which an order ends. */
  readonly expiry: boolean;
  /** Orders that are withdrawn together when too many of their contracts trade at once. */
  readonly orderGroups: boolean;
  readonly subaccounts: boolean;
}

/** An endpoint that is gone, and how that is said. */
export interface Retired {
  readonly method: Method;
  /** As an endpoint's: below the base path, `{name}` stands for any part. */
  readonly path: string;
  /** What does it now. */
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly code: string;
}

/** A channel that may be subscribed to and never says anything here. */
export interface SilentChannel {
  readonly name: string;
  /** What is followed on it in place of markets; `null` where nothing is chosen. */
  readonly follows: 'indices' | 'underlyings' | null;
  /** Whether its messages may be divided among connections. */
  readonly isDivisible: boolean;
}

/** What of a server's manners no record says. */
export interface Manners {
  /** Whether refusals carry particulars of our own, or only those that the venue is known to give. */
  readonly detailsOfRefusals: 'ours' | 'theirs';
  /** Details of the flat refusal of a member of the wrong JSON type, over {found} {record} {field} {type}; `null`: our own. */
  readonly wrongType: string | null;
  /** What is said of a query that does not fit, over {operation} {record} {field} {tag}; `null`: our own. */
  readonly wrongQuery: string | null;
  readonly retired: readonly Retired[];
  readonly silentChannels: readonly SilentChannel[];
}

/** Error codes that mean something of their own to us. */
export interface ErrorCodes {
  /** The client order id is taken: the order is in, or was. */
  readonly duplicate: string;
  readonly notFound: string;
  readonly tooManyRequests: string;
  /** The order group that an order was to count for has withdrawn its orders, and takes no more until it is reset. */
  readonly groupSpent?: string;
  /** What a refusal means, by its code, where the code does not tell. */
  readonly meanings?: Readonly<Record<string, string>>;
}

/** One dialect of the wire. */
export interface WireProfile {
  readonly name: string;
  readonly basePath: string;
  readonly endpoints: Endpoints;
  /** The venue's own worlds by name; empty for a dialect that is spoken nowhere but where the configuration says. */
  readonly environments: Readonly<Record<string, Environment>>;
  readonly signing: Signing;
  readonly limits: Limits;
  readonly records: Records;
  readonly feed: FeedProfile;
  readonly abilities: Abilities;
  readonly guards: GuardAbilities;
  readonly manners: Manners;
  /** The likelier answer to each question that nothing seen of the venue settles. */
  readonly readings: Readings;
  /** In the order of their beginning; the last one that has begun holds. */
  readonly feeRounding: readonly [FeeRounding, ...FeeRounding[]];
  readonly errors: ErrorCodes;
}

/**
 * An endpoint of a dialect.
 * @throws {RangeError} when the dialect has none of that name.
 */
export function endpointOf({ name: dialect, endpoints }: WireProfile, name: EndpointName): Endpoint {
  const endpoint = endpoints[name];
  if (endpoint === undefined) throw new RangeError(`dialect ${dialect} has no endpoint ${name}`);
  return endpoint;
}

/** A dialect with some of its readings replaced. */
export const withReadings = (profile: WireProfile, readings: Partial<Readings>): WireProfile => ({
  ...profile,
  readings: { ...profile.readings, ...readings },
});

/** The parameters that an endpoint takes in its query string, as the wire spells them. */
export const parametersOf = ({ query }: Pick<Endpoint, 'query'>): string[] =>
  Object.values(query?.fields ?? {}).flatMap((field) => ('wire' in field ? [field.wire] : []));

/** A channel that the dialect is known to have. */
export const channelOf = ({ channels }: Pick<FeedProfile, 'channels'>, name: Wire.Channel): FeedChannel =>
  must(channels[name], `channel ${name} of the dialect`);

/** A message of the feed, whatever it carries. */
export type AnyFeedMessage = Pick<FeedMessage<unknown>, 'type' | 'channel' | 'hasSeq'>;

/** Every message that the dialect has. */
export const messagesOf = ({ messages }: Pick<FeedProfile, 'messages'>): readonly AnyFeedMessage[] =>
  Object.values(messages).filter((message: AnyFeedMessage | null) => message !== null);

/** The types of the messages that tell of an account. */
export const privateTypesOf = (feed: FeedProfile): readonly string[] =>
  messagesOf(feed).flatMap(({ type, channel }) => (channelOf(feed, channel).isPrivate ? [type] : []));

/**
 * The path of an endpoint from the root, its parts filled in. A part may not reach beyond its place.
 * @throws {RangeError} when a part is missing, or the dialect has no such endpoint.
 */
export function pathOf(profile: WireProfile, name: EndpointName, parts: Readonly<Record<string, string>> = {}): string {
  const path = endpointOf(profile, name).path.replace(/\{(\w+)\}/g, (_whole, part: string) => {
    const value = parts[part];
    if (value === undefined || value === '') throw new RangeError(`path of ${name}: part ${part} is missing`);
    return encodeURIComponent(value);
  });
  return profile.basePath + path;
}
