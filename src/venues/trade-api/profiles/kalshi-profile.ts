// The `kalshi` dialect, which the Kalshi exchange uses as of autumn 2026: dollars and counts as texts, a single book of
// YES, RSA or Ed25519 keys, token buckets, no `Retry-After`. Data only.
import { EPOCH, fromSeconds, money, price } from '../../../domain/units.ts';
import type { RateLimit } from '../../../venue.ts';
import type { Endpoint, EndpointQuery, Endpoints, Method, RetiredEndpoint, WireProfile } from './wire-profile.ts';
import * as account from './kalshi-account.ts';
import * as queries from './kalshi-queries.ts';
import { stubEndpoints } from './kalshi-stubs.ts';
import { kalshiFeed } from './kalshi-feed.ts';
import * as further from './kalshi-extensions.ts';
import * as market from './kalshi-market.ts';
import { serviceProfile } from './service-profile.ts';

const COST = 10;

type Query = EndpointQuery & { readonly cost?: number };
const read = (path: string, query: Query = {}): Endpoint => ({
  method: 'GET',
  path,
  auth: false,
  budget: 'read',
  cost: COST,
  success: 200,
  ...query,
});
const own = (path: string, query: Query = {}): Endpoint => ({ ...read(path, query), auth: true });
type Written = Partial<Pick<Endpoint, 'cost' | 'success' | 'budget' | 'query' | 'defaults'>>;
const write = (method: Method, path: string, written: Written = {}): Endpoint => ({
  method,
  path,
  auth: true,
  budget: 'trade',
  cost: COST,
  success: 200,
  ...written,
});

/** The path for order writes. */
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
  markets: read('/markets', queries.MARKETS),
  market: read('/markets/{ticker}'),
  book: read('/markets/{ticker}/orderbook', queries.BOOK),
  books: read('/markets/orderbooks', queries.BOOKS),
  prints: read('/markets/trades', queries.PRINTS),
  candles: read('/series/{seriesTicker}/markets/{ticker}/candlesticks', queries.CANDLES),
  candlesBatch: read('/markets/candlesticks', queries.CANDLES_BATCH),
  eventCandles: read('/series/{seriesTicker}/events/{eventTicker}/candlesticks', queries.PLAIN_CANDLES),
  events: read('/events', queries.EVENTS),
  event: read('/events/{eventTicker}', queries.EVENT),
  eventMetadata: read('/events/{eventTicker}/metadata'),
  eventFeeChanges: read('/events/fee_changes', queries.EVENT_FEE_CHANGES),
  seriesList: read('/series', queries.SERIES_LIST),
  series: read('/series/{seriesTicker}', queries.SERIES),
  seriesFeeChanges: read('/series/fee_changes', queries.SERIES_FEE_CHANGES),
  historicalCutoff: read('/historical/cutoff'),
  historicalMarkets: read('/historical/markets', queries.OLD_MARKETS),
  historicalMarket: read('/historical/markets/{ticker}'),
  historicalCandles: read('/historical/markets/{ticker}/candlesticks', queries.PLAIN_CANDLES),
  historicalPrints: read('/historical/trades', queries.PRINTS),
  historicalOrders: own('/historical/orders', queries.OLD_ROWS),
  historicalFills: own('/historical/fills', queries.OLD_ROWS),
  historicalPositions: own('/historical/positions', queries.OLD_POSITIONS),
  balance: own('/portfolio/balance', queries.BALANCE),
  positions: own('/portfolio/positions', queries.POSITIONS),
  orders: own('/portfolio/orders', queries.ORDERS),
  order: own('/portfolio/orders/{orderId}', { ...queries.ANYWHERE, cost: 2 }),
  queuePosition: own('/portfolio/orders/{orderId}/queue_position', queries.ANYWHERE),
  queuePositions: own('/portfolio/orders/queue_positions', queries.QUEUES),
  restingValue: own('/portfolio/summary/total_resting_order_value'),
  fills: own('/portfolio/fills', queries.FILLS),
  settlements: own('/portfolio/settlements', queries.SETTLEMENTS),
  createOrder: write('POST', V2, { success: 201 }),
  cancelOrder: write('DELETE', `${V2}/{orderId}`, { ...queries.ANYWHERE, cost: 2 }),
  cancelAll: write('DELETE', V2, { ...queries.ANYWHERE, cost: 2, success: 204 }),
  createOrders: write('POST', `${V2}/batched`, { success: 201 }),
  cancelOrders: write('DELETE', `${V2}/batched`, { cost: 2 }),
  amendOrder: write('POST', `${V2}/{orderId}/amend`, queries.ANYWHERE),
  decreaseOrder: write('POST', `${V2}/{orderId}/decrease`, queries.ANYWHERE),
  createGroup: write('POST', `${GROUPS}/create`, { success: 201 }),
  groups: own(GROUPS, queries.ANYWHERE),
  group: own(`${GROUPS}/{groupId}`, queries.ANYWHERE),
  deleteGroup: write('DELETE', `${GROUPS}/{groupId}`, queries.AT_HOME),
  resetGroup: write('PUT', `${GROUPS}/{groupId}/reset`, queries.AT_HOME),
  triggerGroup: write('PUT', `${GROUPS}/{groupId}/trigger`, queries.AT_HOME),
  limitGroup: write('PUT', `${GROUPS}/{groupId}/limit`, queries.AT_HOME),
  // Only writes of orders and order groups draw on the trade budget.
  createSubaccount: write('POST', '/portfolio/subaccounts', { success: 201, budget: 'read' }),
  subaccountTransfer: write('POST', '/portfolio/subaccounts/transfer', { budget: 'read' }),
  subaccountTransfers: own('/portfolio/subaccounts/transfers', queries.TRANSFERS),
  subaccountBalances: own('/portfolio/subaccounts/balances'),
  netting: own('/portfolio/subaccounts/netting'),
  shardTransfer: write('POST', TRANSFERS, { budget: 'read' }),
  shardTransfers: own(`${TRANSFERS}s`, queries.TRANSFERS),
  shardTransferOf: own(`${TRANSFERS}s/{transferId}`),
  ...stubEndpoints,
};

/** The path for order writes before the single book. */
const OLD = '/portfolio/orders';
const retired: readonly RetiredEndpoint[] = (
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
/**
 * The lowest tier's bucket holds the requests of one second, as measured in June. The other buckets hold the requests
 * of three seconds, as measured in October.
 */
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
 * 2026-03-09: the first markets with prices below a cent. By assumption fees are no longer rounded to cents since then.
 */
const SUBPENNY = fromSeconds(1_773_014_400);
/** 2026-09-01: fee rounding became finer at about this time. */
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
  // The lowest tier's limits, assumed until the venue has reported others.
  limits: {
    ...basic,
    owner: 'account',
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
    orderCreatedItem: account.orderCreatedItem,
    cancelOrders: account.cancelOrders,
    ordersCanceled: account.ordersCanceled,
    orderCanceledItem: account.orderCanceledItem,
    extensions: further.extensions,
  },
  feed: kalshiFeed,
  abilities: {
    ...serviceProfile.abilities,
    qtyStep: 1,
    expiryStep: 1_000_000,
    priceMin: price(1),
    priceMax: price(9999),
    batchMax: 50,
  },
  guards: { cancelOnPause: true, expiry: true, orderGroups: true, subaccounts: true },
  quirks: {
    detailsOfRefusals: 'theirs',
    wrongType: {
      member: 'json: cannot unmarshal {found} into Go struct field {record}.{field} of type {type}',
      // By assumption without the package of the type, which is not known.
      whole: 'json: cannot unmarshal {found} into Go value of type {type}',
    },
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
    // Refusal texts come from Go, whose verifier accepts any salt length.
    rsaSalt: 'any',
    // The venue has no ECDSA keys.
    ecdsaForms: 'any',
    // Over REST, an unlisted market has an empty book, and the feed's error code for it is retired.
    unlistedMarkets: 'empty',
    // Published clients pass the event group's ticker instead of the series'.
    candlesOfOtherSeries: 'found',
    // A read 360 ms after a change showed the earlier state: a lagging replica, which cannot show new objects either.
    newInLaggingReads: 'hidden',
    // The venue announced compression for 24 September 2026.
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
    groupTriggered: 'order_group_triggered',
    // Each shard has its own markets and money.
    meanings: {
      user_not_found: 'the account has never had money on the shard where this market trades',
      market_not_found: 'there is no such market, or it is not on the requested shard',
      insufficient_balance: 'the account has too little on the shard where this market trades',
      available_balance_too_low: 'the account has too little on the shard where this market trades',
    },
  },
};
