// The latest prints of all markets, for displays only. Must never allocate for a print, because a busy tape has
// millions.
import type { Print } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Side } from '../../domain/orders/order.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';

/** A print in the ring. */
export interface RecentPrint {
  /** Number of the print in the session, from 0. */
  readonly number: number;
  readonly at: Micros;
  /** Side of the taker. */
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
}

/** Number of prints kept: a power of two, so that finding a place needs no division. */
const PRINTS_MAX = 4096;
const PLACE = PRINTS_MAX - 1;
const NO_MARKET = -1;

/** A ring of the latest prints. */
export class RecentPrints {
  readonly #markets = new Int32Array(PRINTS_MAX).fill(NO_MARKET);
  readonly #times = new Float64Array(PRINTS_MAX);
  readonly #prices = new Int32Array(PRINTS_MAX);
  readonly #quantities = new Float64Array(PRINTS_MAX);
  readonly #areBuys = new Uint8Array(PRINTS_MAX);
  #count = 0;

  /** Adds a print, in place of the oldest when the ring is full. */
  addPrint(print: Print): void {
    const place = this.#count & PLACE;
    this.#markets[place] = print.market;
    this.#times[place] = print.at;
    this.#prices[place] = print.price;
    this.#quantities[place] = print.qty;
    this.#areBuys[place] = print.side === 'buy' ? 1 : 0;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  /** The kept prints of a market, from a number on, oldest first. */
  printsOf(market: MarketIndex, from: number): RecentPrint[] {
    const found: RecentPrint[] = [];
    for (let number = Math.max(from, this.#count - PRINTS_MAX, 0); number < this.#count; number++) {
      const place = number & PLACE;
      if (this.#markets[place] === market) found.push(this.#printAt(number, place));
    }
    return found;
  }

  #printAt(number: number, place: number): RecentPrint {
    return {
      number,
      at: (this.#times[place] ?? 0) as Micros,
      side: this.#areBuys[place] === 1 ? 'buy' : 'sell',
      price: (this.#prices[place] ?? 0) as Price,
      qty: (this.#quantities[place] ?? 0) as Qty,
    };
  }

  /** Drops the prints of evicted markets, because their market numbers may be reused. */
  evictMarkets(markets: ReadonlySet<MarketIndex>): void {
    for (let place = 0; place < PRINTS_MAX; place++)
      if (markets.has(this.#markets[place] as MarketIndex)) this.#markets[place] = NO_MARKET;
  }
}
