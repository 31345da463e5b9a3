// New orders: every check before anything changes, then the trade, then what becomes of the rest.
// Must never change anything on the way to a refusal, but for the name that a killed order burns.
import { contractsText, dollarsText } from '../domain/amounts.ts';
import type { Side } from '../domain/order.ts';
import { cellOf } from '../domain/price-grid.ts';
import { EPOCH, NO_MONEY, NO_QTY, type Price, type Qty, qty } from '../domain/units.ts';
import { NONE } from './book.ts';
import type { Floor } from './floor.ts';
import type { NewOrder } from './input.ts';
import { type MatchPlan, crosses, planMatch } from './matching.ts';
import { checkOrderGroup, tripTradedGroups } from './order-groups.ts';
import type { Answer } from './output.ts';
import { type Pledgeable, closableQty } from './pledges.ts';
import type { Account, Holding, MarketRecord, OrderRecord } from './records.ts';
import { type Refusal, refusal } from './refusal.ts';
import { carryOut, end, rest, trimReduceOnly } from './resting.ts';
import { orderView } from './views.ts';

/** Ten million contracts: beyond it an order's cost would leave the safe integers. */
const ORDER_QTY_MAX = 1_000_000_000;
/** A dot is refused by the wire; the rest is what fits a path and a log line. */
const CLIENT_ORDER_ID = /^[A-Za-z0-9_:-]{1,64}$/;

export const refused = (code: Refusal['code'], details: string | null = null): Answer => ({
  type: 'refused',
  refusal: refusal(code, details),
});

/** Whether a name may be used; `null` when it may. */
export function checkClientOrderId(account: Account, id: string): Refusal | null {
  if (!CLIENT_ORDER_ID.test(id))
    return refusal('invalid_parameters', 'client_order_id: expected 1 to 64 of A-Z a-z 0-9 _ : -');
  return account.burnt.has(id) ? refusal('order_already_exists') : null;
}

/** A name is used up: whoever sends it again is told that it is in. */
export function burn({ account, names }: Holding, clientOrderId: string): void {
  account.burnt.add(clientOrderId);
  names.push(clientOrderId);
}

/** Whether orders of a market may be placed or amended now; `null` when they may. */
export function checkTrading(floor: Floor, market: MarketRecord): Refusal | null {
  if (!floor.isActive) return refusal('exchange_is_paused');
  if (['closed', 'determined', 'disputed', 'amended', 'finalized'].includes(market.status))
    return refusal('market_already_closed', `the market is ${market.status}`);
  if (market.status !== 'active') return refusal('market_inactive', `the market is ${market.status}`);
  return floor.isTrading ? null : refusal('trading_is_paused');
}

/** Whether a price is on the grid and a quantity on the step; `null` when they are. */
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

function checkTimeInForce(floor: Floor, order: NewOrder): Refusal | null {
  if (order.timeInForce === 'gtd') {
    if (order.expiresAt === null || order.expiresAt <= floor.now)
      return refusal('invalid_parameters', 'expiration_time: expected a time to come');
  } else if (order.expiresAt !== null) {
    return refusal('invalid_parameters', 'expiration_time: only with good_till_canceled');
  }
  if (order.postOnly && (order.timeInForce === 'ioc' || order.timeInForce === 'fok'))
    return refusal('invalid_order', 'post only with immediate order');
  return null;
}

/** What a reduce-only order of a side may still take: what is held, less what other such orders would close. */
export function reducibleQty(holding: Holding, side: Side, except: OrderRecord | null): Qty {
  let left: number = closableQty(holding, side);
  for (const order of side === 'buy' ? holding.buys : holding.sells) {
    if (order.reduceOnly && order !== except) left -= order.leavesQty;
  }
  return qty(Math.max(0, left));
}

/** Whether the account can stand behind an order; `null` when it can. */
export function checkMoney(
  floor: Floor,
  holding: Holding,
  hypothesis: { candidate: Pledgeable; without: OrderRecord | null },
): Refusal | null {
  const missing = floor.ledger.shortage(holding, hypothesis);
  return missing > 0 ? refusal('insufficient_balance', `${dollarsText(missing)} more is needed`) : null;
}

/** Takes a new order. */
export function place(floor: Floor, account: Account, order: NewOrder): Answer {
  const market = floor.markets.get(order.ticker);
  const early =
    (floor.isActive ? null : refusal('exchange_is_paused')) ??
    // First of all: a name sent again after a lost answer must be told it is in, whatever has happened since.
    (order.clientOrderId === null ? null : checkClientOrderId(account, order.clientOrderId)) ??
    (market === undefined ? refusal('market_not_found', order.ticker) : null) ??
    checkOrderGroup(account, order.groupId ?? null);
  if (early !== null || market === undefined) return { type: 'refused', refusal: early ?? refusal('market_not_found') };
  const wrong = checkTrading(floor, market) ?? checkTerms(market, order) ?? checkTimeInForce(floor, order);
  if (wrong !== null) return { type: 'refused', refusal: wrong };
  const holding = floor.ledger.holding(account, market);
  const asked = qty(order.qty);
  const quantity = order.reduceOnly ? qty(Math.min(asked, reducibleQty(holding, order.side, null))) : asked;
  if (quantity === 0) return refused('invalid_order', 'reduce only without a position to reduce');
  return enter(floor, newRecord(floor, { order, holding, quantity }));
}

function enter(floor: Floor, order: OrderRecord): Answer {
  const { market, account } = order.holding;
  const cell = cellOf(market.grid, order.price);
  if (order.postOnly && crosses(market.book, order.side, cell)) return refused('invalid_order', 'post only cross');
  const poor = checkMoney(floor, order.holding, { candidate: order, without: null });
  if (poor !== null) return { type: 'refused', refusal: poor };
  const { side, leavesQty, selfTrade } = order;
  const plan = planMatch(market.book, { account, side, cell, qty: leavesQty, selfTrade });
  if (order.clientOrderId !== null) burn(order.holding, order.clientOrderId);
  if (order.timeInForce === 'fok' && plan.filledQty < leavesQty)
    return refused('fill_or_kill_insufficient_resting_volume');
  account.orders.set(order.orderId, order);
  account.resting.set(order.orderId, order);
  if (order.expiresAt !== null) floor.timers.set(order.expiresAt, { type: 'expire', order });
  matchAndRest(floor, order, { plan, restingReason: null });
  return { type: 'order', order: orderView(order) };
}

/** Carries a plan out and rests, or ends, what is left of the order. */
export function matchAndRest(
  floor: Floor,
  order: OrderRecord,
  { plan, restingReason }: { plan: MatchPlan; restingReason: 'Amend' | null },
): void {
  carryOut(floor, order, plan);
  const isImmediate = order.timeInForce === 'ioc' || order.timeInForce === 'fok';
  if (order.leavesQty === 0) end(floor, order, 'Trade');
  else if (plan.yields) end(floor, order, 'SelfTradeCancel');
  else if (isImmediate) end(floor, order, 'RemainderCancel');
  else {
    rest(floor, order);
    floor.tellOrder(order, plan.filledQty > 0 ? 'Trade' : restingReason);
  }
  trimReduceOnly(floor);
  tripTradedGroups(floor);
}

function newRecord(
  floor: Floor,
  { order, holding, quantity }: { order: NewOrder; holding: Holding; quantity: Qty },
): OrderRecord {
  return {
    orderId: floor.nextOrderId(),
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
    createdAt: floor.now,
    updatedAt: EPOCH,
    lastUpdateReason: null,
  };
}
