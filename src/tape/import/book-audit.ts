// The books of a capture, followed along: to count what cannot be right, and to compare what is told twice. All books lie
// in one piece of memory, whole cents in cells, prices between them beside it: a change must not cost more than its row.
// Must never change what goes onto the tape.
import { grownCopy } from '../../domain/columns.ts';
import type { BookDelta, Levels } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';

/** What a change did to a book that cannot be right. */
export type BookFault = 'negative-level' | 'crossed-book' | 'locked-book' | null;

const CENT = 100;
/** From nothing to one dollar. */
const CELLS = 101;
/** In a cell: a quantity that a word does not hold, which stands beside. */
const BEYOND = -(2 ** 31);
/** No bid is lower, and no ask higher. */
const NO_BID = -1;
const NO_ASK = 10_001;

/** Quantities by price. */
type Ladder = Map<number, number>;

/** Follows books. A market's bids are the side of twice its number, and its asks the one after. */
export class BookAudit {
  /** Quantities at whole cents, side by side: words, so that those of a thousand markets stay in the cache. */
  #cells = new Int32Array(0);
  /** Each side's best price. */
  #best = new Int32Array(0);
  /** Whether a market's book has been told, and not been lost; and whether its sides met after the last change. */
  #known = new Uint8Array(0);
  #meets = new Uint8Array(0);
  /** By side, what is between whole cents, and what is too much for a cell. */
  readonly #between = new Map<number, Ladder>();

  /** A market whose book has been told and not been lost. */
  knows(market: MarketIndex): boolean {
    return this.#known[market] === 1;
  }

  /** Nothing is known of these books any more; of none at all where none is named. */
  lose(markets: readonly MarketIndex[]): void {
    if (markets.length === 0) this.#known.fill(0);
    for (const market of markets) if (market < this.#known.length) this.#known[market] = 0;
  }

  snapshot(market: MarketIndex, bids: Levels, asks: Levels): BookFault {
    this.#makeRoom(market);
    this.#clear(2 * market, bids);
    this.#clear(2 * market + 1, asks);
    this.#best[2 * market] = this.#highestFrom(2 * market, NO_ASK - 1);
    this.#best[2 * market + 1] = this.#lowestFrom(2 * market + 1, 0);
    this.#known[market] = 1;
    this.#meets[market] = 0;
    return this.#meeting(market);
  }

  #clear(side: number, levels: Levels): void {
    this.#cells.fill(0, side * CELLS, (side + 1) * CELLS);
    this.#between.delete(side);
    for (const [price, qty] of levels) this.#set(side, price, qty);
  }

  delta({ market, side: of, price, change }: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): BookFault {
    if (this.#known[market] !== 1) return null;
    const side = of === 'bid' ? 2 * market : 2 * market + 1;
    const qty = this.#get(side, price) + change;
    this.#set(side, price, qty > 0 ? qty : 0);
    const best = this.#best[side] ?? 0;
    if (of === 'bid') {
      if (qty > 0 && price > best) this.#best[side] = price;
      else if (qty <= 0 && price === best) this.#best[side] = this.#highestFrom(side, price);
    } else if (qty > 0 && price < best) this.#best[side] = price;
    else if (qty <= 0 && price === best) this.#best[side] = this.#lowestFrom(side, price);
    return qty < 0 ? 'negative-level' : this.#meeting(market);
  }

  /** Told once, when the sides come to meet. */
  #meeting(market: number): BookFault {
    const bid = this.#best[2 * market] ?? NO_BID;
    const ask = this.#best[2 * market + 1] ?? NO_ASK;
    const isNew = bid >= ask && this.#meets[market] === 0;
    this.#meets[market] = bid >= ask ? 1 : 0;
    if (!isNew) return null;
    return bid > ask ? 'crossed-book' : 'locked-book';
  }

  /** The levels in which a book that is told differs from the one followed: price, told quantity, followed quantity. */
  differences(market: MarketIndex, bids: Levels, asks: Levels): readonly (readonly [number, number, number])[] {
    if (!this.knows(market)) return [];
    return [...this.#differing(2 * market, new Map(bids)), ...this.#differing(2 * market + 1, new Map(asks))];
  }

  #differing(side: number, told: Ladder): [number, number, number][] {
    return [...new Set([...this.#prices(side), ...told.keys()])]
      .map((price): [number, number, number] => [price, told.get(price) ?? 0, this.#get(side, price)])
      .filter(([, now, before]) => now !== before);
  }

  #prices(side: number): number[] {
    const cents = Array.from({ length: CELLS }, (_, cent) => cent * CENT);
    return [...cents.filter((price) => this.#get(side, price) !== 0), ...(this.#between.get(side)?.keys() ?? [])];
  }

  #get(side: number, price: number): number {
    if (price % CENT !== 0) return this.#between.get(side)?.get(price) ?? 0;
    const qty = this.#cells[side * CELLS + price / CENT] ?? 0;
    return qty === BEYOND ? (this.#between.get(side)?.get(price) ?? 0) : qty;
  }

  /** Nothing leaves no level. */
  #set(side: number, price: number, qty: number): void {
    if (price % CENT === 0) {
      const cell = side * CELLS + price / CENT;
      const isHeld = qty === (qty | 0) && qty !== BEYOND;
      const was = this.#cells[cell];
      this.#cells[cell] = isHeld ? qty : BEYOND;
      if (isHeld && was !== BEYOND) return;
      // What a cell holds stands nowhere else.
      if (isHeld) return void this.#between.get(side)?.delete(price);
    }
    const ladder = this.#between.get(side) ?? new Map<number, number>();
    if (qty === 0) ladder.delete(price);
    else ladder.set(price, qty);
    this.#between.set(side, ladder);
  }

  /** The highest price of a level at or below a price. */
  #highestFrom(side: number, price: number): number {
    const first = side * CELLS;
    let cell = first + Math.floor(price / CENT);
    while (cell >= first && this.#cells[cell] === 0) cell -= 1;
    let best = cell < first ? NO_BID : (cell - first) * CENT;
    for (const at of this.#pricesBetween(side)) if (at <= price && at > best) best = at;
    return best;
  }

  /** The lowest price of a level at or above a price. */
  #lowestFrom(side: number, price: number): number {
    const first = side * CELLS;
    let cell = first + Math.ceil(price / CENT);
    while (cell < first + CELLS && this.#cells[cell] === 0) cell += 1;
    let best = cell === first + CELLS ? NO_ASK : (cell - first) * CENT;
    for (const at of this.#pricesBetween(side)) if (at >= price && at < best) best = at;
    return best;
  }

  #pricesBetween(side: number): Iterable<number> {
    return this.#between.size === 0 ? NONE : (this.#between.get(side)?.keys() ?? NONE);
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
