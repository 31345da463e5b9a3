// The recorded levels of every market in one flat arena: a cell a price and side, bids and asks of a price side by side.
// No best price is kept: a change costs one addition. Must never know of orders; it only knows where somebody watches.
import { assert } from '../../domain/assert.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import { PAYOUT } from '../../domain/units.ts';

/** Numbers kept of a market, side by side in one array, so that one line of the cache holds them. */
export const STRIDE = 8;
/** Where its cells begin. */
export const START = 0;
/** Where the map from its prices to its cells begins. */
export const MAP = 1;
export const STATE = 2;
/** How many of its levels are watched. */
export const WATCHED = 3;
/** Which level changed last, and by how much: an order that comes just then may be told the print of it afterwards. */
export const LAST_SLOT = 4;
export const LAST_CHANGE = 7;
/** The cell of the best bid of ours; -1 when there is none. */
export const OWN_BID = 5;
/** The cell of the best ask of ours; as many as there are cells when there is none. */
export const OWN_ASK = 6;

/** What may be done with a market's levels. Numbers in an order: from `busy` on somebody may rest there. */
export const BookState = { closed: 0, quiet: 1, busy: 2, unknown: 3 } as const;

/** Hundredths of a contract that a level can hold: more than 21 million contracts. Beyond it the tape cannot be right. */
export const LEVEL_QTY_MAX = 2_147_483_647;

const GROWTH = 1.5;
/** Numbers kept of a print. */
const PRINT = 3;
/** Slots a cell takes: a bid and an ask. */
export const SIDES = 2;
const PRICES = PAYOUT + 1;

/** The arena. Its columns are read directly on the hot path, and replaced when they grow. */
export class Depth {
  /** Quantity of each level. */
  cells = new Int32Array(0);
  /** Number of whoever watches a level; 0 where nobody does. */
  watchers = new Int32Array(0);
  meta = new Int32Array(0);
  /** First slot of each price within a market, a map after another; the first has no price at all. */
  slotByPrice = new Int16Array(PRICES).fill(-1);
  /** The latest print of each market: its slot, how much, and when. */
  #prints = new Float64Array(0);
  #used = 0;
  readonly #grids: (PriceGrid | undefined)[] = [];
  readonly #mapByGrid = new Map<PriceGrid, number>();
  /** Spans of closed markets by their length, to be used again. */
  readonly #free = new Map<number, number[]>();

  gridOf(market: MarketIndex): PriceGrid | undefined {
    return this.#grids[market];
  }

  /** Makes room for a market that has none, empty and unknown. */
  open(market: MarketIndex, grid: PriceGrid): void {
    assert(this.#grids[market] === undefined, `market ${market} is open already`);
    this.#growMarkets(market + 1);
    const span = grid.cellCount * SIDES;
    const start = this.#allocate(span);
    this.cells.fill(0, start, start + span);
    this.watchers.fill(0, start, start + span);
    const numbers = [start, this.#mapOf(grid), BookState.unknown, 0, -1, -1, grid.cellCount, 0];
    this.meta.set(numbers, market * STRIDE);
    this.#prints[market * PRINT] = -1;
    this.#grids[market] = grid;
  }

  /** Forgets a market; its cells serve the next one. Nobody may watch it any more. */
  close(market: MarketIndex): void {
    const grid = this.#grids[market];
    if (grid === undefined) return;
    const span = grid.cellCount * SIDES;
    const spans = this.#free.get(span) ?? [];
    spans.push(this.meta[market * STRIDE + START] ?? 0);
    this.#free.set(span, spans);
    this.meta.fill(0, market * STRIDE, (market + 1) * STRIDE);
    this.#grids[market] = undefined;
  }

  /** Sets every level of a market to nothing. */
  clear(market: MarketIndex): void {
    const start = this.meta[market * STRIDE + START] ?? 0;
    this.cells.fill(0, start, start + SIDES * this.cellCount(market));
    this.meta[market * STRIDE + LAST_SLOT] = -1;
  }

  /** How many prices a market has. */
  cellCount(market: MarketIndex): number {
    return this.#grids[market]?.cellCount ?? 0;
  }

  /** Remembers the latest print of a market; allocates nothing. */
  notePrint(slot: number, { market, qty }: { readonly market: MarketIndex; readonly qty: number }, at: number): void {
    const start = market * PRINT;
    this.#prints[start] = slot;
    this.#prints[start + 1] = qty;
    this.#prints[start + 2] = at;
  }

  /**
   * By how much a level went down, if nothing in its market changed since, and no print that was told since a time
   * explains it; else 0.
   */
  unexplainedCut(market: MarketIndex, slot: number, since: number): number {
    if (this.number(market, LAST_SLOT) !== slot) return 0;
    const start = market * PRINT;
    const isOf = this.#prints[start] === slot && (this.#prints[start + 2] ?? 0) >= since;
    const printed = isOf ? (this.#prints[start + 1] ?? 0) : 0;
    return Math.max(0, -this.number(market, LAST_CHANGE) - printed);
  }

  number(market: MarketIndex, which: number): number {
    return this.meta[market * STRIDE + which] ?? 0;
  }

  /** The slot of a level by its cell. */
  slotAt(market: MarketIndex, isBid: boolean, cell: number): number {
    return this.number(market, START) + cell * SIDES + (isBid ? 0 : 1);
  }

  #mapOf(grid: PriceGrid): number {
    const known = this.#mapByGrid.get(grid);
    if (known !== undefined) return known;
    const start = this.slotByPrice.length;
    const grown = new Int16Array(start + PRICES);
    grown.set(this.slotByPrice);
    for (let price = 0; price < PRICES; price++) {
      const cell = grid.cellByPrice[price] ?? -1;
      grown[start + price] = cell < 0 ? -1 : cell * SIDES;
    }
    this.slotByPrice = grown;
    this.#mapByGrid.set(grid, start);
    return start;
  }

  #allocate(span: number): number {
    const spare = this.#free.get(span)?.pop();
    if (spare !== undefined) return spare;
    const start = this.#used;
    this.#used += span;
    if (this.#used > this.cells.length) {
      const length = Math.ceil(this.#used * GROWTH);
      this.cells = grown(this.cells, length);
      this.watchers = grown(this.watchers, length);
    }
    return start;
  }

  #growMarkets(needed: number): void {
    const length = needed * STRIDE;
    if (length <= this.meta.length) return;
    const markets = Math.ceil(needed * GROWTH);
    this.meta = grown(this.meta, markets * STRIDE);
    const prints = new Float64Array(markets * PRINT);
    prints.set(this.#prints);
    this.#prints = prints;
  }
}

function grown(column: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(length);
  copy.set(column);
  return copy;
}
