// Parsers of option values. Each message for a wrong value names the expected form.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { UsageError } from '../../app/usage-error.ts';
import { SEED_MAX } from '../../config/backtest-config.ts';
import { DURATION_DAYS_MAX, durationField, moneyField, nameField } from '../../config/fields.ts';
import { sessionStartedAt } from '../../domain/orders/client-order-id.ts';
import type { Money } from '../../domain/units.ts';

/**
 * Parses a duration. Returns milliseconds.
 * @throws {InvalidArgumentError} for any other text.
 */
export function durationArgument(text: string): number {
  const parsed = durationField.safeParse(text);
  if (parsed.success) return Math.ceil(parsed.data / 1000);
  throw new InvalidArgumentError(
    `Expected a duration such as 250ms, 30s, 5m, 2h or 1d, at most ${DURATION_DAYS_MAX}d.`,
  );
}

/**
 * Parses a seed: a whole number of 32 bits.
 * @throws {InvalidArgumentError} for any other text.
 */
export function seedArgument(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (seed <= SEED_MAX) return seed;
  throw new InvalidArgumentError(`Expected a whole number from 0 to ${SEED_MAX}.`);
}

const WHOLE_MAX = 999_999;

/**
 * Makes a parser of whole numbers in a range. It throws an `InvalidArgumentError` for any other text.
 * @param most Greatest number.
 * @default 999,999
 */
export const wholeArgument =
  (least: number, most = WHOLE_MAX) =>
  (text: string): number => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };

/**
 * Parses the name of a session.
 * @throws {InvalidArgumentError} for any other text.
 */
export function sessionArgument(text: string): string {
  if (sessionStartedAt(text) !== null) return text;
  throw new InvalidArgumentError('Expected the name of a session, as a refused start shows it.');
}

/**
 * Parses a port.
 * @throws {InvalidArgumentError} for any other text.
 */
export function portArgument(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}

/**
 * Parses an amount of dollars.
 * @throws {InvalidArgumentError} for any other text.
 */
export function cashArgument(text: string): Money {
  const parsed = moneyField.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('Expected dollars such as 1000 or 0.25.');
}

/**
 * Parses names of markets, event groups or series, separated by commas.
 * @throws {InvalidArgumentError} when a part cannot be a name.
 */
export function namesArgument(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !nameField.safeParse(name).success);
  if (wrong === undefined) return names;
  throw new InvalidArgumentError(`Expected tickers with commas between, found ${JSON.stringify(wrong)}.`);
}

/**
 * Parses parameters `name=value`. A value is JSON, or else plain text.
 * @throws {UsageError} when a name is missing, or there twice.
 */
export function paramArguments(texts: readonly string[]): Readonly<Record<string, unknown>> {
  const params = texts.map(paramArgument);
  const names = params.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return Object.fromEntries(params);
  throw new UsageError(`--param: expected each parameter once, found ${JSON.stringify(twice)} twice`);
}

function paramArgument(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at <= 0) throw new UsageError(`--param: expected name=value, found ${JSON.stringify(text)}`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    return [text.slice(0, at), value];
  }
}
