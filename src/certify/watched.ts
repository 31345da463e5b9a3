// Stands between the engine and a strategy and shows every call and its raw answer to whoever watches.
// Must never change either.
import type { Market } from '../domain/market.ts';
import { HANDLER_NAMES, type HandlerName } from '../strategy/handler-names.ts';
import type { BoundStrategy, Intents, MarketMoved } from '../strategy/strategy.ts';
import type { StrategyView } from '../state/view.ts';

/** One call of a handler. */
export interface Call {
  readonly handler: HandlerName;
  /** What it was told: an event, a timer's name, or nothing. */
  readonly told: unknown;
  readonly view: StrategyView;
}

/** The market that `onMarket` is told of; `null` in any other call. */
export function marketTold({ handler, told }: Call): Market | null {
  // tidy: as The engine tells `onMarket` of nothing else.
  return handler === 'onMarket' ? (told as MarketMoved).market : null;
}

/** Makes a call: `ask` is the strategy's own handler. */
export type Around = (call: Call, ask: () => Intents) => Intents;

/** A strategy whose every call goes through `around`. */
export function surrounded(bound: BoundStrategy, around: Around): BoundStrategy {
  const handlers: Record<string, (...given: unknown[]) => Intents> = {};
  for (const name of HANDLER_NAMES) {
    const own: unknown = bound.handlers[name];
    if (typeof own !== 'function') continue;
    handlers[name] = (...given) => {
      // tidy: as The engine gives the view last, whatever the handler.
      const view = given.at(-1) as StrategyView;
      const told = given.length > 1 ? given[0] : undefined;
      return around({ handler: name, told, view }, () => own.apply(bound.handlers, given));
    };
  }
  return { ...bound, handlers };
}

/** Who watches a strategy. */
export interface Watch {
  calling?(call: Call): void;
  /** What it answered, before anybody else saw it: whatever it may be. */
  answered?(intents: Intents, call: Call): void;
  threw?(fault: unknown, call: Call): void;
}

/** A strategy that is watched. */
export const watched = (bound: BoundStrategy, watches: readonly Watch[]): BoundStrategy =>
  surrounded(bound, (call, ask) => {
    for (const watch of watches) watch.calling?.(call);
    let intents: Intents;
    try {
      intents = ask();
    } catch (fault) {
      for (const watch of watches) watch.threw?.(fault, call);
      throw fault;
    }
    if (intents !== undefined) for (const watch of watches) watch.answered?.(intents, call);
    return intents;
  });
