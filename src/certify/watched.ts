// Stands between the engine and a strategy and shows every call and its raw answer to whoever watches.
// Must never change either.
import type { Market } from '../domain/market.ts';
import { type AnyHandler, HANDLER_NAMES, type HandlerName, handlerOf } from '../strategy/handler-names.ts';
import type { BoundStrategy, Intents, MarketMoved } from '../strategy/strategy.ts';
import type { StrategyView } from '../state/view.ts';

/** One call of a handler. */
export interface Call {
  readonly handler: HandlerName;
  /** The event that it was given. */
  readonly event: unknown;
  readonly view: StrategyView;
}

/** The market that `onMarket` is told of; `null` in any other call. */
export function marketTold({ handler, event }: Call): Market | null {
  // tidy: as The engine gives `onMarket` no other event.
  return handler === 'onMarket' ? (event as MarketMoved).market : null;
}

/** Makes a call: `ask` is the strategy's own handler. */
export type Around = (call: Call, ask: () => Intents) => Intents;

/** A strategy whose every call goes through `around`. */
export function surrounded(bound: BoundStrategy, around: Around): BoundStrategy {
  const handlers: Partial<Record<HandlerName, AnyHandler>> = {};
  for (const name of HANDLER_NAMES) {
    const own = handlerOf(bound.handlers, name);
    if (own === undefined) continue;
    handlers[name] = (event, view) => around({ handler: name, event, view }, () => own(event, view));
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
