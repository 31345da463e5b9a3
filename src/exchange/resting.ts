// Changes of resting orders: added, traded, shrunk, canceled. Book, ledger and facts always change together. Must never
// refuse: the caller has already checked.
import { assert } from '../domain/assert.ts';
import { openingPrice } from '../domain/position.ts';
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
} from '../domain/units.ts';
import type { Liquidity } from '../domain/order.ts';
import { cellOf } from '../domain/price-grid.ts';
import type { TradeId } from '../domain/ids.ts';
import { ASK, BID, NONE } from './book.ts';
import { type Floor, rememberFinished, trimOldest } from './floor.ts';
import { heldQty } from './ledger.ts';
import { type MatchPlan, sideIndex } from './matching.ts';
import type { OrderUpdateReason } from './output.ts';
import { closableQty } from './pledges.ts';
import type { MarketRecord, OrderRecord } from './records.ts';

/** Puts the remaining quantity of an order at the back of its queue. */
export function rest(state: Floor, order: OrderRecord): void {
  const { market, account } = order.holding;
  const level = market.book.levelOf(sideIndex(order.side), cellOf(market.grid, order.price));
  order.slot = market.book.add(level, order.leavesQty, order);
  state.ledger.pledge(order);
  state.touchAccount(account);
  emitBookDelta(state, order, order.leavesQty);
}

/** Takes an order out of the book without ending it. */
export function lift(state: Floor, order: OrderRecord): void {
  const { market, account } = order.holding;
  market.book.remove(order.slot);
  order.slot = NONE;
  state.ledger.unpledge(order);
  state.touchAccount(account);
  emitBookDelta(state, order, -order.leavesQty);
}

/** Cancels a resting order. Returns the canceled quantity. */
export function withdraw(state: Floor, order: OrderRecord, reason: OrderUpdateReason): Qty {
  const reducedBy = order.leavesQty;
  lift(state, order);
  end(state, order, reason);
  return reducedBy;
}

/** Ends an order that does not rest: executed when nothing is left of it, otherwise canceled. */
export function end(state: Floor, order: OrderRecord, reason: OrderUpdateReason): void {
  order.status = order.leavesQty === 0 ? 'executed' : 'canceled';
  order.leavesQty = NO_QTY;
  rememberFinished(order.holding.account, order);
  state.tellOrder(order, reason);
}

/** Shrinks a resting order in place: it keeps its queue position. */
export function shrink(state: Floor, order: OrderRecord, by: Qty): void {
  assert(by > 0 && by < order.leavesQty, `cannot shrink ${order.leavesQty} by ${by}`);
  const { market, account } = order.holding;
  market.book.reduce(order.slot, by);
  order.leavesQty = subtractQty(order.leavesQty, by);
  state.ledger.repledge(order);
  state.touchAccount(account);
  emitBookDelta(state, order, -by);
}

/** Executes a plan: the incoming order trades with those it meets. */
export function carryOut(state: Floor, taker: OrderRecord, plan: MatchPlan): void {
  for (const { maker, qty: quantity, thenCancel } of plan.meetings) {
    if (quantity > 0) executeMatch(state, { taker, maker, quantity });
    if (thenCancel !== null && maker.status === 'resting') withdraw(state, maker, thenCancel);
  }
}

/** Two orders that trade. */
interface Match {
  readonly taker: OrderRecord;
  readonly maker: OrderRecord;
  readonly quantity: Qty;
}

function executeMatch(state: Floor, { taker, maker, quantity }: Match): void {
  const { market } = maker.holding;
  const tradeId = state.nextTradeId();
  const { price } = maker;
  market.book.reduce(maker.slot, quantity);
  applyFill(state, maker, { tradeId, price, quantity, liquidity: 'maker' });
  if (maker.leavesQty === 0) state.ledger.unpledge(maker);
  else state.ledger.repledge(maker);
  emitBookDelta(state, maker, -quantity);
  const print = { tradeId, ticker: market.ticker, takerSide: taker.side, price, qty: quantity, at: state.now };
  market.lastPrice = price;
  market.lastQty = quantity;
  market.volume = addQty(market.volume, quantity);
  state.tell({ type: 'print', at: state.now, print });
  if (maker.leavesQty === 0) {
    maker.slot = NONE;
    end(state, maker, 'Trade');
  } else state.tellOrder(maker, 'Trade');
  applyFill(state, taker, { tradeId, price, quantity, liquidity: 'taker' });
  state.ledger.reserve(taker.holding);
  market.history.addPrint(print, market.openInterest);
}

interface FillTerms {
  readonly tradeId: TradeId;
  readonly price: Price;
  readonly quantity: Qty;
  readonly liquidity: Liquidity;
}

function applyFill(state: Floor, order: OrderRecord, terms: FillTerms): void {
  const { price, quantity, liquidity } = terms;
  const { holding } = order;
  const fee = state.ledger.bookTrade({ order, price, qty: quantity, liquidity, at: state.now });
  order.leavesQty = subtractQty(order.leavesQty, quantity);
  order.filledQty = addQty(order.filledQty, quantity);
  order.filledNotional = addMoney(order.filledNotional, notional(price, quantity));
  addByLiquidity(order, liquidity, { cost: notional(openingPrice(order.side, price), quantity), fee });
  state.touchAccount(holding.account);
  state.touchHolding(holding);
  state.noteTraded(order, quantity);
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
  state.tell({ type: 'fill', at: state.now, account: holding.account.name, fill: view });
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

/** Shrinks reduce-only orders to what they could still close, after positions have changed. */
export function trimReduceOnly(state: Floor): void {
  for (const holding of state.touchedHoldings) {
    trimSide(state, holding.buys, closableQty(holding, 'buy'));
    trimSide(state, holding.sells, closableQty(holding, 'sell'));
  }
}

function trimSide(state: Floor, orders: readonly OrderRecord[], closable: number): void {
  let left = closable;
  for (const order of orders.filter((each) => each.reduceOnly)) {
    const keptQty = Math.min(left, order.leavesQty);
    left -= keptQty;
    if (keptQty === 0) withdraw(state, order, 'ReduceOnlyCancel');
    else if (keptQty < order.leavesQty) {
      shrink(state, order, qty(order.leavesQty - keptQty));
      state.tellOrder(order, 'ReduceOnlyCancel');
    }
  }
}

/** Every order resting in a market: bids, then asks, each best first. */
export function restingIn({ book }: MarketRecord): OrderRecord[] {
  const orders: OrderRecord[] = [];
  for (const side of [BID, ASK] as const)
    for (let cell = book.firstCell(side); book.hasCell(cell); cell = book.nextCell(side, cell)) {
      for (let slot = book.firstAt(side, cell); slot !== NONE; slot = book.after(slot)) orders.push(book.itemOf(slot));
    }
  return orders;
}

function emitBookDelta(state: Floor, order: OrderRecord, change: number): void {
  const { market, account } = order.holding;
  const side = sideIndex(order.side);
  state.touchMarket(market);
  state.tell({
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
