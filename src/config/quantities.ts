// Schemas of the quantities that people write in a configuration: dollars, cents, contracts, durations.
// Numbers are taken by their digits, as written, and never multiplied as floats.
import { z } from 'zod';
import {
  MONEY_DECIMALS,
  type Money,
  PRICE_DECIMALS,
  PAYOUT,
  type Price,
  QTY_DECIMALS,
  type Qty,
  money,
  parseScaled,
  price,
  qty,
} from '../domain/units.ts';

const written = z.union([z.number(), z.string()]);

const scaled = (decimals: number, what: string) =>
  written.transform((value, context) => {
    const text = String(value).replace(/^\$/, '').replaceAll('_', '');
    const parsed = parseScaled(text, decimals);
    if (parsed !== null && parsed >= 0) return parsed;
    context.addIssue({ code: 'custom', message: `expected ${what}`, input: value });
    return z.NEVER;
  });

/** Dollars, up to six decimals, as `Money`. */
export const dollarAmount = scaled(MONEY_DECIMALS, 'dollars like 25 or 12.50').transform((value): Money =>
  money(value),
);

/** Contracts, up to two decimals, as `Qty`. */
export const contractCount = scaled(QTY_DECIMALS, 'contracts like 10 or 0.25').transform((value): Qty => qty(value));

/** A price in dollars between 0 and 1, up to four decimals. */
export const dollarPrice = scaled(PRICE_DECIMALS, 'a price in dollars between 0 and 1, like 0.42')
  .refine((value) => value <= PAYOUT, { error: 'expected a price in dollars between 0 and 1, like 0.42' })
  .transform((value): Price => price(value));

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration such as `250ms`, `30s`, `5m`, `2h` or `1d` in milliseconds; `null` when it is none. */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,3}))?(ms|s|m|h|d)$/.exec(text.trim());
  if (!match) return null;
  const [, whole = '', fraction = '', unit = ''] = match;
  const thousandths = Number(whole) * 1000 + Number(fraction.padEnd(3, '0'));
  return Math.round((thousandths * (UNITS_MS[unit] ?? 0)) / 1000);
}

/** A duration such as `250ms`, `30s`, `5m`, `2h` or `1d`, in milliseconds. */
export const duration = z.string().transform((text, context) => {
  const parsed = parseDurationMs(text);
  if (parsed !== null) return parsed;
  context.addIssue({ code: 'custom', message: 'expected a duration like 250ms, 30s, 5m, 2h or 1d', input: text });
  return z.NEVER;
});
