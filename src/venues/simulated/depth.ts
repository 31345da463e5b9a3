// The recorded levels of every market in one flat arena: a cell a price and side, bids and asks of a price side by side.
// No best price is kept: a change costs one addition. Must never know of orders; it only knows where somebody watches.
import { assert } from '../../domain/assert.ts';
import { ByMarket, grownCopy } from '../../domain/columns.ts';
import type { Levels } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import { PAYOUT, type Price, type Qty } from '../../domain/units.ts';

/** Numbers kept of a market, side by side in one array, so that one line of the cache holds them. */
export const STRIDE = 8;
/** Where its cells begin. */
export const START = 0;
/** Where the map from its prices to its cells begins. */
export const MAP = 1;
/** How many of its levels are watched. */
export const WATCHED = 2;
/** The cell of the best bid of ours; -1 when there is none. */
export const OWN_BID = 3;
/** The cell of the best ask of ours; as many as there are cells when there is none. */
export const OWN_ASK = 4;

/** Numbers kept of the level of each market that changed last: which it is, and by how much it changed. */
export const LAST = 2;

/**
 * What may be done with a market's levels. Numbers in an order: from `apart` on somebody may rest there. `lent`: they are
 * known, but not here, and nobody rests there; `apart`: the same but for the levels that are watched, at each of which
 * orders of ours rest.
 */
export const BookState = { closed: 0, lent: 1, quiet: 2, apart: 3, busy: 4, unknown: 5 } as const;
export type BookState = (typeof BookState)[keyof typeof BookState];

/** Hundredths of a contract that a level can hold: more than 21 million contracts. Beyond it the tape cannot be right. */
export const LEVEL_QTY_MAX = 2_147_483_647;

const GROWTH = 1.5;
/** Numbers kept of a print. */
const PRINT = 3;
/** Slots a cell takes, and levels a price has: a bid and an ask. */
export const SIDES = 2;
const NO_LEVEL = -1;
const PRICES = PAYOUT + 1;

/** The number of a level within its market, by its price; unlike its slot it can be told without the market's grid. */
export const levelAt = (isBid: boolean, price: number): number => price * SIDES + (isBid ? 0 : 1);

/** The arena. Its columns are read directly on the hot path, and replaced when they grow. */
export class Depth extends ByMarket {
  /** Quantity of each level. */
  cells = new Int32Array(0);
  /** Number of whoever watches a level; 0 where nobody does. */
  watchers = new Int32Array(0);
  meta = new Int32Array(this.room * STRIDE);
  /** What may be done with each market's levels; columns of their own, because they are read for every change. */
  states = new Uint8Array(this.room);
  /** The change that came last in each market: an order that comes just after a cut may be told the print of it afterwards. */
  last = new Int32Array(this.room * LAST);
  /** First slot of each price within a market, a map after another; the first has no price at all. */
  slotByPrice = new Int16Array(PRICES).fill(-1);
  /** The latest print of each market: its level, how much, and when. */
  #prints = new Float64Array(this.room * PRINT);
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
    this.meta.set([start, this.#mapOf(grid), 0, -1, grid.cellCount], market * STRIDE);
    this.states[market] = BookState.unknown;
    this.last[market * LAST] = NO_LEVEL;
    this.#prints[market * PRINT] = NO_LEVEL;
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
    this.states[market] = BookState.closed;
    this.#grids[market] = undefined;
  }

  /** Puts levels in place of those that are there; `false` where they cannot be right. */
  fill(market: MarketIndex, bids: Levels, asks: Levels): boolean {
    const start = this.number(market, START);
    this.cells.fill(0, start, start + SIDES * this.cellCount(market));
    return this.#fillSide(market, true, bids) && this.#fillSide(market, false, asks);
  }

  #fillSide(market: MarketIndex, isBid: boolean, levels: Levels): boolean {
    const grid = this.#grids[market];
    for (const [price, qty] of levels) {
      const cell = grid?.cellByPrice[price] ?? -1;
      if (cell < 0 || qty < 0 || qty > LEVEL_QTY_MAX) return false;
      // Of a price that is told twice, nothing and something, both books must make the same.
      if (qty > 0) this.cells[this.slotAt(market, isBid, cell)] = qty;
    }
    return true;
  }

  /** The levels of a market that hold anything, best first. */
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

  /** What may be done with a market's levels. */
  stateOf(market: MarketIndex): BookState {
    // tidy: as (nothing else is written there)
    return (this.states[market] ?? BookState.closed) as BookState;
  }

  /** How many prices a market has. */
  cellCount(market: MarketIndex): number {
    return this.#grids[market]?.cellCount ?? 0;
  }

  /** Remembers the latest print of a market; allocates nothing. */
  notePrint(level: number, { market, qty }: { readonly market: MarketIndex; readonly qty: number }, at: number): void {
    const start = market * PRINT;
    this.#prints[start] = level;
    this.#prints[start + 1] = qty;
    this.#prints[start + 2] = at;
  }

  /**
   * By how much a level went down, if nothing in its market changed since, and no print that was told since a time
   * explains it; else 0.
   */
  unexplainedCut(market: MarketIndex, level: number, since: number): number {
    const last = market * LAST;
    if (this.last[last] !== level) return 0;
    const start = market * PRINT;
    const isOf = this.#prints[start] === level && (this.#prints[start + 2] ?? 0) >= since;
    const printed = isOf ? (this.#prints[start + 1] ?? 0) : 0;
    return Math.max(0, -(this.last[last + 1] ?? 0) - printed);
  }

  /** Forgets which level of a market changed last. */
  forgetLast(market: MarketIndex): void {
    this.last[market * LAST] = NO_LEVEL;
  }

  number(market: MarketIndex, which: number): number {
    return this.meta[market * STRIDE + which] ?? 0;
  }

  /** Where a price has its slots within its market; -1 where the market's grid has no such price. */
  firstOf(market: MarketIndex, price: number): number {
    // Beyond all prices another grid's map begins.
    return price < 0 || price > PAYOUT ? -1 : (this.slotByPrice[this.number(market, MAP) + price] ?? -1);
  }

  /** Whether a level of the tape's, with anything there, would trade with orders of ours. */
  meetsOwn(market: MarketIndex, isBid: boolean, cell: number): boolean {
    return isBid ? cell >= this.number(market, OWN_ASK) : cell <= this.number(market, OWN_BID);
  }

  /** The slot of a level by its cell. */
  slotAt(market: MarketIndex, isBid: boolean, cell: number): number {
    return this.number(market, START) + cell * SIDES + (isBid ? 0 : 1);
  }

  #mapOf(grid: PriceGrid): number {
    const known = this.#mapByGrid.get(grid);
    if (known !== undefined) return known;
    const start = this.slotByPrice.length;
    const grown = grownCopy(this.slotByPrice, new Int16Array(start + PRICES));
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
      this.cells = grownCopy(this.cells, new Int32Array(length));
      this.watchers = grownCopy(this.watchers, new Int32Array(length));
    }
    return start;
  }

  #growMarkets(needed: number): void {
    const length = needed * STRIDE;
    if (length <= this.meta.length) return;
    const markets = Math.ceil(needed * GROWTH);
    this.meta = grownCopy(this.meta, new Int32Array(markets * STRIDE));
    this.last = grownCopy(this.last, new Int32Array(markets * LAST));
    this.states = grownCopy(this.states, new Uint8Array(markets));
    this.#prints = grownCopy(this.#prints, new Float64Array(markets * PRINT));
  }
}
