// What only some dialects say: order groups, queues, costs, schedules, subaccounts, and the like, as typed values in our units.
// A member that is `null` was not said. Nothing here knows how any of it is spelled.
import type { EventTicker, SeriesTicker, Ticker, VenueOrderId } from '../../../domain/ids.ts';
import type { Micros, Money, Qty } from '../../../domain/units.ts';
import type { BookRecord, CandleRecord } from './market-records.ts';

// Market data.

/** One book of several. */
export interface NamedBookRecord {
  readonly ticker: Ticker;
  readonly book: BookRecord;
}
export interface BooksAnswer {
  readonly books: readonly NamedBookRecord[];
}

/** The candles of one market of several. */
export interface NamedCandlesRecord {
  readonly ticker: Ticker;
  readonly candles: readonly CandleRecord[];
}
export interface CandlesBatchAnswer {
  readonly markets: readonly NamedCandlesRecord[];
}
/** The candles of an event group's markets: names and lists go together by their place. */
export interface EventCandlesAnswer {
  readonly tickers: readonly Ticker[];
  readonly candles: readonly (readonly CandleRecord[])[];
  /** Where the candles end; earlier than asked for where there would have been too many. */
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

/** Hours of a day, as the venue's own clock shows them: `HH:MM`. */
export interface HoursRecord {
  readonly opens: string;
  readonly closes: string;
}
/** The week's hours while they hold. */
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
/** How fresh an account's reads are. */
export interface FreshnessRecord {
  readonly asOf: Micros;
}
/** Rows older than these are with the historical endpoints only. */
export interface CutoffRecord {
  readonly marketsSettled: Micros;
  readonly printsCreated: Micros;
  readonly ordersUpdated: Micros;
  readonly positionsUpdated: Micros | null;
}
export interface CostRecord {
  readonly method: string;
  /** Below the base path or from the root; `:name` or `{name}` stands for a part that is filled in. */
  readonly path: string;
  readonly cost: number;
}
/** What a request takes from its budget; what is not listed takes the default. */
export interface CostsRecord {
  readonly defaultCost: number;
  readonly costs: readonly CostRecord[];
}

// Fees to come.

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
/** `null` where the series' own holds again. */
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
  /** Contracts ahead. */
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

// Order groups: when so many contracts of a group trade in any fifteen seconds, all its orders are withdrawn.

export type GroupChange = 'created' | 'triggered' | 'reset' | 'deleted' | 'limit-changed';
/** What befell an order group. */
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
/** A group in the list of all. */
export interface GroupRow {
  readonly groupId: string;
  readonly limit: Qty | null;
  /** Whether it withdraws its orders when its limit is reached: not once it has, until it is reset. */
  readonly isArmed: boolean;
  readonly shard: number | null;
}
export interface GroupsAnswer {
  readonly groups: readonly GroupRow[];
}
/** A group with its orders. */
export interface GroupView {
  readonly limit: Qty | null;
  readonly isArmed: boolean;
  readonly orderIds: readonly VenueOrderId[];
  readonly shard: number | null;
}
export interface GroupLimitRecord {
  readonly limit: Qty;
}

// Keys and ids.

/** A key of the caller's account, without the key itself. */
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

/** Whether positions of one event group reduce each other's collateral. */
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
  /** Named by the client: the same one is carried out once. */
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
/** Which of the venue's exchanges money is moved from or to. */
export type Instance = 'event_contract' | 'margined';
/** Money from one shard to another. */
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
