// The rows of all markets at the last refresh. Must never need a call for each change of a book: that code must stay
// fast.
import type { MarketIndex } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { type Order, leavesQty } from '../../domain/orders/order.ts';
import type { State } from '../../state/state.ts';
import type { MarketCells, MarketFacts } from './follow-messages.ts';
import type { MarketBaselines } from './market-baselines.ts';

interface Row {
  market: Market;
  facts: MarketFacts;
  cells: MarketCells;
  messages: number;
}

/** Markets that changed since the last refresh. */
export interface TableChanges {
  readonly rows: readonly MarketIndex[];
  readonly facts: readonly MarketIndex[];
}

/** The rows of all markets. */
export class MarketTable {
  readonly #state: State;
  readonly #baselines: MarketBaselines;
  /** Rows by market. Added when the market is first seen; removed when it leaves memory or the table stops. */
  #rows: (Row | undefined)[] = [];
  /** Markets with changed orders or positions. Added at a change; removed by the next refresh. */
  readonly #marked = new Set<MarketIndex>();
  #revision = -1;
  #isRunning = false;

  constructor(state: State, baselines: MarketBaselines) {
    this.#state = state;
    this.#baselines = baselines;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { orders, portfolio } = this.#state;
    orders.changedMarkets.addConsumer(this.#marked);
    portfolio.changedMarkets.addConsumer(this.#marked);
    this.refresh();
  }

  stop(): void {
    this.#isRunning = false;
    const { orders, portfolio } = this.#state;
    orders.changedMarkets.removeConsumer(this.#marked);
    portfolio.changedMarkets.removeConsumer(this.#marked);
    this.#marked.clear();
    this.#rows = [];
    this.#revision = -1;
  }

  /** Marks a market in which an order's state changed. */
  markChanged(market: MarketIndex): void {
    if (this.#isRunning) this.#marked.add(market);
  }

  /** Marks every market with a position for the new day's profit. */
  markPositions(): void {
    if (this.#isRunning) for (const market of this.#state.portfolio.positions().keys()) this.#marked.add(market);
  }

  dropRow(market: MarketIndex): void {
    this.#rows[market] = undefined;
    this.#marked.delete(market);
  }

  /** Updates every row. Returns the markets with changed rows or facts. */
  refresh(): TableChanges {
    const rows: MarketIndex[] = [];
    const facts: MarketIndex[] = [];
    const { markets, books } = this.#state;
    const isRedefined = markets.revision !== this.#revision;
    this.#revision = markets.revision;
    for (const market of markets.allMarkets()) {
      const { index } = market;
      const row = this.#rows[index];
      const isSame = row !== undefined && row.market === market;
      if ((!isSame || isRedefined) && this.#updateFacts(market)) facts.push(index);
      const isQuiet =
        isSame && row.messages === this.#state.confirmations.messageCount(index) && row.cells[2] === books.trust(index);
      if ((!isQuiet || this.#marked.has(index)) && this.#updateCells(market, !isSame)) rows.push(index);
    }
    this.#marked.clear();
    return { rows, facts };
  }

  /** Returns true when the facts have changed. */
  #updateFacts(market: Market): boolean {
    const facts = this.#factsOf(market);
    const row = this.#rows[market.index];
    if (row === undefined) {
      this.#rows[market.index] = { market, facts, cells: this.#cellsOf(market), messages: -1 };
      return true;
    }
    row.market = market;
    const isSame = areSameFacts(row.facts, facts);
    row.facts = facts;
    return !isSame;
  }

  #factsOf({ index, ticker, title, eventTicker, closeAt }: Market): MarketFacts {
    const series = this.#state.markets.group(eventTicker)?.seriesTicker ?? null;
    return { index, ticker, title, series, group: eventTicker, closesAtUs: closeAt };
  }

  /** Returns true when the figures are new or have changed. */
  #updateCells(market: Market, isNew: boolean): boolean {
    const row = this.#rows[market.index];
    if (row === undefined) return false;
    row.messages = this.#state.confirmations.messageCount(market.index);
    const cells = this.#cellsOf(market);
    const isSame = cells.every((cell, place) => cell === row.cells[place]);
    row.cells = cells;
    return isNew || !isSame;
  }

  #cellsOf({ index, status }: Market): MarketCells {
    const { books, orders, portfolio } = this.#state;
    const isOpen = books.isOpen(index);
    const bid = isOpen ? books.bestBid(index) : null;
    const ask = isOpen ? books.bestAsk(index) : null;
    const open = orders.openIn(index);
    const [ownBid, ownBidQty] = ownBest(open, 'buy');
    const [ownAsk, ownAskQty] = ownBest(open, 'sell');
    return [
      index,
      status,
      books.trust(index),
      bid ?? NO_PRICE,
      bid === null ? 0 : books.qtyAt(index, 'bid', bid),
      ask ?? NO_PRICE,
      ask === null ? 0 : books.qtyAt(index, 'ask', ask),
      ownBid,
      ownBidQty,
      ownAsk,
      ownAskQty,
      portfolio.position(index).qty,
      this.#baselines.dayProfit(index),
    ];
  }

  /** The figures of a market at the last refresh; `undefined` for a market not in the table. */
  cellsAt(market: MarketIndex): MarketCells | undefined {
    return this.#rows[market]?.cells;
  }

  /** The facts of a market at the last refresh; `undefined` for a market not in the table. */
  factsAt(market: MarketIndex): MarketFacts | undefined {
    return this.#rows[market]?.facts;
  }

  markets(): MarketIndex[] {
    return this.#rows.flatMap((row) => (row === undefined ? [] : [row.market.index]));
  }

  /** Number of open markets whose books are not live. */
  untrustedCount(): number {
    let count = 0;
    for (const { index } of this.#state.markets.openMarkets()) if (!this.#state.books.isLive(index)) count += 1;
    return count;
  }
}

const NO_PRICE = -1;

const areSameFacts = (one: MarketFacts, other: MarketFacts): boolean =>
  one.ticker === other.ticker &&
  one.title === other.title &&
  one.series === other.series &&
  one.group === other.group &&
  one.closesAtUs === other.closesAtUs;

/** Returns our best working price of a side, and the quantity there. */
function ownBest(orders: readonly Order[], side: Order['side']): readonly [price: number, qty: number] {
  let best: Order | null = null;
  for (const order of orders) {
    if (order.side !== side || order.state !== 'working') continue;
    if (best === null || (side === 'buy' ? order.price > best.price : order.price < best.price)) best = order;
  }
  if (best === null) return [NO_PRICE, 0];
  const at = best.price;
  const level = orders.filter((order) => order.side === side && order.state === 'working' && order.price === at);
  return [at, level.reduce((sum, order) => sum + leavesQty(order), 0)];
}
