// Records of the `kalshi` dialect besides market data and trading: status, limits and costs, schedules, fee changes,
// queues, order groups, subaccounts and shards. Data only.
import type { ExtensionRecords } from './wire-profile.ts';
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import { cash, cursor, decimals, place } from './kalshi-forms.ts';
import * as market from './kalshi-market.ts';
import {
  absent,
  flag,
  integer,
  maybeFlag,
  maybeInteger,
  maybeName,
  maybeText,
  maybeTime,
  name,
  seconds,
  text,
  time,
} from './service-forms.ts';

const shardStatus: RecordSpec<Wire.ShardStatusRecord> = {
  name: 'shard_status',
  fields: {
    shard: integer('exchange_index'),
    description: maybeText('description'),
    isActive: flag('exchange_active'),
    isTrading: flag('trading_active'),
    canTransfer: maybeFlag('intra_exchange_transfers_active'),
  },
};
export const status: RecordSpec<Wire.StatusRecord> = {
  name: 'exchange_status',
  fields: {
    isActive: flag('exchange_active'),
    isTrading: flag('trading_active'),
    canTransfer: maybeFlag('intra_exchange_transfers_active'),
    resumeAt: maybeTime('exchange_estimated_resume_time'),
    shards: { kind: 'list', of: { kind: 'record', of: shardStatus }, wire: 'exchange_index_statuses', optional: true },
  },
};

const bucket: RecordSpec<Wire.LimitRecord> = {
  name: 'bucket',
  fields: {
    count: absent,
    windowMs: absent,
    refillPerSecond: integer('refill_rate'),
    capacity: integer('bucket_capacity'),
  },
};
export const limits: RecordSpec<Wire.LimitsRecord> = {
  name: 'account_limits',
  fields: {
    tier: maybeText('usage_tier'),
    read: { kind: 'record', of: bucket, wire: 'read' },
    trade: { kind: 'record', of: bucket, wire: 'write' },
  },
  filler: { grants: [] },
};

const cost: RecordSpec<Wire.CostRecord> = {
  name: 'endpoint_cost',
  fields: { method: name('method'), path: name('path'), cost: integer('cost') },
};

const hours: RecordSpec<Wire.HoursRecord> = {
  name: 'hours',
  fields: { opens: text('open_time'), closes: text('close_time') },
};
const day = (wire: string) => ({ kind: 'list', of: { kind: 'record', of: hours }, wire }) as const;
const week: RecordSpec<Wire.WeekRecord> = {
  name: 'standard_hours',
  fields: {
    from: time('start_time'),
    until: time('end_time'),
    monday: day('monday'),
    tuesday: day('tuesday'),
    wednesday: day('wednesday'),
    thursday: day('thursday'),
    friday: day('friday'),
    saturday: day('saturday'),
    sunday: day('sunday'),
  },
};
const maintenance: RecordSpec<Wire.MaintenanceRecord> = {
  name: 'maintenance_window',
  fields: { from: time('start_datetime'), until: time('end_datetime') },
};
const schedule: RecordSpec<Wire.ScheduleRecord> = {
  name: 'schedule',
  fields: {
    weeks: { kind: 'list', of: { kind: 'record', of: week }, wire: 'standard_hours' },
    maintenance: { kind: 'list', of: { kind: 'record', of: maintenance }, wire: 'maintenance_windows' },
  },
};

const seriesFeeChange: RecordSpec<Wire.SeriesFeeChangeRecord> = {
  name: 'series_fee_change',
  fields: {
    id: name('id'),
    seriesTicker: name('series_ticker'),
    feeType: text('fee_type'),
    feeMultiplierPercent: { kind: 'decimal', decimals: 2, wire: 'fee_multiplier' },
    at: time('scheduled_ts'),
  },
};
const eventFeeChange: RecordSpec<Wire.EventFeeChangeRecord> = {
  name: 'event_fee_change',
  fields: {
    id: name('id'),
    eventTicker: name('event_ticker'),
    seriesTicker: maybeName('series_ticker'),
    feeType: { ...maybeText('fee_type_override'), asNull: true },
    feeMultiplierPercent: {
      kind: 'decimal',
      decimals: 2,
      wire: 'fee_multiplier_override',
      optional: true,
      asNull: true,
    },
    at: time('scheduled_ts'),
  },
};

/** Contracts ahead in the queue. `queue_position`, in whole contracts, is decoded and never encoded. */
const ahead = {
  ...decimals('queue_position_fp'),
  accepts: [{ kind: 'qty', form: 'contracts', wire: 'queue_position' }],
} as const;
const queuePosition: RecordSpec<Wire.QueuePositionRecord> = {
  name: 'queue_position',
  fields: { orderId: name('order_id'), ticker: name('market_ticker'), ahead },
};

/** A limit in contracts. `contracts_limit`, in whole contracts, is decoded and never encoded. */
const limit = {
  ...decimals('contracts_limit_fp'),
  accepts: [{ kind: 'qty', form: 'contracts', wire: 'contracts_limit' }],
} as const;
const maybeLimit = { ...decimals('contracts_limit_fp'), optional: true } as const;
const isArmed = flag('is_auto_cancel_enabled');
const groupRow: RecordSpec<Wire.GroupRow> = {
  name: 'order_group_row',
  fields: { groupId: name('id'), limit: maybeLimit, isArmed, shard: place.shard },
};

const subaccountTransfer: RecordSpec<Wire.SubaccountTransferRow> = {
  name: 'subaccount_transfer',
  fields: {
    transferId: name('transfer_id'),
    from: integer('from_subaccount'),
    to: integer('to_subaccount'),
    amount: { kind: 'money', form: 'cents', wire: 'amount_cents' },
    at: seconds('created_ts'),
    shard: place.shard,
  },
};
const subaccountBalance: RecordSpec<Wire.SubaccountBalanceRecord> = {
  name: 'subaccount_balance',
  fields: {
    subaccount: integer('subaccount_number'),
    shard: place.shard,
    available: cash('balance'),
    updatedAt: seconds('updated_ts'),
  },
};
const instance = (wire: string) =>
  ({ kind: 'enum', values: { event_contract: 'event_contract', margined: 'margined' }, wire }) as const;
const shardTransfer: RecordSpec<Wire.ShardTransferRow> = {
  name: 'shard_transfer',
  fields: {
    transferId: name('transfer_id'),
    source: instance('source'),
    destination: instance('destination'),
    amount: cash('amount'),
    fromShard: maybeInteger('source_exchange_shard'),
    toShard: maybeInteger('destination_exchange_shard'),
    fromSubaccount: absent,
    toSubaccount: absent,
    status: { kind: 'enum', values: { pending: 'pending', complete: 'complete' }, wire: 'status' },
    at: { ...seconds('created_ts'), optional: true },
  },
};

const netting: RecordSpec<Wire.NettingRecord> = {
  name: 'subaccount_netting',
  fields: { subaccount: integer('subaccount_number'), isOn: flag('enabled') },
};
const apiKey: RecordSpec<Wire.ApiKeyRecord> = {
  name: 'api_key',
  fields: {
    id: name('api_key_id'),
    name: name('name'),
    scopes: { kind: 'list', of: { kind: 'text' }, wire: 'scopes' },
  },
  ignored: ['subaccount', 'fcm_subtrader_id'],
};

export const extensions: ExtensionRecords = {
  books: market.books,
  candlesBatch: market.candlesBatch,
  eventCandles: market.eventCandles,
  eventMetadata: market.eventMetadata,
  schedule: { name: 'schedule_answer', fields: { schedule: { kind: 'record', of: schedule, wire: 'schedule' } } },
  userDataTimestamp: { name: 'user_data_timestamp', fields: { asOf: time('as_of_time') } },
  endpointCosts: {
    name: 'endpoint_costs',
    fields: {
      defaultCost: integer('default_cost'),
      costs: { kind: 'list', of: { kind: 'record', of: cost }, wire: 'endpoint_costs' },
    },
  },
  seriesFeeChanges: {
    name: 'series_fee_changes',
    fields: {
      changes: { kind: 'list', of: { kind: 'record', of: seriesFeeChange }, wire: 'series_fee_change_arr' },
    },
  },
  eventFeeChanges: {
    name: 'event_fee_changes',
    fields: { rows: { kind: 'list', of: { kind: 'record', of: eventFeeChange }, wire: 'event_fee_changes' }, cursor },
  },
  historicalCutoff: {
    name: 'historical_cutoff',
    fields: {
      marketsSettled: time('market_settled_ts'),
      printsCreated: time('trades_created_ts'),
      ordersUpdated: time('orders_updated_ts'),
      positionsUpdated: maybeTime('market_positions_last_updated_ts'),
    },
  },
  queuePosition: { name: 'queue_position_answer', fields: { ahead } },
  queuePositions: {
    name: 'queue_positions',
    fields: { positions: { kind: 'list', of: { kind: 'record', of: queuePosition }, wire: 'queue_positions' } },
  },
  historicalCandles: market.historicalCandles,
  restingValue: {
    name: 'total_resting_order_value',
    fields: { value: { kind: 'money', form: 'cents', wire: 'total_resting_order_value', rounding: 'floor' } },
  },
  apiKeys: {
    name: 'api_keys',
    fields: { keys: { kind: 'list', of: { kind: 'record', of: apiKey }, wire: 'api_keys' } },
    ignored: ['api_key_region_expiration_ts'],
  },
  communicationsId: { name: 'communications_id', fields: { id: name('communications_id') } },
  tagsByCategory: {
    name: 'tags_by_categories',
    fields: { tags: { kind: 'map', of: { kind: 'list', of: { kind: 'text' } }, wire: 'tags_by_categories' } },
  },
  netting: {
    name: 'subaccount_netting_configs',
    fields: { subaccounts: { kind: 'list', of: { kind: 'record', of: netting }, wire: 'netting_configs' } },
  },
  createGroup: { name: 'CreateOrderGroupRequest', fields: { limit, ...place } },
  groupCreated: { name: 'order_group_created', fields: { groupId: name('order_group_id'), ...place } },
  groups: {
    name: 'order_groups',
    fields: { groups: { kind: 'list', of: { kind: 'record', of: groupRow }, wire: 'order_groups', optional: true } },
  },
  group: {
    name: 'order_group',
    fields: {
      limit: maybeLimit,
      isArmed,
      orderIds: { kind: 'list', of: { kind: 'name' }, wire: 'orders' },
      shard: place.shard,
    },
  },
  limitGroup: { name: 'UpdateOrderGroupLimitRequest', fields: { limit } },
  createSubaccount: { name: 'CreateSubaccountRequest', fields: { shard: place.shard } },
  subaccountCreated: { name: 'subaccount_created', fields: { subaccount: integer('subaccount_number') } },
  subaccountTransfer: {
    name: 'ApplySubaccountTransferRequest',
    fields: {
      transferId: name('client_transfer_id'),
      from: integer('from_subaccount'),
      to: integer('to_subaccount'),
      amount: { kind: 'money', form: 'cents', wire: 'amount_cents' },
      shard: place.shard,
    },
  },
  subaccountTransfers: {
    name: 'subaccount_transfers',
    fields: { rows: { kind: 'list', of: { kind: 'record', of: subaccountTransfer }, wire: 'transfers' }, cursor },
  },
  subaccountBalances: {
    name: 'subaccount_balances',
    fields: { balances: { kind: 'list', of: { kind: 'record', of: subaccountBalance }, wire: 'subaccount_balances' } },
  },
  shardTransfer: {
    name: 'IntraExchangeInstanceTransferRequest',
    fields: {
      source: instance('source'),
      destination: instance('destination'),
      amount: { kind: 'money', form: 'centicents', wire: 'amount' },
      fromShard: maybeInteger('source_exchange_shard'),
      toShard: maybeInteger('destination_exchange_shard'),
      fromSubaccount: maybeInteger('source_subaccount'),
      toSubaccount: maybeInteger('destination_subaccount'),
    },
  },
  shardTransferred: { name: 'shard_transferred', fields: { transferId: name('transfer_id') } },
  shardTransfers: {
    name: 'shard_transfers',
    fields: { rows: { kind: 'list', of: { kind: 'record', of: shardTransfer }, wire: 'transfers' }, cursor },
  },
  shardTransferOf: {
    name: 'shard_transfer_answer',
    fields: { transfer: { kind: 'record', of: shardTransfer, wire: 'transfer' } },
  },
};
