// Cancels, amends and decreases resting orders. A new price or a larger quantity costs an order its place in the queue.
// Must never distinguish an executed, a canceled and an unknown order in a refusal: the wire does not.
import { cellOf } from '../../domain/price-grid.ts';
import { type Price, type Qty, qty } from '../../domain/units.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { ExchangeState } from './exchange-state.ts';
import type { AccountOp, Amendment } from './exchange-input.ts';
import { isCrossing, planMatch } from './match-plan.ts';
import { isUuid } from './exchange-ids.ts';
import type { Answer } from './exchange-output.ts';
import {
  useUpClientOrderId,
  checkClientOrderId,
  checkCollateral,
  checkTerms,
  checkTrading,
  matchAndRest,
  reducibleQty,
  refusedAnswer,
} from './order-placement.ts';
import type { Account, OrderRecord } from './exchange-records.ts';
import { type Refusal, refusal } from './exchange-refusal.ts';
import { takeOffBook, restingOrdersIn, shrinkOrder, cancelOrder } from './resting-orders.ts';
import { orderView } from './exchange-views.ts';

const isRefusal = (found: OrderRecord | Refusal): found is Refusal => 'code' in found;

function findResting(state: ExchangeState, account: Account, orderId: string): OrderRecord | Refusal {
  if (!state.isActive) return refusal('exchange_is_paused');
  if (!isUuid(orderId)) return refusal('invalid_UUID', `order id: expected a UUID, found ${orderId.slice(0, 64)}`);
  return account.resting.get(orderId) ?? refusal('not_found');
}

/** Cancels one resting order of an account, at the account's request. */
export function cancelById(state: ExchangeState, account: Account, orderId: string): Answer {
  const order = findResting(state, account, orderId);
  if (isRefusal(order)) return { type: 'refused', refusal: order };
  const reducedBy = cancelOrder(state, order, 'UserCancel');
  return { type: 'canceled', order: orderView(order), reducedBy };
}

/** Cancels every resting order of an account, or those in one market. */
export function cancelAllOf(state: ExchangeState, account: Account, ticker: Ticker | null): Answer {
  if (!state.isActive) return refusedAnswer('exchange_is_paused');
  let orders = 0;
  for (const order of account.resting.values()) {
    if (ticker !== null && order.holding.market.ticker !== ticker) continue;
    cancelOrder(state, order, 'UserCancel');
    orders++;
  }
  return { type: 'canceled-all', orders };
}

/** Shrinks an order in place. A decrease to zero cancels the order. */
export function decreaseOrder(state: ExchangeState, account: Account, op: AccountOp & { type: 'decrease' }): Answer {
  const order = findResting(state, account, op.orderId);
  if (isRefusal(order)) return { type: 'refused', refusal: order };
  const tradingRefusal = checkTrading(state, order.holding.market);
  // A closed market refuses a decrease. A halt or a trading pause does not, because a decrease is as harmless as a
  // cancel.
  if (tradingRefusal !== null && tradingRefusal.code === 'market_already_closed')
    return { type: 'refused', refusal: tradingRefusal };
  const newLeaves = 'reduceTo' in op.by ? op.by.reduceTo : Math.max(0, order.leavesQty - op.by.reduceBy);
  const isStep = Number.isSafeInteger(newLeaves) && newLeaves % order.holding.market.definition.qtyStep === 0;
  if (!isStep || newLeaves < 0 || newLeaves > order.leavesQty || ('reduceBy' in op.by && op.by.reduceBy <= 0))
    return refusedAnswer('invalid_order_size', `expected a smaller quantity than ${order.leavesQty} hundredths`);
  if (newLeaves === 0) cancelOrder(state, order, 'Decrease');
  else if (newLeaves < order.leavesQty) {
    shrinkOrder(state, order, qty(order.leavesQty - newLeaves));
    state.emitOrder(order, 'Decrease');
  }
  return { type: 'order', order: orderView(order) };
}

/**
 * Amends a resting order. With a new price or a larger quantity it may trade at once; with no quantity left it is
 * canceled.
 */
export function amendOrder(state: ExchangeState, account: Account, amendment: Amendment): Answer {
  const order = findResting(state, account, amendment.orderId);
  if (isRefusal(order)) return { type: 'refused', refusal: order };
  const amendRefusal = checkAmendment(state, order, amendment);
  if (amendRefusal !== null) return { type: 'refused', refusal: amendRefusal };
  const leaves = qty(amendment.qty - order.filledQty);
  const isSamePrice = amendment.price === order.price;
  if (leaves > 0 && (!isSamePrice || leaves > order.leavesQty)) return requeue(state, order, amendment);
  setClientOrderId(order, amendment);
  if (leaves <= 0) cancelOrder(state, order, 'Amend');
  else {
    order.initialQty = qty(amendment.qty);
    if (leaves < order.leavesQty) shrinkOrder(state, order, qty(order.leavesQty - leaves));
    state.emitOrder(order, 'Amend');
  }
  return { type: 'order', order: orderView(order) };
}

function checkAmendment(state: ExchangeState, order: OrderRecord, amendment: Amendment): Refusal | null {
  const { market, account } = order.holding;
  if (amendment.ticker !== undefined && amendment.ticker !== market.ticker) return refusal('order_ticker_mismatch');
  if (amendment.side !== undefined && amendment.side !== order.side) return refusal('order_side_mismatch');
  if (amendment.clientOrderId !== undefined && amendment.clientOrderId !== order.clientOrderId)
    return refusal('order_id_and_client_order_id_mismatch');
  const { newClientOrderId } = amendment;
  return (
    checkTrading(state, market) ??
    checkTerms(market, amendment) ??
    (newClientOrderId === undefined ? null : checkClientOrderId(account, newClientOrderId))
  );
}

function setClientOrderId(order: OrderRecord, { newClientOrderId }: Amendment): void {
  if (newClientOrderId === undefined) return;
  order.clientOrderId = newClientOrderId;
  useUpClientOrderId(order.holding, newClientOrderId);
}

function requeue(state: ExchangeState, order: OrderRecord, amendment: Amendment): Answer {
  const { holding, side, selfTrade } = order;
  const { market, account } = holding;
  const terms = { side, price: amendment.price as Price, leavesQty: qty(amendment.qty - order.filledQty) };
  const cell = cellOf(market.grid, terms.price);
  if (order.postOnly && isCrossing(market.book, side, cell)) return refusedAnswer('invalid_order', 'post only cross');
  if (order.reduceOnly && terms.leavesQty > reducibleQty(holding, side, order))
    return refusedAnswer('invalid_order', 'reduce only beyond the position');
  const moneyRefusal = checkCollateral(state, holding, { candidate: terms, without: order });
  if (moneyRefusal !== null) return { type: 'refused', refusal: moneyRefusal };
  takeOffBook(state, order);
  setClientOrderId(order, amendment);
  order.price = terms.price;
  order.leavesQty = terms.leavesQty;
  order.initialQty = qty(amendment.qty);
  const plan = planMatch(market.book, { account, side, cell, qty: terms.leavesQty, selfTrade });
  matchAndRest(state, order, { plan, restingReason: 'Amend' });
  return { type: 'order', order: orderView(order) };
}

/** Cancels every order that rests in a market, and gives `reason` as the cause. */
export function cancelAllInMarket(
  state: ExchangeState,
  market: OrderRecord['holding']['market'],
  reason: 'CloseCancel' | 'HaltCancel',
): void {
  for (const order of restingOrdersIn(market)) cancelOrder(state, order, reason);
}

/** Cancels the orders in these markets that have `cancelOnPause`. */
export function cancelForPause(state: ExchangeState, markets: Iterable<OrderRecord['holding']['market']>): void {
  for (const market of markets) {
    for (const order of restingOrdersIn(market)) if (order.cancelOnPause) cancelOrder(state, order, 'HaltCancel');
  }
}

/** Quantity ahead of a resting order at its price. */
export const qtyAheadOf = (order: OrderRecord): Qty => qty(order.holding.market.book.qtyAhead(order.slot));
