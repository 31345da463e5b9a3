// Account records of the `service` dialect: orders, fills, positions, money, and the requests for them. Data only.
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import {
  absent,
  bothPrices,
  cash,
  count,
  eitherPrice,
  fee,
  flag,
  legs,
  maybeCash,
  maybeCount,
  maybeFlag,
  maybeInteger,
  maybeName,
  maybeFlooredPrice,
  maybeSeconds,
  maybeSignedCount,
  maybeText,
  maybeTime,
  name,
  namedOutcome,
  result,
  signedCount,
  text,
  time,
} from './service-forms.ts';

/** This dialect has neither subaccounts nor shards. */
const NO_PLACE = { subaccount: absent, shard: absent } as const;

const cursor = { ...maybeText('cursor'), blank: true } as const;
const timeInForce = {
  kind: 'enum',
  values: { good_till_canceled: 'gtc', immediate_or_cancel: 'ioc', fill_or_kill: 'fok' },
  wire: 'time_in_force',
  optional: true,
} as const;
const selfTrade = {
  kind: 'enum',
  values: { taker_at_cross: 'taker_at_cross', maker: 'maker' },
  wire: 'self_trade_prevention_type',
  optional: true,
} as const;

/** Every order has this type: market orders are not supported. */
const LIMIT = { type: 'limit' } as const;

export const order: RecordSpec<Wire.OrderRecord> = {
  name: 'order',
  constants: LIMIT,
  fields: {
    orderId: name('order_id'),
    clientOrderId: { ...maybeText('client_order_id'), blank: true },
    ticker: name('ticker'),
    side: legs,
    outcome: namedOutcome,
    price: bothPrices('yes_price', 'no_price'),
    status: {
      kind: 'enum',
      values: { resting: 'working', executed: 'filled', canceled: 'canceled' },
      wire: 'status',
    },
    initialQty: maybeCount('initial_count'),
    filledQty: count('fill_count'),
    leavesQty: count('remaining_count'),
    takerCost: maybeCash('taker_fill_cost'),
    makerCost: maybeCash('maker_fill_cost'),
    takerFees: maybeCash('taker_fees'),
    makerFees: maybeCash('maker_fees'),
    timeInForce,
    postOnly: maybeFlag('post_only'),
    reduceOnly: maybeFlag('reduce_only'),
    selfTrade,
    expiresAt: maybeTime('expiration_time'),
    createdAt: maybeTime('created_time'),
    updatedAt: maybeTime('last_update_time'),
    reason: maybeText('last_update_reason'),
    groupId: absent,
    cancelOnPause: absent,
    ...NO_PLACE,
  },
  ignored: ['user_id', 'yes_price_dollars', 'no_price_dollars', 'order_group_id', 'queue_position'],
};
const oneOrder = { kind: 'record', of: order, wire: 'order' } as const;

export const orderAnswer: RecordSpec<Wire.OrderAnswer> = { name: 'order_answer', fields: { order: oneOrder } };
export const orders: RecordSpec<Wire.PageRecord<Wire.OrderRecord>> = {
  name: 'orders_page',
  fields: { rows: { kind: 'list', of: { kind: 'record', of: order }, wire: 'orders' }, cursor },
};

/** The order in the answer to a write. It may have every member of an order. */
const written: RecordSpec<Wire.OrderAnswerRecord> = {
  ...order,
  name: 'order',
  fields: { ...order.fields, filledNow: absent, averagePrice: absent, averageFee: absent },
};
const writtenOrder = { kind: 'record', of: written, wire: 'order' } as const;

export const createOrder: RecordSpec<Wire.CreateOrderRecord> = {
  name: 'create_order',
  constants: LIMIT,
  fields: {
    ticker: name('ticker'),
    clientOrderId: maybeName('client_order_id'),
    side: legs,
    outcome: namedOutcome,
    price: eitherPrice('yes_price', 'no_price'),
    qty: count('count'),
    timeInForce,
    postOnly: maybeFlag('post_only'),
    reduceOnly: maybeFlag('reduce_only'),
    selfTrade,
    cancelOnPause: maybeFlag('cancel_order_on_pause'),
    expiresAt: maybeSeconds('expiration_ts'),
    groupId: absent,
    ...NO_PLACE,
  },
};
/** Names that a batch's entry has beside its order; the answer to a single order has them only within it. */
const OF_ENTRIES = ['order_id', 'client_order_id'];
export const orderCreated: RecordSpec<Wire.OrderWritten> = {
  name: 'order_created',
  fields: { order: writtenOrder },
  ignored: OF_ENTRIES,
};
export const orderCanceled: RecordSpec<Wire.OrderCanceled> = {
  name: 'order_canceled',
  fields: { order: writtenOrder, reducedBy: count('reduced_by') },
  ignored: OF_ENTRIES,
};

export const amendOrder: RecordSpec<Wire.AmendOrderRecord> = {
  name: 'amend_order',
  fields: {
    ticker: name('ticker'),
    side: legs,
    price: eitherPrice('yes_price', 'no_price'),
    qty: count('count'),
    clientOrderId: maybeName('client_order_id'),
    newClientOrderId: maybeName('updated_client_order_id'),
    shard: absent,
  },
};
export const orderAmended: RecordSpec<Wire.OrderWritten> = { name: 'order_amended', fields: { order: writtenOrder } };

export const decreaseOrder: RecordSpec<Wire.DecreaseOrderRecord> = {
  name: 'decrease_order',
  fields: { reduceBy: maybeCount('reduce_by'), reduceTo: maybeCount('reduce_to'), ticker: absent, shard: absent },
};
export const orderDecreased: RecordSpec<Wire.OrderWritten> = {
  name: 'order_decreased',
  fields: { order: writtenOrder },
};

export const error: RecordSpec<Wire.ErrorRecord> = {
  name: 'error',
  fields: { code: text('code'), message: maybeText('message'), details: maybeText('details') },
  ignored: ['service'],
};
const maybeError = { kind: 'record', of: error, wire: 'error', optional: true } as const;

export const createOrders: RecordSpec<Wire.CreateBatch> = {
  name: 'create_orders',
  fields: { orders: { kind: 'list', of: { kind: 'record', of: createOrder }, wire: 'orders' } },
};
export const orderCreatedItem: RecordSpec<Wire.CreateBatchItem> = {
  name: 'create_orders_item',
  fields: {
    clientOrderId: maybeText('client_order_id'),
    order: { ...writtenOrder, optional: true },
    error: maybeError,
  },
};
export const ordersCreated: RecordSpec<Wire.CreateBatchAnswer> = {
  name: 'orders_created',
  fields: { orders: { kind: 'list', of: { kind: 'record', of: orderCreatedItem }, wire: 'orders' } },
};

const orderName: RecordSpec<Wire.OrderLocator> = {
  name: 'order_name',
  fields: { orderId: name('order_id'), ticker: absent, ...NO_PLACE },
};
export const cancelOrders: RecordSpec<Wire.CancelBatch> = {
  name: 'cancel_orders',
  fields: { orders: { kind: 'list', of: { kind: 'record', of: orderName }, wire: 'orders' } },
};
export const orderCanceledItem: RecordSpec<Wire.CancelBatchItem> = {
  name: 'cancel_orders_item',
  fields: {
    orderId: maybeName('order_id'),
    clientOrderId: absent,
    at: absent,
    order: { ...writtenOrder, optional: true },
    reducedBy: maybeCount('reduced_by'),
    error: maybeError,
  },
};
export const ordersCanceled: RecordSpec<Wire.CancelBatchAnswer> = {
  name: 'orders_canceled',
  fields: { orders: { kind: 'list', of: { kind: 'record', of: orderCanceledItem }, wire: 'orders' } },
};

export const fill: RecordSpec<Wire.FillRecord> = {
  name: 'fill',
  fields: {
    tradeId: name('trade_id'),
    orderId: name('order_id'),
    clientOrderId: maybeText('client_order_id'),
    ticker: name('ticker'),
    side: legs,
    outcome: namedOutcome,
    price: bothPrices('yes_price', 'no_price'),
    qty: count('count'),
    isTaker: flag('is_taker'),
    fee: fee('fee_cost'),
    positionAfter: maybeSignedCount('post_position'),
    at: maybeTime('created_time'),
    ...NO_PLACE,
  },
  ignored: ['fill_id', 'market_ticker', 'price', 'yes_price_fixed', 'no_price_fixed', 'ts'],
};
export const fills: RecordSpec<Wire.PageRecord<Wire.FillRecord>> = {
  name: 'fills_page',
  fields: { rows: { kind: 'list', of: { kind: 'record', of: fill }, wire: 'fills' }, cursor },
};

export const position: RecordSpec<Wire.PositionRecord> = {
  name: 'market_position',
  fields: {
    ticker: name('ticker'),
    qty: signedCount('position'),
    cost: cash('market_exposure'),
    realized: cash('realized_pnl'),
    fees: cash('fees_paid'),
    traded: maybeCash('total_traded'),
    tradedQty: absent,
    restingOrders: maybeInteger('resting_orders_count'),
    updatedAt: maybeTime('last_updated_ts'),
    ...NO_PLACE,
  },
};
export const positions: RecordSpec<Wire.PositionsPage> = {
  name: 'positions_page',
  fields: {
    rows: { kind: 'list', of: { kind: 'record', of: position }, wire: 'market_positions' },
    cursor,
    groups: absent,
  },
  ignored: ['event_positions'],
};

export const balance: RecordSpec<Wire.BalanceRecord> = {
  name: 'balance',
  fields: {
    available: cash('balance'),
    positionsValue: maybeCash('portfolio_value'),
    updatedAt: maybeSeconds('updated_ts'),
    byShard: absent,
  },
};

export const settlement: RecordSpec<Wire.SettlementRecord> = {
  name: 'settlement',
  fields: {
    ticker: name('ticker'),
    eventTicker: maybeName('event_ticker'),
    result: result('market_result'),
    settlementValue: maybeFlooredPrice('value'),
    yesQty: count('yes_count'),
    yesCost: cash('yes_total_cost'),
    noQty: count('no_count'),
    noCost: cash('no_total_cost'),
    revenue: cash('revenue'),
    fees: fee('fee_cost'),
    at: time('settled_time'),
    ...NO_PLACE,
  },
};
export const settlements: RecordSpec<Wire.PageRecord<Wire.SettlementRecord>> = {
  name: 'settlements_page',
  fields: {
    // A result of a kind that is not known must not make the settlements of other markets unreadable.
    rows: { kind: 'list', of: { kind: 'record', of: settlement }, wire: 'settlements', skipsFaulty: true },
    cursor,
  },
};

export const status: RecordSpec<Wire.StatusRecord> = {
  name: 'exchange_status',
  fields: {
    isActive: flag('exchange_active'),
    isTrading: flag('trading_active'),
    canTransfer: absent,
    resumeAt: absent,
    shards: absent,
  },
  ignored: ['exchange_estimated_resume_time'],
};

/** A limit: a count of requests per window or, on some servers, a bucket. */
const limit: RecordSpec<Wire.LimitRecord> = {
  name: 'limit',
  fields: {
    count: maybeInteger('requests'),
    windowMs: maybeInteger('window_ms'),
    refillPerSecond: maybeInteger('refill_rate'),
    capacity: maybeInteger('bucket_capacity'),
  },
};
export const limits: RecordSpec<Wire.LimitsRecord> = {
  name: 'account_limits',
  fields: {
    tier: maybeText('usage_tier'),
    read: { kind: 'record', of: limit, wire: 'read' },
    trade: { kind: 'record', of: limit, wire: 'write' },
  },
};
