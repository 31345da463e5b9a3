// The `kalshi` dialect: the real exchange of this kind as it is in the autumn of 2026: dollars and counts as texts, one book
// of YES, RSA or Ed25519 keys, token buckets, no `Retry-After`. Data only.
import { EPOCH, fromSeconds, money, price } from '../../../domain/units.ts';
import type { RateLimit } from '../../../venue.ts';
import type { Endpoint, Endpoints, Method, Retired, WireProfile } from '../profile.ts';
import * as account from './kalshi-account.ts';
import * as asked from './kalshi-queries.ts';
import { vacantEndpoints } from './kalshi-vacant.ts';
import { kalshiFeed } from './kalshi-feed.ts';
import * as further from './kalshi-further.ts';
import * as market from './kalshi-market.ts';
import { serviceProfile } from './service.ts';

const COST = 10;

type Asked = Pick<Endpoint, 'query' | 'required' | 'usual' | 'rows'> & { readonly cost?: number };
const read = (path: string, asked: Asked = {}): Endpoint => ({
  method: 'GET',
  path,
  auth: false,
  budget: 'read',
  cost: COST,
  success: 200,
  ...asked,
});
const own = (path: string, asked: Asked = {}): Endpoint => ({ ...read(path, asked), auth: true });
type Written = Partial<Pick<Endpoint, 'cost' | 'success' | 'budget' | 'query' | 'usual'>>;
const write = (method: Method, path: string, written: Written = {}): Endpoint => ({
  method,
  path,
  auth: true,
  budget: 'trade',
  cost: COST,
  success: 200,
  ...written,
});

/** Where orders are written; they are read elsewhere. */
const V2 = '/portfolio/events/orders';
const GROUPS = '/portfolio/order_groups';
const TRANSFERS = '/portfolio/intra_exchange_instance_transfer';

const endpoints: Endpoints = {
  status: read('/exchange/status'),
  schedule: read('/exchange/schedule'),
  userDataTimestamp: read('/exchange/user_data_timestamp'),
  limits: own('/account/limits'),
  endpointCosts: read('/account/endpoint_costs'),
  apiKeys: own('/api_keys'),
  communicationsId: own('/communications/id'),
  tagsByCategory: read('/search/tags_by_categories'),
  markets: read('/markets', asked.MARKETS),
  market: read('/markets/{ticker}'),
  book: read('/markets/{ticker}/orderbook', asked.BOOK),
  books: read('/markets/orderbooks', asked.BOOKS),
  prints: read('/markets/trades', asked.PRINTS),
  candles: read('/series/{seriesTicker}/markets/{ticker}/candlesticks', asked.CANDLES),
  candlesBatch: read('/markets/candlesticks', asked.CANDLES_BATCH),
  eventCandles: read('/series/{seriesTicker}/events/{eventTicker}/candlesticks', asked.PLAIN_CANDLES),
  events: read('/events', asked.EVENTS),
  event: read('/events/{eventTicker}', asked.EVENT),
  eventMetadata: read('/events/{eventTicker}/metadata'),
  eventFeeChanges: read('/events/fee_changes', asked.EVENT_FEE_CHANGES),
  seriesList: read('/series', asked.SERIES_LIST),
  series: read('/series/{seriesTicker}', asked.SERIES),
  seriesFeeChanges: read('/series/fee_changes', asked.SERIES_FEE_CHANGES),
  historicalCutoff: read('/historical/cutoff'),
  historicalMarkets: read('/historical/markets', asked.OLD_MARKETS),
  historicalMarket: read('/historical/markets/{ticker}'),
  historicalCandles: read('/historical/markets/{ticker}/candlesticks', asked.PLAIN_CANDLES),
  historicalPrints: read('/historical/trades', asked.PRINTS),
  historicalOrders: own('/historical/orders', asked.OLD_ROWS),
  historicalFills: own('/historical/fills', asked.OLD_ROWS),
  historicalPositions: own('/historical/positions', asked.OLD_POSITIONS),
  balance: own('/portfolio/balance', asked.BALANCE),
  positions: own('/portfolio/positions', asked.POSITIONS),
  orders: own('/portfolio/orders', asked.ORDERS),
  order: own('/portfolio/orders/{orderId}', { ...asked.ANYWHERE, cost: 2 }),
  queuePosition: own('/portfolio/orders/{orderId}/queue_position', asked.ANYWHERE),
  queuePositions: own('/portfolio/orders/queue_positions', asked.QUEUES),
  restingValue: own('/portfolio/summary/total_resting_order_value'),
  fills: own('/portfolio/fills', asked.FILLS),
  settlements: own('/portfolio/settlements', asked.SETTLEMENTS),
  createOrder: write('POST', V2, { success: 201 }),
  cancelOrder: write('DELETE', `${V2}/{orderId}`, { ...asked.ANYWHERE, cost: 2 }),
  cancelAll: write('DELETE', V2, { ...asked.ANYWHERE, cost: 2, success: 204 }),
  createOrders: write('POST', `${V2}/batched`, { success: 201 }),
  cancelOrders: write('DELETE', `${V2}/batched`, { cost: 2 }),
  amendOrder: write('POST', `${V2}/{orderId}/amend`, asked.ANYWHERE),
  decreaseOrder: write('POST', `${V2}/{orderId}/decrease`, asked.ANYWHERE),
  createGroup: write('POST', `${GROUPS}/create`, { success: 201 }),
  groups: own(GROUPS, asked.ANYWHERE),
  group: own(`${GROUPS}/{groupId}`, asked.ANYWHERE),
  deleteGroup: write('DELETE', `${GROUPS}/{groupId}`, asked.AT_HOME),
  resetGroup: write('PUT', `${GROUPS}/{groupId}/reset`, asked.AT_HOME),
  triggerGroup: write('PUT', `${GROUPS}/{groupId}/trigger`, asked.AT_HOME),
  limitGroup: write('PUT', `${GROUPS}/{groupId}/limit`, asked.AT_HOME),
  // Of writes, only those of orders and their groups draw on the write budget.
  createSubaccount: write('POST', '/portfolio/subaccounts', { success: 201, budget: 'read' }),
  subaccountTransfer: write('POST', '/portfolio/subaccounts/transfer', { budget: 'read' }),
  subaccountTransfers: own('/portfolio/subaccounts/transfers', asked.TRANSFERS),
  subaccountBalances: own('/portfolio/subaccounts/balances'),
  netting: own('/portfolio/subaccounts/netting'),
  shardTransfer: write('POST', TRANSFERS, { budget: 'read' }),
  shardTransfers: own(`${TRANSFERS}s`, asked.TRANSFERS),
  shardTransferOf: own(`${TRANSFERS}s/{transferId}`),
  ...vacantEndpoints,
};

/** The writes of before there was one book. */
const OLD = '/portfolio/orders';
const retired: readonly Retired[] = (
  [
    ['POST', OLD, 'createOrder'],
    ['POST', `${OLD}/batched`, 'createOrders'],
    ['DELETE', `${OLD}/batched`, 'cancelOrders'],
    ['DELETE', `${OLD}/{orderId}`, 'cancelOrder'],
    ['POST', `${OLD}/{orderId}/amend`, 'amendOrder'],
    ['POST', `${OLD}/{orderId}/decrease`, 'decreaseOrder'],
  ] as const
).map(([method, path, endpoint]) => ({
  method,
  path,
  endpoint,
  status: 410,
  code: 'deprecated_v1_order_endpoint',
}));

const bucket = (refillPerSecond: number, capacity: number): RateLimit => ({
  model: 'token-bucket',
  refillPerSecond,
  capacity,
});
/** The lowest tier's capacity is of one second, as measured in June; of the others, of three, as measured in October. */
const tier = (read: number, trade: number, seconds = 3): { read: RateLimit; trade: RateLimit } => ({
  read: bucket(read, seconds * read),
  trade: bucket(trade, seconds * trade),
});
const basic = tier(200, 100, 1);
const tiers = {
  basic,
  advanced: tier(300, 300),
  expert: tier(600, 600),
  premier: tier(1200, 1200),
  paragon: tier(2400, 2400),
  prime: tier(4800, 4800),
  prestige: tier(12_000, 9600),
};

/**
 * 2026-03-09: the first markets with prices below a cent. From then on fees are not rounded to cents any more; that it was
 * this very day is assumed.
 */
const SUBPENNY = fromSeconds(1_773_014_400);
/** 2026-09-01: since about then fees are rounded finer. */
const SEPTEMBER = fromSeconds(1_788_220_800);

export const kalshiProfile: WireProfile = {
  name: 'kalshi',
  basePath: '/trade-api/v2',
  endpoints,
  environments: {
    production: { rest: 'https://external-api.kalshi.com', feed: 'wss://external-api-ws.kalshi.com' },
    demo: { rest: 'https://external-api.demo.kalshi.co', feed: 'wss://external-api-ws.demo.kalshi.co' },
  },
  signing: {
    ...serviceProfile.signing,
    scheme: 'rsa-pss-sha256',
    schemes: ['rsa-pss-sha256', 'ed25519'],
    form: 'raw',
    headers: {
      key: 'KALSHI-ACCESS-KEY',
      timestamp: 'KALSHI-ACCESS-TIMESTAMP',
      signature: 'KALSHI-ACCESS-SIGNATURE',
    },
  },
  // The lowest tier's: what is assumed until the venue says otherwise.
  limits: {
    ...basic,
    feed: bucket(10_000, 10_000),
    // Twenty requests a second, sixty at once.
    anonymous: bucket(20 * COST, 60 * COST),
    tiers,
    retryAfterOn429: 'absent',
    closesFeedOverLimit: false,
  },
  records: {
    market: market.marketAnswer,
    markets: market.markets,
    event: market.eventAnswer,
    events: market.events,
    series: market.seriesAnswer,
    seriesList: market.seriesList,
    book: market.bookAnswer,
    prints: market.prints,
    candles: market.candles,
    balance: account.balance,
    positions: account.positions,
    orders: account.orders,
    order: account.orderAnswer,
    fills: account.fills,
    settlements: account.settlements,
    status: further.status,
    limits: further.limits,
    createOrder: account.createOrder,
    orderCreated: account.orderCreated,
    orderCanceled: account.orderCanceled,
    amendOrder: account.amendOrder,
    orderAmended: account.orderAmended,
    decreaseOrder: account.decreaseOrder,
    orderDecreased: account.orderDecreased,
    createOrders: account.createOrders,
    ordersCreated: account.ordersCreated,
    cancelOrders: account.cancelOrders,
    ordersCanceled: account.ordersCanceled,
    further: further.further,
  },
  feed: kalshiFeed,
  abilities: {
    ...serviceProfile.abilities,
    qtyStep: 1,
    priceMin: price(1),
    priceMax: price(9999),
    batchMax: 50,
  },
  guards: { cancelOnPause: true, expiry: true, orderGroups: true, subaccounts: true },
  manners: {
    detailsOfRefusals: 'theirs',
    wrongType: 'json: cannot unmarshal {found} into Go struct field {record}.{field} of type {type}',
    wrongQuery:
      "Parameter validation failed for {operation}: Key: '{record}.{field}' " +
      "Error:Field validation for '{field}' failed on the '{tag}' tag",
    retired,
    silentChannels: [
      { name: 'multivariate_market_lifecycle', follows: null, isDivisible: false },
      { name: 'communications', follows: null, isDivisible: true },
      { name: 'cfbenchmarks_value', follows: 'indices', isDivisible: false },
      { name: 'cfbenchmarks_value_5hz', follows: 'indices', isDivisible: false },
      { name: 'pyth_value', follows: 'underlyings', isDivisible: false },
    ],
  },
  readings: {
    // The texts of its refusals are those of Go, whose verifier finds the length of the salt by itself.
    rsaSalt: 'any',
    // It has no ECDSA keys.
    ecdsaForms: 'any',
    // A book that is not listed is read as an empty one over REST, and the feed's code for it is retired.
    unlistedMarkets: 'empty',
    // Published clients ask with the event group's ticker in its place.
    candlesOfOtherSeries: 'found',
    // What was read 360 ms after a change was as before it: a copy that lags, and so cannot know what is new either.
    newInLaggingReads: 'hidden',
    // Announced for 24 September 2026.
    feedCompression: 'accepted',
  },
  feeRounding: [
    { since: EPOCH, feeStep: money(10_000), balanceStep: money(10_000) },
    { since: SUBPENNY, feeStep: money(100), balanceStep: money(100) },
    { since: SEPTEMBER, feeStep: money(1), balanceStep: money(100) },
  ],
  errors: {
    duplicate: 'order_already_exists',
    notFound: 'not_found',
    tooManyRequests: 'too_many_requests',
    groupSpent: 'order_group_triggered',
    // Each part of the exchange, a shard, has markets and money of its own.
    meanings: {
      user_not_found: 'the account has never had money on the shard where this market trades',
      market_not_found: 'there is no such market, or not on the shard that was named',
      insufficient_balance: 'the account has too little on the shard where this market trades',
      available_balance_too_low: 'the account has too little on the shard where this market trades',
    },
  },
};
