// Every endpoint by its name in the profile. What is not here the server does not do: it has no route.
// The types see to it that what every dialect has is here.
import type { CoreEndpointName, EndpointName, FurtherEndpointName } from '../../venues/trade-api/profile.ts';
import * as account from './account-endpoints.ts';
import type { Handler } from './call.ts';
import * as market from './market-endpoints.ts';
import * as order from './order-endpoints.ts';

const ENDPOINTS: Readonly<Record<CoreEndpointName, Handler>> & Readonly<Partial<Record<FurtherEndpointName, Handler>>> =
  {
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

/** What answers an endpoint; `null` for one that the server does not do. */
export const handlerOf = (name: EndpointName): Handler | null => ENDPOINTS[name] ?? null;
