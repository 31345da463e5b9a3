// The recorded levels of all markets in one flat array, the arena. A market has a cell for each price of its grid. A
// cell has two slots: the quantity bid and the quantity asked. Must never know of single orders, but only which levels
// are watched, and our best bid and ask.
import { assert } from '../../../base/assert.ts';
import { PresizedColumns, grownCopy } from '../../../base/typed-columns.ts';
import type { Levels } from '../../../domain/event.ts';
import type { MarketIndex } from '../../../domain/ids.ts';
import type { PriceGrid } from '../../../domain/price-grid.ts';
import { PAYOUT, type Price, type Qty } from '../../../domain/units.ts';

/** Number of figures per market in `meta`. The constants below are their indices. */
export const META_STRIDE = 8;
/** Index in `meta`: the market's first slot in the arena. */
export const CELLS_START = 0;
/** Index in `meta`: start of the market's map in `slotByPrice`. */
export const PRICE_MAP_START = 1;
/** Index in `meta`: number of the market's levels that are watched. */
export const WATCHED_COUNT = 2;
/** Index in `meta`: cell of our best bid; -1 when we have none. */
export const OWN_BID_CELL = 3;
/** Index in `meta`: cell of our best ask; the number of cells when we have none. */
export const OWN_ASK_CELL = 4;

/** Number of figures per market in `lastChanges`: the level that changed last, and by how much. */
export const LAST_CHANGE_STRIDE = 2;

/**
 * The state of a market's book. From `sharedWatched` on, orders of ours may rest in the book.
 * - `closed`: the market has no book.
 * - `shared`: the book is known, but the `BookOwner` has it instead of the arena. No level is watched.
 * - `idle`: the book is known and in the arena. No level is watched.
 * - `sharedWatched`: as `shared`, but levels with resting orders of ours are watched and maintained in the arena.
 * - `watched`: as `idle`, with watched levels.
 * - `unknown`: the book waits for the next snapshot.
 */
export const BookState = { closed: 0, shared: 1, idle: 2, sharedWatched: 3, watched: 4, unknown: 5 } as const;
export type BookState = (typeof BookState)[keyof typeof BookState];

/** Maximum quantity of a level, in hundredths of a contract. A tape beyond it cannot be right. */
export const LEVEL_QTY_MAX = 2_147_483_647;

const GROWTH = 1.5;
const PRINT_STRIDE = 3;
/** Number of slots per cell: a bid and an ask. */
export const SLOTS_PER_CELL = 2;
const NO_LEVEL = -1;
const PRICES = PAYOUT + 1;

/**
 * The number of a level within its market, by price. Unlike the slot, the number does not depend on the market's grid.
 */
export const levelNumberOf = (isBid: boolean, price: number): number => price * SLOTS_PER_CELL + (isBid ? 0 : 1);

/** The arena. The hot path reads its columns directly; growth replaces them. */
export class RecordedDepth extends PresizedColumns {
  /** Quantity of each level, by slot. */
  cells = new Int32Array(0);
  /** Number of the watched level at each slot; 0 where none is watched. */
  watchers = new Int32Array(0);
  meta = new Int32Array(this.capacity * META_STRIDE);
  /** `BookState` of each market. A column of its own, because every change reads it. */
  states = new Uint8Array(this.capacity);
  /** The latest change of each market: a decrease's print may come after an order of ours has joined. */
  lastChanges = new Int32Array(this.capacity * LAST_CHANGE_STRIDE);
  /**
   * First slot of each price within a market, in one map for each grid. The first map, for markets without a grid, has
   * no prices.
   */
  slotByPrice = new Int16Array(PRICES).fill(-1);
  /** The latest print of each market: its level, quantity and time. */
  #prints = new Float64Array(this.capacity * PRINT_STRIDE);
  #used = 0;
  readonly #grids: (PriceGrid | undefined)[] = [];
  readonly #mapByGrid = new Map<PriceGrid, number>();
  /** First slots of closed markets by slot count, for reuse. */
  readonly #free = new Map<number, number[]>();

  gridOf(market: MarketIndex): PriceGrid | undefined {
    return this.#grids[market];
  }

  /** Makes room for a market. Its book is empty and unknown. */
  openMarket(market: MarketIndex, grid: PriceGrid): void {
    assert(this.#grids[market] === undefined, `market ${market} is open already`);
    this.#growMarkets(market + 1);
    const span = grid.cellCount * SLOTS_PER_CELL;
    const start = this.#allocate(span);
    this.cells.fill(0, start, start + span);
    this.watchers.fill(0, start, start + span);
    this.meta.set([start, this.#mapOf(grid), 0, -1, grid.cellCount], market * META_STRIDE);
    this.states[market] = BookState.unknown;
    this.lastChanges[market * LAST_CHANGE_STRIDE] = NO_LEVEL;
    this.#prints[market * PRINT_STRIDE] = NO_LEVEL;
    this.#grids[market] = grid;
  }

  /** Removes a market; its cells are reused. None of its levels may be watched any longer. */
  closeMarket(market: MarketIndex): void {
    const grid = this.#grids[market];
    if (grid === undefined) return;
    const span = grid.cellCount * SLOTS_PER_CELL;
    const spans = this.#free.get(span) ?? [];
    spans.push(this.meta[market * META_STRIDE + CELLS_START] ?? 0);
    this.#free.set(span, spans);
    this.meta.fill(0, market * META_STRIDE, (market + 1) * META_STRIDE);
    this.states[market] = BookState.closed;
    this.#grids[market] = undefined;
  }

  /** Replaces the levels of a market. Returns `false` when they cannot be right. */
  replaceLevels(market: MarketIndex, bids: Levels, asks: Levels): boolean {
    const start = this.metaOf(market, CELLS_START);
    this.cells.fill(0, start, start + SLOTS_PER_CELL * this.cellCount(market));
    return this.#fillSide(market, true, bids) && this.#fillSide(market, false, asks);
  }

  #fillSide(market: MarketIndex, isBid: boolean, levels: Levels): boolean {
    const grid = this.#grids[market];
    for (const [price, qty] of levels) {
      const cell = grid?.cellByPrice[price] ?? -1;
      if (cell < 0 || qty < 0 || qty > LEVEL_QTY_MAX) return false;
      // Levels may name a price twice, once with zero. The quantity above zero counts, as in the engine's book.
      if (qty > 0) this.cells[this.slotAt(market, isBid, cell)] = qty;
    }
    return true;
  }

  /** The levels of a market with quantity, best first. */
  levelsOf(market: MarketIndex): { readonly bids: Levels; readonly asks: Levels } {
    const bids: [Price, Qty][] = [];
    const asks: [Price, Qty][] = [];
    for (let cell = 0; cell < this.cellCount(market); cell++) {
      const price = (this.#grids[market]?.priceByCell[cell] ?? 0) as Price;
      const bid = this.cells[this.slotAt(market, true, cell)] ?? 0;
      const ask = this.cells[this.slotAt(market, false, cell)] ?? 0;
      if (bid > 0) bids.push([price, bid as Qty]);
      if (ask > 0) asks.push([price, ask as Qty]);
    }
    return { bids: bids.reverse(), asks };
  }

  /** Best bid plus best ask; `null` unless the book has both. */
  mid2Of(market: MarketIndex): number | null {
    const prices = this.#grids[market]?.priceByCell;
    if (prices === undefined) return null;
    const count = this.cellCount(market);
    let bid = count - 1;
    while (bid >= 0 && this.cells[this.slotAt(market, true, bid)] === 0) bid -= 1;
    let ask = 0;
    while (ask < count && this.cells[this.slotAt(market, false, ask)] === 0) ask += 1;
    return bid < 0 || ask === count ? null : (prices[bid] ?? 0) + (prices[ask] ?? 0);
  }

  stateOf(market: MarketIndex): BookState {
    // tidy: as (nothing else is written there)
    return (this.states[market] ?? BookState.closed) as BookState;
  }

  cellCount(market: MarketIndex): number {
    return this.#grids[market]?.cellCount ?? 0;
  }

  recordPrint(
    level: number,
    { market, qty }: { readonly market: MarketIndex; readonly qty: number },
    at: number,
  ): void {
    const start = market * PRINT_STRIDE;
    this.#prints[start] = level;
    this.#prints[start + 1] = qty;
    this.#prints[start + 2] = at;
  }

  /**
   * Returns the part of a level's latest decrease that no print explains. Only the market's latest print counts, if it
   * came at `since` or later. Returns 0 unless the level was the last in its market to change.
   */
  unexplainedCut(market: MarketIndex, level: number, since: number): number {
    const last = market * LAST_CHANGE_STRIDE;
    if (this.lastChanges[last] !== level) return 0;
    const start = market * PRINT_STRIDE;
    const isSameLevel = this.#prints[start] === level && (this.#prints[start + 2] ?? 0) >= since;
    const printed = isSameLevel ? (this.#prints[start + 1] ?? 0) : 0;
    return Math.max(0, -(this.lastChanges[last + 1] ?? 0) - printed);
  }

  clearLastChange(market: MarketIndex): void {
    this.lastChanges[market * LAST_CHANGE_STRIDE] = NO_LEVEL;
  }

  metaOf(market: MarketIndex, which: number): number {
    return this.meta[market * META_STRIDE + which] ?? 0;
  }

  /** First slot of a price within its market; -1 when the market's grid has no such price. */
  firstSlotOf(market: MarketIndex, price: number): number {
    // A price beyond `PAYOUT` would read the map of another grid.
    return price < 0 || price > PAYOUT ? -1 : (this.slotByPrice[this.metaOf(market, PRICE_MAP_START) + price] ?? -1);
  }

  /** True when the tape's quantity at this level would trade with orders of ours. */
  crossesOwn(market: MarketIndex, isBid: boolean, cell: number): boolean {
    return isBid ? cell >= this.metaOf(market, OWN_ASK_CELL) : cell <= this.metaOf(market, OWN_BID_CELL);
  }

  slotAt(market: MarketIndex, isBid: boolean, cell: number): number {
    return this.metaOf(market, CELLS_START) + cell * SLOTS_PER_CELL + (isBid ? 0 : 1);
  }

  #mapOf(grid: PriceGrid): number {
    const existing = this.#mapByGrid.get(grid);
    if (existing !== undefined) return existing;
    const start = this.slotByPrice.length;
    const grown = grownCopy(this.slotByPrice, new Int16Array(start + PRICES));
    for (let price = 0; price < PRICES; price++) {
      const cell = grid.cellByPrice[price] ?? -1;
      grown[start + price] = cell < 0 ? -1 : cell * SLOTS_PER_CELL;
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
      this.cells = grownCopy(this.cells, new Int32Array(length));
      this.watchers = grownCopy(this.watchers, new Int32Array(length));
    }
    return start;
  }

  #growMarkets(needed: number): void {
    const length = needed * META_STRIDE;
    if (length <= this.meta.length) return;
    const markets = Math.ceil(needed * GROWTH);
    this.meta = grownCopy(this.meta, new Int32Array(markets * META_STRIDE));
    this.lastChanges = grownCopy(this.lastChanges, new Int32Array(markets * LAST_CHANGE_STRIDE));
    this.states = grownCopy(this.states, new Uint8Array(markets));
    this.#prints = grownCopy(this.#prints, new Float64Array(markets * PRINT_STRIDE));
  }
}
