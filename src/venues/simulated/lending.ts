// Which books of the floor somebody else keeps for it, and how they come back: as long as nothing happens that concerns an
// order of ours, the floor need not know what their levels hold, but those at which orders of ours rest.
// Must never lend a book in which something of ours is but orders that rest.
import { assert } from '../../domain/assert.ts';
import type { BookDelta, Levels } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import { BookState, type Depth, LEVEL_QTY_MAX, WATCHED } from './depth.ts';
import type { OwnOrders } from './own-orders.ts';
import type { BookKeeper } from './ports.ts';
import type { Tails } from './tails.ts';

/** As the members of `Floor` of the same names. */
export class Lending {
  readonly #depth: Depth;
  readonly #own: OwnOrders;
  readonly #tails: Tails;
  #keeper: BookKeeper | null = null;
  /** Whether the keeper is giving a book back. */
  #isComing = false;

  constructor(depth: Depth, own: OwnOrders, tails: Tails) {
    this.#depth = depth;
    this.#own = own;
    this.#tails = tails;
  }

  lend(market: MarketIndex, grid: PriceGrid, keeper: BookKeeper): boolean {
    const away = this.#stateAway(market);
    if (away === null || this.#depth.gridOf(market) !== grid) return false;
    assert(this.#keeper === null || this.#keeper === keeper, 'books are lent to one keeper alone');
    this.#keeper = keeper;
    this.#depth.states[market] = away;
    return true;
  }

  /** What a book would be while it is lent; `null` where it cannot be. */
  #stateAway(market: MarketIndex): BookState | null {
    const state = this.#depth.stateOf(market);
    if (state === BookState.quiet) return BookState.lent;
    if (state !== BookState.busy) return null;
    // A level that we took of is watched as well.
    const resting = this.#own.levels(market, true).length + this.#own.levels(market, false).length;
    return this.#depth.number(market, WATCHED) === resting ? BookState.apart : null;
  }

  /**
   * Adds a change to a book that is lent and in which orders of ours rest: what is watched of it is kept here. `false` where
   * the whole book is needed for it. Whether that could be believed until now is not known: nothing is done that a doubt,
   * when it comes, would not undo.
   */
  adds({ market, side, change }: Pick<BookDelta, 'market' | 'side' | 'change'>, slot: number, cell: number): boolean {
    const { cells, watchers } = this.#depth;
    if (change >= 0 && this.#depth.meetsOwn(market, side === 'bid', cell)) return false;
    const number = watchers[slot] ?? 0;
    if (number === 0) return true;
    const qty = (cells[slot] ?? 0) + change;
    if (qty < 0 || qty > LEVEL_QTY_MAX || (change < 0 && !this.#tails.isCalm(number, qty))) return false;
    cells[slot] = qty;
    return true;
  }

  isLent(market: MarketIndex): boolean {
    const state = this.#depth.stateOf(market);
    return state === BookState.lent || state === BookState.apart;
  }

  restore(market: MarketIndex, bids: Levels, asks: Levels): void {
    assert(this.isLent(market), `the book of market ${market} is not lent`);
    const isMinded = this.#depth.number(market, WATCHED) === 0 || this.#isComing;
    assert(isMinded, `the book of market ${market} comes back, and nobody wants it`);
    const isRight = this.#depth.fill(market, bids, asks);
    assert(isRight, `the book of market ${market} comes back with levels that it cannot have`);
    // What is told of it next has happened already: whatever concerned orders of ours was before it was lent.
    this.#depth.states[market] = BookState.quiet;
  }

  recall(market: MarketIndex): void {
    if (!this.isLent(market)) return;
    this.#isComing = true;
    this.#keeper?.wanted(market);
    this.#isComing = false;
    const isWatched = this.#depth.number(market, WATCHED) > 0;
    if (isWatched && this.#depth.stateOf(market) === BookState.quiet) this.#depth.states[market] = BookState.busy;
  }
}
