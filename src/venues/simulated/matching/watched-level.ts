// A level of the recorded book that matters to us: orders of ours rest there, or we took quantity from it. Prints
// consume the queue from the front, other traders' orders and ours alike. A decrease counts as a cancellation until a
// print explains it. The print then takes back the queue positions that our orders gained. Must never let an order pass
// an earlier order.
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Micros, Price } from '../../../domain/units.ts';
import { AHEAD_UNKNOWN, type ArrivingOrder, type Execution, type QueueModel } from '../simulator-interfaces.ts';
import type { OrderExplainer } from './order-explainer.ts';
import { CALM_QTY, OPEN_AT, ROUND, COUNTERS, type LevelCounters, UNEXPLAINED_QTY } from './level-counters.ts';

/** A resting order of ours. `qty` is its quantity on arrival, `leaves` the remainder, in hundredths of a contract. */
export interface RestingOrder extends ArrivingOrder {
  /** Number by arrival, over all markets. */
  readonly arrival: number;
  readonly level: WatchedLevel;
  leaves: number;
  /** Quantity of other traders ahead. */
  ahead: number;
  /**
   * The advance in the queue that a later print may still take back. The advance counts only in the level's round
   * `advanceRound`.
   */
  advance: number;
  advanceRound: number;
}

/** Settings and callbacks that all levels share. */
export interface LevelContext {
  readonly queue: QueueModel;
  readonly explainWindow: number;
  readonly now: () => Micros;
  readonly counters: LevelCounters;
  readonly explainer: OrderExplainer | null;
  /** Fills `qty` of an order; returns the quantity that was allowed to trade. */
  readonly fillOrder: (order: RestingOrder, qty: number, evidence: Execution['evidence']) => number;
}

export class WatchedLevel {
  readonly market: MarketIndex;
  readonly isBid: boolean;
  readonly cell: number;
  readonly slot: number;
  readonly price: Price;
  readonly number: number;
  readonly #offset: number;
  readonly #rules: LevelContext;
  readonly orders: RestingOrder[] = [];
  #spent = 0;
  /** Other traders' quantity that traded on the tape but still rests here: its taker traded with us. */
  #displacedQty = 0;
  /** Printed quantity whose decrease has not been recorded yet. */
  #unmatchedPrints = 0;

  constructor(
    place: Pick<WatchedLevel, 'market' | 'isBid' | 'cell' | 'slot' | 'price' | 'number'>,
    rules: LevelContext,
  ) {
    this.market = place.market;
    this.isBid = place.isBid;
    this.cell = place.cell;
    this.slot = place.slot;
    this.price = place.price;
    this.number = place.number;
    this.#rules = rules;
    this.#offset = place.number * COUNTERS;
    rules.counters.resetLevel(place.number);
  }

  /** Quantity that we took from the level and that the tape still shows. */
  get takenQty(): number {
    return this.#spent;
  }

  set takenQty(qty: number) {
    this.#spent = qty;
    this.#updateCalmQty();
  }

  /**
   * Computes the calm quantity of the level: down to it a decrease moves no order. It is `Infinity` while a print waits
   * for its decrease. It is also `Infinity` when the queue model advances orders on cancellations and our last order
   * has quantity ahead.
   */
  #updateCalmQty(): void {
    const last = this.orders[this.orders.length - 1]?.ahead ?? 0;
    const queue = this.#rules.queue.onlyPrints ? last - this.#displacedQty : Number.POSITIVE_INFINITY;
    // An explanation reports every decrease.
    const isCalm = this.#unmatchedPrints === 0 && this.#rules.explainer === null;
    const calm = isCalm ? Math.max(this.#spent, last === 0 ? 0 : queue) : Number.POSITIVE_INFINITY;
    this.#rules.counters.values[this.#offset + CALM_QTY] = calm;
  }

  /** True when orders of ours rest here, or the tape still shows quantity that we took. */
  get isNeeded(): boolean {
    return this.orders.length > 0 || this.takenQty > 0;
  }

  /**
   * Puts an order at the end of the queue.
   * @param recorded the level's quantity, `null` when unknown
   * @param lastCut the latest decrease, whose print may still come
   */
  joinQueue(order: RestingOrder, recorded: number | null, lastCut: number): void {
    const now = this.#rules.now();
    this.#closeExpired(now);
    const counters = this.#rules.counters.values;
    if (this.orders.length === 0) {
      counters[this.#offset + UNEXPLAINED_QTY] = lastCut;
      counters[this.#offset + OPEN_AT] = now;
    }
    order.ahead = this.#rules.queue.aheadOnJoin(this.#aheadOfNewOrder(recorded));
    // The unexplained decreases came before the order: their prints do not move it up.
    this.#setAdvance(order, recorded === null ? 0 : (counters[this.#offset + UNEXPLAINED_QTY] ?? 0));
    this.orders.push(order);
    this.#updateCalmQty();
    this.#rules.explainer?.explainJoin(order, { recorded, spent: this.#spent });
  }

  /**
   * Quantity that we took is subtracted, unless orders of ours already rest here. Then the place of that quantity is
   * not known.
   */
  #aheadOfNewOrder(recorded: number | null): number {
    if (recorded === null) return AHEAD_UNKNOWN;
    return this.orders.length === 0 ? recorded - this.#spent : recorded + this.#displacedQty;
  }

  leaveQueue(order: RestingOrder): void {
    const index = this.orders.indexOf(order);
    if (index >= 0) this.orders.splice(index, 1);
    if (this.orders.length === 0) this.#clearQueueState();
    this.#updateCalmQty();
  }

  /** An order of ours on the other side takes other traders' quantity from the front of the queue. */
  takeFromFront(qty: number): void {
    for (const order of this.orders) if (order.ahead < AHEAD_UNKNOWN) order.ahead = Math.max(0, order.ahead - qty);
    this.takenQty += qty;
  }

  applyDecrease(recorded: number, cut: number, now: number): void {
    this.#closeExpired(now);
    if (this.orders.length > 0) this.#decreaseQueue(recorded, cut, now);
    this.takenQty = Math.min(this.#spent, recorded);
  }

  #decreaseQueue(recorded: number, cut: number, now: number): void {
    const explained = Math.min(cut, this.#unmatchedPrints);
    this.#unmatchedPrints -= explained;
    const withdrawn = cut - explained;
    const aheadMax = recorded + this.#displacedQty;
    if (explained > 0) this.#clamp(aheadMax + withdrawn, false);
    if (withdrawn === 0) return;
    const { queue, explainer } = this.#rules;
    if (queue.onlyPrints && explainer !== null)
      for (const order of this.orders)
        if (order.ahead <= aheadMax) explainer.explainUnmoved(order, withdrawn, aheadMax + withdrawn);
    const counters = this.#rules.counters.values;
    counters[this.#offset + UNEXPLAINED_QTY] = (counters[this.#offset + UNEXPLAINED_QTY] ?? 0) + withdrawn;
    counters[this.#offset + OPEN_AT] = now;
    if (queue.onlyPrints) this.#clamp(aheadMax, true);
    else this.#applyCancellation(aheadMax, withdrawn);
  }

  /**
   * Limits the quantity ahead of each order to what the level holds. A later order never has less ahead, so the loop
   * runs from the back.
   */
  #clamp(aheadMax: number, isProvisional: boolean): void {
    for (let index = this.orders.length - 1; index >= 0; index--) {
      const order = this.orders[index];
      if (order === undefined || order.ahead <= aheadMax) return;
      const aheadBefore = order.ahead;
      order.ahead = aheadMax;
      if (isProvisional) this.#setAdvance(order, this.#advanceOf(order) + aheadBefore - aheadMax);
      this.#rules.explainer?.explainClamp(order, aheadBefore);
    }
  }

  #applyCancellation(aheadMax: number, cut: number): void {
    const before = aheadMax + cut;
    let aheadMin = 0;
    for (const order of this.orders) {
      const aheadBefore = order.ahead;
      const modeled = Math.min(
        aheadMax,
        aheadBefore,
        this.#rules.queue.aheadAfterCancel(Math.min(aheadBefore, before), before, cut),
      );
      order.ahead = Math.min(aheadBefore, Math.max(aheadMin, modeled));
      aheadMin = order.ahead;
      this.#setAdvance(order, this.#advanceOf(order) + aheadBefore - order.ahead);
      if (order.ahead !== aheadBefore) this.#rules.explainer?.explainCancellation(order, { aheadBefore, cut, before });
    }
  }

  /**
   * Applies a print at this price.
   * @param printed the quantity on the tape
   * @param reaching the part left after orders of ours at better prices
   * @param isKnown true when the book is known: a decrease before or after the print belongs to the same trade
   * @returns the part of `reaching` that did not trade with orders of ours
   */
  applyPrint(printed: number, reaching: number, isKnown: boolean): number {
    const explained = isKnown ? this.#matchPrint(printed) : 0;
    let ownBefore = 0;
    let ownLeft = 0;
    let tradedTotal = 0;
    for (const order of this.orders) {
      const aheadBefore = order.ahead;
      const leaves = order.leaves;
      const advance = this.#advanceOf(order);
      const returned = Math.min(advance, explained);
      const position = aheadBefore + returned + ownBefore - reaching;
      const traded = Math.min(leaves, Math.max(0, -position));
      ownBefore += leaves;
      order.ahead = aheadBefore >= AHEAD_UNKNOWN ? aheadBefore : Math.max(0, position) - ownLeft;
      this.#setAdvance(order, advance - returned);
      ownLeft += leaves - traded;
      tradedTotal += traded;
      this.#rules.explainer?.explainPrint(order, { aheadBefore, printed: reaching, returned });
      if (traded > 0) this.#rules.fillOrder(order, traded, 'print');
    }
    this.#displacedQty += printed - reaching + tradedTotal;
    this.#removeFilled();
    return Math.max(0, reaching - tradedTotal);
  }

  /**
   * Applies a print through this price: no other trader's quantity is ahead of us any longer. Returns the quantity
   * left.
   */
  applyPrintThrough(reaching: number): number {
    let left = reaching;
    this.#clearQueueState();
    for (const order of this.orders) {
      const aheadBefore = order.ahead;
      order.ahead = 0;
      const qty = Math.min(order.leaves, left);
      left -= qty;
      this.#rules.explainer?.explainPrintThrough(order, { aheadBefore, printed: reaching });
      if (qty > 0) this.#rules.fillOrder(order, qty, 'print-through');
    }
    this.#removeFilled();
    return left;
  }

  /** Fills orders that a recorded book crosses with `offered`. Returns the quantity left. */
  applyCross(offered: number): number {
    let left = offered;
    for (const order of this.orders) {
      const qty = Math.min(order.leaves, left);
      if (qty <= 0) break;
      left -= qty;
      this.#rules.explainer?.explainCross(order, left + qty);
      this.#rules.fillOrder(order, qty, 'crossed');
    }
    this.#removeFilled();
    return left;
  }

  /** Applies a snapshot's quantity, or the loss of the book (`null`). Later prints explain no earlier decrease. */
  applySnapshot(recorded: number | null): void {
    this.#closeAll();
    if (recorded !== null) {
      this.#spent = Math.min(this.#spent, recorded);
      this.#clamp(recorded + this.#displacedQty, false);
    }
    this.#updateCalmQty();
  }

  /** Forgets displaced quantity, and prints and decreases that wait for each other. */
  #clearQueueState(): void {
    this.#displacedQty = 0;
    this.#closeAll();
  }

  #closeAll(): void {
    const counters = this.#rules.counters.values;
    this.#unmatchedPrints = 0;
    counters[this.#offset + UNEXPLAINED_QTY] = 0;
    counters[this.#offset + ROUND] = (counters[this.#offset + ROUND] ?? 0) + 1;
  }

  #advanceOf(order: RestingOrder): number {
    return order.advanceRound === this.#rules.counters.values[this.#offset + ROUND] ? order.advance : 0;
  }

  #setAdvance(order: RestingOrder, qty: number): void {
    order.advance = qty;
    order.advanceRound = this.#rules.counters.values[this.#offset + ROUND] ?? 0;
  }

  /** Pairs a print with the latest decreases; the rest waits for a decrease. Returns the quantity paired. */
  #matchPrint(printed: number): number {
    const now = this.#rules.now();
    this.#closeExpired(now);
    const counters = this.#rules.counters.values;
    const unexplained = counters[this.#offset + UNEXPLAINED_QTY] ?? 0;
    const explained = Math.min(printed, unexplained);
    counters[this.#offset + UNEXPLAINED_QTY] = unexplained - explained;
    counters[this.#offset + OPEN_AT] = now;
    this.#unmatchedPrints += printed - explained;
    return explained;
  }

  /** Closes prints and decreases that found no counterpart within the window. */
  #closeExpired(now: number): void {
    if (now - (this.#rules.counters.values[this.#offset + OPEN_AT] ?? 0) > this.#rules.explainWindow) this.#closeAll();
  }

  #removeFilled(): void {
    let remaining = 0;
    for (const order of this.orders) if (order.leaves > 0) this.orders[remaining++] = order;
    this.orders.length = remaining;
    if (remaining === 0) this.#clearQueueState();
    this.#updateCalmQty();
  }
}
