// A strategy with somebody who listens to what it answers. Must never change what it answers, nor what it is asked.
import type { Intent } from '../domain/intent.ts';
import { type AnyHandler, HANDLER_NAMES, type HandlerName, handlerOf } from '../strategy/handler-names.ts';
import type { StrategyView } from '../state/view.ts';
import type { BoundStrategy } from '../strategy/strategy.ts';

/** Takes what is heard. */
export interface Listener {
  /** An intent, and the handler that gave it. */
  intent(from: HandlerName, intent: Intent): void;
  /** What the strategy sees: given once, before anything else is. */
  view(view: StrategyView): void;
}

/** The same strategy, listened to. Handlers that it has not it still has not, but for `onStart`, which shows the view. */
export function listening(bound: BoundStrategy, listener: Listener): BoundStrategy {
  const heard: Partial<Record<HandlerName, AnyHandler>> = {};
  for (const name of HANDLER_NAMES) {
    const own = handlerOf(bound.handlers, name);
    if (own !== undefined) heard[name] = hear(own, name, listener);
  }
  const { onStart } = heard;
  heard.onStart = (event, view) => {
    listener.view(view);
    return onStart?.(event, view);
  };
  return { ...bound, handlers: heard };
}

const hear =
  (own: AnyHandler, name: HandlerName, listener: Listener): AnyHandler =>
  (event, view) => {
    const intents = own(event, view);
    // Whether it is a list is the engine's to say.
    if (Array.isArray(intents)) for (const intent of intents) listener.intent(name, intent);
    return intents;
  };
