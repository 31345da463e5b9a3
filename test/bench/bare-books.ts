// The rows of a tape applied to books alone: the baseline of backtests. Must never do more than the books need.
import type { BookDelta } from '../../src/domain/event.ts';
import type { MarketIndex } from '../../src/domain/ids.ts';
import { CENT_GRID } from '../../src/domain/price-grid.ts';
import { EPOCH, type Micros, type Price, type Qty } from '../../src/domain/units.ts';
import { OrderBooks } from '../../src/state/books/order-books.ts';
import { type RowBlock, RowKind } from '../../src/tape/baked/tape-rows.ts';

/** Live, empty books of whole cents, and one reused change. */
export class BareBooks {
  readonly #books: OrderBooks;
  readonly #delta: BookDelta = {
    kind: 'book-delta',
    at: EPOCH,
    exchangeAt: null,
    market: 0 as MarketIndex,
    side: 'bid',
    price: 0 as Price,
    change: 0 as Qty,
  };

  constructor(markets: number) {
    this.#books = new OrderBooks(markets);
    for (let market = 0; market < markets; market++) {
      this.#books.openBook(market as MarketIndex, CENT_GRID);
      this.#books.applySnapshot({ at: EPOCH, exchangeAt: null, market: market as MarketIndex, bids: [], asks: [] });
    }
  }

  /** Applies the changes of a block, and passes over its other rows. */
  applyBlock({ count, kind, at, market, price, qty }: RowBlock): void {
    const books = this.#books;
    const delta = this.#delta;
    for (let row = 0; row < count; row++) {
      const what = kind[row];
      if (what !== RowKind.bid && what !== RowKind.ask) continue;
      delta.at = at[row] as Micros;
      delta.market = market[row] as MarketIndex;
      delta.side = what === RowKind.bid ? 'bid' : 'ask';
      delta.price = price[row] as Price;
      delta.change = qty[row] as Qty;
      books.applyDelta(delta);
    }
  }
}
