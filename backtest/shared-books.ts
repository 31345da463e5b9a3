// Shared books of a backtest. While no change can affect an order of ours, the engine's book replaces the venue's. The
// two books are equal, except that the engine's is late by the rows in flight on the feed. Most changes of a tape are
// far from our orders, and one copy costs half the work of two. On demand the engine's levels are copied back to the
// venue, and the rows in flight are replayed on top. Must never share a book that the engine does not have, and must
// copy back each shared book before the engine loses it.
import { assert } from '../src/base/assert.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Price, Qty } from '../src/domain/units.ts';
import type { OrderBooks } from '../src/state/books/order-books.ts';
import type { BookOwner, SimulatedVenue } from '../src/venues/simulated/simulator-interfaces.ts';
import { type BotSide, SIDE_OF_KIND } from './bot-side.ts';
import type { SharedBlock } from './shared-blocks.ts';
import type { VenueSide } from './venue-side.ts';

/**
 * Maximum number of rows between two searches for books to share: `ROWS_MAX`, or `ROWS_PER_MARKET_MAX` times the number
 * of markets if that is more.
 */
const ROWS_MAX = 65_536;
const ROWS_PER_MARKET_MAX = 16;
/** Default of `rowsUnshared`: copying back is expensive. */
const ROWS_PER_MARKET_UNSHARED = 256;

/** The parts of a run that sharing needs. */
export interface SharedBooksOptions {
  readonly venue: Pick<SimulatedVenue, 'matching' | 'streamedFrom'>;
  /** The books of the bot's engine. */
  readonly books: OrderBooks;
  readonly venueSide: Pick<VenueSide, 'cursor' | 'rowsAtSnapshot'>;
  readonly botSide: Pick<BotSide, 'cursor' | 'deliveringRow'>;
  /** Number of markets that the tape names. */
  readonly marketCount: () => number;
}

/** Decides which books are shared, and copies them back. */
export class SharedBooks implements BookOwner {
  readonly #run: SharedBooksOptions;
  /** Number of rows passed at the venue at which to search for books to share. */
  searchDueAt = 0;
  /**
   * Number of rows passed at the venue from which each market's book may be shared again; infinite while the book is
   * shared, so that the search skips it.
   */
  readonly #shareableAt: number[] = [];
  /** Number of rows per market that pass before a book that was copied back is shared again. */
  rowsUnshared = ROWS_PER_MARKET_UNSHARED;
  /** True when the row being delivered to the bot, if any, is already in the engine's book. */
  #isRowApplied = true;

  constructor(run: SharedBooksOptions) {
    this.#run = run;
    run.books.onDistrust = (market, isRefused) => this.#onLosing(market, isRefused);
  }

  /**
   * Shares every book that may be shared. Must be called only while no private event comes before the bot's next row.
   */
  shareBooks(): void {
    const { venue, books, venueSide, marketCount } = this.#run;
    const count = marketCount();
    const { passed } = venueSide.cursor;
    // Searches come soon after the start of a tape, then ever more rarely.
    this.searchDueAt = passed + Math.min(Math.max(passed, count), Math.max(ROWS_MAX, count * ROWS_PER_MARKET_MAX));
    for (let number = 0; number < count; number++) {
      const market = number as MarketIndex;
      if (passed < (this.#shareableAt[number] ?? 0) || !this.#isSameBook(market)) continue;
      // The grid is compared because the engine may not know a new grid yet.
      if (venue.matching.shareBook(market, books.grid(market), this))
        this.#shareableAt[number] = Number.POSITIVE_INFINITY;
    }
  }

  /**
   * True when the engine's book is the venue's book as of the bot's current row, and only deltas have happened to it at
   * the venue since.
   */
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
   * Reclaims a book that the engine is about to lose. `isRefused` is true when the engine refuses the row being
   * delivered.
   */
  #onLosing(market: MarketIndex, isRefused: boolean): void {
    this.#isRowApplied = !isRefused;
    this.#run.venue.matching.reclaimBook(market);
    this.#isRowApplied = true;
  }

  /** Copies a book back as the engine has it, then replays what has happened at the venue since. */
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

  /** Replays the changes of one market's levels in a range of rows. */
  #replay(market: MarketIndex, block: SharedBlock, { from, to }: { readonly from: number; readonly to: number }): void {
    const { kind, market: markets, price, qty } = block;
    // The rows of one market are few among all, so the next one is searched for.
    for (let row = markets.indexOf(market, from); row >= 0 && row < to; row = markets.indexOf(market, row + 1)) {
      const side = SIDE_OF_KIND[kind[row] ?? 0];
      if (side === undefined) continue;
      this.#run.venue.matching.applyDelta({ market, side, price: price[row] as Price, change: qty[row] as Qty });
    }
  }
}
