// The feed of the `kalshi` dialect: channels, messages, commands and replies. Data only. Asks are described as prices
// of NO; readers on the YES scale convert the specs.
import type { FeedMessages, FeedProfile } from './wire-profile.ts';
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import { dollarsFeed } from './dollars-feed.ts';
import { orderStatus, order as restOrder } from './kalshi-account.ts';
import {
  OF_YES,
  USER,
  bothDollars,
  cash,
  decimals,
  dollars,
  dollarsOrZero,
  maybeDecimals,
  maybeMillis,
  maybeSignedDecimals,
  namedMarket,
  ownSide,
  place,
  signedDecimals,
  takerSide,
  timeAndMillis,
} from './kalshi-forms.ts';
import {
  absent,
  flag,
  maybeFlag,
  maybeInteger,
  maybeName,
  maybeSeconds,
  maybeText,
  name,
  result,
  stamp,
} from './service-forms.ts';
import { feed as serviceFeed } from './service-feed.ts';

const { messages } = dollarsFeed;

const snapshot: RecordSpec<Wire.SnapshotRecord> = {
  ...messages.snapshot.record,
  fields: { ...messages.snapshot.record.fields, ticker: namedMarket },
  ignored: [],
};
/** The book of an unlisted market, for which the venue has no id. */
const unlistedSnapshot: RecordSpec<Wire.SnapshotRecord> = {
  ...snapshot,
  fields: { ...snapshot.fields, ticker: name('market_ticker') },
  filler: { market_id: '' },
};
const delta: RecordSpec<Wire.DeltaRecord> = {
  ...messages.delta.record,
  fields: { ...messages.delta.record.fields, ticker: namedMarket },
  ignored: ['ts', 'subaccount'],
};
const timed = stamp('ts');
const ticker: RecordSpec<Wire.TickerRecord> = {
  ...messages.ticker.record,
  fields: {
    ...messages.ticker.record.fields,
    ticker: namedMarket,
    lastPrice: dollarsOrZero('price_dollars'),
    dollarVolume: maybeInteger('dollar_volume'),
    dollarOpenInterest: maybeInteger('dollar_open_interest'),
    at: { ...timed, also: [...timed.also, { kind: 'time', form: 'rfc3339', wire: 'time' }] },
  },
  ignored: [],
};
const print: RecordSpec<Wire.PrintRecord> = {
  name: 'trade',
  fields: {
    tradeId: name('trade_id'),
    ticker: name('market_ticker'),
    side: takerSide,
    price: bothDollars('yes_price_dollars', 'no_price_dollars'),
    qty: decimals('count_fp'),
    at: stamp('ts'),
    isOffBook: maybeFlag('is_block_trade'),
  },
  ignored: ['market_id'],
};

const fill: RecordSpec<Wire.FillRecord> = {
  name: 'fill',
  fields: {
    tradeId: name('trade_id'),
    orderId: name('order_id'),
    clientOrderId: maybeText('client_order_id'),
    ticker: name('market_ticker'),
    outcome: absent,
    side: {
      ...ownSide,
      also: [...ownSide.also, { kind: 'enum', values: { yes: 'buy', no: 'sell' }, wire: 'purchased_side' }],
    },
    price: dollars('yes_price_dollars'),
    qty: decimals('count_fp'),
    isTaker: flag('is_taker'),
    fee: cash('fee_cost'),
    positionAfter: maybeSignedDecimals('post_position_fp'),
    at: stamp('ts'),
    ...place,
  },
  filler: OF_YES,
  ignored: ['market_id'],
};

const order: RecordSpec<Wire.OrderRecord> = {
  name: 'user_order',
  fields: {
    ...restOrder.fields,
    // Only this message may say that the status is unknown. Its quantities then show it.
    status: { ...orderStatus, optional: true, blank: 'unknown' },
    price: dollars('yes_price_dollars'),
    expiresAt: timeAndMillis('expiration_time', 'expiration_ts_ms'),
    createdAt: timeAndMillis('created_time', 'created_ts_ms'),
    updatedAt: timeAndMillis('last_update_time', 'last_updated_ts_ms'),
    reason: maybeText('last_update_reason'),
    cancelOnPause: absent,
    // In this message the older members always name YES. The message has no `action`, unlike lists of orders.
    side: { ...ownSide, also: ownSide.also.filter(({ wire }) => wire !== 'action') },
  },
  filler: { ...OF_YES, ...USER, is_yes: true },
};

const position: RecordSpec<Wire.PositionRecord> = {
  name: 'market_position',
  fields: {
    ticker: name('market_ticker'),
    qty: signedDecimals('position_fp'),
    cost: cash('position_cost_dollars'),
    realized: cash('realized_pnl_dollars'),
    fees: cash('fees_paid_dollars'),
    traded: absent,
    tradedQty: maybeDecimals('volume_fp'),
    restingOrders: absent,
    updatedAt: absent,
    subaccount: maybeInteger('subaccount'),
    shard: absent,
  },
  filler: { ...USER, position_fee_cost_dollars: '0.000000' },
  ignored: ['market_id'],
};

const description: RecordSpec<Wire.MarketDescriptionRecord> = {
  name: 'additional_metadata',
  fields: {
    eventTicker: maybeName('event_ticker'),
    title: maybeText('title'),
    yesSubtitle: maybeText('yes_sub_title'),
    noSubtitle: maybeText('no_sub_title'),
    rules: maybeText('rules_primary'),
    canCloseEarly: maybeFlag('can_close_early'),
    expirationAt: maybeSeconds('expected_expiration_ts'),
    strikeType: maybeText('strike_type'),
    floorStrike: { kind: 'measure', wire: 'floor_strike', optional: true },
    capStrike: { kind: 'measure', wire: 'cap_strike', optional: true },
  },
  ignored: ['name', 'rules_secondary', 'custom_strike'],
};
const marketLife: RecordSpec<Wire.MarketLifeRecord> = {
  ...messages.marketLife.record,
  fields: {
    ...messages.marketLife.record.fields,
    result: { ...result('result'), optional: true },
    isHalted: maybeFlag('is_deactivated'),
    shard: maybeInteger('exchange_index'),
    described: { kind: 'record', of: description, wire: 'additional_metadata', optional: true },
  },
  // Other parts of a changed description are read from the market's own definition.
  ignored: ['market_id', 'floor_strike', 'cap_strike', 'yes_sub_title'],
};
/** The collateral of exclusive markets is not netted, so `collateral_return_type` is empty. */
const eventLife: RecordSpec<Wire.EventLifeRecord> = {
  ...messages.eventLife.record,
  fields: { ...messages.eventLife.record.fields, subtitle: maybeText('subtitle') },
  filler: { collateral_return_type: '' },
  ignored: ['exchange_index', 'strike_date', 'strike_period'],
};

/** Both fee members are always present, even as `null`. */
const feeChange: RecordSpec<Wire.FeeChangeRecord> = {
  ...serviceFeed.messages.feeChange.record,
  fields: {
    eventTicker: name('event_ticker'),
    feeType: { ...maybeText('fee_type_override'), asNull: true },
    feeMultiplierPercent: {
      kind: 'decimal',
      decimals: 2,
      wire: 'fee_multiplier_override',
      optional: true,
      asNull: true,
    },
  },
};

const group: RecordSpec<Wire.GroupRecord> = {
  name: 'order_group_updates',
  fields: {
    change: {
      kind: 'enum',
      values: {
        created: 'created',
        triggered: 'triggered',
        reset: 'reset',
        deleted: 'deleted',
        limit_updated: 'limit-changed',
      },
      wire: 'event_type',
    },
    groupId: name('order_group_id'),
    limit: { ...decimals('contracts_limit_fp'), optional: true },
    at: maybeMillis('ts_ms'),
  },
};

const kalshiMessages: FeedMessages = {
  ...messages,
  snapshot: { ...messages.snapshot, record: snapshot },
  delta: { ...messages.delta, record: delta },
  ticker: { ...messages.ticker, record: ticker },
  print: { ...messages.print, record: print },
  fill: { ...messages.fill, record: fill },
  order: { ...messages.order, record: order },
  position: { ...messages.position, record: position },
  marketLife: { ...messages.marketLife, record: marketLife },
  eventLife: { ...messages.eventLife, record: eventLife },
  feeChange: { ...messages.feeChange, record: feeChange },
  group: { type: 'order_group_updates', channel: 'groups', hasSeq: true, record: group },
};

const CHANNEL_WORDS = {
  orderbook_delta: 'book',
  ticker: 'ticker',
  trade: 'prints',
  fill: 'fills',
  user_orders: 'orders',
  market_positions: 'positions',
  market_lifecycle_v2: 'lifecycle',
  order_group_updates: 'groups',
} as const;
const ACTION_WORDS = {
  add_markets: 'add',
  delete_markets: 'delete',
  get_snapshot: 'snapshot',
  subscribe_indices: 'follow',
  subscribe_underlyings: 'follow',
  unsubscribe_indices: 'unfollow',
  unsubscribe_underlyings: 'unfollow',
} as const;
const texts = (wire: string) => ({ kind: 'list', of: { kind: 'text' }, wire }) as const;
const { commands, replies, channels } = serviceFeed;

export const kalshiFeed: FeedProfile = {
  ...serviceFeed,
  channels: { ...channels, groups: { name: 'order_group_updates', isPrivate: true, markets: 'none' } },
  messages: kalshiMessages,
  // By the published specification, only this change carries the result and the payout.
  changesWithResult: ['determined'],
  unlistedSnapshot,
  commands: {
    ...commands,
    subscribe: {
      ...commands.subscribe,
      params: {
        ...commands.subscribe.params,
        fields: {
          ...commands.subscribe.params.fields,
          channels: { kind: 'list', of: { kind: 'enum', values: CHANNEL_WORDS }, wire: 'channels' },
          parts: maybeInteger('shard_factor'),
          part: maybeInteger('shard_key'),
        },
      },
    },
    update: {
      ...commands.update,
      params: {
        ...commands.update.params,
        fields: {
          ...commands.update.params.fields,
          names: { ...texts('index_ids'), accepts: [texts('underlying_tickers')], optional: true },
          action: { kind: 'enum', values: ACTION_WORDS, wire: 'action' },
        },
      },
    },
  },
  replies: {
    ...replies,
    subscribed: {
      ...replies.subscribed,
      record: {
        ...replies.subscribed.record,
        fields: {
          ...replies.subscribed.record.fields,
          channel: { kind: 'enum', values: CHANNEL_WORDS, wire: 'channel' },
        },
      },
    },
  },
  onYesScale: true,
  publicFeedNeedsKey: true,
};
