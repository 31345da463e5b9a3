// The feed of the `service` dialect: channels, messages, commands and replies. Data only.
import type { FeedProfile } from './wire-profile.ts';
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import {
  absent,
  bothPrices,
  cash,
  count,
  fee,
  flag,
  integer,
  legs,
  levels,
  maybeCash,
  maybeCount,
  maybeFlag,
  maybeInteger,
  maybeName,
  maybeFlooredPrice,
  maybePrice,
  maybeSeconds,
  maybeSignedCount,
  maybeText,
  name,
  namedOutcome,
  names,
  ranges,
  result,
  signedCount,
  stamp,
  takerSide,
} from './service-forms.ts';
import { order as restOrder } from './service-account.ts';

const MARKET_ID = ['market_id'] as const;

const snapshot: RecordSpec<Wire.SnapshotRecord> = {
  name: 'orderbook_snapshot',
  fields: {
    ticker: name('market_ticker'),
    bids: { ...levels('yes', 'yes'), omitsEmpty: true },
    asks: { ...levels('no', 'no'), omitsEmpty: true },
  },
  ignored: MARKET_ID,
};

const delta: RecordSpec<Wire.DeltaRecord> = {
  name: 'orderbook_delta',
  fields: {
    ticker: name('market_ticker'),
    side: { kind: 'enum', values: { yes: 'bid', no: 'ask' }, wire: 'side' },
    price: { kind: 'price', form: 'cents', wire: 'price', noLegWhen: { field: 'side', is: 'ask' } },
    change: signedCount('delta'),
    clientOrderId: maybeText('client_order_id'),
    at: stamp('ts'),
  },
  ignored: MARKET_ID,
};

const ticker: RecordSpec<Wire.TickerRecord> = {
  name: 'ticker',
  fields: {
    ticker: name('market_ticker'),
    lastPrice: maybePrice('price'),
    bestBid: maybePrice('yes_bid'),
    bestBidQty: maybeCount('yes_bid_size'),
    bestAsk: maybePrice('yes_ask'),
    bestAskQty: maybeCount('yes_ask_size'),
    lastQty: maybeCount('last_trade_size'),
    volume: count('volume'),
    openInterest: count('open_interest'),
    dollarVolume: absent,
    dollarOpenInterest: absent,
    at: stamp('ts'),
  },
  ignored: [...MARKET_ID, 'dollar_volume', 'dollar_open_interest', 'time'],
};

const print: RecordSpec<Wire.PrintRecord> = {
  name: 'trade',
  fields: {
    tradeId: name('trade_id'),
    ticker: name('market_ticker'),
    side: takerSide,
    price: bothPrices('yes_price', 'no_price'),
    qty: count('count'),
    at: stamp('ts'),
    isOffBook: absent,
  },
  ignored: [...MARKET_ID, 'is_block_trade'],
};

const fill: RecordSpec<Wire.FillRecord> = {
  name: 'fill',
  fields: {
    tradeId: name('trade_id'),
    orderId: name('order_id'),
    clientOrderId: maybeText('client_order_id'),
    ticker: name('market_ticker'),
    side: legs,
    outcome: namedOutcome,
    price: bothPrices('yes_price', 'no_price'),
    qty: count('count'),
    isTaker: flag('is_taker'),
    fee: fee('fee_cost'),
    positionAfter: maybeSignedCount('post_position'),
    at: stamp('ts'),
    subaccount: absent,
    shard: absent,
  },
  ignored: [...MARKET_ID, 'purchased_side'],
};

const order: RecordSpec<Wire.OrderRecord> = { ...restOrder, name: 'user_order' };

const position: RecordSpec<Wire.PositionRecord> = {
  name: 'market_position',
  fields: {
    ticker: name('market_ticker'),
    qty: signedCount('position'),
    cost: cash('position_cost'),
    realized: cash('realized_pnl'),
    fees: cash('fees_paid'),
    traded: maybeCash('total_traded'),
    tradedQty: absent,
    restingOrders: absent,
    updatedAt: stamp('ts'),
    subaccount: absent,
    shard: absent,
  },
  ignored: [...MARKET_ID, 'user_id', 'volume', 'position_fee_cost'],
};

const marketLife: RecordSpec<Wire.MarketLifeRecord> = {
  name: 'market_lifecycle_v2',
  fields: {
    ticker: name('market_ticker'),
    change: {
      kind: 'enum',
      wire: 'event_type',
      values: {
        created: 'created',
        activated: 'activated',
        deactivated: 'deactivated',
        close_date_updated: 'close-moved',
        determined: 'determined',
        settled: 'settled',
        price_level_structure_updated: 'grid-changed',
        metadata_updated: 'described',
      },
    },
    openAt: maybeSeconds('open_ts'),
    closeAt: maybeSeconds('close_ts'),
    result: { ...result('result'), optional: true, blank: true },
    determinedAt: maybeSeconds('determination_ts'),
    settlementValue: maybeFlooredPrice('settlement_value'),
    settledAt: maybeSeconds('settled_ts'),
    gridName: maybeText('price_level_structure'),
    ranges: ranges('price_ranges'),
    isHalted: absent,
    shard: absent,
    described: absent,
  },
  ignored: [...MARKET_ID, 'additional_metadata', 'is_deactivated'],
};

const eventLife: RecordSpec<Wire.EventLifeRecord> = {
  name: 'event_lifecycle',
  fields: {
    eventTicker: name('event_ticker'),
    seriesTicker: maybeName('series_ticker'),
    title: maybeText('title'),
    subtitle: absent,
  },
  ignored: ['subtitle', 'collateral_return_type', 'strike_date', 'strike_period'],
};

const feeChange: RecordSpec<Wire.FeeChangeRecord> = {
  name: 'event_fee_update',
  fields: {
    eventTicker: name('event_ticker'),
    feeType: maybeText('fee_type_override'),
    feeMultiplierPercent: { kind: 'decimal', decimals: 2, wire: 'fee_multiplier_override', optional: true },
  },
};

const CHANNEL_WORDS = {
  orderbook_delta: 'book',
  ticker: 'ticker',
  trade: 'prints',
  fill: 'fills',
  user_orders: 'orders',
  market_positions: 'positions',
  market_lifecycle_v2: 'lifecycle',
} as const;
const sids = (wire: string) => ({ kind: 'list', of: { kind: 'integer' }, wire }) as const;

const subscribe: RecordSpec<Wire.SubscribeRecord> = {
  name: 'subscribe',
  fields: {
    channels: { kind: 'list', of: { kind: 'enum', values: CHANNEL_WORDS }, wire: 'channels' },
    ticker: maybeName('market_ticker'),
    tickers: names('market_tickers'),
    onYesScale: maybeFlag('use_yes_price'),
    withSnapshot: maybeFlag('send_initial_snapshot'),
    skipsList: maybeFlag('skip_ticker_ack'),
    parts: absent,
    part: absent,
  },
};

const update: RecordSpec<Wire.UpdateSubscriptionRecord> = {
  name: 'update_subscription',
  fields: {
    sid: maybeInteger('sid'),
    sids: { ...sids('sids'), optional: true },
    ticker: maybeName('market_ticker'),
    tickers: names('market_tickers'),
    names: absent,
    withSnapshot: maybeFlag('send_initial_snapshot'),
    action: {
      kind: 'enum',
      values: { add_markets: 'add', delete_markets: 'delete', get_snapshot: 'snapshot' },
      wire: 'action',
    },
  },
};

const subscribed: RecordSpec<Wire.SubscribedRecord> = {
  name: 'subscribed',
  fields: { channel: { kind: 'enum', values: CHANNEL_WORDS, wire: 'channel' }, sid: integer('sid') },
};
const updated: RecordSpec<Wire.UpdatedRecord> = { name: 'ok', fields: { tickers: names('market_tickers') } };
const feedError: RecordSpec<Wire.FeedErrorRecord> = {
  name: 'error',
  fields: {
    code: integer('code'),
    message: maybeText('msg'),
    ticker: maybeName('market_ticker'),
    tickers: names('market_tickers'),
  },
};

export const feed: FeedProfile = {
  path: '/trade-api/ws/v2',
  channels: {
    book: { name: 'orderbook_delta', isPrivate: false, markets: 'required' },
    ticker: { name: 'ticker', isPrivate: false, markets: 'optional' },
    prints: { name: 'trade', isPrivate: false, markets: 'optional' },
    fills: { name: 'fill', isPrivate: true, markets: 'optional' },
    orders: { name: 'user_orders', isPrivate: true, markets: 'optional' },
    positions: { name: 'market_positions', isPrivate: true, markets: 'optional' },
    lifecycle: { name: 'market_lifecycle_v2', isPrivate: false, markets: 'none' },
    groups: null,
  },
  messages: {
    snapshot: { type: 'orderbook_snapshot', channel: 'book', hasSeq: true, record: snapshot },
    delta: { type: 'orderbook_delta', channel: 'book', hasSeq: true, record: delta },
    ticker: { type: 'ticker', channel: 'ticker', hasSeq: false, record: ticker },
    print: { type: 'trade', channel: 'prints', hasSeq: true, record: print },
    fill: { type: 'fill', channel: 'fills', hasSeq: false, record: fill },
    order: { type: 'user_order', channel: 'orders', hasSeq: false, record: order },
    position: { type: 'market_position', channel: 'positions', hasSeq: false, record: position },
    marketLife: { type: 'market_lifecycle_v2', channel: 'lifecycle', hasSeq: true, record: marketLife },
    eventLife: { type: 'event_lifecycle', channel: 'lifecycle', hasSeq: true, record: eventLife },
    feeChange: { type: 'event_fee_update', channel: 'lifecycle', hasSeq: true, record: feeChange },
    group: null,
  },
  changesWithResult: ['determined', 'settled'],
  commands: {
    subscribe: { cmd: 'subscribe', params: subscribe },
    unsubscribe: { cmd: 'unsubscribe', params: { name: 'unsubscribe', fields: { sids: sids('sids') } } },
    update: { cmd: 'update_subscription', params: update },
    list: { cmd: 'list_subscriptions' },
  },
  replies: {
    subscribed: { type: 'subscribed', record: subscribed },
    unsubscribed: { type: 'unsubscribed' },
    updated: { type: 'ok', record: updated },
    error: { type: 'error', record: feedError },
  },
  // Channel error, and subscription buffer overflow.
  terminalErrors: [10, 25],
  errors: { keyNeeded: 9, tooManyMarkets: 26, tooManyCommands: 27 },
  canRequestSnapshot: true,
  onYesScale: false,
  publicFeedNeedsKey: false,
  pingEveryMs: 10_000,
  pingBody: 'heartbeat',
};
