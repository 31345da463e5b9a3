// Checks a strategy definition: a strategy in JavaScript has no compiler to check it. Unchecked, an unknown name would
// be ignored, and a selector without its condition would take every market.
import { AssertionFault } from '../base/assert.ts';
import { didYouMean } from '../base/near-name.ts';
import { takePromise } from './refused-promise.ts';
import { HANDLER_NAMES, handlerNames } from './handler-names.ts';
import type { Handlers, MarketSelector } from './strategy-definition.ts';

type Kind = 'list' | 'number' | 'boolean' | 'function';

const MEMBERS: Readonly<Record<keyof MarketSelector, Kind>> = {
  tickers: 'list',
  events: 'list',
  series: 'list',
  isExclusive: 'boolean',
  timeLeftMsMin: 'number',
  timeLeftMsMax: 'number',
  volumeMin: 'number',
  spreadMin: 'number',
  spreadMax: 'number',
  where: 'function',
};
const KINDS: ReadonlyMap<string, Kind> = new Map(Object.entries(MEMBERS));

/** The text of a promise, which no part of a definition may return. */
export const PROMISE = 'a promise (it must not be async)';

/** The checked part of a definition. */
export interface UncheckedDefinition {
  readonly name: unknown;
  readonly params: unknown;
  readonly setup: unknown;
}

/**
 * Checks a definition.
 * @throws {AssertionFault} unless it has a name, a schema and a `setup`.
 */
export function checkDefinition({ name, params, setup }: UncheckedDefinition): void {
  const isSchema = typeof params === 'object' && params !== null && 'safeParse' in params;
  if (typeof name !== 'string' || name === '') throw new AssertionFault(`name: expected a text, found ${kindOf(name)}`);
  if (!isSchema)
    throw new AssertionFault(`params: expected a schema, as z.strictObject({…}) is, found ${kindOf(params)}`);
  if (typeof setup !== 'function') throw new AssertionFault(`setup: expected a function, found ${kindOf(setup)}`);
}

/**
 * Checks the result of `setup`.
 * @throws {AssertionFault} unless each handler is a function with a known name.
 */
export function checkHandlers(handlers: Handlers): void {
  const value: unknown = handlers;
  if (typeof value !== 'object' || value === null)
    throw new AssertionFault(`expected handlers, found ${kindOf(value)}`);
  if (takePromise(value)) throw new AssertionFault(`setup: expected handlers, found ${PROMISE}`);
  const knownNames: readonly string[] = HANDLER_NAMES;
  for (const name of handlerNames(handlers)) {
    if (!knownNames.includes(name))
      throw new AssertionFault(
        `expected one of ${knownNames.join(', ')}, found ${name}${didYouMean(name, knownNames)}`,
      );
    const handler: unknown = Reflect.get(handlers, name);
    if (handler !== undefined && typeof handler !== 'function')
      throw new AssertionFault(`${name}: expected a function, found ${kindOf(handler)}`);
  }
}

/**
 * Checks the result of `markets`.
 * @throws {AssertionFault} unless each member of the selector is known and of the right kind.
 */
export function checkSelector(selector: MarketSelector): void {
  if (takePromise(selector)) throw new AssertionFault(`markets: expected a selector, found ${PROMISE}`);
  for (const [name, value] of Object.entries(selector)) {
    const kind = KINDS.get(name);
    if (kind === undefined) {
      const knownNames = [...KINDS.keys()];
      throw new AssertionFault(
        `markets: expected one of ${knownNames.join(', ')}, found ${name}${didYouMean(name, knownNames)}`,
      );
    }
    const isFit = value === undefined || kindOf(value) === kind;
    if (!isFit) throw new AssertionFault(`markets.${name}: expected a ${kind}, found ${kindOf(value)}`);
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'list' : typeof value;
}
