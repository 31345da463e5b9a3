// Calculates the fees of fills in exact integers. Must never round otherwise than the venue does. Source: the venue's
// fee-rounding rules and fee schedule (quadratic families), as of autumn 2026.
import { assert } from '../base/assert.ts';
import type { Liquidity } from './orders/order.ts';
import {
  EPOCH,
  type Micros,
  type Money,
  PAYOUT,
  type Price,
  type Qty,
  money,
  mulDivCeil,
  mulDivFloor,
} from './units.ts';

/** Fee terms of a market: fee = multiplier · rate · contracts · price · (1 − price). */
export interface FeeSchedule {
  /** Rate of fills that took, in ten-thousandths: 700 is 0.07. */
  readonly takerRate: number;
  /** Rate of fills that rested, in ten-thousandths; 0 where makers pay nothing. */
  readonly makerRate: number;
  /** Multiplier in hundredths: 100 is 1. */
  readonly multiplierPercent: number;
  /** Step to which the fee itself is rounded up, in millionths of a dollar. */
  readonly feeStep: number;
  /** Step to which the change of the balance is rounded down, in millionths of a dollar. */
  readonly balanceStep: number;
}

/** Taker and maker rates of each fee type of the venue, in ten-thousandths: 700 is 0.07. */
export const FEE_RATES = {
  quadratic: { takerRate: 700, makerRate: 0 },
  quadratic_with_maker_fees: { takerRate: 700, makerRate: 175 },
  quadratic_with_combo_maker_fees: { takerRate: 700, makerRate: 350 },
  free: { takerRate: 0, makerRate: 0 },
} as const satisfies Record<string, Pick<FeeSchedule, 'takerRate' | 'makerRate'>>;
/** Name of a fee type whose rates are known: a key of `FEE_RATES`. */
export type FeeType = keyof typeof FEE_RATES;

/** True when the rates of the fee type are known. */
export const isFeeType = (text: string): text is FeeType => Object.hasOwn(FEE_RATES, text);

/** Steps to which fees are rounded up and balances down, from a time on. */
export interface FeeRounding {
  /** Time from which these steps apply. */
  readonly since: Micros;
  /** Step to which a fee is rounded up, in millionths of a dollar. */
  readonly feeStep: Money;
  /** Step to which a balance is rounded down, in millionths of a dollar. */
  readonly balanceStep: Money;
}

/** Rounding of an account that clears directly: fees to $0.000001, balances to $0.0001. */
export const DIRECT_ROUNDING: FeeRounding = { since: EPOCH, feeStep: money(1), balanceStep: money(100) };

/**
 * Clearing of an account: `direct`, as a member of the exchange, or `indirect`, through a member that clears for
 * others. The balance of an account that clears indirectly is in whole cents.
 */
export type ClearingMethod = 'direct' | 'indirect';

/** One cent, in millionths of a dollar. */
const CENT = 10_000;

/** The balance step of an account, given the step of accounts that clear directly. In millionths of a dollar. */
export const balanceStepFor = (directStep: number, clearing: ClearingMethod): number =>
  clearing === 'direct' ? directStep : Math.max(directStep, CENT);

/** The roundings of an account, given those of accounts that clear directly. */
export const roundingsFor = (direct: readonly FeeRounding[], clearing: ClearingMethod): readonly FeeRounding[] =>
  clearing === 'direct'
    ? direct
    : direct.map((rounding) => ({ ...rounding, balanceStep: money(balanceStepFor(rounding.balanceStep, clearing)) }));

/** True when fees or balances are rounded to whole cents or coarser. */
export const isRoundedToCents = ({ feeStep, balanceStep }: Pick<FeeSchedule, 'feeStep' | 'balanceStep'>): boolean =>
  feeStep >= CENT || balanceStep >= CENT;

/** The rounding in force at a time: the last that has begun. `roundings` has the earliest first. */
export const roundingAt = (roundings: readonly FeeRounding[], at: Micros): FeeRounding =>
  roundings.findLast(({ since }) => since <= at) ?? roundings[0] ?? DIRECT_ROUNDING;

/**
 * The fee schedule of a fee type, for `modelFee` and `kellyQty`. A strategy gets the schedule of a market from
 * `view.fees`.
 * @param type the series' own, as the venue names it: `quadratic` charges takers, `free` charges no one, the others
 *   charge makers too.
 * @param multiplierPercent the series' multiplier in hundredths: 100, the default, is 1.
 * @example
 * import { cents, contracts, feeSchedule, modelFee } from 'presage-trading';
 *
 * const schedule = feeSchedule('quadratic');
 * modelFee(schedule, { price: cents(50), qty: contracts(10), liquidity: 'taker' }); // 175000 (17.5 cents)
 */
export const feeSchedule = (
  type: FeeType,
  multiplierPercent = 100,
  { feeStep, balanceStep }: FeeRounding = DIRECT_ROUNDING,
): FeeSchedule => ({ ...FEE_RATES[type], multiplierPercent, feeStep, balanceStep });

/** A schedule while the venue waives its fees: balances are rounded as before. */
export const waivedFees = (schedule: FeeSchedule): FeeSchedule => ({ ...schedule, takerRate: 0, makerRate: 0 });

/**
 * Once an order has accumulated more rounding than one cent, the venue gives back whole cents. Millionths of a dollar.
 */
const REBATE = CENT;

/** One fill to be charged. */
export interface Chargeable {
  /** Price of the fill on the YES scale, in ten-thousandths of a dollar. */
  readonly price: Price;
  /** Quantity filled, in hundredths of a contract; positive. */
  readonly qty: Qty;
  /** Role that decides the rate: `maker` or `taker`. */
  readonly liquidity: Liquidity;
  /** Signed change of cash before fees. */
  readonly cash: Money;
  /** Rounding accumulated by the order's earlier fills. */
  readonly gathered: Money;
}

/** The fee of a fill, and the rounding that its order has accumulated, this fill included. */
export interface FeeCharge {
  readonly fee: Money;
  readonly gathered: Money;
}

/**
 * The fee of a fill by the schedule's formula, rounded up to the fee step, in millionths of a dollar. The balance is
 * not rounded yet.
 * @example
 * import { cents, contracts, feeSchedule, modelFee } from 'presage-trading';
 *
 * const fill = { price: cents(90), qty: contracts(10), liquidity: 'taker' } as const;
 * modelFee(feeSchedule('quadratic'), fill); // 63000 (6.3 cents)
 * modelFee(feeSchedule('free'), fill); // 0
 */
export function modelFee(schedule: FeeSchedule, fill: Pick<Chargeable, 'price' | 'qty' | 'liquidity'>): Money {
  const rate = fill.liquidity === 'taker' ? schedule.takerRate : schedule.makerRate;
  const curve = schedule.multiplierPercent * rate * fill.price * (PAYOUT - fill.price);
  // hundredths · 1e-4 · 1e-4 · 1e-4 (price squared) · 1e-2 (qty) = 1e-16 dollars = 1e-10 of our millionths
  return money(mulDivCeil(curve, fill.qty, 10_000_000_000 * schedule.feeStep) * schedule.feeStep);
}

/** The parts in which a quantity may be filled. Hundredths of a contract. */
export interface FillParts {
  /** Every part is a multiple of this. */
  readonly qtyStep: number;
  /** The smallest part. */
  readonly fillMin: number;
}

/**
 * The most that a quantity may be charged at a price, in however many parts it is filled. Each fee is rounded up to the
 * fee step, and the balance down to the balance step. The venue pays rounding back, but perhaps too late to be counted.
 */
export function feeMax(
  schedule: FeeSchedule,
  { price, qty, liquidity }: Pick<Chargeable, 'price' | 'qty' | 'liquidity'>,
  { qtyStep, fillMin }: FillParts,
): Money {
  const fee = modelFee(schedule, { price, qty, liquidity });
  if (fee === 0 && (price * qtyStep) % schedule.balanceStep === 0) return fee;
  return money(fee + Math.ceil(qty / fillMin) * (schedule.feeStep + schedule.balanceStep));
}

/**
 * The fee of a fill: the formula's fee, plus the amount that rounds the balance down to its step, less a rebate. The
 * rebate is whole cents, once the order has accumulated more than a cent of rounding. The fee is never negative: a
 * larger rebate waits for a later fill.
 * @throws {AssertionFault} when the quantity is not positive.
 */
export function chargeFill(schedule: FeeSchedule, fill: Chargeable): FeeCharge {
  assert(fill.qty > 0, `cannot charge a fill of qty ${fill.qty}`);
  const fee = modelFee(schedule, fill);
  const change = fill.cash - fee;
  const rounding = change - mulDivFloor(change, 1, schedule.balanceStep) * schedule.balanceStep;
  const gathered = fill.gathered + rounding;
  const charged = fee + rounding;
  const rebate = REBATE * Math.min(rebatesDue(gathered), mulDivFloor(charged, 1, REBATE));
  return { fee: money(charged - rebate), gathered: money(gathered - rebate) };
}

/** Number of whole cents that bring accumulated rounding down to one cent or less. */
const rebatesDue = (gathered: number): number => Math.max(0, mulDivCeil(gathered, 1, REBATE) - 1);
