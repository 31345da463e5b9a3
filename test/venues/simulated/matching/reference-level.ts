// A reference for one level with large orders of ours, by brute force: it keeps every decrease and every print in lists,
// and looks at all of them each time.
import type { QueueModel } from '../../../../src/venues/simulated/simulator-interfaces.ts';

interface Decrease {
  readonly at: number;
  /** Quantity that no print explains so far. */
  left: number;
  /** For each order, what its print would take back. */
  readonly moved: Map<string, number>;
}

interface UnpairedPrint {
  readonly at: number;
  left: number;
}

export class ReferenceLevel {
  readonly #queue: QueueModel;
  readonly #window: number;
  /** Quantity of others ahead of each order of ours, first come first. */
  readonly ahead = new Map<string, number>();
  recorded = 0;
  now = 0;
  #displaced = 0;
  #decreases: Decrease[] = [];
  #prints: UnpairedPrint[] = [];
  #lastChange = 0;
  #lastPrint = { at: Number.NEGATIVE_INFINITY, qty: 0 };

  constructor(queue: QueueModel, window: number) {
    this.#queue = queue;
    this.#window = window;
  }

  join(id: string): void {
    if (this.ahead.size === 0) this.#openLastChange();
    this.ahead.set(id, this.recorded + this.#displaced);
    for (const decrease of this.#decreases) decrease.moved.set(id, decrease.left);
  }

  /** The latest change may be a trade whose print is still to come. */
  #openLastChange(): void {
    const printed = this.now - this.#lastPrint.at <= this.#window ? this.#lastPrint.qty : 0;
    const left = Math.max(0, -this.#lastChange - printed);
    this.#decreases.push({ at: this.now, left, moved: new Map() });
  }

  leave(id: string): void {
    this.ahead.delete(id);
    this.#forgetUnlessOurs();
  }

  #forgetUnlessOurs(): void {
    if (this.ahead.size > 0) return;
    this.#displaced = 0;
    this.#decreases = [];
    this.#prints = [];
  }

  change(qty: number): void {
    this.recorded += qty;
    this.#lastChange = qty;
    if (qty < 0 && this.ahead.size > 0) this.#decrease(-qty);
  }

  #decrease(qty: number): void {
    let left = qty;
    for (const print of this.#newest(this.#prints)) {
      const paired = Math.min(left, print.left);
      left -= paired;
      print.left -= paired;
    }
    const before = this.recorded + this.#displaced + left;
    if (left < qty) for (const [id, ahead] of this.ahead) this.ahead.set(id, Math.min(ahead, before));
    if (left > 0) this.#cancel(left, before);
  }

  /** Others cancel `qty` of `before`. */
  #cancel(qty: number, before: number): void {
    const moved = new Map<string, number>();
    let aheadMin = 0;
    for (const [id, ahead] of this.ahead) {
      const modeled = this.#queue.onlyPrints
        ? ahead
        : this.#queue.aheadAfterCancel(Math.min(ahead, before), before, qty);
      const after = Math.min(ahead, Math.max(aheadMin, Math.min(modeled, before - qty)));
      this.ahead.set(id, after);
      moved.set(id, ahead - after);
      aheadMin = after;
    }
    this.#decreases.push({ at: this.now, left: qty, moved });
  }

  print(qty: number): void {
    this.#lastPrint = { at: this.now, qty };
    const [first] = this.ahead.keys();
    if (first === undefined) return;
    let left = qty;
    for (const decrease of this.#newest(this.#decreases)) {
      const paired = Math.min(left, decrease.left);
      left -= paired;
      decrease.left -= paired;
      for (const [id, moved] of decrease.moved) this.#moveBack(id, decrease, { moved, paired });
    }
    this.#prints.push({ at: this.now, left });
    // Our first order is so large that the print ends in it.
    const others = Math.min(qty, this.ahead.get(first) ?? 0);
    for (const [id, ahead] of this.ahead) this.ahead.set(id, ahead - others);
    this.#displaced += qty - others;
  }

  #moveBack(id: string, decrease: Decrease, { moved, paired }: { moved: number; paired: number }): void {
    const back = Math.min(moved, paired);
    decrease.moved.set(id, moved - back);
    const ahead = this.ahead.get(id);
    if (ahead !== undefined) this.ahead.set(id, ahead + back);
  }

  /** Those that are not older than the window, newest first. */
  #newest<Half extends { readonly at: number }>(halves: readonly Half[]): Half[] {
    return halves.filter(({ at }) => this.now - at <= this.#window).reverse();
  }
}
