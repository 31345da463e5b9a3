// Makes a strategy from its author's definition. Must never let through an unchecked definition: a strategy in
// JavaScript has no compiler.
import type { ZodType } from 'zod';
import { AssertionFault } from '../base/assert.ts';
import { PROMISE, checkDefinition, checkHandlers, checkedPersistence, checkSelector } from './definition-check.ts';
import { takePromise } from './refused-promise.ts';
import type { BoundPersistence, StatePersistence, Strategy, StrategyDefinition } from './strategy-definition.ts';

/**
 * Defines a strategy, as the default export of its file.
 * @throws {AssertionFault} without a name or `setup`, when `params` or `saved` is not a schema, or for an unknown member.
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
      const persistence = checkedPersistence<Saved>(handlers, saved);
      const bound = persistence && saved && boundPersistence(persistence, saved);
      return { name, selector, handlers, ...(bound && { persistence: bound }) };
    },
  };
}

function boundPersistence<Saved>(persistence: StatePersistence<Saved>, schema: ZodType<Saved>): BoundPersistence {
  return {
    schema,
    save: () => schema.parse(atOnce('save', persistence.save())),
    restore(saved, view) {
      atOnce('restore', persistence.restore(schema.parse(saved), view));
    },
  };
}

/** Returns the result of `save` or `restore`, unless it is a promise. */
function atOnce<T>(name: keyof StatePersistence<unknown>, result: T): T {
  if (takePromise(result)) throw new AssertionFault(`${name}: expected a result at once, found ${PROMISE}`);
  return result;
}
