// Text forms of money, prices and quantities for people. For programs there are `formatMoney` and similar functions.
// Must never round money, a price or a quantity, nor hide a sign.
import { MONEY_DECIMALS, type Money, type NoPrice, type Price, type Qty, formatScaled } from './units.ts';

/** The minus sign of negative amounts. */
export const MINUS = '−';

const GROUP_DIGITS = 3;

/** The digits of a whole number with its thousands separated. */
export const grouped = (digits: string): string =>
  digits.length <= GROUP_DIGITS ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ',');

/** A figure in millionths of a dollar. At least two decimals. */
function millionthsText(size: number): string {
  const [whole = '0', fraction = ''] = formatScaled(size, MONEY_DECIMALS).split('.');
  return `${grouped(whole)}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}

/** A figure in hundredths of its unit, such as a price in cents or a quantity. Decimals only where it has them. */
function hundredthsText(size: number): string {
  // By arithmetic: strategies write quantities and prices in the reason of each order.
  const part = size % 100;
  const whole = grouped(String((size - part) / 100));
  if (part === 0) return whole;
  const fraction = part % 10 === 0 ? String(part / 10) : String(part).padStart(2, '0');
  return `${whole}.${fraction}`;
}

const signOf = (value: number): string => (value < 0 ? MINUS : '');
const plus = (value: number, text: string): string => (value > 0 ? `+${text}` : text);

/**
 * Dollars to the millionth, with at least two decimals: `$1,234.50`, `$0.0175`, `−$3.20`.
 * @example
 * import { dollars, dollarsText } from 'presage-trading';
 *
 * dollarsText(dollars(1234.5)); // '$1,234.50'
 */
export const dollarsText = (amount: Money): string => `${signOf(amount)}$${millionthsText(Math.abs(amount))}`;

/**
 * Dollars, with a plus sign where positive: `+$12.50`, `−$3.20`, `$0.00`.
 * @example
 * import { dollars, signedDollars } from 'presage-trading';
 *
 * signedDollars(dollars(12.5)); // '+$12.50'
 */
export const signedDollars = (amount: Money): string => plus(amount, dollarsText(amount));

/**
 * A price in cents, with decimals only where it has them: `42¢`, `42.5¢`.
 * @example
 * import { cents, centsText } from 'presage-trading';
 *
 * centsText(cents(42.5)); // '42.5¢'
 */
export const centsText = (price: Price | NoPrice): string => `${hundredthsText(price)}¢`;

/** A figure that was given as a price and may be none, in cents; one that is not whole keeps its digits and its unit. */
export const givenPriceText = (given: number): string =>
  Number.isSafeInteger(given) ? `${signOf(given)}${hundredthsText(Math.abs(given))}¢` : `${given} hundredths of a cent`;

/** A figure that was given as a quantity and may be none, in contracts; one that is not whole keeps its digits and its unit. */
export const givenQtyText = (given: number): string =>
  Number.isSafeInteger(given) ? signOf(given) + hundredthsText(Math.abs(given)) : `${given} hundredths`;

/** A distance between two prices, in cents. A fraction of a hundredth of a cent is dropped. */
export const distanceText = (distance: number): string => `${hundredthsText(Math.floor(distance))}¢`;

/**
 * Contracts, with decimals only where there are any: `5`, `1,200`, `0.5`, `−3`.
 * @example
 * import { contracts, contractsText } from 'presage-trading';
 *
 * contractsText(contracts(1200)); // '1,200'
 */
export const contractsText = (qty: Qty): string => signOf(qty) + hundredthsText(Math.abs(qty));

/**
 * Contracts, with a plus sign where positive: `+5`, `−3`, `0`.
 * @example
 * import { contracts, signedContracts } from 'presage-trading';
 *
 * signedContracts(contracts(5)); // '+5'
 */
export const signedContracts = (qty: Qty): string => plus(qty, contractsText(qty));
