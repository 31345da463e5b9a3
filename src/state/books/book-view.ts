// One market's book as strategies see it. Must never cache a figure: every call reads the order books.
import type { BookSide } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Bare, type Micros, NO_QTY, type NoPrice, type Price, type Qty, complement } from '../../domain/units.ts';
import type { BookTrust, OrderBooks } from './order-books.ts';
import type { State } from '../state.ts';

/** One market's book as it is now. Prices on the YES scale, quantities in hundredths of a contract. */
export class BookView {
  readonly #state: State;
  readonly #books: OrderBooks;
  /** Number of the market that the book belongs to. */
  readonly market: MarketIndex;

  /** @internal The framework makes it. */
  constructor(state: State, market: MarketIndex) {
    this.#state = state;
    this.#books = state.books;
    this.market = market;
  }

  /** Trust in the book. */
  get trust(): BookTrust {
    return this.#books.trust(this.market);
  }

  /** True when the book may be relied on: its trust is `live`. */
  get isLive(): boolean {
    return this.#books.isLive(this.market);
  }

  /** Time as of which the book is known to be right, by the stream or by an equal book read over REST. */
  get confirmedAt(): Micros {
    return this.#state.confirmedAt(this.market);
  }

  /** Number of times the book was started over. Figures from an earlier epoch are out of date. */
  get epoch(): number {
    return this.#books.epoch(this.market);
  }

  /** The highest price bid for YES; `null` when there is none. */
  get bestBid(): Price | null {
    return this.#books.bestBid(this.market);
  }

  /** The lowest price YES is offered at; `null` when there is none. */
  get bestAsk(): Price | null {
    return this.#books.bestAsk(this.market);
  }

  /** Quantity at the best bid, in hundredths of a contract; 0 when nothing is bid. */
  get bestBidQty(): Qty {
    const best = this.bestBid;
    return best === null ? (0 as Qty) : this.qtyAt('bid', best);
  }

  /** Quantity at the best ask, in hundredths of a contract; 0 when nothing is offered. */
  get bestAskQty(): Qty {
    const best = this.bestAsk;
    return best === null ? (0 as Qty) : this.qtyAt('ask', best);
  }

  /**
   * Mean of best bid and best ask, in ten-thousandths of a dollar; a ratio, not a price. `null` when a side is empty.
   */
  get mid(): number | null {
    const twice = this.#books.twiceMid(this.market);
    return twice === 0 ? null : twice / 2;
  }

  /** Best ask less best bid, in ten-thousandths of a dollar; `null` when a side is empty. */
  get spread(): number | null {
    const bid = this.bestBid;
    const ask = this.bestAsk;
    return bid === null || ask === null ? null : ask - bid;
  }

  /**
   * The touch weighted by the quantity on the other side, in ten-thousandths of a dollar. It lies close to the ask
   * where more is bid than offered. It is a ratio, not a price. `null` when a side is empty.
   */
  get microprice(): number | null {
    const bid = this.bestBid;
    const ask = this.bestAsk;
    if (bid === null || ask === null) return null;
    const bidQty = this.qtyAt('bid', bid);
    const askQty = this.qtyAt('ask', ask);
    return (bid * askQty + ask * bidQty) / (bidQty + askQty);
  }

  /** The highest price bid for NO: the complement of the best ask, with the same quantity. */
  get bestNoBid(): NoPrice | null {
    const ask = this.bestAsk;
    return ask === null ? null : complement(ask);
  }

  /** The lowest price NO is offered at: the complement of the best bid. */
  get bestNoAsk(): NoPrice | null {
    const bid = this.bestBid;
    return bid === null ? null : complement(bid);
  }

  /** The best price of a side; `null` when there is none. */
  best(side: BookSide): Price | null {
    return side === 'bid' ? this.bestBid : this.bestAsk;
  }

  /** The next worse price of a side with a quantity; `null` when there is none. */
  behind(side: BookSide, price: Price): Price | null {
    return this.#books.behind(this.market, side, price);
  }

  /**
   * Total quantity on a side within a distance from the best price.
   * @param within In ten-thousandths of a dollar; 0 for the best level alone.
   */
  depth(side: BookSide, within: Price | Bare): Qty {
    const best = this.best(side);
    if (best === null) return NO_QTY;
    let total = 0;
    let at: Price | null = best;
    while (at !== null && Math.abs(at - best) <= within) {
      total += this.qtyAt(side, at);
      at = this.behind(side, at);
    }
    return total as Qty;
  }

  /**
   * Bid quantity less offered quantity on the best levels, as a share of their sum. It is −1 when nothing is bid, and 1
   * when nothing is offered. `null` when the book is empty.
   */
  imbalance(levelsMax: Bare = 1): number | null {
    const bids = this.#sum('bid', levelsMax);
    const asks = this.#sum('ask', levelsMax);
    return bids + asks === 0 ? null : (bids - asks) / (bids + asks);
  }

  #sum(side: BookSide, levelsMax: number): number {
    let total = 0;
    let at = this.best(side);
    for (let i = 0; i < levelsMax && at !== null; i++) {
      total += this.qtyAt(side, at);
      at = this.behind(side, at);
    }
    return total;
  }

  /** The quantity of a level; 0 where there is none. */
  qtyAt(side: BookSide, price: Price): Qty {
    return this.#books.qtyAt(this.market, side, price);
  }

  /** The best levels of a side, best first. The list is a copy. */
  levels(side: BookSide, depthMax?: number): [Price, Qty][] {
    return this.#books.levels(this.market, side, depthMax);
  }
}
