// The rules, one small function each: a proposal is denied by the first that objects, with the figures compared.
// Must never have an exception for a strategy that asks: overrides are the operator's.
import type { Denial } from '../domain/denial.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { isOpen } from '../domain/market.ts';
import { type Order, opposite } from '../domain/order.ts';
import { cellOf } from '../domain/price-grid.ts';
import { type Money, addMoney, money, qty as quantity, subtractMoney } from '../domain/units.ts';
import { availableCash, costIn, reachable } from '../state/equity.ts';
import { type MarketContext, type Proposal, costOf } from './proposal.ts';

/** One rule: a denial, or `null` to let pass. */
export type Rule = (proposal: Proposal, context: MarketContext) => Denial | null;

const readiness: Rule = (_, { readiness: session }) => {
  if (session.type === 'ready') return null;
  return session.type === 'stopping' ? { code: 'stopping' } : { code: 'not-ready', reason: session.reason };
};

const halted: Rule = (_, { halt }) =>
  halt && { code: 'halted', scope: halt.scope.type, by: halt.by, reason: halt.reason };

const marketOpen: Rule = (_, { market, state }) => {
  const status = state.exchange.isTrading ? market.status : 'paused by the venue';
  return isOpen(market.status) && state.exchange.isTrading ? null : { code: 'market-not-open', status };
};

const closeGuard: Rule = (_, { market, state, limits }) => {
  const closesInMs = Math.floor((market.closeAt - state.now) / 1000);
  const { closeGuardMs } = limits;
  return closesInMs < closeGuardMs ? { code: 'market-closing', closesInMs, closeGuardMs } : null;
};

const bookLive: Rule = (proposal, { state }) =>
  state.books.isLive(proposal.market) ? null : { code: 'book-not-live', trust: state.books.trust(proposal.market) };

const bookFresh: Rule = (_, { state, limits }) => {
  const ageMs = Math.floor((state.now - state.feed.heardAt) / 1000);
  const { bookAgeMsMax } = limits;
  return ageMs > bookAgeMsMax ? { code: 'book-stale', ageMs, bookAgeMsMax } : null;
};

const qtyValid: Rule = ({ qty }, { qtyStep }) =>
  Number.isSafeInteger(qty) && qty > 0 && qty % qtyStep === 0 ? null : { code: 'order-qty-invalid', qty, qtyStep };

const priceOnGrid: Rule = ({ price }, { market }) =>
  cellOf(market.grid, price) >= 0 ? null : { code: 'price-off-grid', price };

const priceInBand: Rule = ({ price }, { limits: { priceMin, priceMax } }) =>
  price >= priceMin && price <= priceMax ? null : { code: 'price-outside-band', price, priceMin, priceMax };

const orderQty: Rule = ({ qty }, { limits: { orderQtyMax } }) =>
  qty <= orderQtyMax ? null : { code: 'order-qty-above-limit', qty, orderQtyMax };

const orderCost: Rule = (proposal, { limits: { orderCostMax } }) => {
  const cost = costOf(proposal);
  return cost <= orderCostMax ? null : { code: 'order-cost-above-limit', cost, orderCostMax };
};

const expiry: Rule = ({ expiresAt, timeInForce }, { state }) => {
  if (timeInForce !== 'gtd') return expiresAt === null ? null : { code: 'expiry-invalid', reason: 'only with gtd' };
  if (expiresAt === null) return { code: 'expiry-invalid', reason: 'gtd needs expiresAt' };
  return expiresAt > state.now ? null : { code: 'expiry-invalid', reason: 'it is in the past' };
};

const position: Rule = ({ market, side, qty }, { state, limits: { positionQtyMax } }) => {
  const reached = reachable(state, market, side) + (side === 'buy' ? qty : -qty);
  const isOver = side === 'buy' ? reached > positionQtyMax : reached < -positionQtyMax;
  return isOver ? { code: 'position-above-limit', position: quantity(reached), positionQtyMax } : null;
};

const marketCost: Rule = (proposal, context) => {
  const { marketCostMax } = context.limits;
  const added = context.addedPledge();
  if (added === 0) return null;
  const cost = addMoney(costIn(context.state, proposal.market), added);
  return cost <= marketCostMax ? null : { code: 'market-cost-above-limit', cost, marketCostMax };
};

const accountCost: Rule = (_, context) => {
  const { accountCostMax } = context.limits;
  const added = context.addedPledge();
  if (added === 0) return null;
  const cost = addMoney(accountCostNow(context), added);
  return cost <= accountCostMax ? null : { code: 'account-cost-above-limit', cost, accountCostMax };
};

function accountCostNow({ state }: MarketContext): Money {
  const markets = new Set<MarketIndex>(state.orders.allOpen().map((order) => order.market));
  for (const [market, held] of state.portfolio.positions()) if (held.qty !== 0) markets.add(market);
  let total = 0;
  for (const market of markets) total += costIn(state, market);
  return money(total);
}

const cash: Rule = (_, context) => {
  const needed = context.addedPledge();
  const available = availableCash(context.state);
  return needed === 0 || subtractMoney(available, needed) >= 0 ? null : { code: 'cash-short', needed, available };
};

const selfCross: Rule = ({ market, side, price }, { state }) => {
  for (const order of state.orders.openIn(market)) {
    if (order.side !== opposite(side) || !crosses(side, price, order)) continue;
    return { code: 'self-cross', price, restingPrice: order.price, restingOrder: order.clientOrderId };
  }
  return null;
};

const crosses = (side: Order['side'], price: number, resting: Order): boolean =>
  side === 'buy' ? price >= resting.price : price <= resting.price;

const workingOrders: Rule = (_, { state, limits: { workingOrdersMax } }) => {
  const orders = state.orders.openCount + 1;
  return orders <= workingOrdersMax ? null : { code: 'orders-above-limit', orders, workingOrdersMax };
};

/** Every rule, cheapest and most telling first. */
export const RULES: readonly Rule[] = [
  readiness,
  halted,
  marketOpen,
  closeGuard,
  bookLive,
  bookFresh,
  qtyValid,
  priceOnGrid,
  priceInBand,
  expiry,
  orderQty,
  orderCost,
  workingOrders,
  selfCross,
  position,
  marketCost,
  accountCost,
  cash,
];
