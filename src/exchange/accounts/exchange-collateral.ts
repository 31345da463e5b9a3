// Collateral that an account's resting orders in one market require: their highest possible cost, less what held
// contracts cover. Must never store a result.
import { type FeeSchedule, balanceStepFor, feeMax } from '../../domain/fee-schedule.ts';
import type { Liquidity, Side } from '../../domain/orders/order.ts';
import { openingPrice } from '../../domain/position.ts';
import { type Money, NO_MONEY, NO_QTY, type Price, type Qty, money, qty } from '../../domain/units.ts';
import type { Holding, OrderRecord } from '../machine/exchange-records.ts';

/** The terms of an order that determine its collateral. */
export interface CollateralTerms {
  readonly side: Side;
  readonly price: Price;
  readonly leavesQty: Qty;
}

/** The holding and liquidity of a hypothetical fill, which determine its fee. */
export interface FillContext {
  readonly holding: Holding;
  readonly liquidity: Liquidity;
}

/**
 * Fee schedule of an account's fills in a market. An account that does not clear directly has its balance rounded to at
 * least a cent (the balance step).
 */
export function feeScheduleFor({ account: { clearing }, market: { schedule } }: Holding): FeeSchedule {
  const balanceStep = balanceStepFor(schedule.balanceStep, clearing);
  return balanceStep === schedule.balanceStep ? schedule : { ...schedule, balanceStep };
}

/** The most cash that a quantity of an order can cost, however its fills are split. */
export function requiredFor(order: CollateralTerms, quantity: Qty, { holding, liquidity }: FillContext): Money {
  if (quantity === 0) return NO_MONEY;
  const each = openingPrice(order.side, order.price);
  const step = holding.market.definition.qtyStep;
  // A side's price and its complement have the same fee.
  const fill = { price: each, qty: quantity, liquidity };
  return money(each * quantity + feeMax(feeScheduleFor(holding), fill, { qtyStep: step, fillMin: step }));
}

/** A side's orders with one removed and one added. */
export interface HypotheticalOrder {
  readonly without: OrderRecord | null;
  readonly candidate: CollateralTerms;
}

/** Collateral that one side's resting orders require at the current position. */
export function requiredForSide(holding: Holding, side: Side): Money {
  const orders = side === 'buy' ? holding.buys : holding.sells;
  const gross = side === 'buy' ? holding.grossBuys : holding.grossSells;
  return money(gross - savingOf(holding, { side, orders, taker: null }));
}

/**
 * Collateral that a side would require with a hypothetical order. The order is charged as a taker, because it may
 * cross.
 */
export function requiredWith(holding: Holding, { without, candidate }: HypotheticalOrder): Money {
  const { side } = candidate;
  const gross = side === 'buy' ? holding.grossBuys : holding.grossSells;
  const added = requiredFor(candidate, candidate.leavesQty, { holding, liquidity: 'taker' });
  const sum = gross - (without?.pledged ?? 0) + added;
  if (coveringQty(holding, side) === 0) return money(sum);
  const orders: CollateralTerms[] = (side === 'buy' ? holding.buys : holding.sells).filter(
    (order) => order !== without,
  );
  orders.splice(priorityIndex(orders, candidate), 0, candidate);
  return money(sum - savingOf(holding, { side, orders, taker: candidate }));
}

/** Held quantity of the outcome that a side gives up. Selling YES needs no cash while YES is held. */
export const coveringQty = (holding: Holding, side: Side): Qty => (side === 'buy' ? holding.no.qty : holding.yes.qty);

interface Line {
  readonly side: Side;
  readonly orders: readonly CollateralTerms[];
  readonly taker: CollateralTerms | null;
}

/**
 * Collateral saved by held contracts. They cover the best-priced orders first, because these fill first and require
 * most.
 */
function savingOf(holding: Holding, { side, orders, taker }: Line): number {
  let cover: number = coveringQty(holding, side);
  let saved = 0;
  for (const order of orders) {
    if (cover <= 0) break;
    const covered = Math.min(cover, order.leavesQty);
    const terms: FillContext = { holding, liquidity: order === taker ? 'taker' : 'maker' };
    const full = requiredFor(order, order.leavesQty, terms);
    saved += full - requiredFor(order, qty(order.leavesQty - covered), terms);
    cover -= covered;
  }
  return saved;
}

/** Index of an order among the resting orders of its side. Orders with an equal or better price come first. */
export function priorityIndex(orders: readonly CollateralTerms[], order: CollateralTerms): number {
  const isWorse = (other: CollateralTerms): boolean =>
    order.side === 'buy' ? other.price < order.price : other.price > order.price;
  let low = 0;
  let high = orders.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = orders[middle];
    if (other !== undefined && isWorse(other)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Largest quantity that a side can trade without going beyond flat. */
export const closableQty = (holding: Holding | undefined, side: Side): Qty =>
  holding === undefined ? NO_QTY : coveringQty(holding, side);
