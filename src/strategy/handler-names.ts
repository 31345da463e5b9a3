// The names of all handlers, and of the handlers that a strategy has as own members or through its class.
import { nearestName } from '../base/near-name.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import type { Handlers, Intents } from './strategy-definition.ts';

export type HandlerName = keyof Handlers;

/** Every handler that a strategy may have. */
export const HANDLER_NAMES = [
  'onStart',
  'onBook',
  'onOthersBest',
  'onPrint',
  'onTrust',
  'onFill',
  'onOrder',
  'onIntentOutcome',
  'onMarket',
  'onSettled',
  'onLeave',
  'onHalt',
  'onQueue',
  'onBudget',
  'onTimer',
  'onStop',
] as const satisfies readonly HandlerName[];

/** A handler of any event. */
export type AnyHandler = (event: unknown, view: StrategyView) => Intents;

/** Returns a strategy's handler as a bound function, or `undefined` without a handler of that name. */
export function handlerOf(handlers: Handlers, name: HandlerName): AnyHandler | undefined {
  // tidy: as (callers pass the event that belongs to the name)
  const handler = handlers[name] as AnyHandler | undefined;
  return handler?.bind(handlers);
}

/** Returns the names of a strategy's handlers, including misspelled names. */
export function handlerNames(handlers: Handlers): string[] {
  const names = new Set<string>();
  for (
    let owner: unknown = handlers;
    isObject(owner) && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  )
    for (const name of Object.getOwnPropertyNames(owner)) if (looksLikeHandler(name)) names.add(name);
  return [...names];
}

/** True for `onPrnt`, and for `onbook` or `OnBook`. */
const looksLikeHandler = (name: string): boolean =>
  /^on[A-Z]/.test(name) || (/^on/i.test(name) && nearestName(name, HANDLER_NAMES) !== null);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
