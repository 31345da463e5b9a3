// Which books of the floor somebody else keeps for it, and how they come back: as long as nothing happens that concerns an
// order of ours, the floor need not know what their levels hold.
// Must never lend a book in which something of ours is but orders that rest.
import { assert } from '../../domain/assert.ts';
import type { Levels } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import { BookState, type Depth, WATCHED } from './depth.ts';
import type { OwnOrders } from './own-orders.ts';
import type { BookKeeper } from './ports.ts';

/** As the members of `Floor` of the same names. */
export class Lending {
  readonly #depth: Depth;
  readonly #own: OwnOrders;
  #keeper: BookKeeper | null = null;
  /** Whether the keeper is giving a book back. */
  #isComing = false;

  constructor(depth: Depth, own: OwnOrders) {
    this.#depth = depth;
    this.#own = own;
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
