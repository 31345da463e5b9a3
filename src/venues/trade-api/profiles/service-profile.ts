// The `service` dialect, by the specification of the exchange service. Where the specification is silent, the dialect
// has the classic format of this family. Data only.
import { EPOCH, cents, money } from '../../../domain/units.ts';
import type { Endpoint, EndpointQuery, Endpoints, Signing, WireProfile } from './wire-profile.ts';
import * as account from './service-account.ts';
import { feed } from './service-feed.ts';
import * as market from './service-market.ts';
import * as query from './query-forms.ts';

const read = (path: string, query: EndpointQuery = {}): Endpoint => ({
  method: 'GET',
  path,
  auth: false,
  budget: 'read',
  cost: 1,
  success: 200,
  ...query,
});
const own = (path: string, query: EndpointQuery = {}): Endpoint => ({ ...read(path, query), auth: true });
const trade = (method: 'POST' | 'DELETE', path: string, success: number): Endpoint => ({
  method,
  path,
  auth: true,
  budget: 'trade',
  cost: 1,
  success,
});

const list = (fields: Parameters<typeof query.querySpec>[0], max = 1000, limit = 100): EndpointQuery => ({
  query: query.querySpec(fields),
  pageSize: { min: 1, max },
  defaults: { limit },
});

const endpoints: Endpoints = {
  status: read('/exchange/status'),
  limits: own('/account/limits'),
  markets: read('/markets', list(query.marketFields)),
  market: read('/markets/{ticker}'),
  book: read('/markets/{ticker}/orderbook', { query: query.querySpec(query.depth) }),
  prints: read('/markets/trades', list(query.printFields)),
  events: read('/events', list(query.eventFields, 200, 200)),
  event: read('/events/{eventTicker}', { query: query.querySpec(query.nested) }),
  seriesList: read('/series', { query: query.querySpec(query.seriesFields) }),
  series: read('/series/{seriesTicker}'),
  candles: read('/series/{seriesTicker}/markets/{ticker}/candlesticks', {
    query: query.querySpec(query.candleFields),
    required: query.CANDLES_NEED,
  }),
  balance: own('/portfolio/balance'),
  positions: own('/portfolio/positions', list(query.positionFields)),
  orders: own('/portfolio/orders', list(query.orderFields)),
  order: own('/portfolio/orders/{orderId}'),
  fills: own('/portfolio/fills', list({ ...query.fillFields, ...query.ofEvent })),
  settlements: own('/portfolio/settlements', list(query.settlementFields)),
  createOrder: trade('POST', '/portfolio/orders', 201),
  cancelOrder: trade('DELETE', '/portfolio/orders/{orderId}', 200),
  createOrders: trade('POST', '/portfolio/orders/batched', 201),
  cancelOrders: trade('DELETE', '/portfolio/orders/batched', 200),
  amendOrder: trade('POST', '/portfolio/orders/{orderId}/amend', 200),
  decreaseOrder: trade('POST', '/portfolio/orders/{orderId}/decrease', 200),
};

const signing: Signing = {
  scheme: 'ecdsa-p256',
  schemes: ['ecdsa-p256', 'ecdsa-secp256k1', 'ed25519', 'rsa-pss-sha256'],
  template: '{timestamp}{method}{path}',
  timestampUnit: 'ms',
  digest: 'sha256',
  form: 'compact',
  encoding: 'base64',
  headers: { key: 'ACCESS-KEY', timestamp: 'ACCESS-TIMESTAMP', signature: 'ACCESS-SIGNATURE' },
  clockSkewMs: 15_000,
};

export const serviceProfile: WireProfile = {
  name: 'service',
  basePath: '/trade-api/v2',
  endpoints,
  environments: {},
  signing,
  limits: {
    owner: 'key',
    read: { model: 'rolling-window', count: 20, windowMs: 1000 },
    trade: { model: 'rolling-window', count: 10, windowMs: 1000 },
    feed: { model: 'rolling-window', count: 100, windowMs: 1000 },
    retryAfterOn429: 'seconds',
    closesFeedOverLimit: true,
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
    status: account.status,
    limits: account.limits,
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
  },
  feed,
  abilities: {
    canAmend: true,
    canDecrease: true,
    dedupesClientIds: true,
    canPostOnly: true,
    canReduceOnly: true,
    timeInForce: ['gtc', 'gtd', 'ioc', 'fok'],
    qtyStep: 100,
    expiryStep: 1_000_000,
    priceMin: cents(1),
    priceMax: cents(99),
    selfTrade: 'taker_at_cross',
    clientOrderIdLengthMax: 64,
    batchMax: 20,
  },
  guards: { cancelOnPause: true, expiry: true, orderGroups: false, subaccounts: false },
  // The specification is silent here: harmless input is accepted. The classic wire refused unlisted markets.
  readings: {
    rsaSalt: 'any',
    ecdsaForms: 'any',
    unlistedMarkets: 'refused',
    candlesOfOtherSeries: 'found',
    newInLaggingReads: 'hidden',
    feedCompression: 'declined',
  },
  quirks: { detailsOfRefusals: 'ours', wrongType: null, wrongQuery: null, retired: [], silentChannels: [] },
  feeRounding: [{ since: EPOCH, feeStep: money(1), balanceStep: money(100) }],
  errors: {
    duplicate: 'order_already_exists',
    notFound: 'not_found',
    tooManyRequests: 'too_many_requests',
  },
};
