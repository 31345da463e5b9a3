// The most obvious implementation of a book: a map for each side. The fast books are compared with it.
import type { BookSide, Levels } from '../../../src/domain/event.ts';
import { type PriceGrid, cellOf } from '../../../src/domain/price-grid.ts';
import type { Price, Qty } from '../../../src/domain/units.ts';

const LEVEL_QTY_MAX = 2 ** 31 - 1;

/** One market's book. */
export class NaiveBook {
  readonly #grid: PriceGrid;
  readonly #sides: Record<BookSide, Map<Price, number>> = { bid: new Map(), ask: new Map() };
  trust: 'live' | 'suspect' | 'rebuilding' = 'rebuilding';
  epoch = 1;

  constructor(grid: PriceGrid) {
    this.#grid = grid;
  }

  applySnapshot(bids: Levels, asks: Levels): void {
    this.epoch += 1;
    this.#sides.bid = new Map(bids);
    this.#sides.ask = new Map(asks);
    const all = [...bids, ...asks];
    const isValid = all.every(([at, size]) => cellOf(this.#grid, at) >= 0 && size >= 0 && size <= LEVEL_QTY_MAX);
    this.trust = isValid && !this.#isCrossed() ? 'live' : 'suspect';
  }

  applyDelta(side: BookSide, at: Price, change: number): void {
    if (this.trust !== 'live') return;
    const size = (this.#sides[side].get(at) ?? 0) + change;
    if (cellOf(this.#grid, at) < 0 || size < 0 || size > LEVEL_QTY_MAX) {
      this.trust = 'suspect';
      return;
    }
    this.#sides[side].set(at, size);
    if (this.#isCrossed()) this.trust = 'suspect';
  }

  distrust(): void {
    if (this.trust === 'live') this.trust = 'suspect';
  }

  rebuild(): void {
    this.trust = 'rebuilding';
  }

  #isCrossed(): boolean {
    const bid = this.best('bid');
    const ask = this.best('ask');
    return bid !== null && ask !== null && bid >= ask;
  }

  best(side: BookSide): Price | null {
    return this.levels(side)[0]?.[0] ?? null;
  }

  levels(side: BookSide): [Price, Qty][] {
    const sign = side === 'bid' ? -1 : 1;
    return [...this.#sides[side]]
      .filter(([, size]) => size > 0)
      .map(([at, size]): [Price, Qty] => [at, size as Qty])
      .sort((a, b) => sign * (a[0] - b[0]));
  }

  qtyAt(side: BookSide, at: Price): number {
    return this.#sides[side].get(at) ?? 0;
  }
}
