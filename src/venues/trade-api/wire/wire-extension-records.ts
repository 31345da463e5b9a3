// Wire records that only some dialects have: order groups, queues, costs, schedules, subaccounts and the like, in our
// units. A member is `null` when the wire does not carry it. Must never know how any member is spelled on the wire.
import type { EventTicker, SeriesTicker, Ticker, VenueOrderId } from '../../../domain/ids.ts';
import type { Micros, Money, Qty } from '../../../domain/units.ts';
import type { BookRecord, CandleRecord } from './wire-market-records.ts';

// Market data.

/** One market's book in an answer with several. */
export interface NamedBookRecord {
  readonly ticker: Ticker;
  readonly book: BookRecord;
}
export interface BooksAnswer {
  readonly books: readonly NamedBookRecord[];
}

/** One market's candles in an answer with several. */
export interface NamedCandlesRecord {
  readonly ticker: Ticker;
  readonly candles: readonly CandleRecord[];
}
export interface CandlesBatchAnswer {
  readonly markets: readonly NamedCandlesRecord[];
}
/** The candles of an event group's markets. A ticker and its candles have the same index. */
export interface EventCandlesAnswer {
  readonly tickers: readonly Ticker[];
  readonly candles: readonly (readonly CandleRecord[])[];
  /** End of the candles. It is earlier than requested when there are too many candles. */
  readonly endAt: Micros;
}
export interface SettlementSourceRecord {
  readonly name: string | null;
  readonly url: string | null;
}
export interface EventMetadataRecord {
  readonly imageUrl: string;
  readonly sources: readonly SettlementSourceRecord[];
  readonly competition: string | null;
  readonly scope: string | null;
}

// The exchange itself.

/** Trading hours within a day, by the venue's local clock: `HH:MM`. */
export interface HoursRecord {
  readonly opens: string;
  readonly closes: string;
}
/** Weekly hours, and the period in which they apply. */
export interface WeekRecord {
  readonly from: Micros;
  readonly until: Micros;
  readonly monday: readonly HoursRecord[];
  readonly tuesday: readonly HoursRecord[];
  readonly wednesday: readonly HoursRecord[];
  readonly thursday: readonly HoursRecord[];
  readonly friday: readonly HoursRecord[];
  readonly saturday: readonly HoursRecord[];
  readonly sunday: readonly HoursRecord[];
}
export interface MaintenanceRecord {
  readonly from: Micros;
  readonly until: Micros;
}
export interface ScheduleRecord {
  readonly weeks: readonly WeekRecord[];
  readonly maintenance: readonly MaintenanceRecord[];
}
export interface ScheduleAnswer {
  readonly schedule: ScheduleRecord;
}
/** Freshness of an account's reads. */
export interface FreshnessRecord {
  readonly asOf: Micros;
}
/** Rows older than these times are only at the historical endpoints. */
export interface CutoffRecord {
  readonly marketsSettled: Micros;
  readonly printsCreated: Micros;
  readonly ordersUpdated: Micros;
  readonly positionsUpdated: Micros | null;
}
export interface CostRecord {
  readonly method: string;
  /** Relative to the base path or to the root. `:name` or `{name}` is a placeholder. */
  readonly path: string;
  readonly cost: number;
}
/** Budget cost of requests. An endpoint that is not listed costs the default. */
export interface CostsRecord {
  readonly defaultCost: number;
  readonly costs: readonly CostRecord[];
}

// Scheduled fee changes.

export interface SeriesFeeChangeRecord {
  readonly id: string;
  readonly seriesTicker: SeriesTicker;
  readonly feeType: string;
  /** In hundredths: 100 is 1. */
  readonly feeMultiplierPercent: number;
  readonly at: Micros;
}
export interface SeriesFeeChangesAnswer {
  readonly changes: readonly SeriesFeeChangeRecord[];
}
/** The fee members are `null` when the series' own fees apply again. */
export interface EventFeeChangeRecord {
  readonly id: string;
  readonly eventTicker: EventTicker;
  readonly seriesTicker: SeriesTicker | null;
  readonly feeType: string | null;
  readonly feeMultiplierPercent: number | null;
  readonly at: Micros;
}

// Orders.

export interface QueuePositionAnswer {
  readonly ahead: Qty;
}
export interface QueuePositionRecord {
  readonly orderId: VenueOrderId;
  readonly ticker: Ticker;
  readonly ahead: Qty;
}
export interface QueuePositionsAnswer {
  readonly positions: readonly QueuePositionRecord[];
}

/** The total cost of an account's resting orders. */
export interface RestingValueRecord {
  readonly value: Money;
}

// Order groups. When contracts up to a group's limit have traded within fifteen seconds, the venue cancels the group's
// orders.

export type GroupChange = 'created' | 'triggered' | 'reset' | 'deleted' | 'limit-changed';
/** A change of an order group. */
export interface GroupRecord {
  readonly change: GroupChange;
  readonly groupId: string;
  readonly limit: Qty | null;
  readonly at: Micros | null;
}
export interface CreateGroupRecord {
  readonly limit: Qty;
  readonly subaccount: number | null;
  readonly shard: number | null;
}
export interface GroupCreated {
  readonly groupId: string;
  readonly subaccount: number | null;
  readonly shard: number | null;
}
/** A group in the list of all groups. */
export interface GroupRow {
  readonly groupId: string;
  readonly limit: Qty | null;
  /** True when reaching the limit cancels the group's orders; false from a trigger until a reset. */
  readonly isArmed: boolean;
  readonly shard: number | null;
}
export interface GroupsAnswer {
  /** `null`: the venue may leave out an empty list. */
  readonly groups: readonly GroupRow[] | null;
}
/** A group with its orders. */
export interface GroupDetails {
  readonly limit: Qty | null;
  readonly isArmed: boolean;
  readonly orderIds: readonly VenueOrderId[];
  readonly shard: number | null;
}
export interface GroupLimitRecord {
  readonly limit: Qty;
}

// Keys and ids.

/** A key of the caller's account, without its secret. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
}
export interface ApiKeysAnswer {
  readonly keys: readonly ApiKeyRecord[];
}
/** The public id of an account. */
export interface CommunicationsIdRecord {
  readonly id: string;
}
/** The tags of the series of each category. */
export interface TagsAnswer {
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

// Subaccounts and shards.

/** The netting of a subaccount. While on, positions within one event group reduce each other's collateral. */
export interface NettingRecord {
  readonly subaccount: number;
  readonly isOn: boolean;
}
export interface NettingAnswer {
  readonly subaccounts: readonly NettingRecord[];
}

export interface CreateSubaccountRecord {
  readonly shard: number | null;
}
export interface SubaccountCreated {
  readonly subaccount: number;
}
export interface SubaccountTransferRecord {
  /** Chosen by the client. The venue executes each id once. */
  readonly transferId: string;
  readonly from: number;
  readonly to: number;
  readonly amount: Money;
  readonly shard: number | null;
}
export interface SubaccountTransferRow {
  readonly transferId: string;
  readonly from: number;
  readonly to: number;
  readonly amount: Money;
  readonly at: Micros;
  readonly shard: number | null;
}
export interface SubaccountBalanceRecord {
  readonly subaccount: number;
  readonly shard: number | null;
  readonly available: Money;
  readonly updatedAt: Micros;
}
export interface SubaccountBalancesAnswer {
  readonly balances: readonly SubaccountBalanceRecord[];
}
/** A part of the venue: event contracts, or margined contracts. */
export type Instance = 'event_contract' | 'margined';
/** A transfer of money from one shard to another. */
export interface ShardTransferRecord {
  readonly source: Instance;
  readonly destination: Instance;
  readonly amount: Money;
  readonly fromShard: number | null;
  readonly toShard: number | null;
  readonly fromSubaccount: number | null;
  readonly toSubaccount: number | null;
}
export interface ShardTransferAnswer {
  readonly transferId: string;
}
export interface ShardTransferRow extends ShardTransferRecord {
  readonly transferId: string;
  readonly status: 'pending' | 'complete';
  readonly at: Micros | null;
}
export interface ShardTransferFound {
  readonly transfer: ShardTransferRow;
}
