// Checks a strategy definition: a strategy in JavaScript has no compiler to check it. Unchecked, an unknown name would
// be ignored, and a selector without its condition would take every market.
import { AssertionFault } from '../base/assert.ts';
import { didYouMean } from '../base/near-name.ts';
import { takePromise } from './refused-promise.ts';
import { HANDLER_NAMES, handlerNames } from './handler-names.ts';
import type { Handlers, MarketSelector, StatePersistence, StrategyDefinition } from './strategy-definition.ts';

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

/** The members of a definition, none of which has been checked. */
export type UncheckedDefinition = Readonly<Record<(typeof PARTS)[number], unknown>>;

const PARTS = ['name', 'description', 'params', 'saved', 'markets', 'setup'] as const satisfies readonly Part[];

type Part = keyof StrategyDefinition<unknown, unknown>;

/**
 * Checks a definition.
 * @throws {AssertionFault} unless each member is known and of the right kind, with a name, a schema and a `setup`.
 */
export function checkDefinition(definition: Partial<UncheckedDefinition>): void {
  const { name, params, saved, markets, setup } = definition;
  if (typeof name !== 'string' || name === '') throw new AssertionFault(`name: expected a text, found ${kindOf(name)}`);
  checkSchema('params', params);
  if (saved !== undefined && saved !== null) checkSchema('saved', saved);
  if (markets !== undefined) checkFunction('markets', markets);
  checkFunction('setup', setup);
  const knownNames: readonly string[] = PARTS;
  for (const part of Object.keys(definition))
    if (!knownNames.includes(part))
      throw new AssertionFault(
        `expected one of ${knownNames.join(', ')}, found ${part}${didYouMean(part, knownNames)}`,
      );
}

function checkSchema(part: Part, value: unknown): void {
  const isSchema = typeof value === 'object' && value !== null && 'safeParse' in value;
  if (!isSchema)
    throw new AssertionFault(`${part}: expected a schema, as z.strictObject({…}) is, found ${kindOf(value)}`);
}

function checkFunction<T>(name: string, value: T): asserts value is NonNullable<T> {
  if (typeof value !== 'function') throw new AssertionFault(`${name}: expected a function, found ${kindOf(value)}`);
}

/**
 * Returns `save` and `restore` of a strategy with a schema of its state, and `null` for one that saves nothing.
 * @throws {AssertionFault} when one of the three is missing: without its schema no state would be saved.
 */
export function checkedPersistence<Saved>(
  handlers: Handlers & Partial<StatePersistence<Saved>>,
  schema: unknown,
): StatePersistence<Saved> | null {
  const { save, restore } = handlers;
  if (schema === null) {
    if (save === undefined && restore === undefined) return null;
    throw new AssertionFault('saved: expected a schema of what save returns, found nothing');
  }
  checkFunction('save', save);
  checkFunction('restore', restore);
  return { save: save.bind(handlers), restore: restore.bind(handlers) };
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
    if (handler !== undefined) checkFunction(name, handler);
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
