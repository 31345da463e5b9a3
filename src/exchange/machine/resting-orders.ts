// Rests, trades, shrinks and cancels orders. Book, ledger and facts must always change together. Must never refuse: the
// caller has already checked.
import { assert } from '../../base/assert.ts';
import { openingPrice } from '../../domain/position.ts';
import {
  type Money,
  NO_QTY,
  type Price,
  type Qty,
  addMoney,
  addQty,
  notional,
  qty,
  subtractQty,
} from '../../domain/units.ts';
import type { Liquidity } from '../../domain/orders/order.ts';
import { cellOf } from '../../domain/price-grid.ts';
import type { TradeId } from '../../domain/ids.ts';
import { ASK, BID, NONE } from './resting-book.ts';
import { type ExchangeState, archiveFinishedOrder, trimOldest } from './exchange-state.ts';
import { heldQty } from '../accounts/exchange-ledger.ts';
import { type MatchPlan, sideIndexOf } from './match-plan.ts';
import type { OrderUpdateReason } from './exchange-output.ts';
import { closableQty } from '../accounts/exchange-collateral.ts';
import type { MarketRecord, OrderRecord } from './exchange-records.ts';

/** Puts the remaining quantity of an order at the back of its queue. */
export function restOrder(state: ExchangeState, order: OrderRecord): void {
  const { market, account } = order.holding;
  const level = market.book.levelOf(sideIndexOf(order.side), cellOf(market.grid, order.price));
  order.slot = market.book.addOrder(level, order.leavesQty, order);
  state.ledger.reserveForOrder(order);
  state.markAccountChanged(account);
  emitBookDelta(state, order, order.leavesQty);
}

/** Takes an order out of the book without ending it. */
export function takeOffBook(state: ExchangeState, order: OrderRecord): void {
  const { market, account } = order.holding;
  market.book.removeOrder(order.slot);
  order.slot = NONE;
  state.ledger.releaseReserve(order);
  state.markAccountChanged(account);
  emitBookDelta(state, order, -order.leavesQty);
}

/** Cancels a resting order. Returns the canceled quantity. */
export function cancelOrder(state: ExchangeState, order: OrderRecord, reason: OrderUpdateReason): Qty {
  const reducedBy = order.leavesQty;
  takeOffBook(state, order);
  endOrder(state, order, reason);
  return reducedBy;
}

/** Ends an order that does not rest: executed when nothing is left of it, otherwise canceled. */
export function endOrder(state: ExchangeState, order: OrderRecord, reason: OrderUpdateReason): void {
  order.status = order.leavesQty === 0 ? 'executed' : 'canceled';
  order.leavesQty = NO_QTY;
  archiveFinishedOrder(order.holding.account, order);
  state.emitOrder(order, reason);
}

/** Shrinks a resting order in place: it keeps its queue position. */
export function shrinkOrder(state: ExchangeState, order: OrderRecord, by: Qty): void {
  assert(by > 0 && by < order.leavesQty, `cannot shrink ${order.leavesQty} by ${by}`);
  const { market, account } = order.holding;
  market.book.reduceOrder(order.slot, by);
  order.leavesQty = subtractQty(order.leavesQty, by);
  state.ledger.updateReserve(order);
  state.markAccountChanged(account);
  emitBookDelta(state, order, -by);
}

/** Executes a plan: the planned trades, and the cancels of resting orders. */
export function executePlan(state: ExchangeState, taker: OrderRecord, plan: MatchPlan): void {
  for (const { maker, qty: quantity, thenCancel } of plan.steps) {
    if (quantity > 0) executeMatch(state, { taker, maker, quantity });
    if (thenCancel !== null && maker.status === 'resting') cancelOrder(state, maker, thenCancel);
  }
}

interface Match {
  readonly taker: OrderRecord;
  readonly maker: OrderRecord;
  readonly quantity: Qty;
}

function executeMatch(state: ExchangeState, { taker, maker, quantity }: Match): void {
  const { market } = maker.holding;
  const tradeId = state.nextTradeId();
  const { price } = maker;
  market.book.reduceOrder(maker.slot, quantity);
  applyFill(state, maker, { tradeId, price, quantity, liquidity: 'maker' });
  if (maker.leavesQty === 0) state.ledger.releaseReserve(maker);
  else state.ledger.updateReserve(maker);
  emitBookDelta(state, maker, -quantity);
  const print = { tradeId, ticker: market.ticker, takerSide: taker.side, price, qty: quantity, at: state.now };
  market.lastPrice = price;
  market.lastQty = quantity;
  market.volume = addQty(market.volume, quantity);
  state.emitFact({ type: 'print', at: state.now, print });
  if (maker.leavesQty === 0) {
    maker.slot = NONE;
    endOrder(state, maker, 'Trade');
  } else state.emitOrder(maker, 'Trade');
  applyFill(state, taker, { tradeId, price, quantity, liquidity: 'taker' });
  state.ledger.recomputeReserved(taker.holding);
  market.history.addPrint(print, market.openInterest);
}

interface FillTerms {
  readonly tradeId: TradeId;
  readonly price: Price;
  readonly quantity: Qty;
  readonly liquidity: Liquidity;
}

function applyFill(state: ExchangeState, order: OrderRecord, terms: FillTerms): void {
  const { price, quantity, liquidity } = terms;
  const { holding } = order;
  const fee = state.ledger.applyTrade({ order, price, qty: quantity, liquidity, at: state.now });
  order.leavesQty = subtractQty(order.leavesQty, quantity);
  order.filledQty = addQty(order.filledQty, quantity);
  order.filledNotional = addMoney(order.filledNotional, notional(price, quantity));
  addByLiquidity(order, liquidity, { cost: notional(openingPrice(order.side, price), quantity), fee });
  state.markAccountChanged(holding.account);
  state.markHoldingChanged(holding);
  state.countTowardGroup(order, quantity);
  if (!holding.account.keepsHistory) return;
  const view = {
    tradeId: terms.tradeId,
    orderId: order.orderId,
    account: holding.account.name,
    clientOrderId: order.clientOrderId,
    ticker: holding.market.ticker,
    side: order.side,
    outcome: order.outcome,
    price,
    qty: quantity,
    fee,
    liquidity,
    positionAfter: heldQty(holding),
    at: state.now,
  };
  holding.account.fills.push(view);
  trimOldest(holding.account.fills);
  state.emitFact({ type: 'fill', at: state.now, account: holding.account.name, fill: view });
}

function addByLiquidity(order: OrderRecord, liquidity: Liquidity, paid: { cost: Money; fee: Money }): void {
  if (liquidity === 'taker') {
    order.takerCost = addMoney(order.takerCost, paid.cost);
    order.takerFees = addMoney(order.takerFees, paid.fee);
  } else {
    order.makerCost = addMoney(order.makerCost, paid.cost);
    order.makerFees = addMoney(order.makerFees, paid.fee);
  }
}

/** Shrinks or cancels reduce-only orders that exceed the changed positions. */
export function trimReduceOnly(state: ExchangeState): void {
  for (const holding of state.changedHoldings) {
    trimSide(state, holding.buys, closableQty(holding, 'buy'));
    trimSide(state, holding.sells, closableQty(holding, 'sell'));
  }
}

function trimSide(state: ExchangeState, orders: readonly OrderRecord[], closable: number): void {
  let left = closable;
  for (const order of orders.filter((each) => each.reduceOnly)) {
    const keptQty = Math.min(left, order.leavesQty);
    left -= keptQty;
    if (keptQty === 0) cancelOrder(state, order, 'ReduceOnlyCancel');
    else if (keptQty < order.leavesQty) {
      shrinkOrder(state, order, qty(order.leavesQty - keptQty));
      state.emitOrder(order, 'ReduceOnlyCancel');
    }
  }
}

/** Every order resting in a market: bids, then asks, each best first. */
export function restingOrdersIn({ book }: MarketRecord): OrderRecord[] {
  const orders: OrderRecord[] = [];
  for (const side of [BID, ASK] as const)
    for (let cell = book.firstCell(side); book.hasCell(cell); cell = book.nextCell(side, cell)) {
      for (let slot = book.firstSlotAt(side, cell); slot !== NONE; slot = book.nextSlot(slot))
        orders.push(book.itemOf(slot));
    }
  return orders;
}

function emitBookDelta(state: ExchangeState, order: OrderRecord, change: number): void {
  const { market, account } = order.holding;
  const side = sideIndexOf(order.side);
  state.markMarketChanged(market);
  state.emitFact({
    type: 'book-delta',
    at: state.now,
    ticker: market.ticker,
    side: side === BID ? 'bid' : 'ask',
    price: order.price,
    change: qty(change),
    total: qty(market.book.totalAt(side, cellOf(market.grid, order.price))),
    owner: { account: account.name, orderId: order.orderId, clientOrderId: order.clientOrderId },
  });
}
