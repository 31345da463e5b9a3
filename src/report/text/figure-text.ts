// Formats a report's figures for people: rounded sums, shares, times in UTC. Must never drop the sign of an amount of
// dollars, however small.
import { MINUS, contractsText, dollarsText, grouped, signedDollars } from '../../domain/amounts.ts';
import { type Micros, formatScaled, money, mulDivFloor, qty } from '../../domain/units.ts';
import { dayOf } from '../../risk/losses/utc-day.ts';

/** Stands in for a missing value. */
export const NO_VALUE = '–';

/** Formats an integer with thousands separators. */
export const countText = (count: number): string => `${count < 0 ? MINUS : ''}${grouped(String(Math.abs(count)))}`;

/** Rounds units of 10^-`from` half away from zero to `to` decimals. */
function rounded(value: number, from: number, to: number): string {
  const step = 10 ** (from - to);
  const steps = mulDivFloor(Math.round(Math.abs(value)) + Math.floor(step / 2), 1, step);
  const [whole = '0', fraction] = formatScaled(steps, to).split('.');
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

/**
 * Formats dollars to the cent, with more decimals for small amounts: `$1,234.50`, `−$0.0175`. `money` may be
 * fractional.
 */
export function roundedDollars(money: number): string {
  const size = Math.abs(money);
  const text = size < 50 && size > 0 ? rounded(money, 6, 6) : rounded(money, 6, size < 1_000_000 && size > 0 ? 4 : 2);
  return `${money < 0 ? MINUS : ''}$${text}`;
}

/** Formats dollars to the cent with a sign, for tables. A loss too small to show is still `−$0.00`. */
export const signedCents = (money: number): string =>
  `${money < 0 ? MINUS : money > 0 ? '+' : ''}$${rounded(money, 6, 2)}`;

/** Formats money to the last millionth. */
export const exactDollars = (sum: number): string => dollarsText(money(sum));
export const signedExact = (sum: number): string => signedDollars(money(sum));

/** Formats a sum of quantities, in hundredths of a contract, as contracts. */
export const summedContracts = (sum: number): string => contractsText(qty(sum));

const signed = (value: number, text: string): string => (value > 0 ? `+${text}` : text);
export const signedRounded = (money: number): string => signed(money, roundedDollars(money));

/** Formats a number with a true minus sign and thousands separators, or a dash for `null`. */
export function decimalText(value: number | null, decimals: number): string {
  if (value === null) return NO_VALUE;
  const text = Math.abs(value).toFixed(decimals);
  const isZero = Number(text) === 0;
  const [whole = '0', fraction] = text.split('.');
  return `${value < 0 && !isZero ? MINUS : ''}${grouped(whole)}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Formats millionths of a dollar per contract as cents: `+0.42¢`. A loss too small to show is still `−0.00¢`. */
export const centsEach = (value: number | null): string =>
  value === null ? NO_VALUE : `${value < 0 ? MINUS : value > 0 ? '+' : ''}${decimalText(Math.abs(value) / 10_000, 2)}¢`;

/** Formats a price or mid in ten-thousandths of a dollar as cents: `42¢`, `42.5¢`. */
export const priceText = (price: number | null): string =>
  price === null ? NO_VALUE : `${String(Number((price / 100).toFixed(3)))}¢`;

/** Formats a share as a percentage. */
export const shareText = (share: number | null, decimals = 1): string =>
  share === null ? NO_VALUE : `${decimalText(share * 100, decimals)}%`;

export const signedShare = (share: number | null, decimals = 1): string =>
  share === null ? NO_VALUE : `${share > 0 ? '+' : ''}${shareText(share, decimals)}`;

const SECOND = 1_000_000;
const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400 * SECOND],
  ['h', 3600 * SECOND],
  ['min', 60 * SECOND],
  ['s', SECOND],
];

/** Formats a duration in its two largest units: `2 d 4 h`, `12 s`, `350 ms`. */
export function durationText(length: number): string {
  const first = UNITS.findIndex(([, size]) => length >= size);
  if (first < 0) return `${decimalText(length / 1000, length < 1000 && length > 0 ? 3 : 0)} ms`;
  const [name, size] = UNITS[first] ?? ['s', SECOND];
  const next = UNITS[first + 1];
  const whole = Math.floor(length / size);
  const rest = next === undefined ? 0 : Math.floor((length - whole * size) / next[1]);
  return rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${next?.[0] ?? ''}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Formats a time to the second, in UTC: `2026-11-21 10:54:03`. */
export function timeText(at: number): string {
  const seconds = Math.floor(at / SECOND);
  const ofDay = seconds - Math.floor(seconds / 86_400) * 86_400;
  const clock = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60, ofDay % 60].map(two).join(':');
  return `${dayOf(at as Micros)} ${clock}`;
}

/** Formats a count with its noun: `1 market`, `3 markets`. */
export const countedNoun = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;

const STATES: Readonly<Record<string, string>> = { 'not-sent': 'not sent', 'in-flight': 'in flight' };
export const stateText = (state: string): string => STATES[state] ?? state.replaceAll('-', ' ');
