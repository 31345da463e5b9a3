// The `service` dialect: the service's specification, completed where it is silent with the classic wire of the field:
// whole cents, whole contracts, ECDSA keys, rolling-window limits, `Retry-After`. Data only.
import { cents } from '../../../domain/units.ts';
import type { Endpoint, EndpointName, Signing, WireProfile } from '../profile.ts';
import * as account from './service-account.ts';
import { feed } from './service-feed.ts';
import * as market from './service-market.ts';

const read = (path: string, auth = false): Endpoint => ({
  method: 'GET',
  path,
  auth,
  budget: 'read',
  cost: 1,
  success: 200,
});
const trade = (method: 'POST' | 'DELETE', path: string, success: number): Endpoint => ({
  method,
  path,
  auth: true,
  budget: 'trade',
  cost: 1,
  success,
});

const endpoints: Readonly<Record<EndpointName, Endpoint>> = {
  status: read('/exchange/status'),
  limits: read('/account/limits', true),
  markets: read('/markets'),
  market: read('/markets/{ticker}'),
  book: read('/markets/{ticker}/orderbook'),
  prints: read('/markets/trades'),
  events: read('/events'),
  event: read('/events/{eventTicker}'),
  seriesList: read('/series'),
  series: read('/series/{seriesTicker}'),
  candles: read('/series/{seriesTicker}/markets/{ticker}/candlesticks'),
  balance: read('/portfolio/balance', true),
  positions: read('/portfolio/positions', true),
  orders: read('/portfolio/orders', true),
  order: read('/portfolio/orders/{orderId}', true),
  fills: read('/portfolio/fills', true),
  settlements: read('/portfolio/settlements', true),
  createOrder: trade('POST', '/portfolio/orders', 201),
  cancelOrder: trade('DELETE', '/portfolio/orders/{orderId}', 200),
  createOrders: trade('POST', '/portfolio/orders/batched', 201),
  cancelOrders: trade('DELETE', '/portfolio/orders/batched', 200),
  amendOrder: trade('POST', '/portfolio/orders/{orderId}/amend', 200),
  decreaseOrder: trade('POST', '/portfolio/orders/{orderId}/decrease', 200),
};

const signing: Signing = {
  scheme: 'ecdsa-p256',
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
  signing,
  limits: {
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
    cancelOrders: account.cancelOrders,
    ordersCanceled: account.ordersCanceled,
    marketsQuery: account.marketsQuery,
    candlesQuery: account.candlesQuery,
    query: account.query,
  },
  feed,
  abilities: {
    canAmend: true,
    canDecrease: true,
    canPostOnly: true,
    canReduceOnly: true,
    timeInForce: ['gtc', 'gtd', 'ioc', 'fok'],
    qtyStep: 100,
    priceMin: cents(1),
    priceMax: cents(99),
    selfTrade: 'taker_at_cross',
    clientOrderIdLengthMax: 64,
    pageRowsMax: 1000,
    eventRowsMax: 200,
    batchMax: 20,
  },
  errors: {
    duplicate: 'order_already_exists',
    notFound: 'not_found',
    tooManyRequests: 'too_many_requests',
  },
};
