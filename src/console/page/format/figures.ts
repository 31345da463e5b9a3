// Texts of prices, quantities, money and limits. Inputs are the integers of the API. Must never add, multiply or
// average money.
import { findLimit } from '../../../risk/risk-limits.ts';

/** Typographic minus. `plainText` replaces it in copied text. */
export const MINUS = '\u2212';
/** Narrow space between groups of three digits, without a line break. */
const GROUP = '\u202f';
/** Text of an unknown figure. */
export const NO_FIGURE = '–';

const grouped = (digits: string): string => digits.replaceAll(/\B(?=(\d{3})+(?!\d))/g, GROUP);

const signOf = (value: number, isSigned: boolean): string => (value < 0 ? MINUS : isSigned && value > 0 ? '+' : '');

/** Writes a decimal number. The last `decimals` digits are the fraction. */
function scaledText(magnitude: number, decimals: number): string {
  const digits = String(magnitude).padStart(decimals + 1, '0');
  const whole = grouped(digits.slice(0, digits.length - decimals));
  return decimals === 0 ? whole : `${whole}.${digits.slice(digits.length - decimals)}`;
}

const MICRO_DIGITS = 6;

/** Style of an amount of money. */
export interface MoneyStyle {
  /** Digits after the point, 0 to 6. Halves are rounded away from zero. @default 2. */
  readonly places?: number;
  readonly isSigned?: boolean;
}

/** Writes millionths of a dollar: `1 234.56`. An amount that rounds to zero has no sign. */
export function formatMoney(
  micros: number | null | undefined,
  { places = 2, isSigned = false }: MoneyStyle = {},
): string {
  if (micros === null || micros === undefined) return NO_FIGURE;
  const unit = 10 ** (MICRO_DIGITS - places);
  const magnitude = Math.floor((Math.abs(micros) + Math.floor(unit / 2)) / unit);
  return `${magnitude === 0 ? '' : signOf(micros, isSigned)}${scaledText(magnitude, places)}`;
}

/** Writes millionths of a dollar with all six digits. */
export const formatMicros = (micros: number | null | undefined, isSigned = false): string =>
  formatMoney(micros, { places: MICRO_DIGITS, isSigned });

const PRICE_PER_CENT = 100;

/** Returns the digits after the point of a price in cents: 0 to 2. The price is in ten-thousandths of a dollar. */
export function centDigits(price: number | null): number {
  if (price === null || price % PRICE_PER_CENT === 0) return 0;
  return price % 10 === 0 ? 1 : 2;
}

/** Returns the most digits that any of the prices needs, for an aligned column. */
export const centDigitsOf = (prices: Iterable<number | null>): number => {
  let most = 0;
  for (const price of prices) most = Math.max(most, centDigits(price));
  return most;
};

/** Writes a price in cents: `43`, `43.5`. `digits` is the least number of digits after the point. */
export function formatPrice(price: number | null | undefined, digits = 0): string {
  if (price === null || price === undefined) return NO_FIGURE;
  const places = Math.max(digits, centDigits(price));
  const sign = signOf(price, false);
  return `${sign}${scaledText(Math.abs(price) / 10 ** (2 - places), places)}`;
}

/** Writes hundredths of a contract without trailing zeros: `5`, `0.5`, `12.25`. */
export function formatQty(qty: number | null | undefined, isSigned = false): string {
  if (qty === null || qty === undefined) return NO_FIGURE;
  const text = scaledText(Math.abs(qty), 2).replace(/\.?0+$/, '');
  return `${signOf(qty, isSigned)}${text}`;
}

/** Writes a whole number in groups of three digits. */
export const formatCount = (count: number | null | undefined): string =>
  count === null || count === undefined ? NO_FIGURE : `${signOf(count, false)}${grouped(String(Math.abs(count)))}`;

/** Writes a number of bytes: `4.2 MB`. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return NO_FIGURE;
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at] ?? ''}`;
}

/** Unit of a limit. Money is in millionths, contracts are in hundredths, prices are in ten-thousandths. */
export type LimitUnit = 'micros' | 'qty' | 'price' | 'count';

/** Writes a value of a limit with its unit. */
export function formatLimit(value: number, unit: LimitUnit): string {
  switch (unit) {
    case 'micros':
      return formatMoney(value);
    case 'qty':
      return formatQty(value);
    case 'price':
      return `${formatPrice(value)} ¢`;
    case 'count':
      return formatCount(value);
  }
}

/** Writes a value of a limit that is named. Orders do not use every limit up, so its use may not say its unit. */
export function formatNamedLimit(limit: string, value: number): string {
  switch (findLimit(limit)?.unit) {
    case 'dollars':
      return formatLimit(value, 'micros');
    case 'contracts':
      return formatLimit(value, 'qty');
    case 'price':
    case 'distance':
      return formatLimit(value, 'price');
    case 'milliseconds':
      return `${formatCount(value)} ms`;
    case 'count':
    case undefined:
      return formatLimit(value, 'count');
  }
}

/** Returns the used share of a bound, 0 to 1. A bound of zero that is used counts as full. */
export function shareOf(used: number, allowed: number | null): number {
  if (allowed === null) return 0;
  if (allowed <= 0) return used > 0 ? 1 : 0;
  return Math.min(1, Math.max(0, used / allowed));
}

/** Writes the used share in whole percent, rounded down: 100 % means that the bound is reached. */
export function formatShare(used: number, allowed: number | null): string {
  if (allowed === null) return NO_FIGURE;
  if (allowed <= 0) return used > 0 ? '100 %' : '0 %';
  return `${formatCount(Math.max(0, Math.floor((used / allowed) * 100)))} %`;
}

/** Replaces the typographic minus and the narrow spaces, for pasting into a program. */
export const plainText = (text: string): string => text.replaceAll(MINUS, '-').replaceAll(GROUP, '');
