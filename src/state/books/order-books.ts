// Order books of all markets in one flat array, the arena. Each side has one cell per price of the grid, which holds
// the quantity there. Must never guess: an impossible update makes the book suspect until the next snapshot.
import { assert, must } from '../../base/assert.ts';
import { PresizedColumns, grownCopy } from '../../base/typed-columns.ts';
import type { BookDelta, BookSide, BookSnapshot, Levels } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { CENT_GRID, type PriceGrid } from '../../domain/price-grid.ts';
import { PAYOUT, type Price, type Qty } from '../../domain/units.ts';

/**
 * Trust in a book. `rebuilding`: a snapshot is awaited. `suspect`: the book may be wrong. Only a `live` book may price
 * an order.
 */
export type BookTrust = 'live' | 'suspect' | 'rebuilding';

const TRUSTS: readonly BookTrust[] = ['rebuilding', 'suspect', 'live'];
const LIVE = 2;
const SUSPECT = 1;
const REBUILDING = 0;

/** Effect of an update on a book. */
export const BookChange = {
  /** The book is not live, or not open. Nothing was changed. */
  ignored: 0,
  /** A level changed, and the touch did not. */
  depth: 1,
  /** A best price or its quantity changed. */
  touch: 2,
  /** The update cannot be right: the book is suspect. */
  fault: 3,
} as const;
export type BookChange = (typeof BookChange)[keyof typeof BookChange];
/** Local copy: V8 does not constant-fold exported bindings. */
const { ignored: IGNORED, depth: DEPTH, touch: TOUCH, fault: FAULT } = BookChange;

/** Number of prices from 0 to one dollar, on a grid or off it. */
const PRICES = PAYOUT + 1;
const NO_BID = 0;
const NO_ASK: number = PAYOUT;
/** No price was kept. */
const UNKNOWN = 0;
const LEVEL_QTY_MAX = 2_147_483_647;
const ARENA_GROWTH = 1.5;

// The figures of a book are packed into one cache line: a record of `STRIDE` numbers. The next constants are indices
// within a record.
const STRIDE = 8;
/** First cell of the bids, and of the asks. */
const BIDS = 0;
const ASKS = 1;
const COUNT = 2;
/** Best prices. `NO_BID` and `NO_ASK` mean that there is none. */
const BEST_BID = 3;
const BEST_ASK = 4;
const TRUST = 5;
const EPOCH = 6;
/** Start of the tables of the book's grid. */
const TABLE = 7;

/** Called before a live book becomes suspect. `isRefused` is true when the cause is a change that was not applied. */
export type OnDistrust = (market: MarketIndex, isRefused: boolean) => void;

/** Preallocated room: cells of a one-cent grid for every expected market, and tables for a few grids. */
const CELLS_EXPECTED = CENT_GRID.cellCount * 2;
const GRIDS_EXPECTED = 4;
/** Least number of books with preallocated room. */
const MARKETS_MIN = 16;

const recordsOf = (markets: number): Int32Array => {
  const records = new Int32Array(markets * STRIDE);
  for (let book = 0; book < records.length; book += STRIDE) records[book + BEST_ASK] = NO_ASK;
  return records;
};

const knownOf = (kept: number = UNKNOWN): number | null => (kept === UNKNOWN ? null : kept);

/** All order books. Prices are on the YES scale: a bid for NO at p is an ask at the complement. */
export class OrderBooks extends PresizedColumns {
  /** Called before a live book is distrusted or replaced. Its levels are still there. */
  onDistrust: OnDistrust | null = null;
  #cells = new Int32Array(this.capacity * CELLS_EXPECTED);
  #used = 0;
  /**
   * First cells of closed books, by number of cells. Added when a book closes; removed when a new book takes the cells.
   */
  readonly #free = new Map<number, number[]>();
  #records = recordsOf(Math.max(this.capacity, MARKETS_MIN));
  /**
   * Two tables of each grid, one grid after another: cell by price, then price by cell. They are never removed, because
   * grids are few.
   */
  #tables = new Int16Array(this.capacity > 0 ? GRIDS_EXPECTED * PRICES : 0);
  #tablesEnd = 0;
  /** Place of each grid's tables. Added with the first book on the grid; never removed. */
  readonly #tableOf = new Map<PriceGrid, number>();
  readonly #grids: (PriceGrid | undefined)[] = [];
  /** Twice the mid, and twice the mark, that a book had before it lost a side, its trust or its levels. */
  readonly #keptMids: number[] = [];
  readonly #keptMarks: number[] = [];

  /** Makes room for a market's book. With a different grid the book starts over: empty, rebuilding, in a new epoch. */
  openBook(market: MarketIndex, grid: PriceGrid): void {
    if (this.#grids[market] === grid) return;
    this.#growMarkets(market + 1);
    if (!this.isOpen(market)) this.#forget(market);
    this.closeBook(market);
    const bids = this.#allocate(grid.cellCount * 2);
    this.#grids[market] = grid;
    this.#set(market, BIDS, bids);
    this.#set(market, ASKS, bids + grid.cellCount);
    this.#set(market, COUNT, grid.cellCount);
    this.#set(market, TABLE, this.#tableOf.get(grid) ?? this.#addTables(grid));
    assert(bids >= 0 && bids + grid.cellCount * 2 <= this.#cells.length, 'a book must lie within the arena');
    this.#clear(market);
    this.#set(market, TRUST, REBUILDING);
    this.#set(market, EPOCH, this.epoch(market) + 1);
  }

  #get(market: MarketIndex, which: number): number {
    return this.#records[market * STRIDE + which] ?? 0;
  }

  #set(market: MarketIndex, which: number, value: number): void {
    this.#records[market * STRIDE + which] = value;
  }

  #addTables(grid: PriceGrid): number {
    const table = this.#tablesEnd;
    this.#tablesEnd += PRICES + grid.cellCount;
    if (this.#tablesEnd > this.#tables.length) this.#tables = grownCopy(this.#tables, new Int16Array(this.#tablesEnd));
    this.#tables.set(grid.cellByPrice, table);
    this.#tables.set(grid.priceByCell, table + PRICES);
    this.#tableOf.set(grid, table);
    return table;
  }

  /** Closes a market's book. A later book may take its cells. */
  closeBook(market: MarketIndex): void {
    const grid = this.#grids[market];
    if (!grid) return;
    this.distrust(market);
    const span = grid.cellCount * 2;
    const spans = this.#free.get(span) ?? [];
    assert(!spans.includes(this.#get(market, BIDS)), 'the cells of a book must be freed once');
    spans.push(this.#get(market, BIDS));
    this.#free.set(span, spans);
    this.#grids[market] = undefined;
    // The cells may soon belong to another market.
    this.#set(market, COUNT, 0);
    this.#set(market, BEST_BID, NO_BID);
    this.#set(market, BEST_ASK, NO_ASK);
    this.#set(market, TRUST, REBUILDING);
  }

  isOpen(market: MarketIndex): boolean {
    return this.#grids[market] !== undefined;
  }

  applyDelta(delta: Omit<BookDelta, 'kind'>): BookChange {
    const { market, price: at } = delta;
    const records = this.#records;
    const book = market * STRIDE;
    if (records[book + TRUST] !== LIVE) return IGNORED;
    const cell = this.#cellAt(market, at);
    if (cell < 0) return this.#fault(market, true);
    const isBid = delta.side === 'bid';
    const slot = (records[book + (isBid ? BIDS : ASKS)] ?? 0) + cell;
    const qty = (this.#cells[slot] ?? 0) + delta.change;
    if (qty < 0 || qty > LEVEL_QTY_MAX) return this.#fault(market, true);
    this.#cells[slot] = qty;
    if (isBid) {
      if (at < (records[book + BEST_BID] ?? NO_BID)) return DEPTH;
      return qty > 0 ? this.#bidAt(market, at) : this.#bidGone(market, at, cell);
    }
    if (at > (records[book + BEST_ASK] ?? NO_ASK)) return DEPTH;
    return qty > 0 ? this.#askAt(market, at) : this.#askGone(market, at, cell);
  }

  #bidAt(market: MarketIndex, at: Price): BookChange {
    const isCrossing = at >= this.#get(market, BEST_ASK);
    if (isCrossing) this.#keep(market);
    this.#set(market, BEST_BID, at);
    return isCrossing ? this.#fault(market, false) : TOUCH;
  }

  #askAt(market: MarketIndex, at: Price): BookChange {
    const isCrossing = at <= this.#get(market, BEST_BID);
    if (isCrossing) this.#keep(market);
    this.#set(market, BEST_ASK, at);
    return isCrossing ? this.#fault(market, false) : TOUCH;
  }

  #bidGone(market: MarketIndex, at: Price, cell: number): BookChange {
    if (at > this.#get(market, BEST_BID)) return DEPTH;
    const start = this.#get(market, BIDS);
    let next = cell - 1;
    while (next >= 0 && this.#cells[start + next] === 0) next -= 1;
    if (next < 0) this.#keep(market);
    this.#set(market, BEST_BID, next < 0 ? NO_BID : this.#priceAt(market, next));
    return TOUCH;
  }

  #askGone(market: MarketIndex, at: Price, cell: number): BookChange {
    if (at < this.#get(market, BEST_ASK)) return DEPTH;
    const count = this.#get(market, COUNT);
    const start = this.#get(market, ASKS);
    let next = cell + 1;
    while (next < count && this.#cells[start + next] === 0) next += 1;
    if (next >= count) this.#keep(market);
    this.#set(market, BEST_ASK, next < count ? this.#priceAt(market, next) : NO_ASK);
    return TOUCH;
  }

  /** Replaces a book and makes it live in a new epoch. A snapshot that cannot be right makes it suspect. */
  applySnapshot({ market, bids, asks }: Omit<BookSnapshot, 'kind'>): BookChange {
    if (!this.isOpen(market)) return IGNORED;
    this.distrust(market);
    this.#clear(market);
    this.#set(market, EPOCH, this.epoch(market) + 1);
    this.#set(market, TRUST, LIVE);
    for (const level of bids) if (!this.#setLevel(market, true, level)) return this.#suspect(market);
    for (const level of asks) if (!this.#setLevel(market, false, level)) return this.#suspect(market);
    const isCrossed = this.#get(market, BEST_BID) >= this.#get(market, BEST_ASK);
    return isCrossed ? this.#suspect(market) : TOUCH;
  }

  #setLevel(market: MarketIndex, isBid: boolean, [price, qty]: Levels[number]): boolean {
    const cell = this.#cellAt(market, price);
    if (cell < 0 || qty < 0 || qty > LEVEL_QTY_MAX) return false;
    if (qty === 0) return true;
    this.#cells[this.#get(market, isBid ? BIDS : ASKS) + cell] = qty;
    if (isBid) this.#set(market, BEST_BID, Math.max(this.#get(market, BEST_BID), price));
    else this.#set(market, BEST_ASK, Math.min(this.#get(market, BEST_ASK), price));
    return true;
  }

  distrust(market: MarketIndex): boolean {
    if (!this.isLive(market)) return false;
    this.onDistrust?.(market, false);
    this.#keep(market);
    this.#set(market, TRUST, SUSPECT);
    assert(!this.isLive(market), 'a distrusted book must not be live');
    return true;
  }

  /** Marks a book as rebuilding: a new snapshot was requested. */
  markRebuilding(market: MarketIndex): void {
    this.distrust(market);
    if (this.isOpen(market)) this.#set(market, TRUST, REBUILDING);
  }

  trust(market: MarketIndex): BookTrust {
    return TRUSTS[this.#get(market, TRUST)] ?? 'rebuilding';
  }

  isLive(market: MarketIndex): boolean {
    return this.#records[market * STRIDE + TRUST] === LIVE;
  }

  epoch(market: MarketIndex): number {
    return this.#get(market, EPOCH);
  }

  bestBid(market: MarketIndex): Price | null {
    const best = this.#records[market * STRIDE + BEST_BID] ?? NO_BID;
    return best === NO_BID ? null : (best as Price);
  }

  bestAsk(market: MarketIndex): Price | null {
    const best = this.#records[market * STRIDE + BEST_ASK] ?? NO_ASK;
    return best === NO_ASK ? null : (best as Price);
  }

  /** Sum of best bid and best ask, which is twice the mid; 0 when a side is empty. */
  twiceMid(market: MarketIndex): number {
    const bid = this.#records[market * STRIDE + BEST_BID] ?? NO_BID;
    const ask = this.#records[market * STRIDE + BEST_ASK] ?? NO_ASK;
    return bid === NO_BID || ask === NO_ASK ? 0 : bid + ask;
  }

  /**
   * Twice the last known mid, in ten-thousandths of a dollar: the present one, if the book is live and has both sides. `null`
   * if none was ever known.
   */
  lastTwiceMid(market: MarketIndex): number | null {
    const now = this.isLive(market) ? this.twiceMid(market) : 0;
    return now > 0 ? now : knownOf(this.#keptMids[market]);
  }

  /**
   * Twice the last mark of a book that is now empty, in ten-thousandths of a dollar: its last mid, or the last price of the
   * side that was left. `null` if no price was ever known.
   */
  lastTwiceMark(market: MarketIndex): number | null {
    return knownOf(this.#keptMarks[market]);
  }

  /** Keeps the prices of a live book before they go. A crossed book has none worth keeping. */
  #keep(market: MarketIndex): void {
    const bid = this.#get(market, BEST_BID);
    const ask = this.#get(market, BEST_ASK);
    if (bid >= ask || (bid === NO_BID && ask === NO_ASK)) return;
    if (bid !== NO_BID && ask !== NO_ASK) this.#keptMids[market] = bid + ask;
    this.#keptMarks[market] = (bid === NO_BID ? ask : bid) + (ask === NO_ASK ? bid : ask);
  }

  #forget(market: MarketIndex): void {
    this.#keptMids[market] = UNKNOWN;
    this.#keptMarks[market] = UNKNOWN;
  }

  #cellAt(market: MarketIndex, at: Price): number {
    if (at < 0 || at >= PRICES) return -1;
    return this.#tables[this.#get(market, TABLE) + at] ?? -1;
  }

  #priceAt(market: MarketIndex, cell: number): Price {
    return (this.#tables[this.#get(market, TABLE) + PRICES + cell] ?? 0) as Price;
  }

  qtyAt(market: MarketIndex, side: BookSide, price: Price): Qty {
    const cell = this.isOpen(market) ? this.#cellAt(market, price) : -1;
    if (cell < 0) return 0 as Qty;
    const start = this.#get(market, side === 'bid' ? BIDS : ASKS);
    return (this.#cells[start + cell] ?? 0) as Qty;
  }

  levels(market: MarketIndex, side: BookSide, depthMax = Number.POSITIVE_INFINITY): [Price, Qty][] {
    const count = this.#get(market, COUNT);
    const start = this.#get(market, side === 'bid' ? BIDS : ASKS);
    const step = side === 'bid' ? -1 : 1;
    const found: [Price, Qty][] = [];
    const best = this.#get(market, side === 'bid' ? BEST_BID : BEST_ASK);
    let cell = this.#cellAt(market, best as Price);
    for (; cell >= 0 && cell < count && found.length < depthMax; cell += step) {
      const qty = this.#cells[start + cell] ?? 0;
      if (qty > 0) found.push([this.#priceAt(market, cell), qty as Qty]);
    }
    return found;
  }

  /** The next worse price of a side with a quantity; `null` when there is none. */
  behind(market: MarketIndex, side: BookSide, price: Price): Price | null {
    const count = this.#get(market, COUNT);
    const start = this.#get(market, side === 'bid' ? BIDS : ASKS);
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

  get byteLength(): number {
    return this.#records.byteLength + this.#cells.byteLength;
  }

  #fault(market: MarketIndex, isRefused: boolean): BookChange {
    this.onDistrust?.(market, isRefused);
    this.#keep(market);
    return this.#suspect(market);
  }

  #suspect(market: MarketIndex): BookChange {
    this.#set(market, TRUST, SUSPECT);
    return FAULT;
  }

  #clear(market: MarketIndex): void {
    const start = this.#get(market, BIDS);
    this.#cells.fill(0, start, start + this.#get(market, COUNT) * 2);
    this.#set(market, BEST_BID, NO_BID);
    this.#set(market, BEST_ASK, NO_ASK);
  }

  #allocate(span: number): number {
    const spare = this.#free.get(span)?.pop();
    if (spare !== undefined) return spare;
    const start = this.#used;
    this.#used += span;
    if (this.#used > this.#cells.length)
      this.#cells = grownCopy(this.#cells, new Int32Array(Math.ceil(this.#used * ARENA_GROWTH)));
    return start;
  }

  #growMarkets(needed: number): void {
    const room = this.#records.length / STRIDE;
    if (needed <= room) return;
    const markets = Math.max(needed, Math.ceil(room * ARENA_GROWTH));
    this.#records = grownCopy(this.#records, recordsOf(markets));
  }
}
