// The tape's side of small random markets: their one market and its prices, rows, the book that they make, and an owner
// of a shared book. Must never know of orders of ours.
import type { BookSide, Levels } from '../../../../src/domain/event.ts';
import type { MarketIndex } from '../../../../src/domain/ids.ts';
import type { Side } from '../../../../src/domain/orders/order.ts';
import { CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { type Price, type Qty, cents } from '../../../../src/domain/units.ts';
import type { BookOwner, FillSimulator } from '../../../../src/venues/simulated/simulator-interfaces.ts';

export const PRICES = [48, 49, 50, 51, 52].map((each) => cents(each));
export const MARKET = 0 as MarketIndex;

/** A print of the tape, or a level's change. */
export type TapeRow =
  | { readonly type: 'delta'; readonly side: BookSide; readonly price: Price; readonly change: number }
  | { readonly type: 'print'; readonly side: Side; readonly price: Price; readonly qty: number };

/** The other traders' own book, without us. */
export class OtherTraders {
  readonly qtyBy = new Map<string, number>();
  qty(isBid: boolean, price: Price): number {
    return this.qtyBy.get(`${isBid ? 'bid' : 'ask'} ${price}`) ?? 0;
  }
  add(isBid: boolean, price: Price, change: number): void {
    this.qtyBy.set(`${isBid ? 'bid' : 'ask'} ${price}`, this.qty(isBid, price) + change);
  }
  levels(isBid: boolean): Levels {
    return PRICES.filter((each) => this.qty(isBid, each) > 0).map((each) => [each, this.qty(isBid, each) as Qty]);
  }
}

/**
 * Owns a second copy of the market's book that is a few changes behind, and replays those when the book is copied back.
 */
export class SecondBook implements BookOwner {
  readonly #matching: () => FillSimulator;
  readonly #book = new OtherTraders();
  #unapplied: (TapeRow & { readonly type: 'delta' })[] = [];

  constructor(matching: () => FillSimulator) {
    this.#matching = matching;
  }

  /** The book starts again from a snapshot: earlier changes are no longer replayed. */
  applyAll(): void {
    this.#applyUpTo(0);
  }

  addRow(row: TapeRow): void {
    if (row.type === 'delta') this.#unapplied.push(row);
  }

  share(behind: number): boolean {
    const isShared = this.#matching().shareBook(MARKET, CENT_GRID, this);
    if (isShared) this.#applyUpTo(behind);
    return isShared;
  }

  #applyUpTo(behind: number): void {
    const addRow = Math.max(0, this.#unapplied.length - behind);
    for (const { side, price: at, change } of this.#unapplied.splice(0, addRow))
      this.#book.add(side === 'bid', at, change);
  }

  copyBack(): void {
    const matching = this.#matching();
    matching.restoreBook(MARKET, this.#book.levels(true), this.#book.levels(false));
    for (const { change, ...row } of this.#unapplied)
      matching.applyDelta({ market: MARKET, ...row, change: change as Qty });
  }
}
