// Rules about rates and counts: orders at once, orders within a time, and the same order twice.
import { type Rule, forEachSubject } from './rule.ts';

export const workingOrders: Rule = forEachSubject(
  ({ strategy, amended }, { of, limits: { workingOrdersMax } }, { state }) => {
    if (workingOrdersMax === undefined || amended !== undefined) return null;
    const orders = (of === 'account' ? state.orders.openCount : state.orders.openCountOf(strategy)) + 1;
    return orders <= workingOrdersMax ? null : { code: 'orders-above-limit', of, orders, workingOrdersMax };
  },
);

export const orderRate: Rule = ({ strategy }, { state: { now }, rates, limits, accountLimits }) => {
  const { ordersPerSecondMax } = accountLimits;
  const orders = rates.ordersPerSecond(null, now) + 1;
  if (orders > ordersPerSecondMax) return { code: 'order-rate-above-limit', of: 'account', orders, ordersPerSecondMax };
  const ownCount = rates.ordersPerSecond(strategy, now) + 1;
  if (ownCount <= limits.ordersPerSecondMax) return null;
  const { ordersPerSecondMax: ownMax } = limits;
  return { code: 'order-rate-above-limit', of: 'strategy', orders: ownCount, ordersPerSecondMax: ownMax };
};

export const messageRate: Rule = ({ strategy }, { state: { now }, rates, limits, accountLimits }) => {
  const { messagesPerMinuteMax } = accountLimits;
  const messages = rates.messagesPerMinute(null, now) + 1;
  if (messagesPerMinuteMax !== null && messages > messagesPerMinuteMax)
    return { code: 'message-rate-above-limit', of: 'account', messages, messagesPerMinuteMax };
  const ownMax = limits.messagesPerMinuteMax;
  const ownCount = rates.messagesPerMinute(strategy, now) + 1;
  if (ownMax === null || ownCount <= ownMax) return null;
  return { code: 'message-rate-above-limit', of: 'strategy', messages: ownCount, messagesPerMinuteMax: ownMax };
};

/** An equal order that has traded or ended does not count. */
export const duplicate: Rule = (proposal, { state, limits: { duplicateWindowMs } }) => {
  if (duplicateWindowMs === null) return null;
  const { strategy, market, side, price, qty, amended } = proposal;
  for (const order of state.orders.openIn(market)) {
    const isEqual = order.price === price && order.qty === qty && order.side === side && order.strategy === strategy;
    const ageMs = Math.floor((state.now - order.createdAt) / 1000);
    if (!isEqual || order === amended || order.filledQty > 0 || ageMs >= duplicateWindowMs) continue;
    return { code: 'duplicate-order', orderId: order.clientOrderId, ageMs, duplicateWindowMs };
  }
  return null;
};
