// Pairs the prints of a level with its decreases: a feed reports a trade as a print and as a decrease, in either order.
// The half that comes first waits for the other, no longer than the window, and the newest half is paired first. Must
// never keep a half longer because another one came, nor give back an advance that another decrease had made.

import { type WaitingHalf, WaitingHalves } from './waiting-halves.ts';

/** The advances that a print takes back, by order. */
export type TakenBack<Order> = ReadonlyMap<Order, number>;

/** The prints and decreases of one level that wait for each other. Quantities are in hundredths of a contract. */
export class PrintPairing<Order> {
  readonly #window: number;
  /** Added when no print explains them; removed when one does, or when the window has passed. */
  readonly #decreases = new WaitingHalves<Order>();
  /** Added and removed likewise. */
  readonly #prints = new WaitingHalves<Order>();

  /** @param window maximum time between the halves of a trade, in microseconds */
  constructor(window: number) {
    this.#window = window;
  }

  /** True while a print waits for its decrease, or did so until the window ended. */
  get hasPrints(): boolean {
    return !this.#prints.isEmpty;
  }

  /** Pairs a decrease with the prints that wait. Returns the quantity without a print. */
  pairDecrease(cut: number, now: number): number {
    this.#expire(this.#prints, now);
    let left = cut;
    for (let print = this.#prints.newest; print !== undefined && left > 0; print = this.#prints.newest) {
      const paired = Math.min(left, print.qty);
      left -= paired;
      print.qty -= paired;
      if (print.qty === 0) this.#prints.removeNewest();
    }
    return left;
  }

  /** Lets a decrease without a print wait for one. */
  awaitPrint(qty: number, now: number): void {
    this.#addHalf(this.#decreases, qty, now);
  }

  /** Records how far the latest decrease moved an order up. */
  recordAdvance(order: Order, qty: number): void {
    const decrease = this.#decreases.newest;
    if (decrease !== undefined) addAdvance(decrease, order, qty);
  }

  /** Lets an order join behind the decreases that wait: their prints must not move it up. */
  joinOrder(order: Order, now: number): void {
    this.#expire(this.#decreases, now);
    this.#decreases.forEach((decrease) => addAdvance(decrease, order, decrease.qty));
  }

  /** Pairs a print with the decreases that wait; the rest waits for its decrease. */
  pairPrint(printed: number, now: number): TakenBack<Order> {
    this.#expire(this.#decreases, now);
    const takenBack = new Map<Order, number>();
    let left = printed;
    for (let cut = this.#decreases.newest; cut !== undefined && left > 0; cut = this.#decreases.newest) {
      const paired = Math.min(left, cut.qty);
      left -= paired;
      cut.qty -= paired;
      takeBack(cut, paired, takenBack);
      if (cut.qty === 0) this.#decreases.removeNewest();
    }
    if (left > 0) this.#addHalf(this.#prints, left, now);
    return takenBack;
  }

  /** Forgets all halves: every advance is final, and every decrease to come is a cancellation. */
  clear(): void {
    this.#decreases.removeAll();
    this.#prints.removeAll();
  }

  #addHalf(halves: WaitingHalves<Order>, qty: number, now: number): void {
    this.#expire(halves, now);
    halves.add(qty, now);
  }

  #expire(halves: WaitingHalves<Order>, now: number): void {
    halves.removeBefore(now - this.#window);
  }
}

function addAdvance<Order>(decrease: WaitingHalf<Order>, order: Order, qty: number): void {
  (decrease.advances ??= []).push({ order, qty });
}

function takeBack<Order>({ advances }: WaitingHalf<Order>, paired: number, takenBack: Map<Order, number>): void {
  if (advances === null) return;
  for (const advance of advances) {
    const qty = Math.min(advance.qty, paired);
    advance.qty -= qty;
    if (qty > 0) takenBack.set(advance.order, (takenBack.get(advance.order) ?? 0) + qty);
  }
}
