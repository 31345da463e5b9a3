// What a fill is charged. Exact integers, rounded only where the venue rounds, and always the venue's way.
// Source: the venue's fee-rounding rules and fee schedule (quadratic families), state of autumn 2026.
import { assert } from './assert.ts';
import type { Liquidity } from './order.ts';
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

/** How a market's trades are charged: fee = multiplier · rate · contracts · price · (1 − price). */
export interface FeeSchedule {
  /** Rates in ten-thousandths: 700 is 0.07. */
  readonly takerRate: number;
  readonly makerRate: number;
  /** The multiplier in hundredths: 100 is 1. */
  readonly multiplierPercent: number;
  /** The fee itself is rounded up to this step, in millionths of a dollar. */
  readonly feeStep: number;
  /** The change of the balance is floored to this step, in millionths of a dollar. */
  readonly balanceStep: number;
}

/** Named rates of the venue's schedule, in ten-thousandths. */
export const FEE_RATES = {
  quadratic: { takerRate: 700, makerRate: 0 },
  quadratic_with_maker_fees: { takerRate: 700, makerRate: 175 },
  quadratic_with_combo_maker_fees: { takerRate: 700, makerRate: 350 },
  free: { takerRate: 0, makerRate: 0 },
} as const satisfies Record<string, Pick<FeeSchedule, 'takerRate' | 'makerRate'>>;
export type FeeType = keyof typeof FEE_RATES;

/** Whether we know how trades of a type are charged. */
export const isFeeType = (text: string): text is FeeType => Object.hasOwn(FEE_RATES, text);

/** To what a fee is rounded up and a balance down, from a time on. */
export interface FeeRounding {
  readonly since: Micros;
  readonly feeStep: Money;
  readonly balanceStep: Money;
}

/** An account's that clears directly: fees to $0.000001, balances to $0.0001. */
export const DIRECT_ROUNDING: FeeRounding = { since: EPOCH, feeStep: money(1), balanceStep: money(100) };

/**
 * How an account clears: `direct`, as a member of the exchange, or `indirect`, through a member that does it for others.
 * The balance of an account that clears indirectly is kept in whole cents.
 */
export type Clearing = 'direct' | 'indirect';

/** One cent, in millionths of a dollar. */
const CENT = 10_000;

/** The balance step of an account, given that of accounts that clear directly. Millionths of a dollar. */
export const balanceStepOf = (directStep: number, clearing: Clearing): number =>
  clearing === 'direct' ? directStep : Math.max(directStep, CENT);

/** The roundings of an account, given those of accounts that clear directly. */
export const roundingsOf = (direct: readonly FeeRounding[], clearing: Clearing): readonly FeeRounding[] =>
  clearing === 'direct'
    ? direct
    : direct.map((rounding) => ({ ...rounding, balanceStep: money(balanceStepOf(rounding.balanceStep, clearing)) }));

/** Whether fees or balances are rounded to whole cents or coarser. */
export const isRoundedToCents = ({ feeStep, balanceStep }: Pick<FeeSchedule, 'feeStep' | 'balanceStep'>): boolean =>
  feeStep >= CENT || balanceStep >= CENT;

/** The rounding that holds at a time: the last that has begun. They are in the order of their beginning. */
export const roundingAt = (roundings: readonly FeeRounding[], at: Micros): FeeRounding =>
  roundings.findLast(({ since }) => since <= at) ?? roundings[0] ?? DIRECT_ROUNDING;

/**
 * The schedule of a fee type.
 * @param type the series' own, as the venue names it: `quadratic` charges takers, `free` nobody, the others makers too.
 * @param multiplierPercent the series' multiplier in hundredths: 100, the default, is 1.
 */
export const feeSchedule = (
  type: FeeType,
  multiplierPercent = 100,
  { feeStep, balanceStep }: FeeRounding = DIRECT_ROUNDING,
): FeeSchedule => ({ ...FEE_RATES[type], multiplierPercent, feeStep, balanceStep });

/** A schedule while the venue waives its fees: balances are rounded as ever. */
export const waived = (schedule: FeeSchedule): FeeSchedule => ({ ...schedule, takerRate: 0, makerRate: 0 });

/** Over this much gathered rounding in one order, the venue gives a cent back. Millionths of a dollar. */
const REBATE = CENT;

/** One fill to be charged. */
export interface Chargeable {
  readonly price: Price;
  readonly qty: Qty;
  readonly liquidity: Liquidity;
  /** What the trade does to cash before fees, signed. */
  readonly cash: Money;
  /** Rounding gathered by the order's earlier fills. */
  readonly gathered: Money;
}

/** The fee of a fill, and the rounding its order has gathered since. */
export interface Charge {
  readonly fee: Money;
  readonly gathered: Money;
}

/** The fee by the formula, rounded up to the schedule's step; before the rounding of the balance. */
export function modelFee(schedule: FeeSchedule, fill: Pick<Chargeable, 'price' | 'qty' | 'liquidity'>): Money {
  const rate = fill.liquidity === 'taker' ? schedule.takerRate : schedule.makerRate;
  const curve = schedule.multiplierPercent * rate * fill.price * (PAYOUT - fill.price);
  // hundredths · 1e-4 · 1e-4 · 1e-4 (price squared) · 1e-2 (qty) = 1e-16 dollars = 1e-10 of our millionths
  return money(mulDivCeil(curve, fill.qty, 10_000_000_000 * schedule.feeStep) * schedule.feeStep);
}

/**
 * The fee of a fill: the model's, plus what floors the balance to its step, less whole cents while the order has
 * gathered more than a cent of such rounding. Never negative: a rebate above what the fill is charged is kept for a
 * later fill.
 * @throws {AssertionFault} when the quantity is not positive.
 */
export function chargeFill(schedule: FeeSchedule, fill: Chargeable): Charge {
  assert(fill.qty > 0, `cannot charge a fill of qty ${fill.qty}`);
  const fee = modelFee(schedule, fill);
  const change = fill.cash - fee;
  const rounding = change - mulDivFloor(change, 1, schedule.balanceStep) * schedule.balanceStep;
  const gathered = fill.gathered + rounding;
  const charged = fee + rounding;
  const rebate = REBATE * Math.min(rebatesDue(gathered), mulDivFloor(charged, 1, REBATE));
  return { fee: money(charged - rebate), gathered: money(gathered - rebate) };
}

/** How many rebates bring gathered rounding down to the cent it may reach. */
const rebatesDue = (gathered: number): number => Math.max(0, mulDivCeil(gathered, 1, REBATE) - 1);
