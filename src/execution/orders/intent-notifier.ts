// Notifies strategies when their intents are denied or approved. The caller reports later outcomes to them. Must never
// decide an outcome.
import type { Denial } from '../../domain/denial.ts';
import type { IntentOutcome } from '../../domain/event.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { Intent, PlaceIntent } from '../../domain/intent.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { State } from '../../state/state.ts';
import type { StrategyRunner, RunningStrategy } from '../../strategy/strategy-runner.ts';
import type { OrderChange } from './order-entry-options.ts';
import { type ChangeIntent, IntentTracker } from './intent-tracker.ts';
import type { Observer } from '../engine-notice.ts';

export interface IntentNotifierOptions {
  readonly state: State;
  readonly observe: Observer;
}

const NO_OUTCOMES: readonly IntentOutcome[] = [];

/** Tracks intents and notifies the strategies that listen. */
export class IntentNotifier {
  readonly #state: State;
  readonly #observe: Observer;
  readonly #tracker = new IntentTracker();
  #roster: StrategyRunner | null = null;

  constructor({ state, observe }: IntentNotifierOptions) {
    this.#state = state;
    this.#observe = observe;
  }

  useRoster(roster: StrategyRunner): void {
    this.#roster = roster;
  }

  #notify(running: RunningStrategy, outcome: IntentOutcome): void {
    this.#roster?.callStrategy(running, (handlers, view) => handlers.onIntentOutcome?.(outcome, view));
  }

  onDenied(running: RunningStrategy, intent: Intent, denial: Denial): void {
    const { name: strategy } = running;
    this.#observe({ type: 'denied', strategy, intent, denial });
    if ('market' in intent) this.#roster?.callAtNextChange(intent.market);
    this.#notify(running, { kind: 'denied', at: this.#state.now, strategy, intent, denial });
  }

  /** Notifies that an intent was approved. The order waits to be sent. */
  onPlaced({ strategy, clientOrderId: id }: Order, intent: PlaceIntent): void {
    const running = this.#roster?.strategyNamed(strategy);
    if (!running?.handlers.onIntentOutcome) return;
    this.#tracker.trackPlaced(id, intent);
    this.#notify(running, { kind: 'approved', at: this.#state.now, strategy, intent, clientOrderId: id });
  }

  /**
   * Notifies that a cancel or decrease was approved. A waiting change that it replaced is first reported as not sent.
   */
  onChangeRequested(running: RunningStrategy, order: Order, intent: ChangeIntent): void {
    const { now: at } = this.#state;
    const { strategy, clientOrderId: id } = order;
    const replaced = this.#tracker.trackChange(id, intent);
    const why = 'replaced by a later change';
    if (replaced) this.#notify(running, { kind: 'not-sent', at, strategy, intent: replaced, order, why });
    this.#notify(running, { kind: 'approved', at, strategy, intent, clientOrderId: id });
  }

  onDecreaseStage(id: ClientOrderId, stage: 'queued' | 'sent'): void {
    this.#tracker.advanceDecrease(id, stage);
  }

  /** The outcomes that follow from an order's change of state. Must be called before anything reacts to the change. */
  outcomesOf(change: OrderChange): readonly IntentOutcome[] {
    const isWanted = this.#roster?.strategyNamed(change.order.strategy)?.handlers.onIntentOutcome !== undefined;
    return isWanted ? this.#tracker.outcomesAfter(change, this.#state.now) : NO_OUTCOMES;
  }
}
