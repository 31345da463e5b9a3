// The books of a scripted venue: levels by price, as a snapshot or a poll shows them.
import type { BookSide, Levels } from '../../../src/domain/event.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { type Price, type Qty, qty } from '../../../src/domain/units.ts';

export class VenueBooks {
  readonly #books = new Map<MarketIndex, Record<BookSide, Map<Price, number>>>();

  openBook(market: MarketIndex): void {
    this.#books.set(market, { bid: new Map(), ask: new Map() });
  }

  closeBook(market: MarketIndex): void {
    this.#books.delete(market);
  }

  /** Both sides of a book. */
  levels(market: MarketIndex): { readonly bids: Levels; readonly asks: Levels } {
    const book = this.#books.get(market)!;
    const side = (of: BookSide): Levels => [...book[of]].map(([at, size]): [Price, Qty] => [at, qty(size)]);
    return { bids: side('bid'), asks: side('ask') };
  }

  /** Changes a level by a signed size. */
  changeLevel(market: MarketIndex, side: BookSide, at: { readonly price: Price; readonly change: number }): void {
    const levels = this.#books.get(market)![side];
    const size = (levels.get(at.price) ?? 0) + at.change;
    if (size > 0) levels.set(at.price, size);
    else levels.delete(at.price);
  }
}
