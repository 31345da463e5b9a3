// Maintains the books of a capture, to count impossible states and to compare repeated snapshots. All books share one
// array with an element for each whole cent, called a cell. Prices between whole cents are in maps. Must never change
// the tape.
import { grownCopy } from '../../../base/typed-columns.ts';
import type { BookDelta, Levels } from '../../../domain/event.ts';
import type { MarketIndex } from '../../../domain/ids.ts';

/** An impossible state of a book after a change. */
export type BookFault = 'negative-level' | 'crossed-book' | 'locked-book' | null;

const CENT = 100;
/** Cells of a side: one for each whole cent from 0 to 100. */
const CELLS = 101;
/** Marks a cell whose quantity does not fit into 32 bits. The map holds the quantity. */
const BEYOND = -(2 ** 31);
/** Best price of an empty bid side, below every bid. `NO_ASK` is above every ask. */
const NO_BID = -1;
const NO_ASK = 10_001;

type Ladder = Map<number, number>;

/** Maintains books. The bids of market `n` are side `2n`, its asks side `2n + 1`. */
export class BookAudit {
  /** Quantities at whole cents. With 32-bit words, the cells of a thousand markets stay in the cache. */
  #cells = new Int32Array(0);
  #best = new Int32Array(0);
  /** By market: 1 when the book is known. `#meets` is 1 when the sides of the book meet. */
  #known = new Uint8Array(0);
  #meets = new Uint8Array(0);
  /** By side: quantities at prices between whole cents, and quantities too large for a cell. */
  readonly #outsideCells = new Map<number, Ladder>();

  isKnown(market: MarketIndex): boolean {
    return this.#known[market] === 1;
  }

  /** Marks books as unknown. An empty list means all books. */
  loseBooks(markets: readonly MarketIndex[]): void {
    if (markets.length === 0) this.#known.fill(0);
    for (const market of markets) if (market < this.#known.length) this.#known[market] = 0;
  }

  applySnapshot(market: MarketIndex, bids: Levels, asks: Levels): BookFault {
    this.#makeRoom(market);
    this.#clear(2 * market, bids);
    this.#clear(2 * market + 1, asks);
    this.#best[2 * market] = this.#highestFrom(2 * market, NO_ASK - 1);
    this.#best[2 * market + 1] = this.#lowestFrom(2 * market + 1, 0);
    this.#known[market] = 1;
    this.#meets[market] = 0;
    return this.#newMeeting(market);
  }

  #clear(side: number, levels: Levels): void {
    this.#cells.fill(0, side * CELLS, (side + 1) * CELLS);
    this.#outsideCells.delete(side);
    for (const [price, qty] of levels) this.#set(side, price, qty);
  }

  applyDelta({
    market,
    side: bookSide,
    price,
    change,
  }: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): BookFault {
    if (this.#known[market] !== 1) return null;
    const side = bookSide === 'bid' ? 2 * market : 2 * market + 1;
    const qty = this.#get(side, price) + change;
    this.#set(side, price, qty > 0 ? qty : 0);
    const best = this.#best[side] ?? 0;
    if (bookSide === 'bid') {
      if (qty > 0 && price > best) this.#best[side] = price;
      else if (qty <= 0 && price === best) this.#best[side] = this.#highestFrom(side, price);
    } else if (qty > 0 && price < best) this.#best[side] = price;
    else if (qty <= 0 && price === best) this.#best[side] = this.#lowestFrom(side, price);
    return qty < 0 ? 'negative-level' : this.#newMeeting(market);
  }

  /**
   * Reports a crossed or locked book at the change that makes its sides meet, and at every snapshot with such a book.
   */
  #newMeeting(market: number): BookFault {
    const bid = this.#best[2 * market] ?? NO_BID;
    const ask = this.#best[2 * market + 1] ?? NO_ASK;
    const isNew = bid >= ask && this.#meets[market] === 0;
    this.#meets[market] = bid >= ask ? 1 : 0;
    if (!isNew) return null;
    return bid > ask ? 'crossed-book' : 'locked-book';
  }

  /**
   * Returns the levels in which a snapshot differs from the maintained book: price, quantity in the snapshot,
   * maintained quantity. Empty when the book is unknown.
   */
  differencesFrom(market: MarketIndex, bids: Levels, asks: Levels): readonly (readonly [number, number, number])[] {
    if (!this.isKnown(market)) return [];
    return [...this.#differing(2 * market, new Map(bids)), ...this.#differing(2 * market + 1, new Map(asks))];
  }

  #differing(side: number, snapshotLevels: Ladder): [number, number, number][] {
    return [...new Set([...this.#prices(side), ...snapshotLevels.keys()])]
      .map((price): [number, number, number] => [price, snapshotLevels.get(price) ?? 0, this.#get(side, price)])
      .filter(([, inSnapshot, before]) => inSnapshot !== before);
  }

  #prices(side: number): number[] {
    const cents = Array.from({ length: CELLS }, (_, cent) => cent * CENT);
    return [...cents.filter((price) => this.#get(side, price) !== 0), ...(this.#outsideCells.get(side)?.keys() ?? [])];
  }

  #get(side: number, price: number): number {
    if (price % CENT !== 0) return this.#outsideCells.get(side)?.get(price) ?? 0;
    const qty = this.#cells[side * CELLS + price / CENT] ?? 0;
    return qty === BEYOND ? (this.#outsideCells.get(side)?.get(price) ?? 0) : qty;
  }

  /** Sets a level. Quantity 0 removes it. */
  #set(side: number, price: number, qty: number): void {
    if (price % CENT === 0) {
      const cell = side * CELLS + price / CENT;
      const fits = qty === (qty | 0) && qty !== BEYOND;
      const previous = this.#cells[cell];
      this.#cells[cell] = fits ? qty : BEYOND;
      if (fits && previous !== BEYOND) return;
      // The map no longer needs a quantity that the cell holds.
      if (fits) return void this.#outsideCells.get(side)?.delete(price);
    }
    const ladder = this.#outsideCells.get(side) ?? new Map<number, number>();
    if (qty === 0) ladder.delete(price);
    else ladder.set(price, qty);
    this.#outsideCells.set(side, ladder);
  }

  /** Returns the highest price of a level at or below `price`. */
  #highestFrom(side: number, price: number): number {
    const first = side * CELLS;
    let cell = first + Math.floor(price / CENT);
    while (cell >= first && this.#cells[cell] === 0) cell -= 1;
    let best = cell < first ? NO_BID : (cell - first) * CENT;
    for (const at of this.#pricesOutsideCells(side)) if (at <= price && at > best) best = at;
    return best;
  }

  /** Returns the lowest price of a level at or above `price`. */
  #lowestFrom(side: number, price: number): number {
    const first = side * CELLS;
    let cell = first + Math.ceil(price / CENT);
    while (cell < first + CELLS && this.#cells[cell] === 0) cell += 1;
    let best = cell === first + CELLS ? NO_ASK : (cell - first) * CENT;
    for (const at of this.#pricesOutsideCells(side)) if (at >= price && at < best) best = at;
    return best;
  }

  #pricesOutsideCells(side: number): Iterable<number> {
    return this.#outsideCells.size === 0 ? NONE : (this.#outsideCells.get(side)?.keys() ?? NONE);
  }

  #makeRoom(market: number): void {
    if (market < this.#known.length) return;
    const markets = Math.max(64, 2 * market);
    this.#cells = grownCopy(this.#cells, new Int32Array(2 * markets * CELLS));
    this.#best = grownCopy(this.#best, new Int32Array(2 * markets));
    this.#known = grownCopy(this.#known, new Uint8Array(markets));
    this.#meets = grownCopy(this.#meets, new Uint8Array(markets));
  }
}

const NONE: readonly number[] = [];
