// Which handlers a strategy has, whatever they were written as: members of its own, or of its class.
import type { Handlers } from '../../strategy/strategy.ts';

/** Their names. */
export function handlerNames(handlers: Handlers): string[] {
  const names = new Set<string>();
  for (let each: unknown = handlers; isObject(each) && each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) if (/^on[A-Z]/.test(name)) names.add(name);
  return [...names];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
