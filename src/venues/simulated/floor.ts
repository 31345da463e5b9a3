// The floor of the simulated venue: the recorded books, and our orders in them as they would have fared.
// Orders fill by three kinds of evidence alone: a print at their price once those before them are served, a print through
// their price, and a recorded book that comes to cross them. A touch is none.
// Must never use a print, or a level, twice; nor fill at a price worse than the order's.
import type { BookDelta, Levels, Print } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import { NO_QTY, type Price, type Qty } from '../../domain/units.ts';
import { BookState, Depth, LAST, LEVEL_QTY_MAX, OWN_ASK, OWN_BID, START, STRIDE, WATCHED, levelAt } from './depth.ts';
import { Lending } from './lending.ts';
import { OwnOrders } from './own-orders.ts';
import { Placing } from './placing.ts';
import {
  AHEAD_UNKNOWN,
  type BookKeeper,
  type Execution,
  type Floor,
  type FloorOptions,
  type FloorOrder,
  type Placed,
} from './ports.ts';
import { quietPasser } from './quiet-deltas.ts';
import { Story } from './story.ts';
import { Tails } from './tails.ts';
import type { Resting } from './watched-level.ts';

/** How far apart a print and its decrease may be told, unless told otherwise: a second. */
const EXPLAIN_WINDOW = 1_000_000;

/**
 * The venue's books, and our orders in them. When it lies: the tape never reacts to us, so what we take scares nobody and
 * what we bid draws nobody; strangers whom an order of ours kept from trading stand at its price as long as orders of ours
 * do, and are gone when none does; in a gap of the tape nothing fills, whatever happened there; an order that came while
 * the book was unknown pays as a maker, even where it would have met somebody; and a tape that we ourselves traded in
 * holds our orders and trades as if they were others'.
 */
export class SimulatedFloor implements Floor {
  readonly #options: FloorOptions;
  readonly #depth: Depth;
  readonly #tails = new Tails();
  readonly #own: OwnOrders;
  readonly #placing: Placing;
  readonly #lending: Lending;
  readonly #story: Story | null;
  readonly #fillWhenCrossed: boolean;
  readonly #explainWindow: number;
  /** Executions of this call, told when the queues are in order again. */
  #pending: Execution[] = [];
  /** What they do to the position. */
  #pendingNet = 0;
  /** How often the tape said what cannot be right: a level below nothing, or a price off the grid. */
  faults = 0;

  constructor(options: FloorOptions) {
    this.#options = options;
    this.#depth = new Depth(options.room);
    this.quietDeltas = quietPasser(this.#depth);
    this.#fillWhenCrossed = options.fillWhenCrossed ?? true;
    this.#explainWindow = options.explainWindow ?? EXPLAIN_WINDOW;
    this.#story = options.tell === undefined ? null : new Story(options.tell);
    this.#own = new OwnOrders(this.#depth, {
      queue: options.queue,
      explainWindow: this.#explainWindow,
      tails: this.#tails,
      now: options.now,
      story: this.#story,
      fill: (order, qty, evidence) => this.#fill(order, qty, evidence),
    });
    this.#lending = new Lending(this.#depth, this.#own, this.#tails);
    this.#placing = new Placing({ depth: this.#depth, own: this.#own, options, story: this.#story });
  }

  open(market: MarketIndex, grid: PriceGrid): readonly string[] {
    const known = this.#depth.gridOf(market);
    if (known === grid) return [];
    if (known === undefined) {
      this.#depth.open(market, grid);
      return [];
    }
    this.recall(market);
    const spent = [...this.#own.watched(market)].filter((level) => level.spent > 0);
    const orders = this.#own.drop(market);
    this.#depth.close(market);
    this.#depth.open(market, grid);
    for (const level of spent) {
      const cell = grid.cellByPrice[level.price] ?? -1;
      if (cell >= 0) this.#own.watch(market, level.isBid, cell).spent = level.spent;
    }
    return this.#move(orders, grid);
  }

  /** Puts orders back on another grid; tells those that it has no price for. */
  #move(orders: readonly Resting[], grid: PriceGrid): string[] {
    const homeless: string[] = [];
    for (const order of orders) {
      const cell = grid.cellByPrice[order.price] ?? -1;
      if (cell < 0) homeless.push(order.id);
      else this.#own.rest(order, cell, null).ahead = order.ahead;
    }
    return homeless;
  }

  close(market: MarketIndex): readonly string[] {
    this.recall(market);
    const orders = this.#own.drop(market);
    this.#depth.close(market);
    for (const order of orders) this.#story?.note(order, 'the market closed: withdrawn');
    return orders.map((order) => order.id);
  }

  delta(change: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): void {
    const depth = this.#depth;
    const state = depth.stateOf(change.market);
    if (state === BookState.lent) return this.#noteLast(change);
    if (state === BookState.apart) return this.#deltaApart(change);
    const { meta, cells } = depth;
    const at = change.market * STRIDE;
    const first = depth.firstOf(change.market, change.price);
    const slot = (meta[at + START] ?? 0) + first + (change.side === 'bid' ? 0 : 1);
    const qty = (cells[slot] ?? 0) + change.change;
    if (first < 0 || qty < 0 || qty > LEVEL_QTY_MAX) this.#doubt(change.market);
    else if (state === BookState.quiet || state === BookState.busy) {
      cells[slot] = qty;
      this.#noteLast(change);
      if (state === BookState.busy) this.#watchedDelta(change, slot, first >> 1);
    }
  }

  /** A change that may move or trade orders of ours has their book back: whoever gives it back tells of it as well. */
  #deltaApart(change: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): void {
    const { market, side, price } = change;
    const first = this.#depth.firstOf(market, price);
    const slot = this.#depth.number(market, START) + first + (side === 'bid' ? 0 : 1);
    if (first >= 0 && this.#lending.adds(change, slot, first >> 1)) {
      this.#noteLast(change);
      if (change.change < 0) this.#watchedCut(slot, -change.change);
      return;
    }
    this.recall(market);
    if (this.#depth.stateOf(market) === BookState.busy) this.#watchedDelta(change, slot, first >> 1);
  }

  #noteLast({ market, side, price, change }: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): void {
    const { last } = this.#depth;
    last[market * LAST] = levelAt(side === 'bid', price);
    last[market * LAST + 1] = change;
  }

  readonly quietDeltas: Floor['quietDeltas'];

  #watchedDelta(
    { market, side, change }: Pick<BookDelta, 'market' | 'side' | 'change'>,
    slot: number,
    cell: number,
  ): void {
    if (change < 0) return this.#watchedCut(slot, -change);
    const isBid = side === 'bid';
    if (!this.#fillWhenCrossed || !this.#depth.meetsOwn(market, isBid, cell)) return;
    this.#cross(market, isBid, cell);
    this.#flush();
  }

  #watchedCut(slot: number, cut: number): void {
    const { cells, watchers } = this.#depth;
    const number = watchers[slot] ?? 0;
    if (number === 0) return;
    const now = this.#options.now();
    if (this.#tails.isCalm(number, cells[slot] ?? 0)) this.#tails.noteCut(number, { cut, now }, this.#explainWindow);
    else this.#queueCut(slot, cut, now);
  }

  /** A decrease that may change somebody's place. */
  #queueCut(slot: number, cut: number, now: number): void {
    const level = this.#own.watcherOf(slot);
    if (level === undefined) return;
    level.decreased(this.#depth.cells[slot] ?? 0, cut, now);
    if (!level.matters) this.#own.settle(level);
  }

  /** A recorded level has come to cross orders of ours: they share what of it we have not taken before. */
  #cross(market: MarketIndex, isBid: boolean, cell: number): void {
    const slot = this.#depth.slotAt(market, isBid, cell);
    const spent = this.#own.watcherOf(slot)?.spent ?? 0;
    const offered = (this.#depth.cells[slot] ?? 0) - spent;
    let left = offered;
    const levels = this.#own.levels(market, !isBid);
    for (let level = levels[0]; level !== undefined && left > 0; level = levels[0]) {
      if (isBid ? level.cell > cell : level.cell < cell) break;
      left = level.cross(left);
      this.#own.settle(level);
      if (levels[0] === level) break;
    }
    if (left < offered) this.#own.watch(market, isBid, cell).spent = spent + offered - left;
  }

  /** The tape contradicts itself: nothing of this book is known any more. Markets that are closed do not matter. */
  #doubt(market: MarketIndex): void {
    const state = this.#depth.stateOf(market);
    if (state === BookState.closed || state === BookState.unknown) return;
    this.faults += 1;
    this.lose(market);
  }

  lose(market: MarketIndex): void {
    this.recall(market);
    if (this.#depth.stateOf(market) === BookState.closed) return;
    this.#depth.states[market] = BookState.unknown;
    for (const level of this.#own.watched(market)) level.restate(null);
  }

  snapshot(market: MarketIndex, bids: Levels, asks: Levels): void {
    this.recall(market);
    if (this.#depth.stateOf(market) === BookState.closed) return;
    this.#depth.forgetLast(market);
    const isRight = this.#depth.fill(market, bids, asks);
    if (!isRight) {
      this.faults += 1;
      this.lose(market);
      return;
    }
    const watched = this.#depth.number(market, WATCHED);
    this.#depth.states[market] = watched > 0 ? BookState.busy : BookState.quiet;
    if (watched === 0) return;
    for (const level of this.#own.watched(market)) {
      level.restate(this.#depth.cells[level.slot] ?? 0);
      this.#own.settle(level);
    }
    if (this.#fillWhenCrossed) this.#crossAll(market);
  }

  /** A snapshot may cross us anywhere: the best levels of each side first. */
  #crossAll(market: MarketIndex): void {
    const cells = this.#depth.cellCount(market);
    for (let cell = 0; cell <= this.#depth.number(market, OWN_BID); cell++) this.#cross(market, false, cell);
    for (let cell = cells - 1; cell >= this.#depth.number(market, OWN_ASK); cell--) this.#cross(market, true, cell);
    this.#flush();
  }

  print(trade: Pick<Print, 'market' | 'side' | 'price' | 'qty'>): void {
    const { market } = trade;
    const state = this.#depth.stateOf(market);
    if (state === BookState.closed) return;
    const meetsBids = trade.side === 'sell';
    this.#notePrint(trade, meetsBids);
    if (state < BookState.apart) return;
    const levels = this.#own.levels(market, meetsBids);
    const best = levels[0];
    if (best === undefined || (meetsBids ? best.price < trade.price : best.price > trade.price)) return;
    const isKnown = this.isKnown(market);
    let left: number = trade.qty;
    for (let index = 0; index < levels.length;) {
      const level = levels[index];
      if (level === undefined) break;
      if (level.price === trade.price) left = level.print(trade.qty, left, isKnown);
      else if (meetsBids ? level.price > trade.price : level.price < trade.price) left = level.printThrough(left);
      else break;
      this.#own.settle(level);
      if (levels[index] === level) index++;
    }
    this.#flush();
  }

  /** An order that comes next must know whether the latest decrease has had its print. */
  #notePrint(trade: Pick<Print, 'market' | 'price' | 'qty'>, isBid: boolean): void {
    const cell = this.#depth.gridOf(trade.market)?.cellByPrice[trade.price] ?? -1;
    if (cell >= 0) this.#depth.notePrint(levelAt(isBid, trade.price), trade, this.#options.now());
  }

  #fill(order: Resting, wanted: number, evidence: Execution['evidence']): number {
    const qty = order.reduceOnly ? Math.min(wanted, this.#closable(order)) : wanted;
    if (qty <= 0) return 0;
    order.leaves -= qty;
    if (order.leaves === 0) this.#own.forget(order);
    this.#pendingNet += order.side === 'buy' ? qty : -qty;
    this.#pending.push({
      orderId: order.id,
      price: order.price,
      qty: qty as Qty,
      liquidity: 'maker',
      evidence,
    });
    this.#story?.filled(order, qty, evidence);
    return qty;
  }

  #closable({ market, side }: Resting): number {
    const held = this.#options.positionOf(market) + this.#pendingNet;
    return Math.max(0, side === 'buy' ? -held : held);
  }

  /** Whoever hears of executions may change orders: the queues must be in order by then. */
  #flush(): void {
    if (this.#pending.length === 0) return;
    const executions = this.#pending;
    this.#pending = [];
    this.#pendingNet = 0;
    for (const execution of executions) this.#options.onExecution(execution);
    this.#options.onExecuted?.();
  }

  place(order: FloorOrder): Placed {
    this.recall(order.market);
    return this.#placing.place(order);
  }

  cancel(orderId: string): Qty {
    const order = this.#own.find(orderId);
    if (order === undefined) return NO_QTY;
    this.recall(order.market);
    this.#own.remove(order);
    this.#story?.note(order, 'withdrawn');
    return order.leaves as Qty;
  }

  decrease(orderId: string, leaves: Qty): boolean {
    const order = this.#own.find(orderId);
    if (order === undefined || leaves > order.leaves || leaves < 0) return false;
    if (leaves === 0) this.cancel(orderId);
    else if (leaves < order.leaves) {
      order.leaves = leaves;
      this.#story?.note(order, 'made smaller in its place');
    }
    return true;
  }

  amend(orderId: string, price: Price, leaves: Qty): Placed | null {
    const order = this.#own.find(orderId);
    if (order === undefined) return null;
    this.recall(order.market);
    return this.#placing.amend(order, price, leaves);
  }

  trimReduceOnly(market: MarketIndex): readonly { readonly orderId: string; readonly leaves: Qty }[] {
    const changed: { orderId: string; leaves: Qty }[] = [];
    for (const side of SIDES) this.#trimSide(market, side, changed);
    return changed;
  }

  #trimSide(market: MarketIndex, side: Side, changed: { orderId: string; leaves: Qty }[]): void {
    if (this.#own.levels(market, side === 'buy').length === 0) return;
    const held = this.#options.positionOf(market);
    let left = Math.max(0, side === 'buy' ? -held : held);
    for (const order of this.#own.inTurn(market, side)) {
      if (!order.reduceOnly) continue;
      const kept = Math.min(left, order.leaves) as Qty;
      left -= kept;
      if (kept === order.leaves) continue;
      changed.push({ orderId: order.id, leaves: kept });
      this.decrease(order.id, kept);
    }
  }

  ahead(orderId: string): Qty | null {
    const order = this.#own.find(orderId);
    return order === undefined ? null : (Math.min(order.ahead, AHEAD_UNKNOWN) as Qty);
  }

  isKnown(market: MarketIndex): boolean {
    this.recall(market);
    const state = this.#depth.stateOf(market);
    return state === BookState.quiet || state === BookState.busy;
  }

  lend(market: MarketIndex, grid: PriceGrid, keeper: BookKeeper): boolean {
    return this.#lending.lend(market, grid, keeper);
  }

  isLent(market: MarketIndex): boolean {
    return this.#lending.isLent(market);
  }

  restore(market: MarketIndex, bids: Levels, asks: Levels): void {
    this.#lending.restore(market, bids, asks);
  }

  recall(market: MarketIndex): void {
    this.#lending.recall(market);
  }

  levels(market: MarketIndex): { readonly bids: Levels; readonly asks: Levels } {
    return this.isKnown(market) ? this.#depth.levelsOf(market) : { bids: [], asks: [] };
  }
}

const SIDES: readonly Side[] = ['buy', 'sell'];
