// A backtest engine with a callback after every event. Must never change a step.
import type { EngineEvent } from '../domain/event.ts';
import type { Command } from '../domain/venue-command.ts';
import { Engine, type EngineOptions } from '../engine.ts';

/** Called with each event once the engine has handled it. */
type AfterEvent = (engine: Engine, event: EngineEvent) => void;

export class RecordedEngine extends Engine {
  readonly #afterEvent: AfterEvent;

  constructor(options: EngineOptions, afterEvent: AfterEvent) {
    super(options);
    this.#afterEvent = afterEvent;
    const stepDelta = this.stepDelta;
    const listened: Engine['stepDelta'] = (delta) => {
      const commands = stepDelta(delta);
      afterEvent(this, delta);
      return commands;
    };
    // The engine's own `stepDelta` is a property, which a method could not replace.
    Object.defineProperty(this, 'stepDelta', { value: listened });
  }

  override step(event: EngineEvent): readonly Command[] {
    const commands = super.step(event);
    // A delta was reported by `stepDelta` already.
    if (event.kind !== 'book-delta') this.#afterEvent(this, event);
    return commands;
  }
}
