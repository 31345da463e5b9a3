// tidy: table. The endpoints that exchanges of this family may have, by name, and what a dialect says of each of them.
// Must never hold behavior: what answers an endpoint is the exchange's affair.
import type { JsonValue, RecordSpec } from './wire/spec.ts';
import type { QueryRecord } from './wire/query-record.ts';

export type Method = 'GET' | 'POST' | 'DELETE' | 'PUT';

/** One endpoint. */
export interface Endpoint {
  readonly method: Method;
  /** Below the base path; `{name}` stands for a part that is filled in. */
  readonly path: string;
  /** Whether a key is needed. */
  readonly auth: boolean;
  readonly budget: 'read' | 'trade';
  /** What one request, or one item of a batch, takes from its budget. */
  readonly cost: number;
  /** The status of success. */
  readonly success: number;
  /** What its query string may say; absent where it has none. */
  readonly query?: RecordSpec<QueryRecord>;
  /** What must be asked by, in the order in which its absence is refused. */
  readonly required?: readonly (keyof QueryRecord)[];
  /** What counts in place of a member that was not asked by. */
  readonly usual?: Partial<QueryRecord>;
  /** How many rows of its list may be asked for at once; absent where it has no pages. */
  readonly rows?: RowLimits;
  /**
   * The answer where the exchange never has what is asked for: an empty list, or `null` where nothing is found by any name.
   * Absent where the exchange has something to tell.
   */
  readonly vacant?: Readonly<Record<string, JsonValue>> | null;
}

/** How many rows may be asked for at once: the fewest and the most. Zero, where it may be said, stands for the usual number. */
export interface RowLimits {
  readonly min: 0 | 1;
  readonly max: number;
}

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
export type FurtherEndpointName =
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

/** Endpoints of what an exchange of this family may have and the local one never has: their dialects say what it answers. */
export type VacantEndpointName =
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

export type EndpointName = CoreEndpointName | FurtherEndpointName | VacantEndpointName;
export type Endpoints = Readonly<Record<CoreEndpointName, Endpoint>> &
  Readonly<Partial<Record<FurtherEndpointName, Endpoint>>> &
  Readonly<Partial<Record<VacantEndpointName, Endpoint & Required<Pick<Endpoint, 'vacant'>>>>>;
