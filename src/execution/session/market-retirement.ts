// Removes settled markets after a while. Must never remove a market whose fills could be read once more: they would be
// counted twice.
import { assert } from '../../base/assert.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Market, isSettled } from '../../domain/market.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import type { ChangeSink } from '../../state/state-change.ts';
import { evictableMarkets, releaseStrays } from '../../state/eviction.ts';
import type { State } from '../../state/state.ts';
import type { VenueReader } from './venue-reader.ts';

/** Shortest time between two removals. Microseconds. */
const CHECK_EVERY = 5_000_000;
const NO_MARKETS: readonly Market[] = [];

export interface MarketRetirementOptions {
  readonly state: State;
  readonly reader: VenueReader;
  /** True when a market's figures differ from the venue's without a known reason. */
  readonly isSuspected: (market: MarketIndex) => boolean;
}

/** Removes settled markets. */
export class MarketRetirement {
  readonly #options: MarketRetirementOptions;
  #nextAt: Micros = EPOCH;

  constructor(options: MarketRetirementOptions) {
    this.#options = options;
  }

  /**
   * Removes the markets settled before a given time, at most once every `CHECK_EVERY`. Returns them and records them in
   * `changes`.
   */
  retireMarkets(settledBefore: Micros, changes: ChangeSink): readonly Market[] {
    const { state, reader, isSuspected } = this.#options;
    const { now } = state;
    // The pages of an unfinished list name markets by index. An index must keep its meaning until the list is complete.
    if (now < this.#nextAt || reader.isListing) return NO_MARKETS;
    this.#nextAt = (now + CHECK_EVERY) as Micros;
    const markets = evictableMarkets(state, settledBefore).filter(({ index }) => !isSuspected(index));
    assert(
      markets.every(({ status }) => isSettled(status)),
      'only settled markets may be removed',
    );
    if (markets.length > 0) state.evictMarkets(markets, changes);
    releaseStrays(state, isSuspected);
    return markets;
  }
}
