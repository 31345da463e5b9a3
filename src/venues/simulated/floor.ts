// The fill simulator of the simulated venue: the recorded books, and our orders in them as they would have fared. Three
// kinds of evidence fill a resting order: a print at its price once the quantity ahead is served, a print through its
// price, and a recorded book that comes to cross it. A touch is no evidence. Must never use a print, or a level, twice;
// nor fill at a price worse than the order's.
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

type LevelChange = Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>;

/** Default maximum time between a print and the decrease that belongs to it: a second. */
const EXPLAIN_WINDOW = 1_000_000;

/**
 * The venue's books, and our orders in them. When it lies: the tape never reacts to us, so what we take moves no other
 * quote and what we bid attracts none. Quantity of other traders that did not trade because an order of ours took its
 * place stays at its price while orders of ours rest there, and is gone when none does. In a gap of the tape nothing
 * fills, whatever happened there. An order that came while the book was unknown pays as a maker, even where it would
 * have taken. A tape in which we ourselves traded holds our orders and trades as if they were others'.
 */
export class SimulatedFloor implements Floor {
  readonly #options: FloorOptions;
  readonly #depth: Depth;
  readonly #counters = new Tails();
  readonly #own: OwnOrders;
  readonly #matching: Placing;
  readonly #sharing: Lending;
  readonly #explainer: Story | null;
  readonly #fillWhenCrossed: boolean;
  readonly #explainWindow: number;
  /** Executions of the current call, reported when the queues are in order again. */
  #pending: Execution[] = [];
  /** The change of the position by those executions. */
  #pendingNet = 0;
  /** Counts events of the tape that cannot be right: a level below zero or too large, or a price off the grid. */
  faults = 0;

  constructor(options: FloorOptions) {
    this.#options = options;
    this.#depth = new Depth(options.room);
    this.quietDeltas = quietPasser(this.#depth);
    this.#fillWhenCrossed = options.fillWhenCrossed ?? true;
    this.#explainWindow = options.explainWindow ?? EXPLAIN_WINDOW;
    this.#explainer = options.tell === undefined ? null : new Story(options.tell);
    this.#own = new OwnOrders(this.#depth, {
      queue: options.queue,
      explainWindow: this.#explainWindow,
      counters: this.#counters,
      now: options.now,
      explainer: this.#explainer,
      fill: (order, qty, evidence) => this.#fill(order, qty, evidence),
    });
    this.#sharing = new Lending(this.#depth, this.#own, this.#counters);
    this.#matching = new Placing({ depth: this.#depth, own: this.#own, options, explainer: this.#explainer });
  }

  open(market: MarketIndex, grid: PriceGrid): readonly string[] {
    const currentGrid = this.#depth.gridOf(market);
    if (currentGrid === grid) return [];
    if (currentGrid === undefined) {
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
    return this.#moveOrders(orders, grid);
  }

  /** Puts orders back on another grid; returns those whose price is not on it. */
  #moveOrders(orders: readonly Resting[], grid: PriceGrid): string[] {
    const offGrid: string[] = [];
    for (const order of orders) {
      const cell = grid.cellByPrice[order.price] ?? -1;
      if (cell < 0) offGrid.push(order.id);
      else this.#own.rest(order, cell, null).ahead = order.ahead;
    }
    return offGrid;
  }

  close(market: MarketIndex): readonly string[] {
    this.recall(market);
    const orders = this.#own.drop(market);
    this.#depth.close(market);
    for (const order of orders) this.#explainer?.note(order, 'the market closed: canceled');
    return orders.map((order) => order.id);
  }

  delta(change: LevelChange): void {
    const depth = this.#depth;
    const state = depth.stateOf(change.market);
    if (state === BookState.shared) return this.#recordLast(change);
    if (state === BookState.sharedWatched) return this.#deltaShared(change);
    const { meta, cells } = depth;
    const at = change.market * STRIDE;
    const first = depth.firstOf(change.market, change.price);
    const slot = (meta[at + START] ?? 0) + first + (change.side === 'bid' ? 0 : 1);
    const qty = (cells[slot] ?? 0) + change.change;
    if (first < 0 || qty < 0 || qty > LEVEL_QTY_MAX) this.#loseFaulty(change.market);
    else if (state === BookState.idle || state === BookState.watched) {
      cells[slot] = qty;
      this.#recordLast(change);
      if (state === BookState.watched) this.#watchedDelta(change, slot, first >> 1);
    }
  }

  /**
   * Applies a change to a shared book in which orders of ours rest. A change that may move or fill them reclaims the
   * book; the owner's copy then includes the change.
   */
  #deltaShared(change: LevelChange): void {
    const { market, side, price } = change;
    const first = this.#depth.firstOf(market, price);
    const slot = this.#depth.number(market, START) + first + (side === 'bid' ? 0 : 1);
    if (first >= 0 && this.#sharing.adds(change, slot, first >> 1)) {
      this.#recordLast(change);
      if (change.change < 0) this.#watchedDecrease(slot, -change.change);
      return;
    }
    this.recall(market);
    if (this.#depth.stateOf(market) === BookState.watched) this.#watchedDelta(change, slot, first >> 1);
  }

  #recordLast({ market, side, price, change }: LevelChange): void {
    const { last } = this.#depth;
    last[market * LAST] = levelAt(side === 'bid', price);
    last[market * LAST + 1] = change;
  }

  readonly quietDeltas: Floor['quietDeltas'];

  #watchedDelta({ market, side, change }: LevelChange, slot: number, cell: number): void {
    if (change < 0) return this.#watchedDecrease(slot, -change);
    const isBid = side === 'bid';
    if (!this.#fillWhenCrossed || !this.#depth.meetsOwn(market, isBid, cell)) return;
    this.#cross(market, isBid, cell);
    this.#reportExecutions();
  }

  #watchedDecrease(slot: number, cut: number): void {
    const { cells, watchers } = this.#depth;
    const number = watchers[slot] ?? 0;
    if (number === 0) return;
    const now = this.#options.now();
    if (this.#counters.isCalm(number, cells[slot] ?? 0))
      this.#counters.noteCut(number, { cut, now }, this.#explainWindow);
    else this.#decreaseLevel(slot, cut, now);
  }

  /** Applies a decrease that may change a queue position. */
  #decreaseLevel(slot: number, cut: number, now: number): void {
    const level = this.#own.watcherOf(slot);
    if (level === undefined) return;
    level.decreased(this.#depth.cells[slot] ?? 0, cut, now);
    if (!level.matters) this.#own.settle(level);
  }

  /** Fills our orders that a recorded level has come to cross, with the quantity that we have not taken before. */
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

  /** Makes the book unknown because the tape contradicts itself. Markets that are closed or unknown are not counted. */
  #loseFaulty(market: MarketIndex): void {
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
    this.#depth.states[market] = watched > 0 ? BookState.watched : BookState.idle;
    if (watched === 0) return;
    for (const level of this.#own.watched(market)) {
      level.restate(this.#depth.cells[level.slot] ?? 0);
      this.#own.settle(level);
    }
    if (this.#fillWhenCrossed) this.#crossAll(market);
  }

  /** Checks every level: a snapshot may cross us anywhere. The best levels of each side come first. */
  #crossAll(market: MarketIndex): void {
    const cells = this.#depth.cellCount(market);
    for (let cell = 0; cell <= this.#depth.number(market, OWN_BID); cell++) this.#cross(market, false, cell);
    for (let cell = cells - 1; cell >= this.#depth.number(market, OWN_ASK); cell--) this.#cross(market, true, cell);
    this.#reportExecutions();
  }

  print(trade: Pick<Print, 'market' | 'side' | 'price' | 'qty'>): void {
    const { market } = trade;
    const state = this.#depth.stateOf(market);
    if (state === BookState.closed) return;
    const meetsBids = trade.side === 'sell';
    this.#recordPrint(trade, meetsBids);
    if (state < BookState.sharedWatched) return;
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
    this.#reportExecutions();
  }

  /** Records the print: an order that joins next must know whether the latest decrease has had its print. */
  #recordPrint(trade: Pick<Print, 'market' | 'price' | 'qty'>, isBid: boolean): void {
    const cell = this.#depth.gridOf(trade.market)?.cellByPrice[trade.price] ?? -1;
    if (cell >= 0) this.#depth.notePrint(levelAt(isBid, trade.price), trade, this.#options.now());
  }

  #fill(order: Resting, wanted: number, evidence: Execution['evidence']): number {
    const qty = order.reduceOnly ? Math.min(wanted, this.#closableQty(order)) : wanted;
    if (qty <= 0) return 0;
    order.leaves -= qty;
    if (order.leaves === 0) this.#own.forget(order);
    this.#pendingNet += order.side === 'buy' ? qty : -qty;
    const { id: orderId, price } = order;
    this.#pending.push({ orderId, price, qty: qty as Qty, liquidity: 'maker', evidence });
    this.#explainer?.filled(order, qty, evidence);
    return qty;
  }

  #closableQty({ market, side }: Resting): number {
    const held = this.#options.positionOf(market) + this.#pendingNet;
    return Math.max(0, side === 'buy' ? -held : held);
  }

  /** Reports executions. Listeners may change orders, so the queues must be in order first. */
  #reportExecutions(): void {
    if (this.#pending.length === 0) return;
    const executions = this.#pending;
    this.#pending = [];
    this.#pendingNet = 0;
    for (const execution of executions) this.#options.onExecution(execution);
    this.#options.onExecuted?.();
  }

  place(order: FloorOrder): Placed {
    this.recall(order.market);
    return this.#matching.place(order);
  }

  cancel(orderId: string): Qty {
    const order = this.#own.find(orderId);
    if (order === undefined) return NO_QTY;
    this.recall(order.market);
    this.#own.remove(order);
    this.#explainer?.note(order, 'canceled');
    return order.leaves as Qty;
  }

  decrease(orderId: string, leaves: Qty): boolean {
    const order = this.#own.find(orderId);
    if (order === undefined || leaves > order.leaves || leaves < 0) return false;
    if (leaves === 0) this.cancel(orderId);
    else if (leaves < order.leaves) {
      order.leaves = leaves;
      this.#explainer?.note(order, 'reduced in place');
    }
    return true;
  }

  amend(orderId: string, price: Price, leaves: Qty): Placed | null {
    const order = this.#own.find(orderId);
    if (order === undefined) return null;
    this.recall(order.market);
    return this.#matching.amend(order, price, leaves);
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
      const reducedTo = Math.min(left, order.leaves) as Qty;
      left -= reducedTo;
      if (reducedTo === order.leaves) continue;
      changed.push({ orderId: order.id, leaves: reducedTo });
      this.decrease(order.id, reducedTo);
    }
  }

  ahead(orderId: string): Qty | null {
    const order = this.#own.find(orderId);
    return order === undefined ? null : (Math.min(order.ahead, AHEAD_UNKNOWN) as Qty);
  }

  isKnown(market: MarketIndex): boolean {
    this.recall(market);
    const state = this.#depth.stateOf(market);
    return state === BookState.idle || state === BookState.watched;
  }

  lend(market: MarketIndex, grid: PriceGrid, owner: BookKeeper): boolean {
    return this.#sharing.lend(market, grid, owner);
  }

  isLent(market: MarketIndex): boolean {
    return this.#sharing.isLent(market);
  }

  restore(market: MarketIndex, bids: Levels, asks: Levels): void {
    this.#sharing.restore(market, bids, asks);
  }

  recall(market: MarketIndex): void {
    this.#sharing.recall(market);
  }

  levels(market: MarketIndex): { readonly bids: Levels; readonly asks: Levels } {
    return this.isKnown(market) ? this.#depth.levelsOf(market) : { bids: [], asks: [] };
  }
}

const SIDES: readonly Side[] = ['buy', 'sell'];
