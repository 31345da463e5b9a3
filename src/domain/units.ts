// The units of the trade as branded safe integers, and the only arithmetic that mixes them.
// Must never round, and must never pass through floating point: strings become integers digit by digit.
import { AssertionFault, assert } from '../base/assert.ts';
import type { id } from './ids.ts';

declare const unit: unique symbol;

/** Ten-thousandths of a dollar, 0 to 10 000, on the YES scale of a market. */
export type Price = number & { readonly [unit]: 'price' };
/** Price of NO, in ten-thousandths of a dollar: the complement of a price. No order is given at one. */
export type NoPrice = number & { readonly [unit]: 'no-price' };
/** Hundredths of a contract. Signed for a change or a position. */
export type Qty = number & { readonly [unit]: 'qty' };
/** Millionths of a dollar, signed. */
export type Money = number & { readonly [unit]: 'money' };
/** A probability, 0 to 1: a ratio in floating point, never money. */
export type Probability = number & { readonly [unit]: 'probability' };
/** Microseconds since the Unix epoch. */
export type Micros = number & { readonly [unit]: 'micros' };
/** Microseconds between two times. */
export type Duration = number & { readonly [unit]: 'duration' };
/**
 * A number without a unit, as arithmetic or a config gives it. Units are made only from such numbers: one unit cannot
 * be made from another by mistake.
 */
export type Bare = number & { readonly [unit]?: never; readonly [id]?: never };

/** Payout of a winning contract, as a price: one dollar. */
export const PAYOUT = 10_000 as Price;
/** Decimals carried by each unit, in dollars or contracts. */
export const PRICE_DECIMALS = 4;
export const QTY_DECIMALS = 2;
export const MONEY_DECIMALS = 6;
/** Price units in a cent. */
export const PRICE_PER_CENT = 100;
/** Money units in a cent. */
export const MONEY_PER_CENT = 10_000;
/** Quantity units in a contract. */
export const QTY_PER_CONTRACT = 100;

export const NO_MONEY = 0 as Money;
export const NO_QTY = 0 as Qty;
export const EPOCH = 0 as Micros;

const RANGES = {
  price: 'an integer in 0..10000',
  qty: 'a safe integer',
  money: 'a safe integer',
  time: 'a safe integer',
  probability: 'a number in 0..1',
} as const;

/** Separate from the checks so that the hot path builds no message. */
function refuse(what: keyof typeof RANGES, value: number): never {
  throw new AssertionFault(`${what} ${value} is not ${RANGES[what]}`);
}

// `+ 0` below turns a negative zero into zero, so that equal amounts are also the same to Object.is and in JSON.

/**
 * A price in ten-thousandths of a dollar.
 * @throws {AssertionFault} unless it is an integer between 0 and 10 000.
 */
export function price(value: Bare): Price {
  if (!Number.isInteger(value) || value < 0 || value > PAYOUT) refuse('price', value);
  return (value + 0) as Price;
}

/**
 * A quantity in hundredths of a contract, signed.
 * @throws {AssertionFault} unless it is a safe integer.
 */
export function qty(value: Bare): Qty {
  if (!Number.isSafeInteger(value)) refuse('qty', value);
  return (value + 0) as Qty;
}

/**
 * An amount in millionths of a dollar, signed.
 * @throws {AssertionFault} unless it is a safe integer.
 */
export function money(value: Bare): Money {
  if (!Number.isSafeInteger(value)) refuse('money', value);
  return (value + 0) as Money;
}

/**
 * A time in microseconds since the Unix epoch.
 * @throws {AssertionFault} unless it is a safe integer.
 */
export function micros(value: Bare): Micros {
  if (!Number.isSafeInteger(value)) refuse('time', value);
  return (value + 0) as Micros;
}

/**
 * A probability.
 * @throws {AssertionFault} unless it is a number from 0 to 1.
 */
export function probability(value: Bare): Probability {
  if (!(value >= 0 && value <= 1)) refuse('probability', value);
  return (value + 0) as Probability;
}

/** Whole cents as a price. */
export const cents = (value: Bare): Price => price(value * PRICE_PER_CENT);
/** Whole contracts as a quantity. */
export const contracts = (value: Bare): Qty => qty(value * QTY_PER_CONTRACT);
/** Whole dollars as money. */
export const dollars = (value: Bare): Money => money(value * 1_000_000);
/** Milliseconds as microseconds: of a duration or of an epoch time. */
export const fromMillis = (milliseconds: Bare): Micros => micros(Math.round(milliseconds * 1000));
/** Seconds as microseconds: of a duration or of an epoch time. */
export const fromSeconds = (seconds: Bare): Micros => micros(Math.round(seconds * 1_000_000));

/** The price of the other outcome: YES at p is NO at one dollar less p. */
export function complement(p: Price): NoPrice;
export function complement(p: NoPrice): Price;
export function complement(p: Price | NoPrice): Price | NoPrice {
  return (PAYOUT - p) as Price | NoPrice;
}

/**
 * Cost of a quantity at a price. Exact: 1e-4 dollars times 1e-2 contracts is 1e-6 dollars.
 * @throws {AssertionFault} when the product leaves the safe integers.
 */
export function notional(p: Price, q: Qty): Money {
  return money(p * q);
}

export const addMoney = (a: Money, b: Money): Money => money(a + b);
export const subtractMoney = (a: Money, b: Money): Money => money(a - b);
export const addQty = (a: Qty, b: Qty): Qty => qty(a + b);
export const subtractQty = (a: Qty, b: Qty): Qty => qty(a - b);

/**
 * floor(a · b / c), exact for any size of the product. The only division of money in the framework.
 * @throws {AssertionFault} when c is not positive or the result leaves the safe integers.
 */
export function mulDivFloor(a: number, b: number, c: number): number {
  if (!(c > 0)) throw new AssertionFault(`divisor ${c} is not positive`);
  const product = a * b;
  if (Number.isSafeInteger(product)) {
    const quotient = Math.floor(product / c) + 0;
    return quotient * c > product ? quotient - 1 : quotient;
  }
  return mulDivFloorBig(a, b, c);
}

function mulDivFloorBig(a: number, b: number, c: number): number {
  const product = BigInt(a) * BigInt(b);
  const divisor = BigInt(c);
  const quotient = product / divisor;
  const floored = Number(product < 0n && quotient * divisor !== product ? quotient - 1n : quotient);
  assert(Number.isSafeInteger(floored), `${a} * ${b} / ${c} leaves the safe integers`);
  return floored;
}

/** ceil(a · b / c), exact. */
export const mulDivCeil = (a: number, b: number, c: number): number => 0 - mulDivFloor(0 - a, b, c);

/**
 * A decimal string as an integer of the given decimals, digit by digit: `("0.4200", 4)` is 4200.
 * `null` when it is not a plain decimal, carries more significant decimals than the unit, or is too large.
 */
export function parseScaled(text: string, decimals: number): number | null {
  const match = /^(-?)(\d{1,15})(?:\.(\d+))?$/.exec(text);
  if (!match) return null;
  const [, sign, whole, fraction = ''] = match;
  if (fraction.length > decimals && /[^0]/.test(fraction.slice(decimals))) return null;
  const digits = `${whole}${fraction.slice(0, decimals).padEnd(decimals, '0')}`;
  const value = digitsToInteger(digits);
  if (value === null) return null;
  return sign === '-' && value !== 0 ? -value : value;
}

function digitsToInteger(digits: string): number | null {
  let value = 0;
  for (let i = 0; i < digits.length; i++) value = value * 10 + (digits.charCodeAt(i) - 48);
  return Number.isSafeInteger(value) ? value : null;
}

/** An integer of the given decimals as a decimal string: `(4200, 4)` is "0.4200". */
export function formatScaled(value: number, decimals: number): string {
  const sign = value < 0 ? '-' : '';
  const digits = String(Math.abs(value)).padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Dollars with four decimals. */
export const formatPrice = (p: Price | NoPrice): string => formatScaled(p, PRICE_DECIMALS);
/** Contracts with two decimals. */
export const formatQty = (q: Qty): string => formatScaled(q, QTY_DECIMALS);
/** Dollars with six decimals. */
export const formatMoney = (m: Money): string => formatScaled(m, MONEY_DECIMALS);
