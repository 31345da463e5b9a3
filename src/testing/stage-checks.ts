// Checks the arguments of a stage's methods: test runners strip types, so the compiler may never have seen a test. Must
// never let a wrong argument pass in silence: the test would prove nothing.
import { AssertionFault } from '../base/assert.ts';
import { didYouMean } from '../base/near-name.ts';
import { FEE_RATES } from '../domain/fee-schedule.ts';
import type { Order } from '../domain/orders/order.ts';
import type { Strategy } from '../strategy/strategy-definition.ts';
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
  const { fees = 'quadratic', exclusive = [] } = options;
  checkName('fees', fees, Object.keys(FEE_RATES));
  const specs = marketSpecs(options);
  checkMarkets(specs);
  for (const group of exclusive) checkName('exclusive', group, [...new Set(specs.map(eventOf))]);
}

function checkMarkets(specs: readonly MarketSpec[]): void {
  if (specs.length === 0) refuse('markets', 'at least one market', specs);
  const seen = new Set<string>();
  for (const spec of specs) {
    const { ticker, closesInMs } = spec;
    checkMembers(`market ${ticker}`, spec, MARKET);
    if (seen.has(ticker)) throw new AssertionFault(`markets: expected each ticker once, found ${ticker} twice`);
    seen.add(ticker);
    if (closesInMs !== undefined) checkAbove(`closesInMs of ${ticker}`, closesInMs, 0);
  }
}

/** Checks the levels of a book, each with a price of its own. */
export function checkLevels(levels: BookLevels): void {
  checkMembers('book', levels, LEVELS);
  for (const side of ['bids', 'asks'] as const) {
    const seen = new Set<number>();
    for (const [cents, contracts] of levels[side] ?? []) {
      if (seen.has(cents)) throw new AssertionFault(`${side}: expected each price once, found ${cents} cents twice`);
      seen.add(cents);
      if (!(contracts >= 0)) refuse(`${side} at ${cents} cents`, 'contracts, not below 0', contracts);
    }
  }
}

/** Checks a print. */
export function checkPrint(print: PrintSpec): void {
  checkMembers('print', print, PRINT);
  checkAbove('contracts', print.contracts, 0);
  checkName('taker', print.taker, ['buy', 'sell']);
}

/** Checks a fill. */
export function checkFill(order: Order | undefined, fill: FillSpec): void {
  if (order === undefined) refuse('fill', 'an order of the strategy', order);
  checkMembers('fill', fill, FILL);
  if (fill.contracts !== undefined) checkAbove('contracts', fill.contracts, 0);
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
  for (const name of Object.keys(value)) checkName(where, name, Object.keys(names));
}

function checkName(where: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const expected = `expected one of ${known.join(', ')}`;
  throw new AssertionFault(`${where}: ${expected}, found ${name}${didYouMean(name, known)}`);
}

function checkAbove(where: string, value: number, bound: number): void {
  if (!(value > bound)) refuse(where, `a number above ${bound}`, value);
}

function refuse(where: string, expected: string, found: unknown): never {
  const text = Array.isArray(found) && found.length === 0 ? 'none' : (JSON.stringify(found) ?? 'nothing');
  throw new AssertionFault(`${where}: expected ${expected}, found ${typeof found === 'number' ? found : text}`);
}
