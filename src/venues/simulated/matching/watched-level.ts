// A level of the recorded book that matters to us: orders of ours rest there, or we took quantity from it. Prints
// consume the queue from the front, other traders' orders and ours alike. A decrease counts as a cancellation until a
// print explains it. The print then takes back the queue positions that our orders gained. Must never let an order pass
// an earlier order.
import { removeAt } from '../../../base/remove-at.ts';
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Micros, Price } from '../../../domain/units.ts';
import { AHEAD_UNKNOWN, type ArrivingOrder, type Execution, type QueueModel } from '../simulator-interfaces.ts';
import type { OrderExplainer } from './order-explainer.ts';
import type { LevelColumns } from './level-columns.ts';
import { PrintPairing, type TakenBack } from './print-pairing.ts';

/** A resting order of ours. `qty` is its quantity on arrival, `leaves` the remainder, in hundredths of a contract. */
export interface RestingOrder extends ArrivingOrder {
  /** Number by arrival, over all markets. */
  readonly arrival: number;
  readonly level: WatchedLevel;
  leaves: number;
  /** Quantity of other traders ahead. */
  ahead: number;
}

const NOTHING: TakenBack<RestingOrder> = new Map();

/** Settings and callbacks that all levels share. */
export interface LevelContext {
  readonly queue: QueueModel;
  readonly explainWindow: number;
  readonly now: () => Micros;
  readonly columns: LevelColumns;
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
  readonly #rules: LevelContext;
  readonly orders: RestingOrder[] = [];
  #spent = 0;
  /** Other traders' quantity that traded on the tape but still rests here: its taker traded with us. */
  #displacedQty = 0;
  readonly #pairing: PrintPairing<RestingOrder>;

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
    this.#pairing = new PrintPairing(rules.explainWindow);
    rules.columns.openLevel(place.number);
  }

  /** Quantity that we took from the level and that the tape still shows. */
  get takenQty(): number {
    return this.#spent;
  }

  set takenQty(qty: number) {
    this.#spent = qty;
    this.#updateCalmQty();
  }

  get displacedQty(): number {
    return this.#displacedQty;
  }

  /** Restores the displaced quantity of the level that this one replaces. */
  restoreDisplaced(qty: number): void {
    this.#displacedQty = this.orders.length > 0 ? qty : 0;
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
    const isCalm = !this.#pairing.hasPrints && this.#rules.explainer === null;
    const calm = isCalm ? Math.max(this.#spent, last === 0 ? 0 : queue) : Number.POSITIVE_INFINITY;
    this.#rules.columns.setCalmQty(this.number, calm);
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
    // A decrease that was recorded while no order of ours rested here counts for none.
    if (this.orders.length === 0) this.#rules.columns.clearCut(this.number);
    if (this.orders.length === 0 && lastCut > 0) this.#pairing.awaitPrint(lastCut, now);
    order.ahead = this.#rules.queue.aheadOnJoin(this.#aheadOfNewOrder(recorded));
    if (recorded !== null) this.#pairingOfAll().joinOrder(order, now);
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
    if (index >= 0) removeAt(this.orders, index);
    if (this.orders.length === 0) this.#clearQueueState();
    this.#updateCalmQty();
  }

  /** An order of ours on the other side takes other traders' quantity from the front of the queue. */
  takeFromFront(qty: number): void {
    for (const order of this.orders) if (order.ahead < AHEAD_UNKNOWN) order.ahead = Math.max(0, order.ahead - qty);
    this.takenQty += qty;
  }

  /** The pairing, once it has the decrease that waits in the columns. That one is later than all others. */
  #pairingOfAll(): PrintPairing<RestingOrder> {
    const { columns } = this.#rules;
    const qty = columns.cutQtyOf(this.number);
    if (qty > 0) this.#pairing.awaitPrint(qty, columns.cutAtOf(this.number));
    columns.clearCut(this.number);
    return this.#pairing;
  }

  /** Records a decrease that changes no queue position, and that the columns did not take. A print may explain it. */
  recordDecrease(cut: number, now: number): void {
    if (this.orders.length > 0) this.#pairingOfAll().awaitPrint(cut, now);
  }

  applyDecrease(recorded: number, cut: number, now: number): void {
    if (this.orders.length > 0) this.#decreaseQueue(recorded, cut, now);
    this.takenQty = Math.min(this.#spent, recorded);
  }

  #decreaseQueue(recorded: number, cut: number, now: number): void {
    const withdrawn = this.#pairing.pairDecrease(cut, now);
    const aheadMax = recorded + this.#displacedQty;
    if (withdrawn < cut) this.#clamp(aheadMax + withdrawn, false);
    if (withdrawn === 0) return;
    const { queue, explainer } = this.#rules;
    if (queue.onlyPrints && explainer !== null)
      for (const order of this.orders)
        if (order.ahead <= aheadMax) explainer.explainUnmoved(order, withdrawn, aheadMax + withdrawn);
    this.#pairingOfAll().awaitPrint(withdrawn, now);
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
      if (isProvisional) this.#pairing.recordAdvance(order, aheadBefore - aheadMax);
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
      if (order.ahead === aheadBefore) continue;
      this.#pairing.recordAdvance(order, aheadBefore - order.ahead);
      this.#rules.explainer?.explainCancellation(order, { aheadBefore, cut, before });
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
    const takenBack = isKnown ? this.#pairingOfAll().pairPrint(printed, this.#rules.now()) : NOTHING;
    let ownBefore = 0;
    let ownLeft = 0;
    let tradedTotal = 0;
    for (const order of this.orders) {
      const aheadBefore = order.ahead;
      const leaves = order.leaves;
      const returned = takenBack.get(order) ?? 0;
      const position = aheadBefore + returned + ownBefore - reaching;
      const reached = Math.min(leaves, Math.max(0, -position));
      order.ahead = aheadBefore >= AHEAD_UNKNOWN ? aheadBefore : Math.max(0, position) - ownLeft;
      this.#rules.explainer?.explainPrint(order, { aheadBefore, printed: reaching, returned });
      const traded = reached > 0 ? this.#rules.fillOrder(order, reached, 'print') : 0;
      tradedTotal += traded;
      // A reduce-only order that may trade no more is canceled: it keeps nothing from the orders behind it.
      ownBefore += traded < reached ? traded : leaves;
      ownLeft += traded < reached ? 0 : leaves - traded;
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
      this.#rules.explainer?.explainPrintThrough(order, { aheadBefore, printed: reaching });
      if (qty > 0) left -= this.#rules.fillOrder(order, qty, 'print-through');
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
      this.#rules.explainer?.explainCross(order, left);
      left -= this.#rules.fillOrder(order, qty, 'crossed');
    }
    this.#removeFilled();
    return left;
  }

  /** Applies a snapshot's quantity, or the loss of the book (`null`). Later prints explain no earlier decrease. */
  applySnapshot(recorded: number | null): void {
    this.#clearPairing();
    if (recorded !== null) {
      this.#spent = Math.min(this.#spent, recorded);
      this.#clamp(recorded + this.#displacedQty, false);
    }
    this.#updateCalmQty();
  }

  /** Forgets displaced quantity, and prints and decreases that wait for each other. */
  #clearQueueState(): void {
    this.#displacedQty = 0;
    this.#clearPairing();
  }

  #clearPairing(): void {
    this.#pairing.clear();
    this.#rules.columns.clearCut(this.number);
  }

  #removeFilled(): void {
    let remaining = 0;
    for (const order of this.orders) if (order.leaves > 0) this.orders[remaining++] = order;
    this.orders.length = remaining;
    if (remaining === 0) this.#clearQueueState();
    this.#updateCalmQty();
  }
}
