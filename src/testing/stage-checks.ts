// Checks the arguments of a stage's methods: test runners strip types, so the compiler may never have seen a test. Must
// never let a wrong argument pass in silence: the test would prove nothing.
import type { z } from 'zod';
import { AssertionFault } from '../base/assert.ts';
import { didYouMean } from '../base/near-name.ts';
import { FEE_RATES } from '../domain/fee-schedule.ts';
import { type Order, leavesQty } from '../domain/orders/order.ts';
import { moneyField } from '../config/fields.ts';
import { GRID_NAMES } from '../config/grid-names.ts';
import { limitsSchema } from '../config/limit-fields.ts';
import type { PriceGrid } from '../domain/price-grid.ts';
import { PRICE_PER_CENT, QTY_PER_CONTRACT } from '../domain/units.ts';
import { describeIssue, splitUnknownNames } from '../runtime/plugins/schema-faults.ts';
import type { Strategy } from '../strategy/strategy-definition.ts';
import { WIDE_LIMITS } from './stage-limits.ts';
import {
  type BookLevels,
  type FillSpec,
  type MarketSpec,
  type PrintSpec,
  type StageOptions,
  eventOf,
  marketSpecs,
} from './stage-units.ts';

type Names<T> = Readonly<Record<keyof T, true>>;

const OPTIONS: Names<StageOptions> = {
  params: true,
  markets: true,
  exclusive: true,
  cash: true,
  limits: true,
  capital: true,
  fees: true,
  saved: true,
  beginsAt: true,
};
const MARKET: Names<MarketSpec> = {
  ticker: true,
  event: true,
  series: true,
  closesInMs: true,
  grid: true,
  strike: true,
};
const LEVELS: Names<BookLevels> = { bids: true, asks: true };
const PRINT: Names<PrintSpec> = { cents: true, contracts: true, taker: true };
const FILL: Names<FillSpec> = { contracts: true };

/**
 * Checks the strategy and the options of a stage.
 * @throws {AssertionFault} that says what was expected and found, as do all functions here.
 */
export function checkStage(strategy: Strategy, options: StageOptions): void {
  if (typeof strategy?.bind !== 'function') refuse('strategy', 'what defineStrategy returns', strategy);
  checkMembers('options', options, OPTIONS);
  const { fees = 'quadratic', exclusive = [], markets = [], params = {}, limits = {}, capital } = options;
  checkFit('params', params, { schema: strategy.params, kind: 'parameter' });
  checkFit('limits', { ...WIDE_LIMITS, ...limits }, { schema: limitsSchema, kind: 'limit' });
  checkFit('capital', capital, { schema: moneyField.optional(), kind: 'member' });
  checkList('markets', 'a list of markets', markets);
  checkName('fees', fees, Object.keys(FEE_RATES));
  const specs = marketSpecs(options);
  checkMarkets(specs);
  for (const group of exclusive) checkName('exclusive', group, [...new Set(specs.map(eventOf))]);
}

interface Members {
  readonly schema: z.ZodType;
  /** The word for a member. */
  readonly kind: string;
}

function checkFit(option: keyof StageOptions, value: unknown, { schema, kind }: Members): void {
  const { error } = schema.safeParse(value);
  if (!error) return;
  const issues = splitUnknownNames({ schema, value, issues: error.issues }, kind);
  const lines = issues.map(
    (issue) => (issue.path.length > 0 ? `${option}.` : '') + describeIssue(issue, value, option),
  );
  throw new AssertionFault(lines.join('\n'));
}

function checkMarkets(specs: readonly MarketSpec[]): void {
  if (specs.length === 0) refuse('markets', 'at least one market', specs);
  const seen = new Set<string>();
  for (const spec of specs) {
    const { ticker, closesInMs, grid = 'linear_cent' } = spec ?? {};
    if (typeof ticker !== 'string') refuse('markets', 'tickers, or markets with a ticker', spec);
    checkMembers(`market ${ticker}`, spec, MARKET);
    if (seen.has(ticker)) throw new AssertionFault(`markets: expected each ticker once, found ${ticker} twice`);
    seen.add(ticker);
    checkName(`grid of ${ticker}`, grid, GRID_NAMES);
    if (closesInMs !== undefined) checkAbove(`closesInMs of ${ticker}`, closesInMs, 0);
  }
}

/**
 * Checks the levels of a book, each with a price of its own on the market's grid. A crossed book is refused, because a
 * strategy is not called for it.
 */
export function checkLevels(levels: BookLevels, grid: PriceGrid): void {
  checkMembers('book', levels, LEVELS);
  for (const side of ['bids', 'asks'] as const) {
    const seen = new Set<number>();
    checkList(side, 'a list of [cents, contracts]', levels[side] ?? []);
    for (const level of levels[side] ?? []) {
      checkList(side, 'levels as [cents, contracts]', level);
      const [cents, contracts] = level;
      if (seen.has(cents)) throw new AssertionFault(`${side}: expected each price once, found ${cents} cents twice`);
      seen.add(cents);
      checkCents(side, cents, grid);
      if (!(contracts >= 0)) refuse(`${side} at ${cents} cents`, 'contracts, not below 0', contracts);
    }
  }
  const bid = Math.max(...pricesOf(levels.bids));
  const ask = Math.min(...pricesOf(levels.asks));
  if (bid >= ask)
    throw new AssertionFault(
      `book: expected every bid below every ask, found a bid of ${bid} and an ask of ${ask} cents`,
    );
}

/** Levels without contracts are none. */
const pricesOf = (levels: BookLevels['bids'] = []): number[] =>
  levels.flatMap(([cents, contracts]) => (contracts > 0 ? [cents] : []));

/** Checks that a price is one of the market's. Others never trade there. */
function checkCents(where: string, cents: number, grid: PriceGrid): void {
  const digits = typeof cents === 'number' ? Math.round(cents * PRICE_PER_CENT) : Number.NaN;
  const isExact = Math.abs(digits - cents * PRICE_PER_CENT) < 1e-6;
  if (!isExact || (grid.cellByPrice[digits] ?? -1) < 0)
    refuse(where, 'a price in cents that the grid of the market has', cents);
}

/** Checks a print. */
export function checkPrint(print: PrintSpec, grid: PriceGrid): void {
  checkMembers('print', print, PRINT);
  checkCents('cents', print.cents, grid);
  checkAbove('contracts', print.contracts, 0);
  checkName('taker', print.taker, ['buy', 'sell']);
}

/** Checks a fill. */
export function checkFill(order: Order | undefined, fill: FillSpec): void {
  if (order === undefined) refuse('fill', 'an order of the strategy', order);
  checkMembers('fill', fill, FILL);
  if (fill.contracts === undefined) return;
  checkAbove('contracts', fill.contracts, 0);
  const left = leavesQty(order) / QTY_PER_CONTRACT;
  if (left > 0 && fill.contracts > left)
    refuse('contracts', `at most ${left}, which is left of the order`, fill.contracts);
}

/** Checks the result of a market. */
export function checkResult(result: unknown): void {
  const isPayout = typeof result === 'number' && result >= 0 && result <= 100;
  if (!isPayout && result !== 'yes' && result !== 'no') refuse('settle', 'yes, no or 0 to 100 cents', result);
}

/** Checks a span of time. */
export function checkSpan(milliseconds: number): void {
  if (!(milliseconds >= 0 && milliseconds < Infinity)) refuse('advance', 'milliseconds, not below 0', milliseconds);
}

function checkMembers(where: string, value: object, names: Readonly<Record<string, true>>): void {
  if (typeof value !== 'object' || value === null)
    refuse(where, `${Object.keys(names).join(', ')} in an object`, value);
  for (const name of Object.keys(value)) checkName(where, name, Object.keys(names));
}

function checkList(where: string, expected: string, value: unknown): void {
  if (!Array.isArray(value)) refuse(where, expected, value);
}

function checkName(where: string, name: unknown, known: readonly string[]): void {
  const expected = `one of ${known.join(', ')}`;
  if (typeof name !== 'string') refuse(where, expected, name);
  if (!known.includes(name))
    throw new AssertionFault(`${where}: expected ${expected}, found ${name}${didYouMean(name, known)}`);
}

function checkAbove(where: string, value: number, bound: number): void {
  if (!(value > bound)) refuse(where, `a number above ${bound}`, value);
}

function refuse(where: string, expected: string, found: unknown): never {
  const text = Array.isArray(found) && found.length === 0 ? 'none' : (JSON.stringify(found) ?? 'nothing');
  throw new AssertionFault(`${where}: expected ${expected}, found ${typeof found === 'number' ? found : text}`);
}
