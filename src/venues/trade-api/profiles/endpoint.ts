// tidy: table. The endpoints of the exchanges of this family by name, and the values that a dialect defines for each.
// Must never hold behavior.
import type { JsonValue, RecordSpec } from '../wire/record-spec.ts';
import type { QueryRecord } from '../wire/query-record.ts';

export type Method = 'GET' | 'POST' | 'DELETE' | 'PUT';

/** One endpoint. */
export interface Endpoint {
  readonly method: Method;
  /** Relative to the base path; `{name}` is a placeholder. */
  readonly path: string;
  /** True when a key is needed. */
  readonly auth: boolean;
  readonly budget: 'read' | 'trade';
  /** Budget cost of a request, or of each item in a batch. */
  readonly cost: number;
  readonly success: number;
  /** The query string of the endpoint; absent if the endpoint takes none. */
  readonly query?: RecordSpec<QueryRecord>;
  /** Required members of the query, in the sequence of their checks. */
  readonly required?: readonly (keyof QueryRecord)[];
  /** Values of query members that a request leaves out. */
  readonly defaults?: Partial<QueryRecord>;
  /** Bounds of the page size; absent if the answer has no pages. */
  readonly pageSize?: PageSize;
  /**
   * The constant answer of the local exchange: an empty list, or `null` for 404. Absent if the exchange has a handler.
   */
  readonly stubAnswer?: Readonly<Record<string, JsonValue>> | null;
}

/** An endpoint with a constant answer. */
export interface StubEndpoint extends Endpoint {
  readonly stubAnswer: Readonly<Record<string, JsonValue>> | null;
}

/** Bounds of the page size. Where a size of zero is allowed, it means the default. */
export interface PageSize {
  readonly min: 0 | 1;
  readonly max: number;
}

/** The query of an endpoint. */
export type EndpointQuery = Pick<Endpoint, 'query' | 'required' | 'defaults' | 'pageSize'>;

/** Endpoints that every dialect has. */
export type CoreEndpointName =
  | 'status'
  | 'limits'
  | 'markets'
  | 'market'
  | 'book'
  | 'prints'
  | 'events'
  | 'event'
  | 'seriesList'
  | 'series'
  | 'candles'
  | 'balance'
  | 'positions'
  | 'orders'
  | 'order'
  | 'fills'
  | 'settlements'
  | 'createOrder'
  | 'cancelOrder'
  | 'createOrders'
  | 'cancelOrders'
  | 'amendOrder'
  | 'decreaseOrder';

/** Endpoints that some dialects lack. */
export type ExtensionEndpointName =
  | 'books'
  | 'candlesBatch'
  | 'eventCandles'
  | 'eventMetadata'
  | 'schedule'
  | 'userDataTimestamp'
  | 'endpointCosts'
  | 'seriesFeeChanges'
  | 'eventFeeChanges'
  | 'historicalCutoff'
  | 'historicalMarkets'
  | 'historicalMarket'
  | 'historicalCandles'
  | 'historicalPrints'
  | 'historicalOrders'
  | 'historicalFills'
  | 'historicalPositions'
  | 'cancelAll'
  | 'queuePosition'
  | 'queuePositions'
  | 'restingValue'
  | 'createGroup'
  | 'groups'
  | 'group'
  | 'deleteGroup'
  | 'resetGroup'
  | 'triggerGroup'
  | 'limitGroup'
  | 'createSubaccount'
  | 'subaccountTransfer'
  | 'subaccountTransfers'
  | 'subaccountBalances'
  | 'netting'
  | 'shardTransfer'
  | 'shardTransfers'
  | 'shardTransferOf'
  | 'apiKeys'
  | 'communicationsId'
  | 'tagsByCategory';

/** Endpoints without a handler at the local exchange: the profile holds their constant answers. */
export type StubEndpointName =
  | 'announcements'
  | 'multivariateEvents'
  | 'forecastHistory'
  | 'deposits'
  | 'withdrawals'
  | 'allocation'
  | 'quoteRequests'
  | 'quoteRequest'
  | 'quoteOfRequest'
  | 'quotes'
  | 'quote'
  | 'blockTrades'
  | 'volumeProgress'
  | 'sportFilters'
  | 'milestones'
  | 'milestone'
  | 'milestoneData'
  | 'milestoneDataOfType'
  | 'milestonesData'
  | 'gameStats'
  | 'eventData'
  | 'structuredTargets'
  | 'structuredTarget'
  | 'collections'
  | 'collection'
  | 'collectionLookups'
  | 'incentives';

export type EndpointName = CoreEndpointName | ExtensionEndpointName | StubEndpointName;
export type Endpoints = Readonly<Record<CoreEndpointName, Endpoint>> &
  Readonly<Partial<Record<ExtensionEndpointName, Endpoint>>> &
  Readonly<Partial<Record<StubEndpointName, StubEndpoint>>>;
