// What a strategy remembers of each market, by ticker: bounded, and made to be kept over a restart.
// Must never grow beyond its bound: what was looked at longest ago makes room.
import { assert } from '../domain/assert.ts';
import type { Market } from '../domain/market.ts';

/** How a memory begins with a market that it does not know, and of how many it keeps something. */
export interface MemoryOptions<Each> {
  readonly begin: (market: Market) => Each;
  /** Default 1000. */
  readonly capacity?: number;
}

/** Something of each market. */
export class MarketMemory<Each> {
  readonly #begin: (market: Market) => Each;
  readonly #capacity: number;
  /** The one looked at last comes last. */
  readonly #byTicker = new Map<string, Each>();

  /** @throws {AssertionFault} unless the capacity is a positive whole number. */
  constructor({ begin, capacity = 1000 }: MemoryOptions<Each>) {
    assert(Number.isSafeInteger(capacity) && capacity > 0, `a memory cannot hold ${capacity} markets`);
    this.#begin = begin;
    this.#capacity = capacity;
  }

  /** What is remembered of a market; begun if there is nothing. */
  of(market: Market): Each {
    const known = this.#byTicker.get(market.ticker);
    return this.set(market, known === undefined ? this.#begin(market) : known);
  }

  /** Remembers this of a market. Returns it. */
  set(market: Market, each: Each): Each {
    const { ticker } = market;
    this.#byTicker.delete(ticker);
    this.#byTicker.set(ticker, each);
    if (this.#byTicker.size > this.#capacity)
      for (const oldest of this.#byTicker.keys()) {
        this.#byTicker.delete(oldest);
        break;
      }
    return each;
  }

  /** Forgets a market: to be called when `onMarket` tells that it is finalized, and when `onLeave` tells of it. */
  forget(market: Market): void {
    this.#byTicker.delete(market.ticker);
  }

  /** All that is remembered, by ticker, the one looked at longest ago first. */
  entries(): IterableIterator<[ticker: string, each: Each]> {
    return this.#byTicker.entries();
  }

  get size(): number {
    return this.#byTicker.size;
  }

  /** All of it as plain pairs, for `save`. */
  save<Plain>(plain: (each: Each) => Plain): [ticker: string, Plain][] {
    return Array.from(this.#byTicker, ([ticker, each]) => [ticker, plain(each)]);
  }

  /** Takes the place of what is remembered, for `restore`. */
  restore<Plain>(pairs: readonly (readonly [ticker: string, Plain])[], revive: (plain: Plain) => Each): void {
    this.#byTicker.clear();
    for (const [ticker, plain] of pairs.slice(-this.#capacity)) this.#byTicker.set(ticker, revive(plain));
  }
}
