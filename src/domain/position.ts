// A position, and what a trade or a settlement does to it and to cash. + is YES held, − is NO held.
// YES and NO net: buying what closes the other side returns the dollar the pair is worth.
import { assert } from './assert.ts';
import { type Side, signOf } from './order.ts';
import { type Money, NO_MONEY, NO_QTY, PAYOUT, type Price, type Qty, money, mulDivFloor, qty } from './units.ts';

/** What is held in one market. */
export interface Position {
  /** Signed: + YES, − NO. */
  readonly qty: Qty;
  /** What the open quantity cost: YES at its price, NO at the complement. Never negative. */
  readonly cost: Money;
  /** Profit of what was closed or settled, before fees. */
  readonly realized: Money;
  /** Fees of every fill. */
  readonly fees: Money;
}

export const FLAT: Position = { qty: NO_QTY, cost: NO_MONEY, realized: NO_MONEY, fees: NO_MONEY };

/** A fill's terms. */
export interface Trade {
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
}

/** How much of a trade closes what is held; the rest opens. */
export function closingQty(held: Qty, trade: Pick<Trade, 'side' | 'qty'>): Qty {
  const against = trade.side === 'buy' ? -held : held;
  return qty(Math.max(0, Math.min(trade.qty, against)));
}

/** What one contract of the outcome a side acquires costs: buying pays the price, selling pays the complement. */
export const openingPrice = (side: Side, p: Price): Price => (side === 'buy' ? p : ((PAYOUT - p) as Price));

/** What a trade does to cash before fees: closing returns the outcome's price, opening pays for the new one. */
export function cashOfTrade(held: Qty, trade: Trade): Money {
  const closed = closingQty(held, trade);
  const paid = openingPrice(trade.side, trade.price);
  return money((PAYOUT - paid) * closed - paid * (trade.qty - closed));
}

/**
 * The position after a trade.
 * @throws {AssertionFault} when the quantity is not positive.
 */
export function afterTrade(position: Position, trade: Trade & { readonly fee: Money }): Position {
  assert(trade.qty > 0, `a trade of qty ${trade.qty}`);
  const closed = closingQty(position.qty, trade);
  const paid = openingPrice(trade.side, trade.price);
  const held = Math.abs(position.qty);
  const released = closed === 0 ? 0 : closed === held ? position.cost : mulDivFloor(position.cost, closed, held);
  return {
    qty: qty(position.qty + signOf(trade.side) * trade.qty),
    cost: money(position.cost - released + paid * (trade.qty - closed)),
    realized: money(position.realized + (PAYOUT - paid) * closed - released),
    fees: money(position.fees + trade.fee),
  };
}

/** What a position is worth when YES is worth a price. */
export const valueOf = (held: Qty, yes: Price): Money => money(held >= 0 ? held * yes : -held * (PAYOUT - yes));

/** What settlement pays. */
export const payout = (held: Qty, settlementValue: Price): Money => valueOf(held, settlementValue);

/** The position after settlement: flat, its profit realized. */
export function afterSettlement(position: Position, settlementValue: Price): Position {
  const paid = payout(position.qty, settlementValue);
  return { ...position, qty: NO_QTY, cost: NO_MONEY, realized: money(position.realized + paid - position.cost) };
}

/** A resting or possible order's terms, for collateral. */
export interface Pledge {
  readonly side: Side;
  readonly price: Price;
  /** What may still trade. */
  readonly leavesQty: Qty;
}

/**
 * Cash that must stand behind the orders of one market, before fees: each opening contract at its price, closing
 * ones free. What is held covers the orders that need the least, so the sum holds whichever fills first.
 */
export function collateral(held: Qty, pledges: readonly Pledge[]): Money {
  return money(sideCollateral(held, pledges, 'buy') + sideCollateral(held, pledges, 'sell'));
}

function sideCollateral(held: Qty, pledges: readonly Pledge[], side: Side): number {
  let total = 0;
  let cover = Math.max(0, side === 'buy' ? -held : held);
  if (cover === 0) {
    // Nothing is covered: in whatever order.
    for (const pledge of pledges)
      if (pledge.side === side) total += openingPrice(side, pledge.price) * pledge.leavesQty;
    return total;
  }
  const costs = pledges
    .filter((pledge) => pledge.side === side)
    .map((pledge) => ({ each: openingPrice(side, pledge.price), leaves: pledge.leavesQty }))
    .sort((a, b) => a.each - b.each);
  for (const { each, leaves } of costs) {
    const covered = Math.min(cover, leaves);
    cover -= covered;
    total += each * (leaves - covered);
  }
  return total;
}
