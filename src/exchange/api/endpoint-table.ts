// Handlers by endpoint name. An endpoint without a handler is vacant: this exchange never has its objects. Must have a
// handler for every other endpoint.
import { type EndpointName, type StubEndpointName, endpointOf } from '../../venues/trade-api/profiles/wire-profile.ts';
import * as account from '../endpoints/account-endpoints.ts';
import type { EndpointHandler } from './endpoint-call.ts';
import * as candle from '../endpoints/candle-endpoints.ts';
import * as group from '../endpoints/order-group-endpoints.ts';
import * as market from '../endpoints/market-endpoints.ts';
import * as order from '../endpoints/order-endpoints.ts';
import * as exchangeStatus from '../endpoints/status-endpoints.ts';
import * as transfer from '../endpoints/transfer-endpoints.ts';
import { notFound } from '../endpoints/market-endpoints.ts';
import { readQuery } from '../endpoints/query-reading.ts';

const ENDPOINTS: Readonly<Record<Exclude<EndpointName, StubEndpointName>, EndpointHandler>> &
  Readonly<Partial<Record<StubEndpointName, EndpointHandler>>> = {
  status: exchangeStatus.status,
  schedule: exchangeStatus.schedule,
  userDataTimestamp: exchangeStatus.userDataTimestamp,
  limits: exchangeStatus.limits,
  endpointCosts: exchangeStatus.endpointCosts,
  apiKeys: account.apiKeys,
  communicationsId: account.communicationsId,
  tagsByCategory: market.tagsByCategory,
  seriesFeeChanges: exchangeStatus.seriesFeeChanges,
  eventFeeChanges: exchangeStatus.eventFeeChanges,
  historicalCutoff: exchangeStatus.historicalCutoff,
  markets: market.markets,
  market: market.market,
  book: market.book,
  books: market.books,
  prints: market.prints,
  events: market.events,
  event: market.event,
  eventMetadata: market.eventMetadata,
  seriesList: market.seriesList,
  series: market.series,
  candles: candle.candles,
  candlesBatch: candle.candlesBatch,
  eventCandles: candle.eventCandles,
  historicalMarkets: market.historicalMarkets,
  historicalMarket: market.historicalMarket,
  historicalCandles: candle.historicalCandles,
  historicalPrints: market.historicalPrints,
  balance: account.balance,
  positions: account.positions,
  orders: account.orders,
  order: account.order,
  queuePosition: account.queuePosition,
  queuePositions: account.queuePositions,
  restingValue: account.restingValue,
  fills: account.fills,
  settlements: account.settlements,
  historicalPositions: account.historicalPositions,
  historicalOrders: account.historicalOrders,
  historicalFills: account.historicalFills,
  createOrder: order.createOrder,
  cancelOrder: order.cancelOrder,
  cancelAll: order.cancelAll,
  createOrders: order.createOrders,
  cancelOrders: order.cancelOrders,
  amendOrder: order.amendOrder,
  decreaseOrder: order.decreaseOrder,
  createGroup: group.createGroup,
  groups: group.groups,
  group: group.group,
  deleteGroup: group.deleteGroup,
  resetGroup: group.resetGroup,
  triggerGroup: group.triggerGroup,
  limitGroup: group.limitGroup,
  createSubaccount: transfer.createSubaccount,
  subaccountTransfer: transfer.subaccountTransfer,
  subaccountTransfers: transfer.subaccountTransfers,
  subaccountBalances: transfer.subaccountBalances,
  netting: transfer.netting,
  shardTransfer: transfer.shardTransfer,
  shardTransfers: transfer.shardTransfers,
  shardTransferOf: transfer.shardTransferOf,
};

/**
 * Handles a vacant endpoint: checks the query, then returns the profile's constant. Refuses with 404 where there is no
 * constant.
 */
const vacant: EndpointHandler = {
  answer(call) {
    readQuery(call);
    const answer = endpointOf(call.profile, call.request.endpoint).stubAnswer ?? null;
    if (answer === null) throw notFound(call);
    return JSON.stringify(answer);
  },
};

/** Returns the handler of an endpoint; a vacant endpoint has a handler, too. */
export const endpointHandlerOf = (name: EndpointName): EndpointHandler => ENDPOINTS[name] ?? vacant;
