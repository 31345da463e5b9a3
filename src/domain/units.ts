// The units of price, quantity, money and time as branded numbers, and the conversions between them. Must never round
// prices, quantities or money, except in `mulDivFloor` and `mulDivCeil`. Must never parse text through floating point:
// strings become integers digit by digit.
import { AssertionFault, assert } from '../base/assert.ts';
import type { id } from './ids.ts';

declare const unit: unique symbol;

/**
 * Price of a contract on the YES scale, in ten-thousandths of a dollar: a whole number from 0 to 10 000. `cents` and
 * `price` make it.
 * @example
 * import { type Price, cents } from 'presage-trading';
 *
 * const bid: Price = cents(42);
 * bid; // 4200
 */
export type Price = number & { readonly [unit]: 'price' };
/** Price of NO, in ten-thousandths of a dollar: the complement of a price. Orders never carry it. */
export type NoPrice = number & { readonly [unit]: 'no-price' };
/**
 * Quantity in hundredths of a contract, a whole number, signed for a change or a position. `contracts` and `qty` make
 * it.
 * @example
 * import { type Qty, contracts } from 'presage-trading';
 *
 * const held: Qty = contracts(-3);
 * held; // -300
 */
export type Qty = number & { readonly [unit]: 'qty' };
/**
 * Amount of money in millionths of a dollar, a whole number, signed. `dollars` and `money` make it.
 * @example
 * import { type Money, dollars, formatMoney } from 'presage-trading';
 *
 * const stake: Money = dollars(25);
 * stake; // 25000000
 * formatMoney(stake); // '25.000000'
 */
export type Money = number & { readonly [unit]: 'money' };
/** A probability, 0 to 1: a ratio in floating point, never money. */
export type Probability = number & { readonly [unit]: 'probability' };
/**
 * Time in whole microseconds since the Unix epoch, in UTC. The present time of a strategy is `view.now`.
 * @example
 * import { type Micros, fromMillis, later, micros } from 'presage-trading';
 *
 * const start: Micros = micros(1_767_225_600_000_000);
 * new Date(start / 1000).toISOString(); // '2026-01-01T00:00:00.000Z'
 * later(start, fromMillis(1)) - start; // 1000
 */
export type Micros = number & { readonly [unit]: 'micros' };
/**
 * Microseconds between two times, a whole number, negative for an earlier time. `fromMillis` and `fromSeconds` make it.
 */
export type Duration = number & { readonly [unit]: 'duration' };
/**
 * A number without a unit, as arithmetic or a config gives it. Units are made only from bare numbers, so one unit is
 * never taken for another.
 */
export type Bare = number & { readonly [unit]?: never; readonly [id]?: never };

/** Payout of a winning contract, as a price: 10 000, which is one dollar. */
export const PAYOUT = 10_000 as Price;
/** Decimals carried by each unit, in dollars or contracts. */
export const PRICE_DECIMALS = 4;
export const QTY_DECIMALS = 2;
export const MONEY_DECIMALS = 6;
const CENT_DECIMALS = 2;
/** Price units in a cent. */
export const PRICE_PER_CENT = 100;
/** Money units in a cent, and in a dollar. */
export const MONEY_PER_CENT = 10_000;
const MONEY_PER_DOLLAR = 1_000_000;
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

/** A function of its own, so that the hot path builds no message. */
function refuse(what: keyof typeof RANGES, value: number): never {
  throw new AssertionFault(`${what} ${value} is not ${RANGES[what]}`);
}

// Below, `+ 0` turns a negative zero into zero, so that equal amounts are also the same to Object.is and in JSON.

/**
 * A price in ten-thousandths of a dollar.
 * @throws {AssertionFault} unless it is an integer between 0 and 10 000.
 * @example
 * import { price } from 'presage-trading';
 *
 * price(4250); // 4250 (42.5 cents)
 */
export function price(value: Bare): Price {
  if (!Number.isInteger(value) || value < 0 || value > PAYOUT) refuse('price', value);
  // V8 keeps small integers and doubles apart, which is slow: so the result is always a small integer.
  return (value | 0) as Price;
}

/**
 * A quantity in hundredths of a contract, signed.
 * @throws {AssertionFault} unless it is a safe integer.
 * @example
 * import { contracts, qty } from 'presage-trading';
 *
 * qty(contracts(10) - contracts(4)); // 600 (6 contracts)
 */
export function qty(value: Bare): Qty {
  if (!Number.isSafeInteger(value)) refuse('qty', value);
  return (value + 0) as Qty;
}

/**
 * An amount in millionths of a dollar, signed.
 * @throws {AssertionFault} unless it is a safe integer.
 * @example
 * import { dollars, money } from 'presage-trading';
 *
 * money(dollars(1) / 4); // 250000 (25 cents)
 */
export function money(value: Bare): Money {
  if (!Number.isSafeInteger(value)) refuse('money', value);
  return (value + 0) as Money;
}

/**
 * A time in microseconds since the Unix epoch.
 * @throws {AssertionFault} unless it is a safe integer.
 * @example
 * import { micros } from 'presage-trading';
 *
 * micros(Date.UTC(2026, 0, 1) * 1000); // 1767225600000000
 */
export function micros(value: Bare): Micros {
  if (!Number.isSafeInteger(value)) refuse('time', value);
  return (value + 0) as Micros;
}

/**
 * Checks that a number is a probability and gives it that type. The value does not change.
 * @throws {AssertionFault} unless it is a number from 0 to 1.
 * @example
 * import { probability } from 'presage-trading';
 *
 * probability(0.62); // 0.62
 */
export function probability(value: Bare): Probability {
  if (!(value >= 0 && value <= 1)) refuse('probability', value);
  return (value + 0) as Probability;
}

/**
 * A decimal number as an integer of the given decimals. Floating point may make the product inexact: 0.29 · 100 is
 * 28.999999999999996. Then the digits of the number decide. A number with more decimals stays a fraction, which the
 * caller refuses.
 */
function scaleDecimal(value: number, unitsPerOne: number, decimals: number): number {
  const product = value * unitsPerOne;
  return Number.isInteger(product) ? product : (parseScaled(String(value), decimals) ?? product);
}

/**
 * Converts cents to a price.
 * @throws {AssertionFault} unless the price is a whole number of ten-thousandths between 0 and a dollar.
 * @example
 * import { cents } from 'presage-trading';
 *
 * cents(42); // 4200
 * cents(42.5); // 4250
 */
export const cents = (value: Bare): Price => price(scaleDecimal(value, PRICE_PER_CENT, CENT_DECIMALS));
/**
 * Converts contracts to a quantity.
 * @throws {AssertionFault} unless the quantity is a whole number of hundredths.
 * @example
 * import { contracts } from 'presage-trading';
 *
 * contracts(5); // 500
 * contracts(-3); // -300
 */
export const contracts = (value: Bare): Qty => qty(scaleDecimal(value, QTY_PER_CONTRACT, QTY_DECIMALS));
/**
 * Converts dollars to money.
 * @throws {AssertionFault} unless the amount is a whole number of millionths.
 * @example
 * import { dollars } from 'presage-trading';
 *
 * dollars(1000); // 1000000000
 * dollars(0.29); // 290000
 */
export const dollars = (value: Bare): Money => money(scaleDecimal(value, MONEY_PER_DOLLAR, MONEY_DECIMALS));
/** Converts milliseconds, of a duration or since the epoch, to the nearest microsecond. */
export const fromMillis = (milliseconds: Bare): Micros => micros(Math.round(milliseconds * 1000));
/** Converts seconds, of a duration or since the epoch, to the nearest microsecond. */
export const fromSeconds = (seconds: Bare): Micros => micros(Math.round(seconds * 1_000_000));

/**
 * The price of the other outcome, in ten-thousandths of a dollar: YES at p is NO at one dollar less p, and the reverse.
 * @example
 * import { cents, complement } from 'presage-trading';
 *
 * complement(cents(42)); // 5800
 */
export function complement(p: Price): NoPrice;
export function complement(p: NoPrice): Price;
export function complement(p: Price | NoPrice): Price | NoPrice {
  return (PAYOUT - p) as Price | NoPrice;
}

/**
 * Cost of a quantity at a price. Exact: 1e-4 dollars times 1e-2 contracts is 1e-6 dollars.
 * @throws {AssertionFault} when the product leaves the safe integers.
 * @example
 * import { cents, contracts, notional } from 'presage-trading';
 *
 * notional(cents(42), contracts(5)); // 2100000 (2.10 dollars)
 */
export function notional(p: Price, q: Qty): Money {
  return money(p * q);
}

/**
 * The sum of two amounts, in millionths of a dollar.
 * @throws {AssertionFault} when the sum leaves the safe integers.
 * @example
 * import { addMoney, dollars } from 'presage-trading';
 *
 * addMoney(dollars(3), dollars(-1)); // 2000000
 */
export const addMoney = (a: Money, b: Money): Money => money(a + b);
export const subtractMoney = (a: Money, b: Money): Money => money(a - b);
export const addQty = (a: Qty, b: Qty): Qty => qty(a + b);
export const subtractQty = (a: Qty, b: Qty): Qty => qty(a - b);

/**
 * floor(a · b / c), exact for any size of the product.
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
 * A decimal string as an integer of the given decimals, digit by digit: `("0.4200", 4)` is 4200. `null` when it is not
 * a plain decimal, has too many significant decimals, or is too large.
 */
export function parseScaled(text: string, decimals: number): number | null {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  let value = 0;
  let at = start;
  for (let digit = digitAt(text, at); digit >= 0; digit = digitAt(text, ++at)) value = value * 10 + digit;
  if (at === start || at > start + WHOLE_DIGITS_MAX) return null;
  const point = at;
  if (point < text.length && (text.charCodeAt(point) !== POINT || point === text.length - 1)) return null;
  for (at = point + 1; at < text.length; at++) {
    const digit = digitAt(text, at);
    if (at <= point + decimals && digit >= 0) value = value * 10 + digit;
    else if (digit !== 0) return null;
  }
  for (let filled = Math.max(0, at - point - 1); filled < decimals; filled++) value *= 10;
  if (!Number.isSafeInteger(value)) return null;
  return start === 1 && value !== 0 ? -value : value;
}

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const WHOLE_DIGITS_MAX = 15;

/** The decimal digit at a place of a text; negative when it has none there. */
export function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** An integer of the given decimals as a decimal string: `(4200, 4)` is "0.4200". */
export function formatScaled(value: number, decimals: number): string {
  const sign = value < 0 ? '-' : '';
  const digits = String(Math.abs(value)).padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/**
 * A price as dollars with four decimals, for programs: `0.4200`.
 * @example
 * import { cents, formatPrice } from 'presage-trading';
 *
 * formatPrice(cents(42)); // '0.4200'
 */
export const formatPrice = (p: Price | NoPrice): string => formatScaled(p, PRICE_DECIMALS);
/**
 * A quantity as contracts with two decimals, for programs: `5.00`.
 * @example
 * import { contracts, formatQty } from 'presage-trading';
 *
 * formatQty(contracts(-5)); // '-5.00'
 */
export const formatQty = (q: Qty): string => formatScaled(q, QTY_DECIMALS);
/**
 * An amount as dollars with six decimals, for programs: `1.500000`.
 * @example
 * import { dollars, formatMoney } from 'presage-trading';
 *
 * formatMoney(dollars(1.5)); // '1.500000'
 */
export const formatMoney = (m: Money): string => formatScaled(m, MONEY_DECIMALS);
