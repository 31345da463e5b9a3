// Makes a strategy from its author's definition. Must never let through an unchecked definition: a strategy in
// JavaScript has no compiler.
import type { ZodType } from 'zod';
import { AssertionFault, assert } from '../base/assert.ts';
import { PROMISE, checkDefinition, checkHandlers, checkSelector } from './definition-check.ts';
import { takePromise } from './refused-promise.ts';
import type {
  BoundPersistence,
  Handlers,
  StatePersistence,
  Strategy,
  StrategyDefinition,
} from './strategy-definition.ts';

/**
 * Defines a strategy, as the default export of its file.
 * @throws {AssertionFault} without a name or `setup`, or when `params` is not a schema.
 * @example
 * import { bidOnGrid, cents, contracts, defineStrategy, z } from 'presage-trading';
 *
 * export default defineStrategy({
 *   name: 'below-the-middle',
 *   params: z.strictObject({ distanceCents: z.number().positive().default(2) }),
 *   setup: ({ params }) => ({
 *     onBook({ market }, view) {
 *       const { mid } = view.book(market);
 *       if (mid === null) return;
 *       const price = bidOnGrid(view.market(market).grid, mid - cents(params.distanceCents));
 *       return [{ type: 'quote', market, bid: price && { price, qty: contracts(5) }, ask: null }];
 *     },
 *   }),
 * });
 */
export function defineStrategy<Params, Saved = never>(definition: StrategyDefinition<Params, Saved>): Strategy {
  const { saved = null } = definition;
  checkDefinition(definition);
  return {
    name: definition.name,
    description: definition.description ?? '',
    params: definition.params,
    saved,
    bind(name, input) {
      const params = definition.params.parse(input);
      const selector = definition.markets?.(params) ?? {};
      checkSelector(selector);
      const handlers = definition.setup({ name, params });
      checkHandlers(handlers);
      const keeping = saved === null ? null : keepingOf(handlers, saved);
      return { name, selector, handlers, ...(keeping && { persistence: keeping }) };
    },
  };
}

function keepingOf<Saved>(
  handlers: Handlers & Partial<StatePersistence<Saved>>,
  schema: ZodType<Saved>,
): BoundPersistence {
  const { save, restore } = handlers;
  assert(save !== undefined && restore !== undefined, 'a strategy with a schema of its state lacks save and restore');
  return {
    schema,
    save: () => schema.parse(atOnce('save', save.call(handlers))),
    restore(saved, view) {
      atOnce('restore', restore.call(handlers, schema.parse(saved), view));
    },
  };
}

/** Returns the result of `save` or `restore`, unless it is a promise. */
function atOnce<T>(name: keyof StatePersistence<unknown>, result: T): T {
  if (takePromise(result)) throw new AssertionFault(`${name}: expected a result at once, found ${PROMISE}`);
  return result;
}
