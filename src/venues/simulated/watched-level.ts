// A level of the recorded book that matters to us: orders of ours queue at it, or we took some of it.
// Each order knows the strangers' quantity before it; prints consume the queue from the front, strangers and ours alike,
// so that no print is used twice. A print and the decrease that it causes are one thing, whichever is told first: until
// the other comes, a decrease is taken for a withdrawal, and what it moved an order up is taken back when a print explains
// it. Must never let an order pass one before it, nor stand more before it than the level holds.
import type { Side, TimeInForce } from '../../domain/order.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros, Price } from '../../domain/units.ts';
import { AHEAD_UNKNOWN, type Execution, type QueueModel } from './ports.ts';
import type { Story } from './story.ts';

/** An order of ours that rests. Quantities in hundredths of a contract. */
export interface Resting {
  readonly id: string;
  readonly market: MarketIndex;
  readonly side: Side;
  readonly price: Price;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  /** How many orders came before it, over all markets. */
  readonly turn: number;
  readonly level: WatchedLevel;
  leaves: number;
  /** Strangers' quantity before it. */
  ahead: number;
  /** How far decreases that a print may yet explain have moved it up. */
  lent: number;
}

/** What all levels go by. */
export interface LevelRules {
  readonly queue: QueueModel;
  readonly explainWindow: number;
  readonly now: () => Micros;
  readonly story: Story | null;
  /** Trades so much of an order; returns how much of it may trade. */
  readonly fill: (order: Resting, qty: number, evidence: Execution['evidence']) => number;
}

export class WatchedLevel {
  readonly market: MarketIndex;
  readonly isBid: boolean;
  readonly cell: number;
  readonly slot: number;
  readonly price: Price;
  readonly #rules: LevelRules;
  /** Ours, first come first. */
  readonly orders: Resting[] = [];
  /** What we took of the level and the tape has not taken from it since. */
  spent = 0;
  /** Strangers' quantity that the tape traded, and that still stands here because the taker met us instead. */
  #displaced = 0;
  /** Decreases that no print has explained so far. */
  #unexplained = 0;
  /** Prints whose decrease has not come so far. */
  #printed = 0;
  /** When either of these last changed. */
  #openAt = 0;

  constructor(place: Pick<WatchedLevel, 'market' | 'isBid' | 'cell' | 'slot' | 'price'>, rules: LevelRules) {
    this.market = place.market;
    this.isBid = place.isBid;
    this.cell = place.cell;
    this.slot = place.slot;
    this.price = place.price;
    this.#rules = rules;
  }

  /** Whether anything is to be watched here. */
  get matters(): boolean {
    return this.orders.length > 0 || this.spent > 0;
  }

  /**
   * Puts an order at the end of the queue.
   * @param recorded the level's quantity, `null` when it is unknown
   * @param lastCut by how much it has just gone down: a print of that may come late
   */
  join(order: Resting, recorded: number | null, lastCut: number): void {
    this.#settle();
    if (this.orders.length === 0 && lastCut > 0) {
      this.#unexplained = lastCut;
      this.#openAt = this.#rules.now();
    }
    order.ahead = this.#rules.queue.joined(this.#standing(recorded));
    // Those decreases came before it: prints that explain them do not move it up.
    order.lent = recorded === null ? 0 : this.#unexplained;
    this.orders.push(order);
    this.#rules.story?.joined(order, { recorded, spent: this.spent });
  }

  /**
   * What an order that comes now would stand behind. What we took of the level is gone, unless we stand there already:
   * then nobody can say any more which of those before us it was.
   */
  #standing(recorded: number | null): number {
    if (recorded === null) return AHEAD_UNKNOWN;
    return this.orders.length === 0 ? recorded - this.spent : recorded + this.#displaced;
  }

  leave(order: Resting): void {
    const index = this.orders.indexOf(order);
    if (index >= 0) this.orders.splice(index, 1);
    if (this.orders.length === 0) this.#rest();
  }

  /** We took some of the strangers' quantity from the front. */
  spend(qty: number): void {
    this.spent += qty;
    for (const order of this.orders) if (order.ahead < AHEAD_UNKNOWN) order.ahead = Math.max(0, order.ahead - qty);
  }

  /** The tape's quantity went down by `cut` to `recorded`. */
  decreased(recorded: number, cut: number): void {
    if (this.spent > recorded) this.spent = recorded;
    if (this.orders.length === 0) return;
    this.#settle();
    const explained = Math.min(cut, this.#printed);
    this.#printed -= explained;
    const withdrawn = cut - explained;
    const most = recorded + this.#displaced;
    if (explained > 0) this.#clamp(most + withdrawn, false);
    if (withdrawn === 0) return;
    this.#unexplained += withdrawn;
    this.#openAt = this.#rules.now();
    if (this.#rules.queue.onlyPrints) this.#clamp(most, true);
    else this.#withdraw(most, withdrawn);
  }

  /** What stands before an order is never more than the level holds; later orders have more before them. */
  #clamp(most: number, isLent: boolean): void {
    for (let index = this.orders.length - 1; index >= 0; index--) {
      const order = this.orders[index];
      if (order === undefined || order.ahead <= most) return;
      const stood = order.ahead;
      order.ahead = most;
      if (isLent) order.lent += stood - most;
      this.#rules.story?.clamped(order, stood);
    }
  }

  #withdraw(most: number, cut: number): void {
    const before = most + cut;
    let least = 0;
    for (const order of this.orders) {
      const stood = order.ahead;
      const modeled = Math.min(most, stood, this.#rules.queue.withdrawn(Math.min(stood, before), before, cut));
      order.ahead = Math.min(stood, Math.max(least, modeled));
      least = order.ahead;
      order.lent += stood - order.ahead;
      if (order.ahead !== stood) this.#rules.story?.withdrawn(order, { stood, cut, before });
    }
  }

  /**
   * A print at this price.
   * @param printed what the tape says was traded
   * @param reaching what of it is left after orders of ours at better prices
   * @param isKnown whether the book is, so that a decrease will tell of it too
   * @returns what reaches the strangers behind us
   */
  print(printed: number, reaching: number, isKnown: boolean): number {
    const explained = isKnown ? this.#explain(printed) : 0;
    let ownBefore = 0;
    let ownLeft = 0;
    let met = 0;
    for (const order of this.orders) {
      const stood = order.ahead;
      const leaves = order.leaves;
      const returned = Math.min(order.lent, explained);
      const position = stood + returned + ownBefore - reaching;
      const traded = Math.min(leaves, Math.max(0, -position));
      ownBefore += leaves;
      order.ahead = stood >= AHEAD_UNKNOWN ? stood : Math.max(0, position) - ownLeft;
      order.lent = Math.max(0, order.lent - returned + Math.min(0, position));
      ownLeft += leaves - traded;
      met += traded;
      this.#rules.story?.printed(order, { stood, printed: reaching, returned });
      if (traded > 0) this.#rules.fill(order, traded, 'print');
    }
    this.#displaced += printed - reaching + met;
    this.#sweep();
    return Math.max(0, reaching - met);
  }

  /** A print at a worse price for its taker: nobody is left before us. Returns what of it we left. */
  printThrough(reaching: number): number {
    let left = reaching;
    this.#rest();
    for (const order of this.orders) {
      const stood = order.ahead;
      order.ahead = 0;
      order.lent = 0;
      const qty = Math.min(order.leaves, left);
      left -= qty;
      this.#rules.story?.passed(order, { stood, printed: reaching });
      if (qty > 0) this.#rules.fill(order, qty, 'print-through');
    }
    this.#sweep();
    return left;
  }

  /** The recorded book has come to cross us with so much. Returns what of it we left. */
  cross(offered: number): number {
    let left = offered;
    for (const order of this.orders) {
      const qty = Math.min(order.leaves, left);
      if (qty <= 0) break;
      left -= qty;
      this.#rules.story?.crossed(order, left + qty);
      this.#rules.fill(order, qty, 'crossed');
    }
    this.#sweep();
    return left;
  }

  /** A snapshot tells the level anew, or nothing is known of it any more (`null`): no print explains what was before. */
  restate(recorded: number | null): void {
    this.#unexplained = 0;
    this.#printed = 0;
    for (const order of this.orders) order.lent = 0;
    if (recorded === null) return;
    if (this.spent > recorded) this.spent = recorded;
    this.#clamp(recorded + this.#displaced, false);
  }

  /** Nothing is open and nothing displaced: for a level that nobody of ours queues at, or that was traded through. */
  #rest(): void {
    this.#displaced = 0;
    this.#unexplained = 0;
    this.#printed = 0;
  }

  /** Takes the print for what explains the latest decreases, and what is over for one whose decrease is to come. */
  #explain(printed: number): number {
    this.#settle();
    const explained = Math.min(printed, this.#unexplained);
    this.#unexplained -= explained;
    this.#printed += printed - explained;
    this.#openAt = this.#rules.now();
    return explained;
  }

  /** What was not explained in time never will be. */
  #settle(): void {
    if (this.#unexplained === 0 && this.#printed === 0) return;
    if (this.#rules.now() - this.#openAt <= this.#rules.explainWindow) return;
    this.#unexplained = 0;
    this.#printed = 0;
    for (const order of this.orders) order.lent = 0;
  }

  /** Orders that traded in full are here no more. */
  #sweep(): void {
    let kept = 0;
    for (const order of this.orders) if (order.leaves > 0) this.orders[kept++] = order;
    this.orders.length = kept;
    if (kept === 0) this.#rest();
  }
}
