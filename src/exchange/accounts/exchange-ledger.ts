// The double-entry ledger: cash only moves from one holder to another. Each market's pool holds a dollar per open pair
// (one YES and one NO contract). The engine's figures are checked against it. Must never use the engine's accounting.
import { assert } from '../../base/assert.ts';
import { chargeFill, waivedFees } from '../../domain/fee-schedule.ts';
import type { Liquidity, Side } from '../../domain/orders/order.ts';
import { openingPrice } from '../../domain/position.ts';
import {
  EPOCH,
  type Micros,
  type Money,
  NO_MONEY,
  NO_QTY,
  PAYOUT,
  type Price,
  type Qty,
  addMoney,
  addQty,
  money,
  mulDivFloor,
  notional,
  qty,
  subtractMoney,
  subtractQty,
} from '../../domain/units.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import {
  type HypotheticalOrder,
  requiredWith,
  requiredFor,
  priorityIndex,
  feeScheduleFor,
  requiredForSide,
} from './exchange-collateral.ts';
import type {
  Account,
  Holding,
  OutcomeLeg,
  MarketRecord,
  OrderRecord,
  CashHolder,
} from '../machine/exchange-records.ts';

/** One order's side of a trade. */
export interface TradeSide {
  readonly order: OrderRecord;
  readonly price: Price;
  readonly qty: Qty;
  readonly liquidity: Liquidity;
  readonly at: Micros;
}

/** All accounts, their cash and their holdings. */
export class ExchangeLedger {
  readonly #accounts = new Map<AccountName, Account>();
  /** The source of deposits; its cash is minus everything ever deposited. */
  readonly outside: CashHolder = { cash: NO_MONEY };
  readonly house: CashHolder = { cash: NO_MONEY };
  #locked: Money = NO_MONEY;

  get accounts(): Iterable<Account> {
    return this.#accounts.values();
  }

  /** Dollars that back open pairs, over all markets. */
  get locked(): Money {
    return this.#locked;
  }

  account(name: AccountName): Account | undefined {
    return this.#accounts.get(name);
  }

  openAccount(
    name: AccountName,
    { keepsHistory, clearing = 'direct' }: Pick<Account, 'keepsHistory'> & Partial<Pick<Account, 'clearing'>>,
  ): Account {
    assert(!this.#accounts.has(name), `account ${name} is already open`);
    const account: Account = {
      name,
      keepsHistory,
      clearing,
      cash: NO_MONEY,
      reserved: NO_MONEY,
      deposited: NO_MONEY,
      fees: NO_MONEY,
      holdings: new Map(),
      orders: new Map(),
      resting: new Map(),
      finished: [],
      fills: [],
      settlements: [],
      burnt: new Set(),
      orderGroups: new Map(),
      transfers: new Map(),
    };
    this.#accounts.set(name, account);
    return account;
  }

  depositCash(account: Account, amount: Money): void {
    assert(amount > 0, `deposit of ${amount}`);
    this.#moveCash(this.outside, account, amount);
    account.deposited = addMoney(account.deposited, amount);
  }

  /** Moves cash between accounts. `deposited` stays the same in both. */
  transferCash(from: Account, to: Account, amount: Money): void {
    assert(amount > 0, `transfer of ${amount}`);
    this.#moveCash(from, to, amount);
  }

  /** The account's holding in a market, created on first use. */
  holdingIn(account: Account, market: MarketRecord): Holding {
    const known = account.holdings.get(market.index);
    if (known !== undefined) return known;
    const holding: Holding = {
      account,
      market,
      yes: { qty: NO_QTY, cost: NO_MONEY },
      no: { qty: NO_QTY, cost: NO_MONEY },
      realized: NO_MONEY,
      fees: NO_MONEY,
      tradedQty: NO_QTY,
      tradedCost: NO_MONEY,
      buys: [],
      sells: [],
      grossBuys: NO_MONEY,
      grossSells: NO_MONEY,
      reserved: NO_MONEY,
      names: [],
      updatedAt: EPOCH,
    };
    account.holdings.set(market.index, holding);
    market.holders.push(holding);
    return holding;
  }

  /**
   * Restores the totals of the house, the deposits and the locked dollars. Accounts and pools must be restored already.
   */
  restoreTotals(
    { house, outside }: { readonly house: Money; readonly outside: Money },
    markets: Iterable<MarketRecord>,
  ): void {
    this.house.cash = house;
    this.outside.cash = outside;
    let locked = 0;
    for (const { pool } of markets) locked += pool.cash;
    this.#locked = money(locked);
  }

  /** Cash missing for a hypothetical order; zero or less when there is enough. */
  shortage(holding: Holding, hypothesis: HypotheticalOrder): Money {
    const other: Side = hypothesis.candidate.side === 'buy' ? 'sell' : 'buy';
    const needed = requiredWith(holding, hypothesis) + requiredForSide(holding, other);
    const { cash, reserved } = holding.account;
    return money(needed - holding.reserved - (cash - reserved));
  }

  reserveForOrder(order: OrderRecord): void {
    const orders = order.side === 'buy' ? order.holding.buys : order.holding.sells;
    orders.splice(priorityIndex(orders, order), 0, order);
    this.updateReserve(order);
  }

  updateReserve(order: OrderRecord): void {
    this.#setPledged(order, requiredFor(order, order.leavesQty, { holding: order.holding, liquidity: 'maker' }));
  }

  releaseReserve(order: OrderRecord): void {
    const orders = order.side === 'buy' ? order.holding.buys : order.holding.sells;
    const place = orders.indexOf(order);
    assert(place >= 0, `order ${order.orderId} has no collateral reserved`);
    orders.splice(place, 1);
    this.#setPledged(order, NO_MONEY);
  }

  /** Applies one order's side of a trade: acquires the outcome, redeems pairs, charges the fee. Returns the fee. */
  applyTrade(leg: TradeSide): Money {
    const { order, liquidity } = leg;
    const { holding } = order;
    const paid = notional(openingPrice(order.side, leg.price), leg.qty);
    const redeemed = this.#acquireOutcome(leg, paid);
    const { market, account } = holding;
    const isWaived = leg.at < (market.definition.feesWaivedUntil ?? 0);
    const schedule = feeScheduleFor(holding);
    const charge = chargeFill(isWaived ? waivedFees(schedule) : schedule, {
      price: leg.price,
      qty: leg.qty,
      liquidity,
      cash: subtractMoney(redeemed, paid),
      gathered: order.gathered,
    });
    this.#moveCash(account, this.house, charge.fee);
    order.gathered = charge.gathered;
    account.fees = addMoney(account.fees, charge.fee);
    holding.fees = addMoney(holding.fees, charge.fee);
    holding.tradedQty = addQty(holding.tradedQty, leg.qty);
    holding.tradedCost = addMoney(holding.tradedCost, paid);
    holding.updatedAt = leg.at;
    return charge.fee;
  }

  payOutHolding(holding: Holding, settlementValue: Price): Money {
    const { yes, no, market, account } = holding;
    const revenue = addMoney(
      notional(settlementValue, yes.qty),
      notional(openingPrice('sell', settlementValue), no.qty),
    );
    this.#movePoolCash(market, account, revenue);
    market.openInterest = subtractQty(market.openInterest, yes.qty);
    holding.realized = money(holding.realized + revenue - yes.cost - no.cost);
    for (const leg of [yes, no]) {
      leg.qty = NO_QTY;
      leg.cost = NO_MONEY;
    }
    return revenue;
  }

  /** Recomputes the collateral required for a holding, after a change of its orders or position. */
  recomputeReserved(holding: Holding): void {
    const needed = addMoney(requiredForSide(holding, 'buy'), requiredForSide(holding, 'sell'));
    holding.account.reserved = money(holding.account.reserved + needed - holding.reserved);
    holding.reserved = needed;
  }

  /**
   * Asserts that cash is conserved.
   * @throws {AssertionFault} when cash, fees and locked dollars do not add up to the deposits.
   */
  assertConserved(): void {
    let sum = this.outside.cash + this.house.cash + this.#locked;
    for (const account of this.#accounts.values()) sum += account.cash;
    assert(sum === 0, `the ledger is ${sum} millionths of a dollar off`);
  }

  #acquireOutcome(leg: TradeSide, paid: Money): Money {
    const { holding, side } = leg.order;
    const { market, account } = holding;
    const [newer, older]: [OutcomeLeg, OutcomeLeg] =
      side === 'buy' ? [holding.yes, holding.no] : [holding.no, holding.yes];
    const yesBefore = holding.yes.qty;
    this.#movePoolCash(market, account, money(-paid));
    const pairs = qty(Math.min(leg.qty, older.qty));
    const released = pairs === older.qty ? older.cost : money(mulDivFloor(older.cost, pairs, older.qty));
    const redeemed = notional(PAYOUT, pairs);
    this.#movePoolCash(market, account, redeemed);
    const pairCost = notional(openingPrice(side, leg.price), pairs);
    older.qty = subtractQty(older.qty, pairs);
    older.cost = subtractMoney(older.cost, released);
    newer.qty = qty(newer.qty + leg.qty - pairs);
    newer.cost = money(newer.cost + paid - pairCost);
    holding.realized = money(holding.realized + redeemed - released - pairCost);
    market.openInterest = qty(market.openInterest + holding.yes.qty - yesBefore);
    return redeemed;
  }

  #setPledged(order: OrderRecord, pledged: Money): void {
    const { holding } = order;
    const change = pledged - order.pledged;
    order.pledged = pledged;
    if (order.side === 'buy') holding.grossBuys = money(holding.grossBuys + change);
    else holding.grossSells = money(holding.grossSells + change);
    this.recomputeReserved(holding);
  }

  #movePoolCash(market: MarketRecord, account: Account, amount: Money): void {
    this.#moveCash(market.pool, account, amount);
    this.#locked = subtractMoney(this.#locked, amount);
  }

  #moveCash(from: CashHolder, to: CashHolder, amount: Money): void {
    from.cash = subtractMoney(from.cash, amount);
    to.cash = addMoney(to.cash, amount);
  }
}

/** Signed position: + YES, − NO. */
export const heldQty = (holding: Holding): Qty => qty(holding.yes.qty - holding.no.qty);
