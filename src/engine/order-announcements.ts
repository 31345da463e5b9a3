// Reports the changes of orders to their strategies, in the order in which they happened. Must never report one twice.
import type { OrderChange } from '../execution/orders/order-entry-options.ts';
import type { StrategyRunner } from '../strategy/strategy-runner.ts';
import type { ChangeQueue } from './change-queue.ts';

/** Calls `onOrder` of the strategies. */
export class OrderAnnouncements {
  readonly #changes: ChangeQueue;
  readonly #strategyRunner: StrategyRunner;
  /** Changes reported before their reaction. Added when a later change of the order is due; removed at their reaction. */
  readonly #announced = new Set<OrderChange>();

  constructor(changes: ChangeQueue, strategyRunner: StrategyRunner) {
    this.#changes = changes;
    this.#strategyRunner = strategyRunner;
  }

  hasListener({ order }: OrderChange): boolean {
    return this.#strategyRunner.strategyNamed(order.strategy)?.handlers.onOrder !== undefined;
  }

  /** Reports a change to the order's strategy. Earlier changes of the order that still wait for a reaction come first. */
  announce(change: OrderChange): void {
    if (this.#announced.delete(change)) return;
    for (const earlier of this.#changes.waitingBefore(change))
      if (earlier.type === 'order' && earlier.order === change.order) this.#announceEarly(earlier);
    this.#call(change);
  }

  #announceEarly(change: OrderChange): void {
    if (this.#announced.has(change)) return;
    this.#announced.add(change);
    this.#call(change);
  }

  #call(change: OrderChange): void {
    this.#strategyRunner.callNamed(change.order.strategy, (handlers, view) => handlers.onOrder?.(change, view));
  }
}
