// Book sharing: in a backtest the engine's copy of a book replaces the venue's copy while changes cannot affect an
// order of ours. The book is copied back on demand. Meanwhile only the levels at which our orders rest are maintained
// here. Must never share a book in which a level is watched for any other reason.
import { assert } from '../../../base/assert.ts';
import type { BookDelta, Levels } from '../../../domain/event.ts';
import type { MarketIndex } from '../../../domain/ids.ts';
import type { PriceGrid } from '../../../domain/price-grid.ts';
import { BookState, type RecordedDepth, LEVEL_QTY_MAX, WATCHED_COUNT } from './recorded-depth.ts';
import type { OwnOrders } from './own-orders.ts';
import type { BookOwner } from '../simulator-interfaces.ts';
import type { LevelColumns } from './level-columns.ts';

/**
 * Shares books with one owner: the component with the other copy. `FillSimulator` describes the methods that it has
 * under the same names.
 */
export class BookSharing {
  readonly #depth: RecordedDepth;
  readonly #own: OwnOrders;
  readonly #columns: LevelColumns;
  #owner: BookOwner | null = null;
  #isReclaiming = false;

  constructor(depth: RecordedDepth, own: OwnOrders, columns: LevelColumns) {
    this.#depth = depth;
    this.#own = own;
    this.#columns = columns;
  }

  shareBook(market: MarketIndex, grid: PriceGrid, owner: BookOwner): boolean {
    const shared = this.#sharedState(market);
    if (shared === null || this.#depth.gridOf(market) !== grid) return false;
    assert(this.#owner === null || this.#owner === owner, 'all books are shared with one owner');
    this.#owner = owner;
    this.#depth.states[market] = shared;
    return true;
  }

  #sharedState(market: MarketIndex): BookState | null {
    const state = this.#depth.stateOf(market);
    if (state === BookState.idle) return BookState.shared;
    if (state !== BookState.watched) return null;
    // A level is also watched after we took quantity from it. A book with such a level is not shared.
    const resting = this.#own.levelsOf(market, true).length + this.#own.levelsOf(market, false).length;
    return this.#depth.metaOf(market, WATCHED_COUNT) === resting ? BookState.sharedWatched : null;
  }

  /**
   * Applies a change to a shared book in which orders of ours rest. Only watched levels are maintained. Returns `false`
   * when the change may need the whole book.
   */
  applyWhileShared(
    { market, side, change }: Pick<BookDelta, 'market' | 'side' | 'change'>,
    slot: number,
    cell: number,
  ): boolean {
    const { cells, watchers } = this.#depth;
    if (change >= 0 && this.#depth.crossesOwn(market, side === 'bid', cell)) return false;
    const number = watchers[slot] ?? 0;
    if (number === 0) return true;
    const qty = (cells[slot] ?? 0) + change;
    if (qty < 0 || qty > LEVEL_QTY_MAX || (change < 0 && !this.#columns.isCalm(number, qty))) return false;
    cells[slot] = qty;
    return true;
  }

  isBookShared(market: MarketIndex): boolean {
    const state = this.#depth.stateOf(market);
    return state === BookState.shared || state === BookState.sharedWatched;
  }

  restoreBook(market: MarketIndex, bids: Levels, asks: Levels): void {
    assert(this.isBookShared(market), `the book of market ${market} is not shared`);
    const mayRestore = this.#depth.metaOf(market, WATCHED_COUNT) === 0 || this.#isReclaiming;
    assert(mayRestore, `the book of market ${market} was restored although it was not reclaimed`);
    const isRight = this.#depth.replaceLevels(market, bids, asks);
    assert(isRight, `the book of market ${market} was restored with levels that cannot be right`);
    // The owner next replays changes. With `idle` they are not matched against our orders: earlier ones were matched
    // when they came, and the change that caused the call is matched after it.
    this.#depth.states[market] = BookState.idle;
  }

  reclaimBook(market: MarketIndex): void {
    if (!this.isBookShared(market)) return;
    this.#isReclaiming = true;
    this.#owner?.copyBack(market);
    this.#isReclaiming = false;
    const isWatched = this.#depth.metaOf(market, WATCHED_COUNT) > 0;
    if (isWatched && this.#depth.stateOf(market) === BookState.idle) this.#depth.states[market] = BookState.watched;
  }
}
