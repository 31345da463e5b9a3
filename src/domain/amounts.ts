// How money, prices and quantities look wherever a person reads them: on the terminal, in reports, denials, alarms and
// errors. `formatMoney` and its like are for other programs. Must never round, nor hide a sign.
import { MONEY_DECIMALS, type Money, type NoPrice, type Price, QTY_DECIMALS, type Qty, formatScaled } from './units.ts';

/** The sign of what is less than nothing. */
export const MINUS = '−';

/** The digits of a whole number with its thousands set apart. */
export const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');

/** Digits without a sign: thousands are separated, and zeros at the end are cut down to `decimalsMin` decimals. */
function trimmed(size: number, decimals: number, decimalsMin: number): string {
  const [whole = '0', fraction = ''] = formatScaled(size, decimals).split('.');
  const kept = fraction.slice(0, decimalsMin) + fraction.slice(decimalsMin).replace(/0+$/, '');
  return kept === '' ? grouped(whole) : `${grouped(whole)}.${kept}`;
}

const signOf = (value: number): string => (value < 0 ? MINUS : '');
const plus = (value: number, text: string): string => (value > 0 ? `+${text}` : text);

/** Dollars to the last millionth, and never with fewer decimals than cents: `$1,234.50`, `$0.0175`, `−$3.20`. */
export const dollarsText = (amount: Money): string =>
  `${signOf(amount)}$${trimmed(Math.abs(amount), MONEY_DECIMALS, 2)}`;

/** The same with a sign where it is more than nothing, too: `+$12.50`, `−$3.20`, `$0.00`. */
export const signedDollars = (amount: Money): string => plus(amount, dollarsText(amount));

/** A price in cents, with decimals only where it has them: `42¢`, `42.5¢`. */
export const centsText = (price: Price | NoPrice): string => `${trimmed(price, 2, 0)}¢`;

/** A distance between two prices, or half of one, in cents: the half of a hundredth of a cent is left away. */
export const distanceText = (distance: number): string => `${trimmed(Math.floor(distance), 2, 0)}¢`;

/** Contracts, with decimals only where there are some: `5`, `1,200`, `0.5`, `−3`. */
export const contractsText = (qty: Qty): string => signOf(qty) + trimmed(Math.abs(qty), QTY_DECIMALS, 0);

/** The same with a sign where it is more than none, too: `+5`, `−3`, `0`. */
export const signedContracts = (qty: Qty): string => plus(qty, contractsText(qty));
