// A position, and how trades and settlements change it and the cash. YES is positive, NO negative. Buying the other
// outcome closes contracts: each pair of YES and NO returns a dollar.
import { assert } from '../base/assert.ts';
import { type Side, signOf } from './orders/order.ts';
import { type Money, NO_MONEY, NO_QTY, PAYOUT, type Price, type Qty, money, mulDivFloor, qty } from './units.ts';

/** Position in one market: signed quantity, its cost, realized profit and fees. */
export interface Position {
  /** Signed: + YES, − NO. */
  readonly qty: Qty;
  /** Cost of the open quantity: YES at its price, NO at the complement. Never negative. */
  readonly cost: Money;
  /** Profit on everything closed or settled, before fees. */
  readonly realized: Money;
  /** Fees of every fill. */
  readonly fees: Money;
}

export const FLAT: Position = { qty: NO_QTY, cost: NO_MONEY, realized: NO_MONEY, fees: NO_MONEY };

/** Terms of a fill. */
export interface Trade {
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
}

/** The quantity held before a trade, given the quantity right after it. */
export const heldBefore = (held: Qty, { side, qty: traded }: Pick<Trade, 'side' | 'qty'>): Qty =>
  qty(held - signOf(side) * traded);

/** The quantity of a trade that closes the position; the rest opens a new position. */
export function closingQty(held: Qty, trade: Pick<Trade, 'side' | 'qty'>): Qty {
  const against = trade.side === 'buy' ? -held : held;
  return qty(Math.max(0, Math.min(trade.qty, against)));
}

/**
 * Cost of one contract that a side acquires, in ten-thousandths of a dollar: a buy pays the price, a sell pays the
 * complement.
 * @example
 * import { cents, openingPrice } from 'presage-trading';
 *
 * openingPrice('buy', cents(42)); // 4200
 * openingPrice('sell', cents(42)); // 5800
 */
export const openingPrice = (side: Side, p: Price): Price => (side === 'buy' ? p : ((PAYOUT - p) as Price));

/**
 * Change of cash by a trade, before fees. Contracts that close return the price of the outcome held; contracts that
 * open cost the price of the outcome acquired.
 */
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
  assert(trade.qty > 0, `trade of qty ${trade.qty}`);
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

/**
 * The value of a position when YES is worth a price, in millionths of a dollar. A NO position is worth the complement.
 * Never negative.
 * @throws {AssertionFault} when the value leaves the safe integers.
 * @example
 * import { cents, contracts, valueOf } from 'presage-trading';
 *
 * valueOf(contracts(10), cents(60)); // 6000000 (10 YES)
 * valueOf(contracts(-10), cents(60)); // 4000000 (10 NO)
 */
export const valueOf = (held: Qty, yes: Price): Money => money(held >= 0 ? held * yes : -held * (PAYOUT - yes));

/** Cash paid by settlement. */
export const payout = (held: Qty, settlementValue: Price): Money => valueOf(held, settlementValue);

/** The position after settlement. It is flat, and its profit is realized. */
export function afterSettlement(position: Position, settlementValue: Price): Position {
  const paid = payout(position.qty, settlementValue);
  return { ...position, qty: NO_QTY, cost: NO_MONEY, realized: money(position.realized + paid - position.cost) };
}

/** Terms of a resting or possible order, for collateral. */
export interface CollateralTerms {
  readonly side: Side;
  readonly price: Price;
  /** Quantity that may still fill. */
  readonly leavesQty: Qty;
}

/**
 * Cash reserved for the orders of one market, before fees. A contract that opens reserves its cost; a contract that
 * closes reserves nothing. The position is set against the cheapest orders, so the sum is enough whichever order fills
 * first.
 */
export function collateral(held: Qty, pledges: readonly CollateralTerms[]): Money {
  return money(sideCollateral(held, pledges, 'buy') + sideCollateral(held, pledges, 'sell'));
}

function sideCollateral(held: Qty, pledges: readonly CollateralTerms[], side: Side): number {
  let total = 0;
  let cover = Math.max(0, side === 'buy' ? -held : held);
  if (cover === 0) {
    // The position covers nothing, so no sorting is needed.
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
