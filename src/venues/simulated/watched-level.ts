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
import { CALM, OPEN_AT, ROUND, TAIL, type Tails, UNEXPLAINED } from './tails.ts';

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
  /** How far decreases that a print may yet explain have moved it up, in the round of its level that is told. */
  lent: number;
  lentIn: number;
}

/** What all levels go by. */
export interface LevelRules {
  readonly queue: QueueModel;
  readonly explainWindow: number;
  readonly now: () => Micros;
  readonly tails: Tails;
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
  /** Its number among the watched levels. */
  readonly number: number;
  /** Where its numbers begin among the tails. */
  readonly #row: number;
  readonly #rules: LevelRules;
  /** Ours, first come first. */
  readonly orders: Resting[] = [];
  #spent = 0;
  /** Strangers' quantity that the tape traded, and that still stands here because the taker met us instead. */
  #displaced = 0;
  /** Prints whose decrease has not come so far. */
  #printed = 0;

  constructor(place: Pick<WatchedLevel, 'market' | 'isBid' | 'cell' | 'slot' | 'price' | 'number'>, rules: LevelRules) {
    this.market = place.market;
    this.isBid = place.isBid;
    this.cell = place.cell;
    this.slot = place.slot;
    this.price = place.price;
    this.number = place.number;
    this.#rules = rules;
    this.#row = place.number * TAIL;
    rules.tails.clear(place.number);
  }

  /** What we took of the level and the tape has not taken from it since. */
  get spent(): number {
    return this.#spent;
  }

  set spent(qty: number) {
    this.#spent = qty;
    this.#noteCalm();
  }

  /** Down to where a decrease moves nobody; nowhere while a print waits for its decrease, or where a model moves us up. */
  #noteCalm(): void {
    const last = this.orders[this.orders.length - 1]?.ahead ?? 0;
    const queue = this.#rules.queue.onlyPrints ? last - this.#displaced : Number.POSITIVE_INFINITY;
    // A story tells of every decrease.
    const isCalm = this.#printed === 0 && this.#rules.story === null;
    const calm = isCalm ? Math.max(this.#spent, last === 0 ? 0 : queue) : Number.POSITIVE_INFINITY;
    this.#rules.tails.values[this.#row + CALM] = calm;
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
    const now = this.#rules.now();
    this.#settle(now);
    const tails = this.#rules.tails.values;
    if (this.orders.length === 0) {
      tails[this.#row + UNEXPLAINED] = lastCut;
      tails[this.#row + OPEN_AT] = now;
    }
    order.ahead = this.#rules.queue.joined(this.#standing(recorded));
    // Those decreases came before it: prints that explain them do not move it up.
    this.#lend(order, recorded === null ? 0 : (tails[this.#row + UNEXPLAINED] ?? 0));
    this.orders.push(order);
    this.#noteCalm();
    this.#rules.story?.joined(order, { recorded, spent: this.#spent });
  }

  /**
   * What an order that comes now would stand behind. What we took of the level is gone, unless we stand there already:
   * then nobody can say any more which of those before us it was.
   */
  #standing(recorded: number | null): number {
    if (recorded === null) return AHEAD_UNKNOWN;
    return this.orders.length === 0 ? recorded - this.#spent : recorded + this.#displaced;
  }

  leave(order: Resting): void {
    const index = this.orders.indexOf(order);
    if (index >= 0) this.orders.splice(index, 1);
    if (this.orders.length === 0) this.#rest();
    this.#noteCalm();
  }

  /** We took some of the strangers' quantity from the front. */
  spend(qty: number): void {
    for (const order of this.orders) if (order.ahead < AHEAD_UNKNOWN) order.ahead = Math.max(0, order.ahead - qty);
    this.spent += qty;
  }

  /** The tape's quantity went down by `cut` to `recorded`. */
  decreased(recorded: number, cut: number, now: number): void {
    this.#settle(now);
    if (this.orders.length > 0) this.#queueDecreased(recorded, cut, now);
    this.spent = Math.min(this.#spent, recorded);
  }

  #queueDecreased(recorded: number, cut: number, now: number): void {
    const explained = Math.min(cut, this.#printed);
    this.#printed -= explained;
    const withdrawn = cut - explained;
    const most = recorded + this.#displaced;
    if (explained > 0) this.#clamp(most + withdrawn, false);
    if (withdrawn === 0) return;
    const { queue, story } = this.#rules;
    if (queue.onlyPrints && story !== null)
      for (const order of this.orders) if (order.ahead <= most) story.keptBack(order, withdrawn, most + withdrawn);
    const tails = this.#rules.tails.values;
    tails[this.#row + UNEXPLAINED] = (tails[this.#row + UNEXPLAINED] ?? 0) + withdrawn;
    tails[this.#row + OPEN_AT] = now;
    if (queue.onlyPrints) this.#clamp(most, true);
    else this.#withdraw(most, withdrawn);
  }

  /** What stands before an order is never more than the level holds; later orders have more before them. */
  #clamp(most: number, isLent: boolean): void {
    for (let index = this.orders.length - 1; index >= 0; index--) {
      const order = this.orders[index];
      if (order === undefined || order.ahead <= most) return;
      const stood = order.ahead;
      order.ahead = most;
      if (isLent) this.#lend(order, this.#lentTo(order) + stood - most);
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
      this.#lend(order, this.#lentTo(order) + stood - order.ahead);
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
      const lent = this.#lentTo(order);
      const returned = Math.min(lent, explained);
      const position = stood + returned + ownBefore - reaching;
      const traded = Math.min(leaves, Math.max(0, -position));
      ownBefore += leaves;
      order.ahead = stood >= AHEAD_UNKNOWN ? stood : Math.max(0, position) - ownLeft;
      this.#lend(order, lent - returned);
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
    this.#closeAll();
    if (recorded !== null) {
      this.#spent = Math.min(this.#spent, recorded);
      this.#clamp(recorded + this.#displaced, false);
    }
    this.#noteCalm();
  }

  /** Nothing is open and nothing displaced: for a level that nobody of ours queues at, or that was traded through. */
  #rest(): void {
    this.#displaced = 0;
    this.#closeAll();
  }

  /** No print is waited for any more, nor a decrease. */
  #closeAll(): void {
    const tails = this.#rules.tails.values;
    this.#printed = 0;
    tails[this.#row + UNEXPLAINED] = 0;
    tails[this.#row + ROUND] = (tails[this.#row + ROUND] ?? 0) + 1;
  }

  #lentTo(order: Resting): number {
    return order.lentIn === this.#rules.tails.values[this.#row + ROUND] ? order.lent : 0;
  }

  #lend(order: Resting, qty: number): void {
    order.lent = qty;
    order.lentIn = this.#rules.tails.values[this.#row + ROUND] ?? 0;
  }

  /** Takes the print for what explains the latest decreases, and what is over for one whose decrease is to come. */
  #explain(printed: number): number {
    const now = this.#rules.now();
    this.#settle(now);
    const tails = this.#rules.tails.values;
    const unexplained = tails[this.#row + UNEXPLAINED] ?? 0;
    const explained = Math.min(printed, unexplained);
    tails[this.#row + UNEXPLAINED] = unexplained - explained;
    tails[this.#row + OPEN_AT] = now;
    this.#printed += printed - explained;
    return explained;
  }

  /** What was not explained in time never will be. */
  #settle(now: number): void {
    if (now - (this.#rules.tails.values[this.#row + OPEN_AT] ?? 0) > this.#rules.explainWindow) this.#closeAll();
  }

  /** Orders that traded in full are here no more. */
  #sweep(): void {
    let kept = 0;
    for (const order of this.orders) if (order.leaves > 0) this.orders[kept++] = order;
    this.orders.length = kept;
    if (kept === 0) this.#rest();
    this.#noteCalm();
  }
}
