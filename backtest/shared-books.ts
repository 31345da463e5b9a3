// The venue's and the engine's books are equal, so both may share the engine's copy while no change can affect our
// orders. The engine's book is late by the rows in flight on the feed. To end the sharing, the engine's levels are
// copied to the venue, and those rows are replayed. Must never share a book that the engine does not have. Must copy
// back each shared book before the engine loses it.
import { assert } from '../src/base/assert.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Price, Qty } from '../src/domain/units.ts';
import type { OrderBooks } from '../src/state/books/order-books.ts';
import type { BookOwner, SimulatedVenue } from '../src/venues/simulated/simulator-interfaces.ts';
import { type BotSide, SIDE_OF_KIND } from './bot-side.ts';
import type { SharedBlock } from './shared-blocks.ts';
import type { VenueSide } from './venue-side.ts';

/**
 * Maximum number of rows between two searches for books to share. The larger of `ROWS_MAX` and `ROWS_PER_MARKET_MAX`
 * per market applies.
 */
const ROWS_MAX = 65_536;
const ROWS_PER_MARKET_MAX = 16;
/** Default of `rowsUnshared`: copying back is expensive. */
const ROWS_PER_MARKET_UNSHARED = 256;

/** The parts of a run that sharing needs. */
export interface SharedBooksOptions {
  readonly venue: Pick<SimulatedVenue, 'matching' | 'streamedFrom'>;
  readonly books: OrderBooks;
  readonly venueSide: Pick<VenueSide, 'cursor' | 'rowsAtSnapshot'>;
  readonly botSide: Pick<BotSide, 'cursor' | 'deliveringRow'>;
  readonly marketCount: () => number;
}

/** Decides which books are shared, and copies them back. */
export class SharedBooks implements BookOwner {
  readonly #run: SharedBooksOptions;
  /** The next search for books to share, as a number of rows passed at the venue. */
  searchDueAt = 0;
  /**
   * Number of rows passed at the venue from which each market's book may be shared again. Infinite while the book is
   * shared.
   */
  readonly #shareableAt: number[] = [];
  /** A book copied back is shared again after this number of rows per market. */
  rowsUnshared = ROWS_PER_MARKET_UNSHARED;
  /** False while the engine refuses the row being delivered. */
  #isRowApplied = true;

  constructor(run: SharedBooksOptions) {
    this.#run = run;
    run.books.onDistrust = (market, isRefused) => this.#onLosing(market, isRefused);
  }

  /** Shares every book that may be shared. Must be called only while no private event precedes the bot's next row. */
  shareBooks(): void {
    const { venue, books, venueSide, marketCount } = this.#run;
    const count = marketCount();
    const { passed } = venueSide.cursor;
    // Searches come soon after the start of a tape, then ever more rarely.
    this.searchDueAt = passed + Math.min(Math.max(passed, count), Math.max(ROWS_MAX, count * ROWS_PER_MARKET_MAX));
    for (let number = 0; number < count; number++) {
      const market = number as MarketIndex;
      if (passed < (this.#shareableAt[number] ?? 0) || !this.#isSameBook(market)) continue;
      // The engine may not know a new grid yet.
      if (venue.matching.shareBook(market, books.grid(market), this))
        this.#shareableAt[number] = Number.POSITIVE_INFINITY;
    }
  }

  /** True when the engine's book is the venue's at the bot's current row, except for later deltas. */
  #isSameBook(market: MarketIndex): boolean {
    const { venue, books, venueSide, botSide } = this.#run;
    const { cursor } = botSide;
    // From its subscription on, the bot receives every row of the market.
    const isStreamed = cursor.venueTime > (venue.streamedFrom[market] ?? Number.POSITIVE_INFINITY);
    return isStreamed && books.isLive(market) && venueSide.rowsAtSnapshot(market) <= cursor.passed;
  }

  /** @throws {AssertionFault} when the engine's book is not live. */
  copyBack(market: MarketIndex): void {
    const { venueSide, marketCount } = this.#run;
    this.#copyBack(market);
    this.#shareableAt[market] = venueSide.cursor.passed + marketCount() * this.rowsUnshared;
  }

  /**
   * Makes the venue copy back a book that the engine is about to lose. `isRefused`: the engine refuses the row being
   * delivered.
   */
  #onLosing(market: MarketIndex, isRefused: boolean): void {
    this.#isRowApplied = !isRefused;
    this.#run.venue.matching.reclaimBook(market);
    this.#isRowApplied = true;
  }

  /** Copies the engine's book to the venue. Rows that have passed at the venue since are then replayed. */
  #copyBack(market: MarketIndex): void {
    const { venue, books, venueSide, botSide } = this.#run;
    assert(books.isLive(market), `the book of market ${market} is shared, but the engine does not have it`);
    venue.matching.restoreBook(market, books.levels(market, 'bid'), books.levels(market, 'ask'));
    const { cursor } = botSide;
    const row = botSide.deliveringRow < 0 ? cursor.row : botSide.deliveringRow + (this.#isRowApplied ? 1 : 0);
    let left = venueSide.cursor.passed - (cursor.passed + row - cursor.row);
    for (let [block, from]: [SharedBlock | null, number] = [cursor.block, row]; block !== null && left > 0;) {
      const to = Math.min(block.count, from + left);
      this.#replay(market, block, { from, to });
      left -= to - from;
      [block, from] = [block.next, 0];
    }
  }

  #replay(market: MarketIndex, block: SharedBlock, { from, to }: { readonly from: number; readonly to: number }): void {
    const { kind, market: markets, price, qty } = block;
    // The rows of one market are few: each is searched for.
    for (let row = markets.indexOf(market, from); row >= 0 && row < to; row = markets.indexOf(market, row + 1)) {
      const side = SIDE_OF_KIND[kind[row] ?? 0];
      if (side === undefined) continue;
      this.#run.venue.matching.applyDelta({ market, side, price: price[row] as Price, change: qty[row] as Qty });
    }
  }
}
