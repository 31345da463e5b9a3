// Which handlers there are, and which a strategy has, whatever they were written as: members of its own, or of its class.
import { nearestName } from '../domain/near-name.ts';
import type { StrategyView } from '../state/view.ts';
import type { Handlers, Intents } from './strategy.ts';

export type HandlerName = keyof Handlers;

/** Every handler that a strategy may have. */
export const HANDLER_NAMES = [
  'onStart',
  'onBook',
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

/** A handler of which the event is not known: all are called alike. */
export type AnyHandler = (event: unknown, view: StrategyView) => Intents;

/** One of a strategy's handlers, as a function of its own; `undefined` where it has none of the name. */
export function handlerOf(handlers: Handlers, name: HandlerName): AnyHandler | undefined {
  // tidy: as (callers pass the event that belongs to the name)
  const own = handlers[name] as AnyHandler | undefined;
  return own?.bind(handlers);
}

/** The names of those that a strategy has; misspelt ones, too. */
export function handlerNames(handlers: Handlers): string[] {
  const names = new Set<string>();
  for (let each: unknown = handlers; isObject(each) && each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) if (isMeantAsHandler(name)) names.add(name);
  return [...names];
}

/** `onPrnt`, and `onbook` or `OnBook`, too. */
const isMeantAsHandler = (name: string): boolean =>
  /^on[A-Z]/.test(name) || (/^on/i.test(name) && nearestName(name, HANDLER_NAMES) !== null);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
