// What the venue said last of each market's trading as a whole: its last price, its volume, what is open.
// Must never be taken for the book: it is told apart from it, and later or earlier.
import type { TickerUpdate } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Micros, Price, Qty } from '../domain/units.ts';

/** A market's trading as a whole, always as it was told last. */
export interface TickerFacts {
  /** When it was told. */
  readonly at: Micros;
  /** What the latest trade was at, on the YES scale; `null` when there was none. */
  readonly lastPrice: Price | null;
  /** Hundredths of a contract traded so far. */
  readonly volume: Qty;
  /** Hundredths of a contract that somebody holds. */
  readonly openInterest: Qty;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The facts of every market of which the feed has told any. */
export class TickerBoard {
  readonly #facts = new Map<MarketIndex, Mutable<TickerFacts>>();

  /** Takes what was told; the event is borrowed. */
  take({ market, at, lastPrice, volume, openInterest }: TickerUpdate): void {
    const known = this.#facts.get(market);
    if (known === undefined) {
      this.#facts.set(market, { at, lastPrice, volume, openInterest });
      return;
    }
    known.at = at;
    known.lastPrice = lastPrice;
    known.volume = volume;
    known.openInterest = openInterest;
  }

  of(market: MarketIndex): TickerFacts | null {
    return this.#facts.get(market) ?? null;
  }

  evict(markets: ReadonlySet<MarketIndex>): void {
    for (const market of markets) this.#facts.delete(market);
  }

  /** Of how many markets something is known. */
  get count(): number {
    return this.#facts.size;
  }
}
