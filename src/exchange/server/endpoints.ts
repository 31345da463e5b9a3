// Every endpoint by its name in the profile. What a dialect does not have has no route.
// The types see to it that every one there can be is here.
import type { EndpointName } from '../../venues/trade-api/profile.ts';
import * as account from './account-endpoints.ts';
import type { Handler } from './call.ts';
import * as candle from './candle-endpoints.ts';
import * as group from './group-endpoints.ts';
import * as market from './market-endpoints.ts';
import * as order from './order-endpoints.ts';
import * as standing from './standing-endpoints.ts';
import * as transfer from './transfer-endpoints.ts';

const ENDPOINTS: Readonly<Record<EndpointName, Handler>> = {
  status: standing.status,
  schedule: standing.schedule,
  userDataTimestamp: standing.userDataTimestamp,
  limits: standing.limits,
  endpointCosts: standing.endpointCosts,
  seriesFeeChanges: standing.seriesFeeChanges,
  eventFeeChanges: standing.eventFeeChanges,
  historicalCutoff: standing.historicalCutoff,
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
  historicalPrints: market.historicalPrints,
  balance: account.balance,
  positions: account.positions,
  orders: account.orders,
  order: account.order,
  queuePosition: account.queuePosition,
  queuePositions: account.queuePositions,
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
  shardTransfer: transfer.shardTransfer,
  shardTransfers: transfer.shardTransfers,
  shardTransferOf: transfer.shardTransferOf,
};

/** What answers an endpoint. */
export const handlerOf = (name: EndpointName): Handler => ENDPOINTS[name];
