// Config fields in internal units: dollars, prices, contracts, durations, times. Decimal text is converted to integers
// exactly. Must never default anything that risks money.
import { z } from 'zod';
import { MOMENT_EXPECTED, exactMoment } from '../domain/parsed-time.ts';
import {
  MONEY_DECIMALS,
  type Micros,
  type Money,
  PAYOUT,
  PRICE_DECIMALS,
  type Price,
  QTY_DECIMALS,
  type Qty,
  fromMillis,
  money,
  parseScaled,
  price,
  qty,
} from '../domain/units.ts';

/**
 * A field written as one word or number. `parse` returns `null` for a text that does not fit. `expected` describes the
 * form in messages.
 * @param ofNumber refuses every number, with this description.
 */
export const scalarField = <Value>(expected: string, parse: (text: string) => Value | null, ofNumber?: string) =>
  z.unknown().transform((value, context): Value => {
    const isRefused = typeof value === 'number' && ofNumber !== undefined;
    const isText = !isRefused && (typeof value === 'string' || typeof value === 'number');
    const parsed = isText ? parse(String(value)) : null;
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: isRefused ? ofNumber : expected });
    return z.NEVER;
  });

/** Dollars to six decimals, not negative. */
export const moneyField = scalarField('dollars such as 1000 or 0.25', (text): Money | null => {
  const value = parseScaled(text, MONEY_DECIMALS);
  return value === null || value < 0 ? null : money(value);
});

/** A price in dollars, strictly between zero and one, to four decimals. */
export const priceField = scalarField('a price between 0 and 1 dollar such as 0.42', (text): Price | null => {
  const value = parseScaled(text, PRICE_DECIMALS);
  return value === null || value <= 0 || value >= PAYOUT ? null : price(value);
});

/** Contracts to two decimals, more than zero. */
export const qtyField = scalarField('a number of contracts such as 10 or 0.01', (text): Qty | null => {
  const value = parseScaled(text, QTY_DECIMALS);
  return value === null || value <= 0 ? null : qty(value);
});

const DAY_MS = 86_400_000;
const MILLIS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };

/** Keeps timers, and sums of durations and times, within the safe integers. */
export const DURATION_DAYS_MAX = 3650;

function parseDuration(text: string): Micros | null {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  const unit = match?.[2] === undefined ? undefined : MILLIS[match[2]];
  if (match === null || unit === undefined) return null;
  const milliseconds = Number(match[1]) * unit;
  return milliseconds > DURATION_DAYS_MAX * DAY_MS ? null : fromMillis(milliseconds);
}

/** A duration of at most ten years, in microseconds. */
export const durationField = scalarField(
  `a duration such as 250ms, 30s, 5m, 2h or 1d, at most ${DURATION_DAYS_MAX}d`,
  parseDuration,
);

const INTERVAL_MS_MIN = 10;

/** The interval of a repeated action, in microseconds. Long enough for a pause between two actions. */
export const intervalField = scalarField(`a duration of at least ${INTERVAL_MS_MIN}ms, such as 1s`, (text) => {
  const duration = parseDuration(text);
  return duration === null || duration < fromMillis(INTERVAL_MS_MIN) ? null : duration;
});

/** A time, in microseconds since the Unix epoch. */
export const momentField = scalarField(MOMENT_EXPECTED, exactMoment);

/**
 * A name, such as of a market or a strategy, in characters that paths allow. A number is refused: YAML reads 007 as 7, and
 * the name would be another one.
 */
export const nameField = scalarField(
  'a name of A-Z a-z 0-9 - _ . such as RAIN-26-A',
  (text): string | null => (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text) ? text : null),
  'a name in quotes, because without them it is a number',
);
