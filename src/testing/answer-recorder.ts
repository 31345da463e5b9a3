// Records the answers of a strategy. Must never change its answers or the events it receives.
import type { Intent } from '../domain/intent.ts';
import { type AnyHandler, HANDLER_NAMES, type HandlerName, handlerOf } from '../strategy/handler-names.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import type { BoundStrategy } from '../strategy/strategy-definition.ts';

/** Receives a strategy's answers. */
export interface AnswerRecorder {
  /** Called for each intent, with the handler that returned it. */
  onIntent(from: HandlerName, intent: Intent): void;
  /** Called once with the strategy's view, before any other call. */
  onView(view: StrategyView): void;
}

/** Returns the same strategy with a listener. It adds at most one handler: `onStart`, which provides the view. */
export function recordAnswers(bound: BoundStrategy, listener: AnswerRecorder): BoundStrategy {
  const handlers: Partial<Record<HandlerName, AnyHandler>> = {};
  for (const name of HANDLER_NAMES) {
    const handler = handlerOf(bound.handlers, name);
    if (handler !== undefined) handlers[name] = recording(handler, name, listener);
  }
  const { onStart } = handlers;
  handlers.onStart = (event, view) => {
    listener.onView(view);
    return onStart?.(event, view);
  };
  return { ...bound, handlers };
}

const recording =
  (handler: AnyHandler, name: HandlerName, listener: AnswerRecorder): AnyHandler =>
  (event, view) => {
    const intents = handler(event, view);
    // The engine checks whether the answer is a list.
    if (Array.isArray(intents)) for (const intent of intents) listener.onIntent(name, intent);
    return intents;
  };
