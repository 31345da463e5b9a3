// A strategy's memory of each market, by ticker: bounded, and made to be saved. Must never grow beyond its bound: the
// entry used longest ago makes room.
import { assert } from '../base/assert.ts';
import type { Market } from '../domain/market.ts';

/** Options of a memory of markets. */
export interface MemoryOptions<Each> {
  /** Makes the first value of a market. */
  readonly begin: (market: Market) => Each;
  /**
   * Most markets to remember, a positive whole number. Beyond it, the market used longest ago is dropped. Choose it
   * larger than the number of markets traded.
   * @default `1000`
   */
  readonly capacity?: number;
}

/**
 * One value for each market, stored by ticker, so that it can be saved.
 * @example
 * import { Ewma, type Market, MarketMemory } from 'presage-trading';
 *
 * const mids = new MarketMemory({ begin: () => new Ewma({ halfLifeMs: 5000 }), capacity: 500 });
 *
 * export const meanOf = (market: Market): number | null => mids.of(market).mean;
 * mids.size; // 0
 */
export class MarketMemory<Each> {
  readonly #makeValue: (market: Market) => Each;
  readonly #capacity: number;
  /** The entry used longest ago is the first. */
  readonly #byTicker = new Map<string, Each>();

  /**
   * Starts without a market.
   * @throws {AssertionFault} unless the capacity is a positive whole number.
   */
  constructor({ begin, capacity = 1000 }: MemoryOptions<Each>) {
    assert(Number.isSafeInteger(capacity) && capacity > 0, `a memory cannot hold ${capacity} markets`);
    this.#makeValue = begin;
    this.#capacity = capacity;
  }

  /** Returns the value of a market, or a new value when the market has none. */
  of(market: Market): Each {
    const existing = this.#byTicker.get(market.ticker);
    return this.set(market, existing === undefined ? this.#makeValue(market) : existing);
  }

  /** Sets the value of a market and returns it. */
  set(market: Market, value: Each): Each {
    const { ticker } = market;
    this.#byTicker.delete(ticker);
    this.#byTicker.set(ticker, value);
    if (this.#byTicker.size > this.#capacity)
      for (const oldest of this.#byTicker.keys()) {
        this.#byTicker.delete(oldest);
        break;
      }
    return value;
  }

  /** Drops a market. Call it in `onLeave`, and when `onMarket` reports a finalized market. */
  forget(market: Market): void {
    this.#byTicker.delete(market.ticker);
  }

  /** All entries by ticker, the one used longest ago first. */
  entries(): IterableIterator<[ticker: string, each: Each]> {
    return this.#byTicker.entries();
  }

  /** Number of markets that have a value. */
  get size(): number {
    return this.#byTicker.size;
  }

  /** All entries as plain pairs, for `save`. */
  save<Plain>(plain: (value: Each) => Plain): [ticker: string, Plain][] {
    return Array.from(this.#byTicker, ([ticker, value]) => [ticker, plain(value)]);
  }

  /** Replaces all entries, for `restore`. */
  restore<Plain>(pairs: readonly (readonly [ticker: string, Plain])[], revive: (plain: Plain) => Each): void {
    this.#byTicker.clear();
    for (const [ticker, plain] of pairs.slice(-this.#capacity)) this.#byTicker.set(ticker, revive(plain));
  }
}
