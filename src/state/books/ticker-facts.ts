// The venue's latest summary of each market: last price, volume, open interest. Must never be taken for the book,
// because the two arrive separately.
import type { TickerUpdate } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';

/** Latest summary of a market's trading. */
export interface TickerFacts {
  /** Time at which the summary arrived, by our clock. */
  readonly at: Micros;
  /** Price of the latest trade, on the YES scale; `null` when there was none. */
  readonly lastPrice: Price | null;
  /** Hundredths of a contract traded so far. */
  readonly volume: Qty;
  /** Open interest, in hundredths of a contract. */
  readonly openInterest: Qty;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The summaries of all markets. Added with the first ticker; removed when the market is evicted. */
export class TickerBoard {
  readonly #byMarket = new Map<MarketIndex, Mutable<TickerFacts>>();

  /** Stores a copy of a summary. The event itself may be reused. */
  applyTicker({ market, at, lastPrice, volume, openInterest }: TickerUpdate): void {
    const known = this.#byMarket.get(market);
    if (known === undefined) {
      this.#byMarket.set(market, { at, lastPrice, volume, openInterest });
      return;
    }
    known.at = at;
    known.lastPrice = lastPrice;
    known.volume = volume;
    known.openInterest = openInterest;
  }

  factsOf(market: MarketIndex): TickerFacts | null {
    return this.#byMarket.get(market) ?? null;
  }

  evictMarkets(markets: ReadonlySet<MarketIndex>): void {
    for (const market of markets) this.#byMarket.delete(market);
  }

  get count(): number {
    return this.#byMarket.size;
  }
}
