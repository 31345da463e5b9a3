// The fill simulator: the recorded books, and our orders in them as they would have fared. Three kinds of evidence fill
// a resting order: a print at its price once the quantity ahead is served; a print through its price; a recorded book
// whose other side reaches its price. The best price of the order's own side is no evidence. Must never use a print or
// a level twice, nor fill at a price worse than the order's.
import type { BookDelta, Levels, Print } from '../../../domain/event.ts';
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Side } from '../../../domain/orders/order.ts';
import type { PriceGrid } from '../../../domain/price-grid.ts';
import { NO_QTY, type Price, type Qty } from '../../../domain/units.ts';
import {
  BookState,
  RecordedDepth,
  LAST_CHANGE_STRIDE,
  LEVEL_QTY_MAX,
  CELLS_START,
  META_STRIDE,
  WATCHED_COUNT,
  levelNumberOf,
} from './recorded-depth.ts';
import { BookCrossing } from './book-crossing.ts';
import { BookSharing } from './book-sharing.ts';
import { OwnOrders } from './own-orders.ts';
import { OrderMatching } from './order-matching.ts';
import {
  AHEAD_UNKNOWN,
  type BookOwner,
  type Execution,
  type FillSimulator,
  type FillSimulatorOptions,
  type ArrivingOrder,
  type PlacementOutcome,
} from '../simulator-interfaces.ts';
import { deltaBatchApplier } from './delta-batch.ts';
import { OrderExplainer } from './order-explainer.ts';
import { LevelColumns } from './level-columns.ts';
import type { RestingOrder, WatchedLevel } from './watched-level.ts';

type LevelChange = Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>;

/** Default maximum time between a print and its decrease: a second. */
const EXPLAIN_WINDOW = 1_000_000;

/**
 * The venue's books, and our orders in them. The simulation is wrong in these ways:
 * - The tape never reacts to us: what we take moves no quote, and what we bid attracts none.
 * - Where a taker traded with our order instead of others' quantity, that quantity stays at its price. It is gone once
 *   no order of ours rests there.
 * - A gap of the tape fills nothing.
 * - An order that meets an unknown book always pays as a maker.
 * - Our own orders and trades on the tape count as those of others.
 */
export class TapeFillSimulator implements FillSimulator {
  readonly #options: FillSimulatorOptions;
  readonly #depth: RecordedDepth;
  readonly #columns: LevelColumns;
  readonly #own: OwnOrders;
  readonly #matching: OrderMatching;
  readonly #sharing: BookSharing;
  readonly #explainer: OrderExplainer | null;
  readonly #crossing: BookCrossing;
  /** Executions of the current call, reported once the queues are consistent. */
  #pending: Execution[] = [];
  #pendingNet = 0;
  /** Counts impossible events of the tape: a level below zero or too large, or a price off the grid. */
  faultCount = 0;

  constructor(options: FillSimulatorOptions) {
    this.#options = options;
    this.#depth = new RecordedDepth(options.marketsExpected);
    this.applyDeltaBatch = deltaBatchApplier(this.#depth);
    this.#explainer = options.onExplanation === undefined ? null : new OrderExplainer(options.onExplanation);
    const explainWindow = options.explainWindow ?? EXPLAIN_WINDOW;
    this.#columns = new LevelColumns(explainWindow);
    this.#own = new OwnOrders(this.#depth, {
      queue: options.queue,
      explainWindow,
      columns: this.#columns,
      now: options.now,
      explainer: this.#explainer,
      fillOrder: (order, qty, evidence) => this.#fill(order, qty, evidence),
    });
    const { fillWhenCrossed = true, isTrading = () => true } = options;
    this.#crossing = new BookCrossing(this.#depth, this.#own, { fillWhenCrossed, isTrading });
    this.#sharing = new BookSharing(this.#depth, this.#own, this.#columns);
    this.#matching = new OrderMatching({ depth: this.#depth, own: this.#own, options, explainer: this.#explainer });
  }

  openMarket(market: MarketIndex, grid: PriceGrid): readonly string[] {
    const currentGrid = this.#depth.gridOf(market);
    if (currentGrid === grid) return [];
    if (currentGrid === undefined) {
      this.#depth.openMarket(market, grid);
      return [];
    }
    this.reclaimBook(market);
    const before = [...this.#own.watchedLevelsOf(market)];
    const orders = this.#own.dropMarket(market);
    this.#depth.closeMarket(market);
    this.#depth.openMarket(market, grid);
    const offGrid = this.#moveOrders(orders, grid);
    for (const level of before) this.#moveLevel(level, grid);
    return offGrid;
  }

  /** Puts orders back on another grid, in the order of their arrival; returns the ids of orders whose price is not on it. */
  #moveOrders(orders: readonly RestingOrder[], grid: PriceGrid): string[] {
    const offGrid: string[] = [];
    for (const order of orders.toSorted((a, b) => a.arrival - b.arrival)) {
      const cell = grid.cellByPrice[order.price] ?? -1;
      if (cell < 0) offGrid.push(order.id);
      else this.#own.restOrder(order, { cell, leaves: order.leaves, recorded: null }).ahead = order.ahead;
    }
    return offGrid;
  }

  #moveLevel({ market, isBid, price, takenQty, displacedQty }: WatchedLevel, grid: PriceGrid): void {
    const cell = grid.cellByPrice[price] ?? -1;
    if (cell < 0) return;
    if (takenQty > 0) this.#own.watchLevel(market, isBid, cell).takenQty = takenQty;
    this.#own.watchedLevelAt(this.#depth.slotAt(market, isBid, cell))?.restoreDisplaced(displacedQty);
  }

  closeMarket(market: MarketIndex): readonly string[] {
    this.reclaimBook(market);
    const orders = this.#own.dropMarket(market);
    this.#depth.closeMarket(market);
    for (const order of orders) this.#explainer?.explainStep(order, 'the market closed: canceled');
    return orders.map((order) => order.id);
  }

  applyDelta(change: LevelChange): void {
    const depth = this.#depth;
    const state = depth.stateOf(change.market);
    if (state === BookState.shared) return this.#recordLast(change);
    if (state === BookState.sharedWatched) return this.#deltaShared(change);
    const { meta, cells } = depth;
    const at = change.market * META_STRIDE;
    const first = depth.firstSlotOf(change.market, change.price);
    const slot = (meta[at + CELLS_START] ?? 0) + first + (change.side === 'bid' ? 0 : 1);
    const qty = (cells[slot] ?? 0) + change.change;
    if (first < 0 || qty < 0 || qty > LEVEL_QTY_MAX) this.#loseFaulty(change.market);
    else if (state === BookState.idle || state === BookState.watched) {
      cells[slot] = qty;
      this.#recordLast(change);
      if (state === BookState.watched) this.#watchedDelta(change, slot, first >> 1);
    }
  }

  /**
   * Applies a change to a shared book in which orders of ours rest. A change that may affect our orders reclaims the
   * book; the owner's copy then includes the change.
   */
  #deltaShared(change: LevelChange): void {
    const { market, side, price } = change;
    const first = this.#depth.firstSlotOf(market, price);
    const slot = this.#depth.metaOf(market, CELLS_START) + first + (side === 'bid' ? 0 : 1);
    if (first >= 0 && this.#sharing.applyWhileShared(change, slot, first >> 1)) {
      this.#recordLast(change);
      if (change.change < 0) this.#watchedDecrease(slot, -change.change);
      return;
    }
    this.reclaimBook(market);
    if (this.#depth.stateOf(market) === BookState.watched) this.#watchedDelta(change, slot, first >> 1);
  }

  #recordLast({ market, side, price, change }: LevelChange): void {
    const { lastChanges } = this.#depth;
    lastChanges[market * LAST_CHANGE_STRIDE] = levelNumberOf(side === 'bid', price);
    lastChanges[market * LAST_CHANGE_STRIDE + 1] = change;
  }

  readonly applyDeltaBatch: FillSimulator['applyDeltaBatch'];

  #watchedDelta({ market, side, change }: LevelChange, slot: number, cell: number): void {
    if (change < 0) return this.#watchedDecrease(slot, -change);
    this.#crossing.crossLevel(market, side === 'bid', cell);
    this.#reportExecutions();
  }

  #watchedDecrease(slot: number, cut: number): void {
    const number = this.#depth.watchers[slot] ?? 0;
    if (number === 0) return;
    const recorded = this.#depth.cells[slot] ?? 0;
    const now = this.#options.now();
    const isCalm = this.#columns.isCalm(number, recorded);
    if (isCalm && this.#columns.recordCut(number, cut, now)) return;
    const level = this.#own.watchedLevelAt(slot);
    if (level === undefined) return;
    if (isCalm) return level.recordDecrease(cut, now);
    level.applyDecrease(recorded, cut, now);
    if (!level.isNeeded) this.#own.releaseLevel(level);
  }

  /** Makes the book unknown because the tape contradicts itself. Closed and unknown markets are not counted. */
  #loseFaulty(market: MarketIndex): void {
    const state = this.#depth.stateOf(market);
    if (state === BookState.closed || state === BookState.unknown) return;
    this.faultCount += 1;
    this.loseBook(market);
  }

  loseBook(market: MarketIndex): void {
    this.reclaimBook(market);
    if (this.#depth.stateOf(market) === BookState.closed) return;
    this.#depth.states[market] = BookState.unknown;
    for (const level of this.#own.watchedLevelsOf(market)) level.applySnapshot(null);
  }

  applySnapshot(market: MarketIndex, bids: Levels, asks: Levels): void {
    this.reclaimBook(market);
    if (this.#depth.stateOf(market) === BookState.closed) return;
    this.#depth.clearLastChange(market);
    const isRight = this.#depth.replaceLevels(market, bids, asks);
    if (!isRight) {
      this.faultCount += 1;
      this.loseBook(market);
      return;
    }
    const watched = this.#depth.metaOf(market, WATCHED_COUNT);
    this.#depth.states[market] = watched > 0 ? BookState.watched : BookState.idle;
    if (watched === 0) return;
    for (const level of this.#own.watchedLevelsOf(market)) {
      level.applySnapshot(this.#depth.cells[level.slot] ?? 0);
      this.#own.releaseLevel(level);
    }
    this.#crossing.crossBook(market);
    this.#reportExecutions();
  }

  crossBook(market: MarketIndex): void {
    if (!this.isBookKnown(market)) return;
    this.#crossing.crossBook(market);
    this.#reportExecutions();
  }

  applyPrint(trade: Pick<Print, 'market' | 'side' | 'price' | 'qty'>): void {
    const { market } = trade;
    const state = this.#depth.stateOf(market);
    if (state === BookState.closed) return;
    const meetsBids = trade.side === 'sell';
    this.#recordPrint(trade, meetsBids);
    if (state < BookState.sharedWatched) return;
    const levels = this.#own.levelsOf(market, meetsBids);
    const best = levels[0];
    if (best === undefined || (meetsBids ? best.price < trade.price : best.price > trade.price)) return;
    if (this.#options.isHalted?.(market) === true) return;
    const isKnown = this.isBookKnown(market);
    let left: number = trade.qty;
    for (let index = 0; index < levels.length;) {
      const level = levels[index];
      if (level === undefined) break;
      if (level.price === trade.price) left = level.applyPrint(trade.qty, left, isKnown);
      else if (meetsBids ? level.price > trade.price : level.price < trade.price) left = level.applyPrintThrough(left);
      else break;
      this.#own.releaseLevel(level);
      if (levels[index] === level) index++;
    }
    this.#reportExecutions();
  }

  /** An order that joins next must know whether the latest decrease has had its print. */
  #recordPrint(trade: Pick<Print, 'market' | 'price' | 'qty'>, isBid: boolean): void {
    const cell = this.#depth.gridOf(trade.market)?.cellByPrice[trade.price] ?? -1;
    if (cell >= 0) this.#depth.recordPrint(levelNumberOf(isBid, trade.price), trade, this.#options.now());
  }

  #fill(order: RestingOrder, wanted: number, evidence: Execution['evidence']): number {
    const qty = order.reduceOnly ? Math.min(wanted, this.#closableQty(order)) : wanted;
    if (qty <= 0) return 0;
    order.leaves -= qty;
    if (order.leaves === 0) this.#own.dropFilled(order);
    this.#pendingNet += order.side === 'buy' ? qty : -qty;
    const { id: orderId, price } = order;
    this.#pending.push({ orderId, price, qty: qty as Qty, liquidity: 'maker', evidence });
    this.#explainer?.explainFill(order, qty, evidence);
    return qty;
  }

  #closableQty({ market, side }: RestingOrder): number {
    const held = this.#options.positionOf(market) + this.#pendingNet;
    return Math.max(0, side === 'buy' ? -held : held);
  }

  /** Reports executions. Listeners may change orders, so the queues must be consistent first. */
  #reportExecutions(): void {
    if (this.#pending.length === 0) return;
    const executions = this.#pending;
    this.#pending = [];
    this.#pendingNet = 0;
    for (const execution of executions) this.#options.onExecution(execution);
    this.#options.onExecuted?.();
  }

  placeOrder(order: ArrivingOrder): PlacementOutcome {
    this.reclaimBook(order.market);
    return this.#matching.placeOrder(order);
  }

  cancelOrder(orderId: string): Qty {
    const order = this.#own.findOrder(orderId);
    if (order === undefined) return NO_QTY;
    this.reclaimBook(order.market);
    this.#own.removeOrder(order);
    this.#explainer?.explainStep(order, 'canceled');
    return order.leaves as Qty;
  }

  decreaseOrder(orderId: string, leaves: Qty): boolean {
    const order = this.#own.findOrder(orderId);
    if (order === undefined || leaves > order.leaves || leaves < 0) return false;
    if (leaves === 0) this.cancelOrder(orderId);
    else if (leaves < order.leaves) {
      order.leaves = leaves;
      this.#explainer?.explainStep(order, 'reduced in place');
    }
    return true;
  }

  amendOrder(orderId: string, price: Price, leaves: Qty): PlacementOutcome | null {
    const order = this.#own.findOrder(orderId);
    if (order === undefined) return null;
    this.reclaimBook(order.market);
    return this.#matching.amendOrder(order, price, leaves);
  }

  trimReduceOnly(market: MarketIndex): readonly { readonly orderId: string; readonly leaves: Qty }[] {
    const changed: { orderId: string; leaves: Qty }[] = [];
    for (const side of SIDES) this.#trimSide(market, side, changed);
    return changed;
  }

  #trimSide(market: MarketIndex, side: Side, changed: { orderId: string; leaves: Qty }[]): void {
    if (this.#own.levelsOf(market, side === 'buy').length === 0) return;
    const held = this.#options.positionOf(market);
    let left = Math.max(0, side === 'buy' ? -held : held);
    for (const order of this.#own.inArrivalOrder(market, side)) {
      if (!order.reduceOnly) continue;
      const reducedTo = Math.min(left, order.leaves) as Qty;
      left -= reducedTo;
      if (reducedTo === order.leaves) continue;
      changed.push({ orderId: order.id, leaves: reducedTo });
      this.decreaseOrder(order.id, reducedTo);
    }
  }

  qtyAheadOf(orderId: string): Qty | null {
    const order = this.#own.findOrder(orderId);
    return order === undefined ? null : (Math.min(order.ahead, AHEAD_UNKNOWN) as Qty);
  }

  isBookKnown(market: MarketIndex): boolean {
    this.reclaimBook(market);
    const state = this.#depth.stateOf(market);
    return state === BookState.idle || state === BookState.watched;
  }

  shareBook(market: MarketIndex, grid: PriceGrid, owner: BookOwner): boolean {
    return this.#sharing.shareBook(market, grid, owner);
  }

  isBookShared(market: MarketIndex): boolean {
    return this.#sharing.isBookShared(market);
  }

  restoreBook(market: MarketIndex, bids: Levels, asks: Levels): void {
    this.#sharing.restoreBook(market, bids, asks);
  }

  reclaimBook(market: MarketIndex): void {
    this.#sharing.reclaimBook(market);
  }

  levelsOf(market: MarketIndex): { readonly bids: Levels; readonly asks: Levels } {
    return this.isBookKnown(market) ? this.#depth.levelsOf(market) : { bids: [], asks: [] };
  }

  mid2Of(market: MarketIndex): number | null {
    return this.isBookKnown(market) ? this.#depth.mid2Of(market) : null;
  }
}

const SIDES: readonly Side[] = ['buy', 'sell'];
