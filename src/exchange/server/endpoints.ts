// Every endpoint by its name in the profile. What is not here the server does not do; the types see to it that all is.
import type { EndpointName } from '../../venues/trade-api/profile.ts';
import * as account from './account-endpoints.ts';
import type { Handler } from './call.ts';
import * as market from './market-endpoints.ts';
import * as order from './order-endpoints.ts';

export const ENDPOINTS: Readonly<Record<EndpointName, Handler>> = {
  status: market.status,
  limits: account.limits,
  markets: market.markets,
  market: market.market,
  book: market.book,
  prints: market.prints,
  events: market.events,
  event: market.event,
  seriesList: market.seriesList,
  series: market.series,
  candles: market.candles,
  balance: account.balance,
  positions: account.positions,
  orders: account.orders,
  order: account.order,
  fills: account.fills,
  settlements: account.settlements,
  createOrder: order.createOrder,
  cancelOrder: order.cancelOrder,
  createOrders: order.createOrders,
  cancelOrders: order.cancelOrders,
  amendOrder: order.amendOrder,
  decreaseOrder: order.decreaseOrder,
};
