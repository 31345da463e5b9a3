// Invariants of the exchange, recomputed from scratch, for restored images, tests and diagnosis. A step itself checks
// only what it marked, and the sum of all cash.
import { assert } from '../../base/assert.ts';
import { cellOf } from '../../domain/price-grid.ts';
import { PAYOUT } from '../../domain/units.ts';
import type { ExchangeState } from './exchange-state.ts';
import { sideIndexOf } from './match-plan.ts';
import { requiredFor } from '../accounts/exchange-collateral.ts';
import type { Account, Holding, MarketRecord } from './exchange-records.ts';
import { restingOrdersIn } from './resting-orders.ts';

/**
 * Checks the whole state.
 * @throws {AssertionFault} at the first check that fails.
 */
export function auditState(state: ExchangeState): void {
  state.ledger.assertConserved();
  let locked = 0;
  for (const market of state.markets.values()) {
    auditMarket(market);
    locked += market.pool.cash;
  }
  assert(locked === state.ledger.locked, `pools hold ${locked}, the ledger says ${state.ledger.locked}`);
  for (const account of state.ledger.accounts) auditAccount(account);
}

function auditMarket(market: MarketRecord): void {
  const { book, ticker } = market;
  assert(book.bestBid < book.bestAsk, `the book of ${ticker} is crossed`);
  const resting = restingOrdersIn(market);
  assert(resting.length === book.size, `the book of ${ticker} lists ${resting.length} of ${book.size} orders`);
  assert(resting.length === 0 || ['active', 'inactive'].includes(market.status), `${ticker} is over but orders rest`);
  const totals = new Map<number, number>();
  for (const order of resting) {
    const level = sideIndexOf(order.side) * book.cellCount + cellOf(market.grid, order.price);
    totals.set(level, (totals.get(level) ?? 0) + order.leavesQty);
    assert(order.status === 'resting' && order.holding.market === market, `${order.orderId} rests in error`);
    assert(book.leavesOf(order.slot) === order.leavesQty, `${order.orderId} differs from its place in the book`);
  }
  for (const [level, total] of totals) {
    const side = level < book.cellCount ? 0 : 1;
    assert(book.totalAt(side, level % book.cellCount) === total, `a level of ${ticker} does not add up`);
  }
  let yes = 0;
  let no = 0;
  for (const holding of market.holders) {
    yes += holding.yes.qty;
    no += holding.no.qty;
  }
  assert(yes === no && yes === market.openInterest, `${ticker} has ${yes} YES and ${no} NO`);
  assert(market.pool.cash === yes * PAYOUT, `${ticker} does not hold one dollar per pair`);
}

function auditAccount(account: Account): void {
  let reserved = 0;
  let orders = 0;
  for (const holding of account.holdings.values()) {
    auditHolding(holding);
    reserved += holding.reserved;
    orders += holding.buys.length + holding.sells.length;
  }
  assert(reserved === account.reserved, `account ${account.name} reserves ${account.reserved}, not ${reserved}`);
  assert(orders === account.resting.size, `account ${account.name} has orders without reserved collateral`);
  assert(account.cash >= account.reserved, `account ${account.name} has reserved more than its cash`);
  for (const { orderId, groupId } of account.resting.values()) {
    const isHeld = groupId === null || account.orderGroups.get(groupId)?.isArmed === true;
    assert(isHeld, `order ${orderId} rests in a group that takes none`);
  }
}

function auditHolding(holding: Holding): void {
  const { yes, no } = holding;
  assert(yes.qty >= 0 && no.qty >= 0 && (yes.qty === 0 || no.qty === 0), `${holding.account.name} holds a pair`);
  assert(yes.cost >= 0 && no.cost >= 0, `${holding.account.name} holds at a negative cost`);
  let gross = 0;
  for (const order of [...holding.buys, ...holding.sells]) {
    const need = requiredFor(order, order.leavesQty, { holding, liquidity: 'maker' });
    assert(need === order.pledged, `${order.orderId} reserves ${order.pledged}, not ${need}`);
    gross += need;
  }
  assert(gross === holding.grossBuys + holding.grossSells, `${holding.account.name} reserves do not add up`);
  assert(holding.reserved <= gross, `${holding.account.name} reserves more than its orders need`);
}
