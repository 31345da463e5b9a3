// The venue's books, left to the bot where nothing that happens concerns us: its own are the same, only later by the way of
// the feed. Most changes of a tape are far from any order of ours, and a book kept once is half the work of one kept twice.
// Must never lend a book that the bot has not got, and must have each back before the bot loses it.
import { assert } from '../src/domain/assert.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Price, Qty } from '../src/domain/units.ts';
import type { Books } from '../src/state/books.ts';
import type { BookKeeper, SimulatedVenue } from '../src/venues/simulated/ports.ts';
import { type BotSide, SIDE_OF_KIND } from './bot-side.ts';
import type { LineBlock } from './row-line.ts';
import type { VenueSide } from './venue-side.ts';

/** At the most so many rows, and so many for each market, pass before it is looked again which books may be lent. */
const ROWS_MAX = 65_536;
const ROWS_PER_MARKET_MAX = 16;
/** So many rows, for each market, pass before a book is lent once more that was wanted: to have it back costs as much. */
const ROWS_PER_MARKET_KEPT = 256;

/** What a run has, as far as it is needed here. */
export interface LentBooksOptions {
  readonly venue: Pick<SimulatedVenue, 'floor' | 'streamedFrom'>;
  /** The books of the bot's engine. */
  readonly books: Books;
  readonly there: Pick<VenueSide, 'cursor' | 'begunAt'>;
  readonly here: Pick<BotSide, 'cursor' | 'telling'>;
  /** How many markets the tape names. */
  readonly marketCount: () => number;
}

/** The lender and the keeper. */
export class LentBooks implements BookKeeper {
  readonly #run: LentBooksOptions;
  /** So many rows of the tape have passed at the venue when it is looked again. */
  dueAt = 0;
  /** The same for each market whose book was wanted; infinite while it is lent: most are, and are not looked at again. */
  readonly #dueAgain: number[] = [];
  /** How long such a book is kept: rows of the tape, times the number of markets. */
  rowsKept = ROWS_PER_MARKET_KEPT;
  /** Whether the row that is being told to the bot, if one is, is in its book. */
  #isTold = true;

  constructor(run: LentBooksOptions) {
    this.#run = run;
    run.books.onDistrust = (market, isRefused) => this.#losing(market, isRefused);
  }

  /** Lends every book that may be lent. The bot has heard all that the feed has told it so far. */
  lend(): void {
    const { venue, books, there, marketCount } = this.#run;
    const count = marketCount();
    const { passed } = there.cursor;
    // Soon after the beginning of a tape, then ever more seldom.
    this.dueAt = passed + Math.min(Math.max(passed, count), Math.max(ROWS_MAX, count * ROWS_PER_MARKET_MAX));
    for (let number = 0; number < count; number++) {
      const market = number as MarketIndex;
      if (passed < (this.#dueAgain[number] ?? 0) || !this.#isSame(market)) continue;
      // The bot may not have been told yet that the grid is another.
      if (venue.floor.lend(market, books.grid(market), this)) this.#dueAgain[number] = Number.POSITIVE_INFINITY;
    }
  }

  /**
   * Whether the bot's book is what the venue's was at the row that the bot has come to, and nothing but changes of levels
   * has happened to it at the venue since.
   */
  #isSame(market: MarketIndex): boolean {
    const { venue, books, there, here } = this.#run;
    const { cursor } = here;
    // No row has been kept from it since.
    const isStreamed = cursor.venueTime > (venue.streamedFrom[market] ?? Number.POSITIVE_INFINITY);
    return isStreamed && books.isLive(market) && there.begunAt(market) <= cursor.passed;
  }

  /** @throws {AssertionFault} when the bot has not got the book. */
  wanted(market: MarketIndex): void {
    const { there, marketCount } = this.#run;
    this.#giveBack(market);
    this.#dueAgain[market] = there.cursor.passed + marketCount() * this.rowsKept;
  }

  /** The bot's book is about to go, perhaps because the row that is being told to it is refused. */
  #losing(market: MarketIndex, isRefused: boolean): void {
    this.#isTold = !isRefused;
    this.#run.venue.floor.recall(market);
    this.#isTold = true;
  }

  /** Gives a book back as the bot has it, with what has happened at the venue since. */
  #giveBack(market: MarketIndex): void {
    const { venue, books, there, here } = this.#run;
    assert(books.isLive(market), `the book of market ${market} was lent, and is not kept`);
    venue.floor.restore(market, books.levels(market, 'bid'), books.levels(market, 'ask'));
    const { cursor } = here;
    const row = here.telling < 0 ? cursor.row : here.telling + (this.#isTold ? 1 : 0);
    let left = there.cursor.passed - (cursor.passed + row - cursor.row);
    for (let [block, from]: [LineBlock | null, number] = [cursor.block, row]; block !== null && left > 0;) {
      const to = Math.min(block.count, from + left);
      this.#tell(market, block, { from, to });
      left -= to - from;
      [block, from] = [block.next, 0];
    }
  }

  /** Tells the floor how rows changed a market's levels. */
  #tell(market: MarketIndex, block: LineBlock, { from, to }: { readonly from: number; readonly to: number }): void {
    const { kind, market: markets, price, qty } = block;
    // The rows of one market are few among those of all.
    for (let row = markets.indexOf(market, from); row >= 0 && row < to; row = markets.indexOf(market, row + 1)) {
      const side = SIDE_OF_KIND[kind[row] ?? 0];
      if (side === undefined) continue;
      this.#run.venue.floor.delta({ market, side, price: price[row] as Price, change: qty[row] as Qty });
    }
  }
}
