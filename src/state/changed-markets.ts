// Markets that have changed, for consumers that cache figures of many markets. Must never drop a market before its
// consumer has taken it.
import type { MarketIndex } from '../domain/ids.ts';

/** Publishes the markets in which something changed. */
export class ChangedMarkets {
  #consumers: readonly Set<MarketIndex>[] = [];

  /** Adds every market that changes from now on to a set. The consumer removes it from the set. */
  addConsumer(into: Set<MarketIndex>): void {
    this.#consumers = [...this.#consumers, into];
  }

  removeConsumer(from: Set<MarketIndex>): void {
    this.#consumers = this.#consumers.filter((consumer) => consumer !== from);
  }

  markChanged(market: MarketIndex): void {
    for (const consumer of this.#consumers) consumer.add(market);
  }
}
