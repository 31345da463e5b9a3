// What happens to resting orders: put in the book, met, shrunk, withdrawn; book, ledger and facts always together.
// Must never refuse: whoever calls has checked.
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

/** Puts what is left of an order at the back of its queue. */
export function rest(floor: Floor, order: OrderRecord): void {
  const { market, account } = order.holding;
  const level = market.book.levelOf(sideIndex(order.side), cellOf(market.grid, order.price));
  order.slot = market.book.add(level, order.leavesQty, order);
  floor.ledger.pledge(order);
  floor.touchAccount(account);
  tellDelta(floor, order, order.leavesQty);
}

/** Takes an order out of the book, still alive. */
export function lift(floor: Floor, order: OrderRecord): void {
  const { market, account } = order.holding;
  market.book.remove(order.slot);
  order.slot = NONE;
  floor.ledger.unpledge(order);
  floor.touchAccount(account);
  tellDelta(floor, order, -order.leavesQty);
}

/** Cancels a resting order. Returns what was withdrawn. */
export function withdraw(floor: Floor, order: OrderRecord, reason: OrderUpdateReason): Qty {
  const reducedBy = order.leavesQty;
  lift(floor, order);
  end(floor, order, reason);
  return reducedBy;
}

/** Ends an order that does not rest: executed when nothing is left of it, else canceled. */
export function end(floor: Floor, order: OrderRecord, reason: OrderUpdateReason): void {
  order.status = order.leavesQty === 0 ? 'executed' : 'canceled';
  order.leavesQty = NO_QTY;
  rememberFinished(order.holding.account, order);
  floor.tellOrder(order, reason);
}

/** Shrinks a resting order in place: it keeps its turn. */
export function shrink(floor: Floor, order: OrderRecord, by: Qty): void {
  assert(by > 0 && by < order.leavesQty, `cannot shrink ${order.leavesQty} by ${by}`);
  const { market, account } = order.holding;
  market.book.reduce(order.slot, by);
  order.leavesQty = subtractQty(order.leavesQty, by);
  floor.ledger.repledge(order);
  floor.touchAccount(account);
  tellDelta(floor, order, -by);
}

/** Carries a plan out: the incoming order trades with those it meets. */
export function carryOut(floor: Floor, taker: OrderRecord, plan: MatchPlan): void {
  for (const { maker, qty: quantity, thenCancel } of plan.meetings) {
    if (quantity > 0) trade(floor, { taker, maker, quantity });
    if (thenCancel !== null && maker.status === 'resting') withdraw(floor, maker, thenCancel);
  }
}

/** Two orders that meet. */
interface Match {
  readonly taker: OrderRecord;
  readonly maker: OrderRecord;
  readonly quantity: Qty;
}

function trade(floor: Floor, { taker, maker, quantity }: Match): void {
  const { market } = maker.holding;
  const tradeId = floor.nextTradeId();
  const { price } = maker;
  market.book.reduce(maker.slot, quantity);
  fill(floor, maker, { tradeId, price, quantity, liquidity: 'maker' });
  if (maker.leavesQty === 0) floor.ledger.unpledge(maker);
  else floor.ledger.repledge(maker);
  tellDelta(floor, maker, -quantity);
  const print = { tradeId, ticker: market.ticker, takerSide: taker.side, price, qty: quantity, at: floor.now };
  market.lastPrice = price;
  market.lastQty = quantity;
  market.volume = addQty(market.volume, quantity);
  floor.tell({ type: 'print', at: floor.now, print });
  if (maker.leavesQty === 0) {
    maker.slot = NONE;
    end(floor, maker, 'Trade');
  } else floor.tellOrder(maker, 'Trade');
  fill(floor, taker, { tradeId, price, quantity, liquidity: 'taker' });
  floor.ledger.reserve(taker.holding);
  market.history.addPrint(print, market.openInterest);
}

interface FillTerms {
  readonly tradeId: TradeId;
  readonly price: Price;
  readonly quantity: Qty;
  readonly liquidity: Liquidity;
}

function fill(floor: Floor, order: OrderRecord, terms: FillTerms): void {
  const { price, quantity, liquidity } = terms;
  const { holding } = order;
  const fee = floor.ledger.bookTrade({ order, price, qty: quantity, liquidity, at: floor.now });
  order.leavesQty = subtractQty(order.leavesQty, quantity);
  order.filledQty = addQty(order.filledQty, quantity);
  order.filledNotional = addMoney(order.filledNotional, notional(price, quantity));
  addByLiquidity(order, liquidity, { cost: notional(openingPrice(order.side, price), quantity), fee });
  floor.touchAccount(holding.account);
  floor.touchHolding(holding);
  floor.noteTraded(order, quantity);
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
    at: floor.now,
  };
  holding.account.fills.push(view);
  trimOldest(holding.account.fills);
  floor.tell({ type: 'fill', at: floor.now, account: holding.account.name, fill: view });
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

/** Cuts reduce-only orders down to what they could still close, after positions have moved. */
export function trimReduceOnly(floor: Floor): void {
  for (const holding of floor.touchedHoldings) {
    trimSide(floor, holding.buys, closableQty(holding, 'buy'));
    trimSide(floor, holding.sells, closableQty(holding, 'sell'));
  }
}

function trimSide(floor: Floor, orders: readonly OrderRecord[], closable: number): void {
  let left = closable;
  for (const order of orders.filter((each) => each.reduceOnly)) {
    const kept = Math.min(left, order.leavesQty);
    left -= kept;
    if (kept === 0) withdraw(floor, order, 'ReduceOnlyCancel');
    else if (kept < order.leavesQty) {
      shrink(floor, order, qty(order.leavesQty - kept));
      floor.tellOrder(order, 'ReduceOnlyCancel');
    }
  }
}

/** Every order resting in a market: bids from the best, then asks from the best. */
export function restingIn({ book }: MarketRecord): OrderRecord[] {
  const orders: OrderRecord[] = [];
  for (const side of [BID, ASK] as const)
    for (let cell = book.firstCell(side); book.hasCell(cell); cell = book.nextCell(side, cell)) {
      for (let slot = book.firstAt(side, cell); slot !== NONE; slot = book.after(slot)) orders.push(book.itemOf(slot));
    }
  return orders;
}

function tellDelta(floor: Floor, order: OrderRecord, change: number): void {
  const { market, account } = order.holding;
  const side = sideIndex(order.side);
  floor.touchMarket(market);
  floor.tell({
    type: 'book-delta',
    at: floor.now,
    ticker: market.ticker,
    side: side === BID ? 'bid' : 'ask',
    price: order.price,
    change: qty(change),
    total: qty(market.book.totalAt(side, cellOf(market.grid, order.price))),
    owner: { account: account.name, orderId: order.orderId, clientOrderId: order.clientOrderId },
  });
}
