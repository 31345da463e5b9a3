// tidy: table. Account records of the `kalshi` dialect: orders, fills, positions, money, and the requests for them.
// Data only. Request records have the venue's own names, because the venue's refusals contain them.
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import {
  OF_YES,
  USER,
  average,
  bookSide,
  bothDollars,
  cash,
  cursor,
  decimals,
  dollars,
  maybeCash,
  maybeDecimals,
  maybeMillis,
  ownSide,
  place,
  rowPlace,
  shardOnly,
  signedDecimals,
} from './kalshi-forms.ts';
import * as service from './service-account.ts';
import {
  absent,
  flag,
  integer,
  maybeFlag,
  maybeName,
  maybeSeconds,
  maybeText,
  maybeTime,
  name,
  result,
  time,
} from './service-forms.ts';

const timeInForce = {
  kind: 'enum',
  values: { good_till_canceled: 'gtc', immediate_or_cancel: 'ioc', fill_or_kill: 'fok' },
  wire: 'time_in_force',
} as const;
const selfTrade = {
  kind: 'enum',
  values: { taker_at_cross: 'taker_at_cross', maker: 'maker' },
  wire: 'self_trade_prevention_type',
} as const;
export const orderStatus = {
  kind: 'enum',
  values: { resting: 'working', executed: 'filled', canceled: 'canceled' },
  wire: 'status',
} as const;

export const order: RecordSpec<Wire.OrderRecord> = {
  name: 'order',
  fields: {
    orderId: name('order_id'),
    clientOrderId: { ...maybeText('client_order_id'), blank: true },
    ticker: name('ticker'),
    side: ownSide,
    outcome: absent,
    price: bothDollars('yes_price_dollars', 'no_price_dollars'),
    status: orderStatus,
    initialQty: maybeDecimals('initial_count_fp'),
    filledQty: decimals('fill_count_fp'),
    leavesQty: decimals('remaining_count_fp'),
    takerCost: maybeCash('taker_fill_cost_dollars'),
    makerCost: maybeCash('maker_fill_cost_dollars'),
    takerFees: maybeCash('taker_fees_dollars'),
    makerFees: maybeCash('maker_fees_dollars'),
    timeInForce: absent,
    postOnly: absent,
    reduceOnly: absent,
    selfTrade: { ...selfTrade, optional: true },
    expiresAt: maybeTime('expiration_time'),
    createdAt: maybeTime('created_time'),
    updatedAt: maybeTime('last_update_time'),
    reason: absent,
    groupId: maybeText('order_group_id'),
    cancelOnPause: maybeFlag('cancel_order_on_pause'),
    ...rowPlace,
  },
  filler: { ...OF_YES, ...USER, type: 'limit' },
};
export const orderAnswer: RecordSpec<Wire.OrderAnswer> = {
  name: 'order_answer',
  fields: { order: { kind: 'record', of: order, wire: 'order' } },
};
export const orders: RecordSpec<Wire.PageRecord<Wire.OrderRecord>> = {
  name: 'orders_page',
  fields: { rows: { kind: 'list', of: { kind: 'record', of: order }, wire: 'orders' }, cursor },
};

export const createOrder: RecordSpec<Wire.CreateOrderRecord> = {
  name: 'CreateOrderV2Request',
  fields: {
    ticker: name('ticker'),
    clientOrderId: maybeName('client_order_id'),
    side: bookSide,
    outcome: absent,
    price: dollars('price'),
    qty: decimals('count'),
    timeInForce,
    postOnly: maybeFlag('post_only'),
    reduceOnly: maybeFlag('reduce_only'),
    selfTrade,
    cancelOnPause: maybeFlag('cancel_order_on_pause'),
    expiresAt: maybeSeconds('expiration_time'),
    groupId: maybeName('order_group_id'),
    ...place,
  },
};
export const amendOrder: RecordSpec<Wire.AmendOrderRecord> = {
  name: 'AmendOrderV2Request',
  fields: {
    ticker: name('ticker'),
    side: bookSide,
    price: dollars('price'),
    qty: decimals('count'),
    clientOrderId: maybeName('client_order_id'),
    newClientOrderId: maybeName('updated_client_order_id'),
    shard: place.shard,
  },
};
export const decreaseOrder: RecordSpec<Wire.DecreaseOrderRecord> = {
  name: 'DecreaseOrderV2Request',
  fields: {
    reduceBy: maybeDecimals('reduce_by'),
    reduceTo: maybeDecimals('reduce_to'),
    ticker: maybeName('market_ticker'),
    shard: place.shard,
  },
};

/** The order in answers to writes: little more than its id. */
const acknowledged: RecordSpec<Wire.OrderAnswerRecord> = {
  name: 'order_acknowledged',
  fields: {
    orderId: name('order_id'),
    clientOrderId: maybeText('client_order_id'),
    ticker: absent,
    side: absent,
    outcome: absent,
    price: absent,
    status: absent,
    initialQty: absent,
    filledQty: absent,
    leavesQty: absent,
    takerCost: absent,
    makerCost: absent,
    takerFees: absent,
    makerFees: absent,
    timeInForce: absent,
    postOnly: absent,
    reduceOnly: absent,
    selfTrade: absent,
    expiresAt: absent,
    createdAt: absent,
    updatedAt: maybeMillis('ts_ms'),
    reason: absent,
    groupId: absent,
    cancelOnPause: absent,
    subaccount: absent,
    shard: absent,
    filledNow: absent,
    averagePrice: absent,
    averageFee: absent,
  },
};
/** The order in the answer to a new order: also the filled quantity, its price, and the remaining quantity. */
const placed: RecordSpec<Wire.OrderAnswerRecord> = {
  name: 'order_placed',
  fields: {
    ...acknowledged.fields,
    filledQty: decimals('fill_count'),
    leavesQty: decimals('remaining_count'),
    averagePrice: average('average_fill_price'),
    averageFee: average('average_fee_paid'),
  },
};

export const orderCreated: RecordSpec<Wire.OrderWritten> = {
  name: 'order_created',
  fields: { order: { kind: 'inline', of: placed } },
};
export const orderAmended: RecordSpec<Wire.OrderWritten> = {
  name: 'order_amended',
  fields: {
    order: {
      kind: 'inline',
      of: {
        name: 'order_amended',
        fields: {
          ...placed.fields,
          // The answer lacks the quantity filled before.
          filledQty: absent,
          filledNow: maybeDecimals('fill_count'),
          leavesQty: maybeDecimals('remaining_count'),
        },
      },
    },
  },
};
export const orderDecreased: RecordSpec<Wire.OrderWritten> = {
  name: 'order_decreased',
  fields: {
    order: {
      kind: 'inline',
      of: { ...acknowledged, fields: { ...acknowledged.fields, leavesQty: decimals('remaining_count') } },
    },
  },
};
export const orderCanceled: RecordSpec<Wire.OrderCanceled> = {
  name: 'order_canceled',
  fields: { order: { kind: 'inline', of: acknowledged }, reducedBy: decimals('reduced_by') },
};

const maybeError = { kind: 'record', of: service.error, wire: 'error', optional: true } as const;

export const createOrders: RecordSpec<Wire.CreateBatch> = {
  name: 'BatchCreateOrdersV2Request',
  fields: { orders: { kind: 'list', of: { kind: 'record', of: createOrder }, wire: 'orders' } },
};
export const orderCreatedItem: RecordSpec<Wire.CreateBatchItem> = {
  name: 'orders_created_item',
  fields: {
    clientOrderId: maybeText('client_order_id'),
    // The client order id is a member of the item, with or without an order.
    order: {
      kind: 'inline',
      of: { ...placed, fields: { ...placed.fields, clientOrderId: absent } },
      optional: true,
    },
    error: maybeError,
  },
};
export const ordersCreated: RecordSpec<Wire.CreateBatchAnswer> = {
  name: 'orders_created',
  fields: { orders: { kind: 'list', of: { kind: 'record', of: orderCreatedItem }, wire: 'orders' } },
};

const orderName: RecordSpec<Wire.OrderLocator> = {
  name: 'BatchCancelOrdersV2RequestOrder',
  fields: { orderId: name('order_id'), ticker: maybeName('market_ticker'), ...place },
};
export const cancelOrders: RecordSpec<Wire.CancelBatch> = {
  name: 'BatchCancelOrdersV2Request',
  fields: { orders: { kind: 'list', of: { kind: 'record', of: orderName }, wire: 'orders' } },
};
export const orderCanceledItem: RecordSpec<Wire.CancelBatchItem> = {
  name: 'orders_canceled_item',
  fields: {
    orderId: maybeName('order_id'),
    clientOrderId: maybeText('client_order_id'),
    at: maybeMillis('ts_ms'),
    order: absent,
    reducedBy: maybeDecimals('reduced_by'),
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
    tradeId: { ...name('trade_id'), also: [name('fill_id')] },
    orderId: name('order_id'),
    clientOrderId: absent,
    ticker: { ...name('ticker'), also: [name('market_ticker')] },
    side: ownSide,
    outcome: absent,
    price: bothDollars('yes_price_dollars', 'no_price_dollars'),
    qty: decimals('count_fp'),
    isTaker: flag('is_taker'),
    fee: cash('fee_cost'),
    positionAfter: absent,
    at: {
      kind: 'time',
      form: 'rfc3339',
      wire: 'created_time',
      also: [{ kind: 'time', form: 'seconds', wire: 'ts', rounding: 'floor' }],
      optional: true,
    },
    ...rowPlace,
  },
  filler: OF_YES,
};
export const fills: RecordSpec<Wire.PageRecord<Wire.FillRecord>> = {
  name: 'fills_page',
  fields: { rows: { kind: 'list', of: { kind: 'record', of: fill }, wire: 'fills' }, cursor },
};

export const position: RecordSpec<Wire.PositionRecord> = {
  name: 'market_position',
  fields: {
    ticker: name('ticker'),
    qty: signedDecimals('position_fp'),
    cost: cash('market_exposure_dollars'),
    realized: cash('realized_pnl_dollars'),
    fees: cash('fees_paid_dollars'),
    traded: maybeCash('total_traded_dollars'),
    tradedQty: absent,
    restingOrders: absent,
    updatedAt: maybeTime('last_updated_ts'),
    ...shardOnly,
  },
  ignored: ['resting_orders_count'],
};
const eventPosition: RecordSpec<Wire.EventPositionRecord> = {
  name: 'event_position',
  fields: {
    eventTicker: name('event_ticker'),
    traded: cash('total_cost_dollars'),
    tradedQty: decimals('total_cost_shares_fp'),
    cost: cash('event_exposure_dollars'),
    realized: cash('realized_pnl_dollars'),
    fees: cash('fees_paid_dollars'),
  },
};
export const positions: RecordSpec<Wire.PositionsPage> = {
  name: 'positions_page',
  fields: {
    rows: { kind: 'list', of: { kind: 'record', of: position }, wire: 'market_positions' },
    cursor,
    groups: {
      kind: 'list',
      of: { kind: 'record', of: eventPosition },
      wire: 'event_positions',
      // An unreadable sum of the rows must not make the positions unreadable.
      skipsFaulty: true,
      optional: true,
    },
  },
};

const shardBalance: RecordSpec<Wire.ShardBalanceRecord> = {
  name: 'balance_of_shard',
  fields: { shard: integer('exchange_index'), available: cash('balance') },
};
export const balance: RecordSpec<Wire.BalanceRecord> = {
  name: 'balance',
  fields: {
    available: {
      ...cash('balance_dollars'),
      also: [{ kind: 'money', form: 'cents', wire: 'balance', rounding: 'floor' }],
    },
    positionsValue: { kind: 'money', form: 'cents', wire: 'portfolio_value', rounding: 'floor', optional: true },
    updatedAt: maybeSeconds('updated_ts'),
    byShard: { kind: 'list', of: { kind: 'record', of: shardBalance }, wire: 'balance_breakdown', optional: true },
  },
};

export const settlement: RecordSpec<Wire.SettlementRecord> = {
  name: 'settlement',
  fields: {
    ticker: name('ticker'),
    eventTicker: maybeName('event_ticker'),
    result: result('market_result'),
    settlementValue: { kind: 'price', form: 'cents', wire: 'value', rounding: 'floor', optional: true },
    yesQty: decimals('yes_count_fp'),
    yesCost: cash('yes_total_cost_dollars'),
    noQty: decimals('no_count_fp'),
    noCost: cash('no_total_cost_dollars'),
    revenue: { kind: 'money', form: 'cents', wire: 'revenue', rounding: 'floor' },
    fees: cash('fee_cost'),
    at: time('settled_time'),
    ...shardOnly,
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
