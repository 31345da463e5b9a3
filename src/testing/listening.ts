// A strategy with somebody who listens to what it answers. Must never change what it answers, nor what it is asked.
import type { Intent } from '../domain/intent.ts';
import { handlerNames } from '../strategy/handler-names.ts';
import type { StrategyView } from '../state/view.ts';
import type { BoundStrategy, Handlers, Intents } from '../strategy/strategy.ts';

/** Takes what is heard. */
export interface Listener {
  /** An intent, and the handler that gave it. */
  intent(from: string, intent: Intent): void;
  /** What the strategy sees: told once, before anything else is. */
  view(view: StrategyView): void;
}

type Handler = (...given: unknown[]) => Intents;

/** The same strategy, listened to. Handlers that it has not it still has not, but for `onStart`, which tells the view. */
export function listening(bound: BoundStrategy, listener: Listener): BoundStrategy {
  const { handlers } = bound;
  const heard: Record<string, Handler> = {};
  for (const name of handlerNames(handlers)) heard[name] = hear(handlers, name, listener);
  const { onStart } = heard;
  heard['onStart'] = (view) => {
    // tidy: as (the engine gives `onStart` nothing but the view)
    listener.view(view as StrategyView);
    return onStart?.(view);
  };
  return { ...bound, handlers: heard };
}

function hear(handlers: Handlers, name: string, listener: Listener): Handler {
  // tidy: as (a member called `on…` is a handler: nothing else may have such a name)
  const handler = Reflect.get(handlers, name) as Handler;
  return (...given) => {
    const intents = handler.apply(handlers, given);
    // Whether it is a list is the engine's to say.
    if (Array.isArray(intents)) for (const intent of intents) listener.intent(name, intent);
    return intents;
  };
}
