// Places new orders: checks everything, then trades, then rests or ends the remaining quantity. Must never change an
// order, a position or cash before a refusal.
import { contractsText, dollarsText } from '../../domain/amounts.ts';
import type { Side } from '../../domain/orders/order.ts';
import { cellOf } from '../../domain/price-grid.ts';
import { EPOCH, NO_MONEY, NO_QTY, type Price, type Qty, qty } from '../../domain/units.ts';
import { NONE } from './resting-book.ts';
import type { ExchangeState } from './exchange-state.ts';
import type { NewOrder } from './exchange-input.ts';
import { type MatchPlan, isCrossing, planMatch } from './match-plan.ts';
import { checkOrderGroup, triggerReachedGroups } from '../accounts/order-group-limits.ts';
import type { Answer } from './exchange-output.ts';
import { type CollateralTerms, closableQty } from '../accounts/exchange-collateral.ts';
import type { Account, Holding, MarketRecord, OrderRecord } from './exchange-records.ts';
import { type Refusal, refusal } from './exchange-refusal.ts';
import { executePlan, endOrder, restOrder, trimReduceOnly } from './resting-orders.ts';
import { orderView } from './exchange-views.ts';

/** Ten million contracts, so that costs and fees stay far below the largest safe integer. */
const ORDER_QTY_MAX = 1_000_000_000;
/** The wire refuses dots. The characters allowed here are safe in a path and in a log line. */
const CLIENT_ORDER_ID = /^[A-Za-z0-9_:-]{1,64}$/;

export const refusedAnswer = (code: Refusal['code'], details: string | null = null): Answer => ({
  type: 'refused',
  refusal: refusal(code, details),
});

/** Checks that a client order id may be used; `null` when it may. */
export function checkClientOrderId(account: Account, id: string): Refusal | null {
  if (!CLIENT_ORDER_ID.test(id))
    return refusal('invalid_parameters', 'client_order_id: expected 1 to 64 of A-Z a-z 0-9 _ : -');
  return account.burnt.has(id) ? refusal('order_already_exists') : null;
}

/** Uses up a client order id. A second order with this id is refused as already existing. */
export function useUpClientOrderId({ account, names }: Holding, clientOrderId: string): void {
  account.burnt.add(clientOrderId);
  names.push(clientOrderId);
}

/** Checks that orders of a market may be placed or amended now; `null` when they may. */
export function checkTrading(state: ExchangeState, market: MarketRecord): Refusal | null {
  if (!state.isActive) return refusal('exchange_is_paused');
  if (['closed', 'determined', 'disputed', 'amended', 'finalized'].includes(market.status))
    return refusal('market_already_closed', `the market is ${market.status}`);
  if (market.status !== 'active') return refusal('market_inactive', `the market is ${market.status}`);
  return state.isTrading ? null : refusal('trading_is_paused');
}

/** Checks that a price is on the grid and a quantity on the step; `null` when they are. */
export function checkTerms(market: MarketRecord, terms: { price: number; qty: number }): Refusal | null {
  const { qtyStep } = market.definition;
  if (!Number.isInteger(terms.price) || cellOf(market.grid, terms.price as Price) < 0)
    return refusal('invalid_price', `price ${terms.price} (1e-4 dollars) is not on the grid of ${market.ticker}`);
  const isWhole = Number.isSafeInteger(terms.qty) && terms.qty > 0 && terms.qty % qtyStep === 0;
  if (!isWhole || terms.qty > ORDER_QTY_MAX)
    return refusal(
      'invalid_order_size',
      `expected a positive multiple of ${contractsText(qtyStep)} contracts, found ${terms.qty} hundredths`,
    );
  return null;
}

function checkTimeInForce(state: ExchangeState, order: NewOrder): Refusal | null {
  if (order.timeInForce === 'gtd') {
    if (order.expiresAt === null || order.expiresAt <= state.now)
      return refusal('invalid_parameters', 'expiration_time: expected a future time');
  } else if (order.expiresAt !== null) {
    return refusal('invalid_parameters', 'expiration_time: only with good_till_canceled');
  }
  if (order.postOnly && (order.timeInForce === 'ioc' || order.timeInForce === 'fok'))
    return refusal('invalid_order', 'post only with immediate order');
  return null;
}

/**
 * The largest quantity of a reduce-only order: the closable position, less the other reduce-only orders of the side.
 */
export function reducibleQty(holding: Holding, side: Side, except: OrderRecord | null): Qty {
  let left: number = closableQty(holding, side);
  for (const order of side === 'buy' ? holding.buys : holding.sells) {
    if (order.reduceOnly && order !== except) left -= order.leavesQty;
  }
  return qty(Math.max(0, left));
}

/** Checks that the account can cover an order; `null` when it can. */
export function checkCollateral(
  state: ExchangeState,
  holding: Holding,
  hypothesis: { candidate: CollateralTerms; without: OrderRecord | null },
): Refusal | null {
  const missing = state.ledger.shortage(holding, hypothesis);
  return missing > 0 ? refusal('insufficient_balance', `${dollarsText(missing)} more is needed`) : null;
}

/** Places a new order: refuses it, or trades, rests or ends it. */
export function placeOrder(state: ExchangeState, account: Account, order: NewOrder): Answer {
  const market = state.markets.get(order.ticker);
  const firstRefusal =
    (state.isActive ? null : refusal('exchange_is_paused')) ??
    // Checked before the market and the terms: an id sent again after a lost answer must be refused as already
    // existing.
    (order.clientOrderId === null ? null : checkClientOrderId(account, order.clientOrderId)) ??
    (market === undefined ? refusal('market_not_found', order.ticker) : null) ??
    checkOrderGroup(account, order.groupId ?? null);
  if (firstRefusal !== null || market === undefined)
    return { type: 'refused', refusal: firstRefusal ?? refusal('market_not_found') };
  const termsRefusal = checkTrading(state, market) ?? checkTerms(market, order) ?? checkTimeInForce(state, order);
  if (termsRefusal !== null) return { type: 'refused', refusal: termsRefusal };
  const holding = state.ledger.holdingIn(account, market);
  const requested = qty(order.qty);
  const quantity = order.reduceOnly ? qty(Math.min(requested, reducibleQty(holding, order.side, null))) : requested;
  if (quantity === 0) return refusedAnswer('invalid_order', 'reduce only without a position to reduce');
  return enterOrder(state, newRecord(state, { order, holding, quantity }));
}

function enterOrder(state: ExchangeState, order: OrderRecord): Answer {
  const { market, account } = order.holding;
  const cell = cellOf(market.grid, order.price);
  if (order.postOnly && isCrossing(market.book, order.side, cell))
    return refusedAnswer('invalid_order', 'post only cross');
  const moneyRefusal = checkCollateral(state, order.holding, { candidate: order, without: null });
  if (moneyRefusal !== null) return { type: 'refused', refusal: moneyRefusal };
  const { side, leavesQty, selfTrade } = order;
  const plan = planMatch(market.book, { account, side, cell, qty: leavesQty, selfTrade });
  if (order.clientOrderId !== null) useUpClientOrderId(order.holding, order.clientOrderId);
  if (order.timeInForce === 'fok' && plan.filledQty < leavesQty)
    return refusedAnswer('fill_or_kill_insufficient_resting_volume');
  account.orders.set(order.orderId, order);
  account.resting.set(order.orderId, order);
  if (order.expiresAt !== null) state.timers.schedule(order.expiresAt, { type: 'expire', order });
  matchAndRest(state, order, { plan, restingReason: null });
  return { type: 'order', order: orderView(order) };
}

/**
 * Executes a plan, and rests or ends the remaining quantity. Then trims reduce-only orders and triggers order groups.
 */
export function matchAndRest(
  state: ExchangeState,
  order: OrderRecord,
  { plan, restingReason }: { plan: MatchPlan; restingReason: 'Amend' | null },
): void {
  executePlan(state, order, plan);
  const isImmediate = order.timeInForce === 'ioc' || order.timeInForce === 'fok';
  if (order.leavesQty === 0) endOrder(state, order, 'Trade');
  else if (plan.cancelsTaker) endOrder(state, order, 'SelfTradeCancel');
  else if (isImmediate) endOrder(state, order, 'RemainderCancel');
  else {
    restOrder(state, order);
    state.emitOrder(order, plan.filledQty > 0 ? 'Trade' : restingReason);
  }
  trimReduceOnly(state);
  triggerReachedGroups(state);
}

function newRecord(
  state: ExchangeState,
  { order, holding, quantity }: { order: NewOrder; holding: Holding; quantity: Qty },
): OrderRecord {
  return {
    orderId: state.nextOrderId(),
    holding,
    clientOrderId: order.clientOrderId,
    side: order.side,
    outcome: order.outcome ?? 'yes',
    price: order.price as Price,
    timeInForce: order.timeInForce,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    selfTrade: order.selfTrade,
    cancelOnPause: order.cancelOnPause,
    groupId: order.groupId ?? null,
    expiresAt: order.expiresAt,
    status: 'resting',
    initialQty: quantity,
    filledQty: NO_QTY,
    leavesQty: quantity,
    filledNotional: NO_MONEY,
    takerCost: NO_MONEY,
    makerCost: NO_MONEY,
    takerFees: NO_MONEY,
    makerFees: NO_MONEY,
    gathered: NO_MONEY,
    slot: NONE,
    pledged: NO_MONEY,
    createdAt: state.now,
    updatedAt: EPOCH,
    lastUpdateReason: null,
  };
}
