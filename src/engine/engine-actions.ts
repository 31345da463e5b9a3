// Lets a part of the engine call parts that are built after it. Must never decide anything: the called part decides.
import { must } from '../base/assert.ts';
import type { ClientOrderId, MarketIndex } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import type { Halt } from '../domain/operator-order.ts';
import type { Observer } from '../execution/engine-notice.ts';
import type { OperatorCommands } from '../execution/operator/operator-commands.ts';
import type { OrderEntry } from '../execution/orders/order-entry.ts';
import type { OrderChange, OrderEntryActions } from '../execution/orders/order-entry-options.ts';
import type { SessionActions } from '../execution/session/session-actions.ts';
import type { RiskActions } from '../risk/risk-guard.ts';
import type { State } from '../state/state.ts';
import type { RunningStrategy, StrategyActions } from '../strategy/strategy-runner.ts';

/** The calls from parts of the engine to parts built after them. */
export interface Actions extends RiskActions, StrategyActions, SessionActions, OrderEntryActions {}

/** The parts that perform the calls. */
export interface ActionPerformers {
  readonly orderEntry: OrderEntry;
  readonly operator: OperatorCommands;
  readonly reactions: { reactTo(change: OrderChange): void };
}

/** Passes each call to the part that performs it. */
export class EngineActions implements Actions {
  readonly #state: State;
  readonly #observe: Observer;
  /** `null` until all parts are built. */
  #performers: ActionPerformers | null = null;

  constructor(state: State, observe: Observer) {
    this.#state = state;
    this.#observe = observe;
  }

  /** Connects the parts that perform the calls, once. No call may come before. */
  connect(performers: ActionPerformers): void {
    this.#performers = performers;
  }

  get #connected(): ActionPerformers {
    return must(this.#performers, 'the connected parts of the engine');
  }

  haltScope(halt: Halt): void {
    this.#connected.operator.haltScope(halt);
  }

  haltAccount(reason: string): void {
    this.haltScope({ scope: { type: 'account' }, by: 'fault', reason, since: this.#state.now });
  }

  haltFailed({ name: strategy }: RunningStrategy, reason: string): void {
    this.haltScope({ scope: { type: 'strategy', strategy }, by: 'fault', reason, since: this.#state.now });
  }

  cancelMarket(market: MarketIndex): void {
    this.#connected.orderEntry.cancelMarket(market);
  }

  cancelStrategy(running: RunningStrategy, market: MarketIndex): void {
    this.#connected.orderEntry.cancelStrategy(running, market);
  }

  cancelOrder(id: ClientOrderId): void {
    this.#connected.orderEntry.cancelOrder(id);
  }

  dropOrder(id: ClientOrderId, why: string): void {
    this.#connected.orderEntry.dropOrder(id, why);
  }

  markUnknown(id: ClientOrderId, why: string): void {
    this.#connected.orderEntry.markUnknown(id, why);
  }

  resendOrder(id: ClientOrderId): boolean {
    return this.#connected.orderEntry.resendOrder(id);
  }

  submitIntents(running: RunningStrategy, intents: readonly Intent[]): void {
    this.#connected.orderEntry.submitIntents(running, intents);
  }

  reactToOrder(change: OrderChange): void {
    this.#connected.reactions.reactTo(change);
  }

  saveState({ name: strategy }: RunningStrategy, json: string): void {
    this.#observe({ type: 'saved', strategy, json });
  }
}
