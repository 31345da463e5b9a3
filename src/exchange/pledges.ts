// What an account's resting orders in one market require it to keep: the worst that their fills could cost, fees and
// rounding included, less what is covered by contracts it holds. Computes only; the ledger keeps the result.
import { type FeeSchedule, balanceStepOf, modelFee } from '../domain/fees.ts';
import type { Liquidity, Side } from '../domain/order.ts';
import { openingPrice } from '../domain/position.ts';
import { type Money, NO_MONEY, NO_QTY, type Price, type Qty, money, qty } from '../domain/units.ts';
import type { Holding, OrderRecord } from './records.ts';

/** An order's terms, as far as they matter for collateral. */
export interface Pledgeable {
  readonly side: Side;
  readonly price: Price;
  readonly leavesQty: Qty;
}

/** Where and for whom an order would be filled, and how it would be charged. */
export interface Terms {
  readonly holding: Holding;
  readonly liquidity: Liquidity;
}

/** How the fills of an account are charged in a market: with the balance of the account kept as it clears. */
export function scheduleFor({ account: { clearing }, market: { schedule } }: Holding): FeeSchedule {
  const balanceStep = balanceStepOf(schedule.balanceStep, clearing);
  return balanceStep === schedule.balanceStep ? schedule : { ...schedule, balanceStep };
}

/**
 * The most that a quantity of an order can take from cash, however its fills are cut. Fills at better prices take
 * less: the fee never grows as fast as the price falls.
 */
export function needOf(order: Pledgeable, quantity: Qty, { holding, liquidity }: Terms): Money {
  if (quantity === 0) return NO_MONEY;
  const each = openingPrice(order.side, order.price);
  const step = holding.market.definition.qtyStep;
  const schedule = scheduleFor(holding);
  const fee = modelFee(schedule, { price: order.price, qty: quantity, liquidity });
  const fillsMax = Math.ceil(quantity / step);
  const isExact = isFree(schedule, liquidity) && (each * step) % schedule.balanceStep === 0;
  // Each fill's fee is rounded up to its step and its balance floored to its own; cents given back may come too late.
  const rounding = isExact ? 0 : fillsMax * (schedule.feeStep + schedule.balanceStep);
  return money(each * quantity + fee + rounding);
}

function isFree(schedule: FeeSchedule, liquidity: Liquidity): boolean {
  return schedule.multiplierPercent === 0 || (liquidity === 'taker' ? schedule.takerRate : schedule.makerRate) === 0;
}

/** A side's orders with one left out and one put in. */
export interface Hypothesis {
  readonly without: OrderRecord | null;
  readonly candidate: Pledgeable;
}

/** What one side's resting orders need, given what is held. */
export function sideNeed(holding: Holding, side: Side): Money {
  const orders = side === 'buy' ? holding.buys : holding.sells;
  const gross = side === 'buy' ? holding.grossBuys : holding.grossSells;
  return money(gross - relief(holding, { side, orders, taker: null }));
}

/** What a side would need under a hypothesis: the candidate is charged as a taker, for it may cross. */
export function hypotheticalNeed(holding: Holding, { without, candidate }: Hypothesis): Money {
  const { side } = candidate;
  const gross = side === 'buy' ? holding.grossBuys : holding.grossSells;
  const added = needOf(candidate, candidate.leavesQty, { holding, liquidity: 'taker' });
  const sum = gross - (without?.pledged ?? 0) + added;
  if (coverOf(holding, side) === 0) return money(sum);
  const orders: Pledgeable[] = (side === 'buy' ? holding.buys : holding.sells).filter((order) => order !== without);
  orders.splice(placeOf(orders, candidate), 0, candidate);
  return money(sum - relief(holding, { side, orders, taker: candidate }));
}

/** What is held of the outcome a side gives up: selling YES needs no cash while YES is held. */
export const coverOf = (holding: Holding, side: Side): Qty => (side === 'buy' ? holding.no.qty : holding.yes.qty);

/** One side's orders, and which of them is only coming in. */
interface Line {
  readonly side: Side;
  readonly orders: readonly Pledgeable[];
  readonly taker: Pledgeable | null;
}

/**
 * What holdings save. They cover the best-priced orders first: those fill first and need most, and what a covered
 * fill brings in is never less than what uncovering the next order takes.
 */
function relief(holding: Holding, { side, orders, taker }: Line): number {
  let cover: number = coverOf(holding, side);
  let saved = 0;
  for (const order of orders) {
    if (cover <= 0) break;
    const covered = Math.min(cover, order.leavesQty);
    const terms: Terms = { holding, liquidity: order === taker ? 'taker' : 'maker' };
    const full = needOf(order, order.leavesQty, terms);
    saved += full - needOf(order, qty(order.leavesQty - covered), terms);
    cover -= covered;
  }
  return saved;
}

/** Where an order belongs among the resting ones of its side: behind all that are as good or better. */
export function placeOf(orders: readonly Pledgeable[], order: Pledgeable): number {
  const isWorse = (other: Pledgeable): boolean =>
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

/** How much of a side would only shrink the position. */
export const closableQty = (holding: Holding | undefined, side: Side): Qty =>
  holding === undefined ? NO_QTY : coverOf(holding, side);
