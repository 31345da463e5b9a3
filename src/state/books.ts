// Order books of every market in one flat arena: a cell a price, best cells beside it, plain scans.
// Must never guess: what cannot be right makes the book suspect, and only a fresh snapshot makes it live again.
import { must } from '../domain/assert.ts';
import { grownCopy } from '../domain/columns.ts';
import type { BookDelta, BookSide, BookSnapshot, Levels } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { PriceGrid } from '../domain/price-grid.ts';
import { PAYOUT, type Price, type Qty } from '../domain/units.ts';

/**
 * Whether a book may be believed. `rebuilding`: none has been seen since it was opened or asked for anew.
 * `suspect`: something went wrong since the last snapshot. Only a `live` book may price an order.
 */
export type BookTrust = 'live' | 'suspect' | 'rebuilding';

const TRUSTS: readonly BookTrust[] = ['rebuilding', 'suspect', 'live'];
const LIVE = 2;
const SUSPECT = 1;
const REBUILDING = 0;

/** What an update did to a book. */
export const BookChange = {
  /** The book is not live, or not open: nothing was changed. */
  ignored: 0,
  /** A level changed, the touch did not. */
  depth: 1,
  /** A best price or its quantity changed. */
  touch: 2,
  /** The update cannot be right: the book is suspect from now on. */
  fault: 3,
} as const;
export type BookChange = (typeof BookChange)[keyof typeof BookChange];

/** How many prices there are, on a grid or off it. */
const PRICES = PAYOUT + 1;
const NO_BID = 0;
const NO_ASK: number = PAYOUT;
const LEVEL_QTY_MAX = 2_147_483_647;
const ARENA_GROWTH = 1.5;

/** Takes that a book is about to be believed no more; `isRefused`: for a change that no level can take, and none has. */
export type OnDistrust = (market: MarketIndex, isRefused: boolean) => void;

/** All books. Prices are on the YES scale: a bid for NO at p is an ask at the complement. */
export class Books {
  /** Told before a book that is believed is not any more, or is replaced: its levels are still there, and right. */
  onDistrust: OnDistrust | null = null;
  #cells = new Int32Array(0);
  #used = 0;
  /** Spans of closed books by their length, to be used again. */
  readonly #free = new Map<number, number[]>();
  #offset = new Int32Array(0);
  #count = new Int16Array(0);
  /** Best prices; `NO_BID` and `NO_ASK` when there is none, beyond every price that there can be. */
  #bestBid = new Int16Array(0);
  #bestAsk = new Int16Array(0);
  #trust = new Uint8Array(0);
  #epoch = new Uint32Array(0);
  /** Where each market's grid has its tables, and the tables: cell by price, then price by cell, one grid after another. */
  #table = new Int32Array(0);
  #tables = new Int16Array(0);
  readonly #tableOf = new Map<PriceGrid, number>();
  readonly #grids: (PriceGrid | undefined)[] = [];

  /** Makes room for a market's book on its grid. A different grid begins a new epoch, empty and rebuilding. */
  open(market: MarketIndex, grid: PriceGrid): void {
    if (this.#grids[market] === grid) return;
    this.#growMarkets(market + 1);
    this.close(market);
    this.#offset[market] = this.#allocate(grid.cellCount * 2);
    this.#count[market] = grid.cellCount;
    this.#grids[market] = grid;
    this.#table[market] = this.#tableOf.get(grid) ?? this.#addTables(grid);
    this.#clear(market);
    this.#trust[market] = REBUILDING;
    this.#epoch[market] = (this.#epoch[market] ?? 0) + 1;
  }

  #addTables(grid: PriceGrid): number {
    const table = this.#tables.length;
    this.#tables = grownCopy(this.#tables, new Int16Array(table + PRICES + grid.cellCount));
    this.#tables.set(grid.cellByPrice, table);
    this.#tables.set(grid.priceByCell, table + PRICES);
    this.#tableOf.set(grid, table);
    return table;
  }

  /** Forgets a market's book; its cells serve the next one. */
  close(market: MarketIndex): void {
    const grid = this.#grids[market];
    if (!grid) return;
    this.distrust(market);
    const span = grid.cellCount * 2;
    const spans = this.#free.get(span) ?? [];
    spans.push(this.#offset[market] ?? 0);
    this.#free.set(span, spans);
    this.#grids[market] = undefined;
    // No cells: they may soon be another market's.
    this.#count[market] = 0;
    this.#bestBid[market] = NO_BID;
    this.#bestAsk[market] = NO_ASK;
    this.#trust[market] = REBUILDING;
  }

  isOpen(market: MarketIndex): boolean {
    return this.#grids[market] !== undefined;
  }

  /** Changes one level of a live book by a signed quantity. */
  applyDelta(delta: Omit<BookDelta, 'kind'>): BookChange {
    const { market } = delta;
    if (this.#trust[market] !== LIVE) return BookChange.ignored;
    const at = delta.price;
    const cell = this.#cellAt(market, at);
    if (cell < 0) return this.#fault(market, true);
    const isBid = delta.side === 'bid';
    const slot = (this.#offset[market] ?? 0) + cell + (isBid ? 0 : (this.#count[market] ?? 0));
    const qty = (this.#cells[slot] ?? 0) + delta.change;
    if (qty < 0 || qty > LEVEL_QTY_MAX) return this.#fault(market, true);
    this.#cells[slot] = qty;
    if (isBid) {
      if (at < (this.#bestBid[market] ?? NO_BID)) return BookChange.depth;
      return qty > 0 ? this.#bidAt(market, at) : this.#bidGone(market, at, cell);
    }
    if (at > (this.#bestAsk[market] ?? NO_ASK)) return BookChange.depth;
    return qty > 0 ? this.#askAt(market, at) : this.#askGone(market, at, cell);
  }

  #bidAt(market: MarketIndex, at: Price): BookChange {
    this.#bestBid[market] = at;
    return at >= (this.#bestAsk[market] ?? NO_ASK) ? this.#fault(market, false) : BookChange.touch;
  }

  #askAt(market: MarketIndex, at: Price): BookChange {
    this.#bestAsk[market] = at;
    return at <= (this.#bestBid[market] ?? NO_BID) ? this.#fault(market, false) : BookChange.touch;
  }

  #bidGone(market: MarketIndex, at: Price, cell: number): BookChange {
    if (at > (this.#bestBid[market] ?? NO_BID)) return BookChange.depth;
    const start = this.#offset[market] ?? 0;
    let next = cell - 1;
    while (next >= 0 && this.#cells[start + next] === 0) next -= 1;
    this.#bestBid[market] = next < 0 ? NO_BID : this.#priceAt(market, next);
    return BookChange.touch;
  }

  #askGone(market: MarketIndex, at: Price, cell: number): BookChange {
    if (at < (this.#bestAsk[market] ?? NO_ASK)) return BookChange.depth;
    const count = this.#count[market] ?? 0;
    const start = (this.#offset[market] ?? 0) + count;
    let next = cell + 1;
    while (next < count && this.#cells[start + next] === 0) next += 1;
    this.#bestAsk[market] = next < count ? this.#priceAt(market, next) : NO_ASK;
    return BookChange.touch;
  }

  /** Replaces a book and makes it live in a new epoch; a snapshot that cannot be right makes it suspect. */
  applySnapshot({ market, bids, asks }: Omit<BookSnapshot, 'kind'>): BookChange {
    if (!this.isOpen(market)) return BookChange.ignored;
    this.distrust(market);
    this.#clear(market);
    this.#epoch[market] = (this.#epoch[market] ?? 0) + 1;
    this.#trust[market] = LIVE;
    for (const level of bids) if (!this.#setLevel(market, true, level)) return this.#suspect(market);
    for (const level of asks) if (!this.#setLevel(market, false, level)) return this.#suspect(market);
    const isCrossed = (this.#bestBid[market] ?? NO_BID) >= (this.#bestAsk[market] ?? NO_ASK);
    return isCrossed ? this.#suspect(market) : BookChange.touch;
  }

  #setLevel(market: MarketIndex, isBid: boolean, [price, qty]: Levels[number]): boolean {
    const cell = this.#cellAt(market, price);
    if (cell < 0 || qty < 0 || qty > LEVEL_QTY_MAX) return false;
    if (qty === 0) return true;
    const count = this.#count[market] ?? 0;
    this.#cells[(this.#offset[market] ?? 0) + cell + (isBid ? 0 : count)] = qty;
    if (isBid) this.#bestBid[market] = Math.max(this.#bestBid[market] ?? NO_BID, price);
    else this.#bestAsk[market] = Math.min(this.#bestAsk[market] ?? NO_ASK, price);
    return true;
  }

  /** Stops believing a book. Returns whether it was live. */
  distrust(market: MarketIndex): boolean {
    if (this.#trust[market] !== LIVE) return false;
    this.onDistrust?.(market, false);
    this.#trust[market] = SUSPECT;
    return true;
  }

  /** Marks a book that a fresh snapshot has been asked for. */
  rebuild(market: MarketIndex): void {
    this.distrust(market);
    if (this.isOpen(market)) this.#trust[market] = REBUILDING;
  }

  trust(market: MarketIndex): BookTrust {
    return TRUSTS[this.#trust[market] ?? REBUILDING] ?? 'rebuilding';
  }

  isLive(market: MarketIndex): boolean {
    return this.#trust[market] === LIVE;
  }

  /** How many times the book was begun anew. */
  epoch(market: MarketIndex): number {
    return this.#epoch[market] ?? 0;
  }

  /** The highest price bid for YES; `null` when there is none. */
  bestBid(market: MarketIndex): Price | null {
    const best = this.#bestBid[market] ?? NO_BID;
    return best === NO_BID ? null : (best as Price);
  }

  /** The lowest price YES is offered at; `null` when there is none. */
  bestAsk(market: MarketIndex): Price | null {
    const best = this.#bestAsk[market] ?? NO_ASK;
    return best === NO_ASK ? null : (best as Price);
  }

  /** Best bid and best ask in one sum, which is twice the mid; 0 unless both sides bid. */
  twiceMid(market: MarketIndex): number {
    const bid = this.#bestBid[market] ?? NO_BID;
    const ask = this.#bestAsk[market] ?? NO_ASK;
    return bid === NO_BID || ask === NO_ASK ? 0 : bid + ask;
  }

  /** The cell of a price; -1 when the market's grid has none. */
  #cellAt(market: MarketIndex, at: Price): number {
    if (at < 0 || at > PAYOUT) return -1;
    return this.#tables[(this.#table[market] ?? 0) + at] ?? -1;
  }

  #priceAt(market: MarketIndex, cell: number): Price {
    return (this.#tables[(this.#table[market] ?? 0) + PRICES + cell] ?? 0) as Price;
  }

  /** The quantity of a level; 0 where there is none. */
  qtyAt(market: MarketIndex, side: BookSide, price: Price): Qty {
    const cell = this.isOpen(market) ? this.#cellAt(market, price) : -1;
    if (cell < 0) return 0 as Qty;
    const start = (this.#offset[market] ?? 0) + (side === 'bid' ? 0 : (this.#count[market] ?? 0));
    return (this.#cells[start + cell] ?? 0) as Qty;
  }

  /** The best levels of a side, best first. */
  levels(market: MarketIndex, side: BookSide, depthMax = Number.POSITIVE_INFINITY): [Price, Qty][] {
    const count = this.#count[market] ?? 0;
    const start = (this.#offset[market] ?? 0) + (side === 'bid' ? 0 : count);
    const step = side === 'bid' ? -1 : 1;
    const found: [Price, Qty][] = [];
    const best = side === 'bid' ? this.#bestBid[market] : this.#bestAsk[market];
    let cell = this.#cellAt(market, (best ?? NO_BID) as Price);
    for (; cell >= 0 && cell < count && found.length < depthMax; cell += step) {
      const qty = this.#cells[start + cell] ?? 0;
      if (qty > 0) found.push([this.#priceAt(market, cell), qty as Qty]);
    }
    return found;
  }

  /** The next price behind another on its side that has a quantity; `null` when there is none. */
  behind(market: MarketIndex, side: BookSide, price: Price): Price | null {
    const count = this.#count[market] ?? 0;
    const start = (this.#offset[market] ?? 0) + (side === 'bid' ? 0 : count);
    const step = side === 'bid' ? -1 : 1;
    const from = this.isOpen(market) ? this.#cellAt(market, price) : -1;
    if (from < 0) return null;
    for (let cell = from + step; cell >= 0 && cell < count; cell += step)
      if ((this.#cells[start + cell] ?? 0) > 0) return this.#priceAt(market, cell);
    return null;
  }

  grid(market: MarketIndex): PriceGrid {
    return must(this.#grids[market], `grid of market ${market}`);
  }

  /** Bytes held by the arena and the columns beside it, for the benchmark. */
  get byteLength(): number {
    const columns = [this.#offset, this.#count, this.#bestBid, this.#bestAsk, this.#trust, this.#epoch, this.#table];
    return columns.reduce((total, column) => total + column.byteLength, this.#cells.byteLength);
  }

  #fault(market: MarketIndex, isRefused: boolean): BookChange {
    this.onDistrust?.(market, isRefused);
    return this.#suspect(market);
  }

  #suspect(market: MarketIndex): BookChange {
    this.#trust[market] = SUSPECT;
    return BookChange.fault;
  }

  #clear(market: MarketIndex): void {
    const start = this.#offset[market] ?? 0;
    const count = this.#count[market] ?? 0;
    this.#cells.fill(0, start, start + count * 2);
    this.#bestBid[market] = NO_BID;
    this.#bestAsk[market] = NO_ASK;
  }

  #allocate(span: number): number {
    const spare = this.#free.get(span)?.pop();
    if (spare !== undefined) return spare;
    const start = this.#used;
    this.#used += span;
    if (this.#used > this.#cells.length) this.#reserveCells(Math.ceil(this.#used * ARENA_GROWTH));
    return start;
  }

  /** Makes room for so many markets of so many cells at once, so that growing copies nothing later. */
  reserve(markets: number, cellsPerSide: number): void {
    this.#growMarkets(markets);
    this.#reserveCells(this.#used + markets * cellsPerSide * 2);
  }

  #reserveCells(length: number): void {
    if (length > this.#cells.length) this.#cells = grownCopy(this.#cells, new Int32Array(length));
  }

  #growMarkets(needed: number): void {
    if (needed <= this.#offset.length) return;
    const length = Math.max(needed, Math.ceil(this.#offset.length * ARENA_GROWTH), 16);
    this.#offset = grownCopy(this.#offset, new Int32Array(length));
    this.#count = grownCopy(this.#count, new Int16Array(length));
    this.#bestBid = grownCopy(this.#bestBid, new Int16Array(length).fill(NO_BID));
    this.#bestAsk = grownCopy(this.#bestAsk, new Int16Array(length).fill(NO_ASK));
    this.#trust = grownCopy(this.#trust, new Uint8Array(length));
    this.#epoch = grownCopy(this.#epoch, new Uint32Array(length));
    this.#table = grownCopy(this.#table, new Int32Array(length));
  }
}
