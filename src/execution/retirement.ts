// When settled markets are forgotten: a while after, so that everybody has been told, and not while anything may still
// be told of them. Must never let go of a market whose fills could be read once more: they would be booked twice.
import type { MarketIndex } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import type { StateChange } from '../state/change.ts';
import { evictable, releaseStrays } from '../state/eviction.ts';
import type { State } from '../state/state.ts';
import type { Reader } from './reader.ts';

/** How often to look. Microseconds. */
const LOOK_EVERY = 5_000_000;
const NOBODY: readonly Market[] = [];

export interface RetirementOptions {
  readonly state: State;
  readonly reader: Reader;
  /** Whether a market's figures differ from the venue's, and nobody knows why yet. */
  readonly isSuspected: (market: MarketIndex) => boolean;
}

/** Lets settled markets go. */
export class Retirement {
  readonly #options: RetirementOptions;
  #nextAt: Micros = EPOCH;

  constructor(options: RetirementOptions) {
    this.#options = options;
  }

  /** Forgets, now and then, the markets that were settled before a time. Returns them; `changes` tells of them too. */
  pass(settledBefore: Micros, changes: StateChange[]): readonly Market[] {
    const { state, reader, isSuspected } = this.#options;
    const { now } = state;
    // The rows of a list that is half read name markets by numbers, which must mean the same until it is whole.
    if (now < this.#nextAt || reader.isListing) return NOBODY;
    this.#nextAt = (now + LOOK_EVERY) as Micros;
    const markets = evictable(state, settledBefore).filter(({ index }) => !isSuspected(index));
    if (markets.length > 0) state.evict(markets, changes);
    releaseStrays(state, isSuspected);
    return markets;
  }
}
