// Cancels, amends and decreases of resting orders. A pure decrease keeps its turn; any other change goes to the back.
// Must never tell an executed order from a canceled one or an unknown: the wire does not.
import { cellOf } from '../domain/price-grid.ts';
import { type Price, type Qty, qty } from '../domain/units.ts';
import type { Ticker } from '../domain/ids.ts';
import type { Floor } from './floor.ts';
import type { AccountOp, Amendment } from './input.ts';
import { crosses, planMatch } from './matching.ts';
import { isUuid } from './names.ts';
import type { Answer } from './output.ts';
import {
  burn,
  checkClientOrderId,
  checkMoney,
  checkTerms,
  checkTrading,
  matchAndRest,
  reducibleQty,
  refused,
} from './placing.ts';
import type { Account, OrderRecord } from './records.ts';
import { type Refusal, refusal } from './refusal.ts';
import { lift, restingIn, shrink, withdraw } from './resting.ts';
import { orderView } from './views.ts';

const isRefusal = (found: OrderRecord | Refusal): found is Refusal => 'code' in found;

function findResting(floor: Floor, account: Account, orderId: string): OrderRecord | Refusal {
  if (!floor.isActive) return refusal('exchange_is_paused');
  if (!isUuid(orderId)) return refusal('invalid_UUID', `order id: expected a UUID, found ${orderId.slice(0, 64)}`);
  return account.resting.get(orderId) ?? refusal('not_found');
}

/** Withdraws one order. */
export function cancel(floor: Floor, account: Account, orderId: string): Answer {
  const order = findResting(floor, account, orderId);
  if (isRefusal(order)) return { type: 'refused', refusal: order };
  const reducedBy = withdraw(floor, order, 'UserCancel');
  return { type: 'canceled', order: orderView(order), reducedBy };
}

/** Withdraws every order of an account, or those in one market. */
export function cancelAll(floor: Floor, account: Account, ticker: Ticker | null): Answer {
  if (!floor.isActive) return refused('exchange_is_paused');
  let orders = 0;
  for (const order of account.resting.values()) {
    if (ticker !== null && order.holding.market.ticker !== ticker) continue;
    withdraw(floor, order, 'UserCancel');
    orders++;
  }
  return { type: 'canceled-all', orders };
}

/** Shrinks an order in place; to nothing cancels it. */
export function decrease(floor: Floor, account: Account, op: AccountOp & { type: 'decrease' }): Answer {
  const order = findResting(floor, account, op.orderId);
  if (isRefusal(order)) return { type: 'refused', refusal: order };
  const inactive = checkTrading(floor, order.holding.market);
  // A decrease is as harmless as a cancel: only the market's end stops it.
  if (inactive !== null && inactive.code === 'market_already_closed') return { type: 'refused', refusal: inactive };
  const wanted = 'reduceTo' in op.by ? op.by.reduceTo : Math.max(0, order.leavesQty - op.by.reduceBy);
  const isStep = Number.isSafeInteger(wanted) && wanted % order.holding.market.definition.qtyStep === 0;
  if (!isStep || wanted < 0 || wanted > order.leavesQty || ('reduceBy' in op.by && op.by.reduceBy <= 0))
    return refused('invalid_order_size', `expected a smaller quantity than ${order.leavesQty} hundredths`);
  if (wanted === 0) withdraw(floor, order, 'Decrease');
  else if (wanted < order.leavesQty) {
    shrink(floor, order, qty(order.leavesQty - wanted));
    floor.tellOrder(order, 'Decrease');
  }
  return { type: 'order', order: orderView(order) };
}

/** Gives an order new terms; it may trade at once. */
export function amend(floor: Floor, account: Account, amendment: Amendment): Answer {
  const order = findResting(floor, account, amendment.orderId);
  if (isRefusal(order)) return { type: 'refused', refusal: order };
  const wrong = checkAmendment(floor, order, amendment);
  if (wrong !== null) return { type: 'refused', refusal: wrong };
  const leaves = qty(amendment.qty - order.filledQty);
  const isSamePrice = amendment.price === order.price;
  if (leaves > 0 && (!isSamePrice || leaves > order.leavesQty)) return reenter(floor, order, amendment);
  rename(order, amendment);
  if (leaves <= 0) withdraw(floor, order, 'Amend');
  else {
    order.initialQty = qty(amendment.qty);
    if (leaves < order.leavesQty) shrink(floor, order, qty(order.leavesQty - leaves));
    floor.tellOrder(order, 'Amend');
  }
  return { type: 'order', order: orderView(order) };
}

function checkAmendment(floor: Floor, order: OrderRecord, amendment: Amendment): Refusal | null {
  const { market, account } = order.holding;
  if (amendment.ticker !== undefined && amendment.ticker !== market.ticker) return refusal('order_ticker_mismatch');
  if (amendment.side !== undefined && amendment.side !== order.side) return refusal('order_side_mismatch');
  if (amendment.clientOrderId !== undefined && amendment.clientOrderId !== order.clientOrderId)
    return refusal('order_id_and_client_order_id_mismatch');
  const { newClientOrderId } = amendment;
  return (
    checkTrading(floor, market) ??
    checkTerms(market, amendment) ??
    (newClientOrderId === undefined ? null : checkClientOrderId(account, newClientOrderId))
  );
}

function rename(order: OrderRecord, { newClientOrderId }: Amendment): void {
  if (newClientOrderId === undefined) return;
  order.clientOrderId = newClientOrderId;
  burn(order.holding, newClientOrderId);
}

function reenter(floor: Floor, order: OrderRecord, amendment: Amendment): Answer {
  const { holding, side, selfTrade } = order;
  const { market, account } = holding;
  const terms = { side, price: amendment.price as Price, leavesQty: qty(amendment.qty - order.filledQty) };
  const cell = cellOf(market.grid, terms.price);
  if (order.postOnly && crosses(market.book, side, cell)) return refused('invalid_order', 'post only cross');
  if (order.reduceOnly && terms.leavesQty > reducibleQty(holding, side, order))
    return refused('invalid_order', 'reduce only beyond the position');
  const poor = checkMoney(floor, holding, { candidate: terms, without: order });
  if (poor !== null) return { type: 'refused', refusal: poor };
  lift(floor, order);
  rename(order, amendment);
  order.price = terms.price;
  order.leavesQty = terms.leavesQty;
  order.initialQty = qty(amendment.qty);
  const plan = planMatch(market.book, { account, side, cell, qty: terms.leavesQty, selfTrade });
  matchAndRest(floor, order, { plan, restingReason: 'Amend' });
  return { type: 'order', order: orderView(order) };
}

/** Withdraws every order resting in a market for a reason of the exchange's own. */
export function sweepMarket(
  floor: Floor,
  market: OrderRecord['holding']['market'],
  reason: 'CloseCancel' | 'HaltCancel',
): void {
  for (const order of restingIn(market)) withdraw(floor, order, reason);
}

/** Withdraws what asked to be withdrawn when trading pauses, in some markets. */
export function sweepOnPause(floor: Floor, markets: Iterable<OrderRecord['holding']['market']>): void {
  for (const market of markets) {
    for (const order of restingIn(market)) if (order.cancelOnPause) withdraw(floor, order, 'HaltCancel');
  }
}

/** How much stands ahead of a resting order at its price. */
export const queueAheadOf = (order: OrderRecord): Qty => qty(order.holding.market.book.queueAhead(order.slot));
