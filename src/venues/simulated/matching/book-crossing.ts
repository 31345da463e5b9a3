// Fills our orders from a recorded book that crosses them: another trader offers at their prices or through them. Must never
// use a recorded quantity twice, nor fill while the market does not trade.
import type { MarketIndex } from '../../../domain/ids.ts';
import type { OwnOrders } from './own-orders.ts';
import { OWN_ASK_CELL, OWN_BID_CELL, type RecordedDepth } from './recorded-depth.ts';

export interface BookCrossingOptions {
  readonly fillWhenCrossed: boolean;
  readonly isTrading: (market: MarketIndex) => boolean;
}

export class BookCrossing {
  readonly #depth: RecordedDepth;
  readonly #own: OwnOrders;
  readonly #options: BookCrossingOptions;

  constructor(depth: RecordedDepth, own: OwnOrders, options: BookCrossingOptions) {
    this.#depth = depth;
    this.#own = own;
    this.#options = options;
  }

  /** Fills our orders that a recorded level crosses, if any. */
  crossLevel(market: MarketIndex, isBid: boolean, cell: number): void {
    if (this.#options.fillWhenCrossed && this.#depth.crossesOwn(market, isBid, cell) && this.#options.isTrading(market))
      this.#cross(market, isBid, cell);
  }

  /** A whole book may cross us at several levels: each that reaches our best price is checked, best first. */
  crossBook(market: MarketIndex): void {
    if (!this.#options.fillWhenCrossed || !this.#options.isTrading(market)) return;
    const cells = this.#depth.cellCount(market);
    for (let cell = 0; cell <= this.#depth.metaOf(market, OWN_BID_CELL); cell++) this.#cross(market, false, cell);
    for (let cell = cells - 1; cell >= this.#depth.metaOf(market, OWN_ASK_CELL); cell--)
      this.#cross(market, true, cell);
  }

  /** Quantity that we took before is left out. */
  #cross(market: MarketIndex, isBid: boolean, cell: number): void {
    const slot = this.#depth.slotAt(market, isBid, cell);
    const spent = this.#own.watchedLevelAt(slot)?.takenQty ?? 0;
    const offered = (this.#depth.cells[slot] ?? 0) - spent;
    let left = offered;
    const levels = this.#own.levelsOf(market, !isBid);
    // A level that stays has only reduce-only orders without a position to reduce: those behind it trade instead.
    for (let index = 0; left > 0;) {
      const level = levels[index];
      if (level === undefined || (isBid ? level.cell > cell : level.cell < cell)) break;
      left = level.applyCross(left);
      this.#own.releaseLevel(level);
      if (levels[index] === level) index++;
    }
    if (left < offered) this.#own.watchLevel(market, isBid, cell).takenQty = spent + offered - left;
  }
}
