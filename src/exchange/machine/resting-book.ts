// Resting orders of one market in price-time priority: doubly linked lists in typed arrays, one list per level. A cell
// is the number of a price in the market's grid, from 0 at the lowest. Must never know of money, accounts or rules.
import { assert, must } from '../../base/assert.ts';
import { grownCopy } from '../../base/typed-columns.ts';

/** Bids buy YES, asks sell it. */
export const BID = 0;
export const ASK = 1;
export type SideIndex = typeof BID | typeof ASK;

/** No slot: the end of a list. */
export const NONE = -1;

const INITIAL_SLOTS = 64;

/**
 * A book over the cells of a price grid. `Item` is the caller's record of an order. A slot is the index of an order in
 * the arrays.
 */
export class RestingBook<Item> {
  readonly cellCount: number;
  /**
   * First slot, last slot and total quantity of each level. Levels of bids begin at 0, those of asks at `cellCount`.
   */
  readonly #head: Int32Array;
  readonly #tail: Int32Array;
  readonly #total: Float64Array;
  #next = new Int32Array(INITIAL_SLOTS);
  #previous = new Int32Array(INITIAL_SLOTS);
  #level = new Int32Array(INITIAL_SLOTS);
  #leaves = new Float64Array(INITIAL_SLOTS);
  #items: (Item | undefined)[] = [];
  /** Head of the list of freed slots, linked by `#next`. Slots from `#used` on have never been used. */
  #free: number = NONE;
  #used = 0;
  #size = 0;
  #bestBid: number = NONE;
  #bestAsk: number;

  constructor(cellCount: number) {
    assert(Number.isInteger(cellCount) && cellCount > 0, `a book of ${cellCount} cells`);
    this.cellCount = cellCount;
    this.#head = new Int32Array(2 * cellCount).fill(NONE);
    this.#tail = new Int32Array(2 * cellCount).fill(NONE);
    this.#total = new Float64Array(2 * cellCount);
    this.#bestAsk = cellCount;
  }

  get size(): number {
    return this.#size;
  }

  /** Highest cell with a bid; -1 when there is none. */
  get bestBid(): number {
    return this.#bestBid;
  }

  /** Lowest cell with an ask; `cellCount` when there is none. */
  get bestAsk(): number {
    return this.#bestAsk;
  }

  /** The best cell of a side; outside the book when the side is empty. */
  firstCell(side: SideIndex): number {
    return side === BID ? this.#bestBid : this.#bestAsk;
  }

  hasCell(cell: number): boolean {
    return cell >= 0 && cell < this.cellCount;
  }

  totalAt(side: SideIndex, cell: number): number {
    return this.#total[side * this.cellCount + cell] ?? 0;
  }

  firstSlotAt(side: SideIndex, cell: number): number {
    return this.#head[side * this.cellCount + cell] ?? NONE;
  }

  /** The next slot in the same queue, or `NONE`. */
  nextSlot(slot: number): number {
    return this.#next[slot] ?? NONE;
  }

  leavesOf(slot: number): number {
    return this.#leaves[slot] ?? 0;
  }

  itemOf(slot: number): Item {
    return must(this.#items[slot], `book slot ${slot}`);
  }

  /** Index of a side's cell among the levels of both sides. */
  levelOf(side: SideIndex, cell: number): number {
    assert(cell >= 0 && cell < this.cellCount, `no cell ${cell} in a book of ${this.cellCount}`);
    return side * this.cellCount + cell;
  }

  /** Adds an order at the back of its level's queue. The returned slot identifies the order until its removal. */
  addOrder(level: number, leaves: number, item: Item): number {
    assert(leaves > 0, `cannot rest ${leaves}`);
    const slot = this.#takeSlot();
    const tail = this.#tail[level] ?? NONE;
    this.#previous[slot] = tail;
    this.#next[slot] = NONE;
    this.#level[slot] = level;
    this.#leaves[slot] = leaves;
    this.#items[slot] = item;
    if (tail === NONE) this.#head[level] = slot;
    else this.#next[tail] = slot;
    this.#tail[level] = slot;
    this.#total[level] = (this.#total[level] ?? 0) + leaves;
    this.#size++;
    if (level < this.cellCount) this.#bestBid = Math.max(this.#bestBid, level);
    else this.#bestAsk = Math.min(this.#bestAsk, level - this.cellCount);
    return slot;
  }

  /** Reduces an order in place. A reduction to zero removes the order. */
  reduceOrder(slot: number, by: number): void {
    const leaves = this.leavesOf(slot);
    assert(by > 0 && by <= leaves, `cannot reduce ${leaves} by ${by}`);
    if (by === leaves) return this.removeOrder(slot);
    this.#leaves[slot] = leaves - by;
    const level = this.#level[slot] ?? 0;
    this.#total[level] = (this.#total[level] ?? 0) - by;
  }

  /** Removes an order. Its slot may be reused at once. */
  removeOrder(slot: number): void {
    assert(this.#items[slot] !== undefined, `book slot ${slot} is empty`);
    const level = this.#level[slot] ?? 0;
    const next = this.#next[slot] ?? NONE;
    const previous = this.#previous[slot] ?? NONE;
    if (previous === NONE) this.#head[level] = next;
    else this.#next[previous] = next;
    if (next === NONE) this.#tail[level] = previous;
    else this.#previous[next] = previous;
    this.#total[level] = (this.#total[level] ?? 0) - this.leavesOf(slot);
    this.#items[slot] = undefined;
    this.#next[slot] = this.#free;
    this.#free = slot;
    this.#size--;
    if (this.#head[level] === NONE) this.#retreat(level);
  }

  qtyAhead(slot: number): number {
    let ahead = 0;
    for (let at = this.#previous[slot] ?? NONE; at !== NONE; at = this.#previous[at] ?? NONE)
      ahead += this.leavesOf(at);
    return ahead;
  }

  /** The next cell with orders, away from the touch. Past the last cell: -1 for bids, `cellCount` for asks. */
  nextCell(side: SideIndex, cell: number): number {
    const base = side * this.cellCount;
    const step = side === BID ? -1 : 1;
    let at = cell + step;
    while (at >= 0 && at < this.cellCount && this.#head[base + at] === NONE) at += step;
    return at;
  }

  #retreat(level: number): void {
    if (level < this.cellCount) {
      if (level === this.#bestBid) this.#bestBid = this.nextCell(BID, level);
    } else if (level - this.cellCount === this.#bestAsk) {
      this.#bestAsk = this.nextCell(ASK, level - this.cellCount);
    }
  }

  #takeSlot(): number {
    const free = this.#free;
    if (free !== NONE) {
      this.#free = this.#next[free] ?? NONE;
      return free;
    }
    if (this.#used === this.#next.length) this.#grow();
    return this.#used++;
  }

  #grow(): void {
    const length = 2 * this.#next.length;
    this.#next = grownCopy(this.#next, new Int32Array(length));
    this.#previous = grownCopy(this.#previous, new Int32Array(length));
    this.#level = grownCopy(this.#level, new Int32Array(length));
    this.#leaves = grownCopy(this.#leaves, new Float64Array(length));
  }
}
