// Which markets have moved, for whoever keeps figures of many: each gathers those that it has not looked at since.
// Must never tell one more often than it is looked at, nor forget one that is not.
import type { MarketIndex } from '../domain/ids.ts';

/** Markets of which something has moved. */
export class Moved {
  readonly #followers: Set<MarketIndex>[] = [];

  /** From now on every market that moves is put into a set; whoever follows takes it out again. */
  follow(into: Set<MarketIndex>): void {
    this.#followers.push(into);
  }

  /** A market moved. */
  add(market: MarketIndex): void {
    for (const follower of this.#followers) follower.add(market);
  }
}
