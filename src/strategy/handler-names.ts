// Which handlers there are, and which a strategy has, whatever they were written as: members of its own, or of its class.
import type { Handlers } from './strategy.ts';

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

/** The names of those that a strategy has; misspelt ones, too. */
export function handlerNames(handlers: Handlers): string[] {
  const names = new Set<string>();
  for (let each: unknown = handlers; isObject(each) && each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) if (/^on[A-Z]/.test(name)) names.add(name);
  return [...names];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
