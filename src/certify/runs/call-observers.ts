// Wraps a strategy and shows every call and its raw answer to observers. Must never change either.
import type { Market } from '../../domain/market.ts';
import { type AnyHandler, HANDLER_NAMES, type HandlerName, handlerOf } from '../../strategy/handler-names.ts';
import type { BoundStrategy, Intents, MarketMoved } from '../../strategy/strategy-definition.ts';
import type { StrategyView } from '../../state/strategy-view.ts';

/** One call of a handler. */
export interface HandlerCall {
  readonly handler: HandlerName;
  readonly event: unknown;
  readonly view: StrategyView;
}

/** The market of a call to `onMarket`; `null` for any other call. */
export function announcedMarket({ handler, event }: HandlerCall): Market | null {
  // tidy: as The engine gives `onMarket` no other event.
  return handler === 'onMarket' ? (event as MarketMoved).market : null;
}

/** Makes a call. `ask` calls the strategy's own handler. */
export type HandlerWrapper = (call: HandlerCall, ask: () => Intents) => Intents;

/** Returns a strategy whose every call goes through `around`. */
export function wrapHandlers(bound: BoundStrategy, around: HandlerWrapper): BoundStrategy {
  const handlers: Partial<Record<HandlerName, AnyHandler>> = {};
  for (const name of HANDLER_NAMES) {
    const handlerFunction = handlerOf(bound.handlers, name);
    if (handlerFunction === undefined) continue;
    handlers[name] = (event, view) => around({ handler: name, event, view }, () => handlerFunction(event, view));
  }
  return { ...bound, handlers };
}

/** An observer of a strategy's calls. */
export interface CallObserver {
  onCall?(call: HandlerCall): void;
  /** Called with the raw answer, before any other code sees it. */
  onAnswer?(intents: Intents, call: HandlerCall): void;
  onThrow?(fault: unknown, call: HandlerCall): void;
}

/** Returns a strategy whose calls go to observers. */
export const withObservers = (bound: BoundStrategy, watches: readonly CallObserver[]): BoundStrategy =>
  wrapHandlers(bound, (call, ask) => {
    for (const watch of watches) watch.onCall?.(call);
    let intents: Intents;
    try {
      intents = ask();
    } catch (fault) {
      for (const watch of watches) watch.onThrow?.(fault, call);
      throw fault;
    }
    if (intents !== undefined) for (const watch of watches) watch.onAnswer?.(intents, call);
    return intents;
  });
