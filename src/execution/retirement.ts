// When settled markets are forgotten: a while after, so that everybody has been told, and not while anything may still
// be told of them. Must never let go of a market whose fills could be read once more: they would be booked twice.
import type { Market } from '../domain/market.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import type { StateChange } from '../state/change.ts';
import { evictable, releaseStrays } from '../state/eviction.ts';
import type { State } from '../state/state.ts';
import type { Reader } from './reader.ts';

/** How often to look. Microseconds. */
const LOOK_EVERY = 5_000_000;
const NOBODY: readonly Market[] = [];

/** Lets settled markets go. */
export class Retirement {
  readonly #state: State;
  readonly #reader: Reader;
  #nextAt: Micros = EPOCH;

  constructor(state: State, reader: Reader) {
    this.#state = state;
    this.#reader = reader;
  }

  /** Forgets, now and then, the markets that were settled before a time. Returns them; `changes` tells of them too. */
  pass(settledBefore: Micros, changes: StateChange[]): readonly Market[] {
    const { now } = this.#state;
    // The rows of a list that is half read name markets by numbers, which must mean the same until it is whole.
    if (now < this.#nextAt || this.#reader.isListing) return NOBODY;
    this.#nextAt = (now + LOOK_EVERY) as Micros;
    const markets = evictable(this.#state, settledBefore);
    if (markets.length > 0) this.#state.evict(markets, changes);
    releaseStrays(this.#state);
    return markets;
  }
}
