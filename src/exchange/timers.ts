// What is due when: a binary heap by time, then by the order of setting, so that ties never depend on anything else.
// Reads no clock. A timer that no longer applies is not taken out but recognized when it comes up.
import type { Micros } from '../domain/units.ts';

interface Entry<Item> {
  readonly at: Micros;
  readonly order: number;
  readonly item: Item;
}

const PRUNE_FLOOR = 1024;

/** Items by time. */
export class Timers<Item> {
  readonly #isLive: (item: Item, at: Micros) => boolean;
  #heap: Entry<Item>[] = [];
  #set = 0;
  #pruneAbove = PRUNE_FLOOR;

  /** `isLive` tells whether an item set for a time still applies. */
  constructor(isLive: (item: Item, at: Micros) => boolean) {
    this.#isLive = isLive;
  }

  /** Items held, those that no longer apply included. */
  get size(): number {
    return this.#heap.length;
  }

  /** Everything that is set, in the order in which it would come up. */
  entries(): readonly { readonly at: Micros; readonly item: Item }[] {
    return this.#heap.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  set(at: Micros, item: Item): void {
    this.#push({ at, order: this.#set++, item });
    if (this.#heap.length > this.#pruneAbove) this.#prune();
  }

  /** When the next live item is due; `null` when nothing is. */
  next(): Micros | null {
    let top = this.#heap[0];
    while (top !== undefined && !this.#isLive(top.item, top.at)) {
      this.#pop();
      top = this.#heap[0];
    }
    return top?.at ?? null;
  }

  /** Takes the next live item that is due, or `null`. */
  take(now: Micros): Item | null {
    const at = this.next();
    if (at === null || at > now) return null;
    return this.#pop()?.item ?? null;
  }

  /** Drops what no longer applies, so that the heap stays within twice what is live. */
  #prune(): void {
    const live = this.#heap.filter((entry) => this.#isLive(entry.item, entry.at));
    this.#heap = [];
    for (const entry of live) this.#push(entry);
    this.#pruneAbove = Math.max(PRUNE_FLOOR, 2 * live.length);
  }

  #push(entry: Entry<Item>): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): Entry<Item> | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && last !== top) this.#sink(last);
    return top;
  }

  #sink(entry: Entry<Item>): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      if (left === undefined) break;
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(child, entry)) break;
      heap[at] = child;
      at = child === left ? 2 * at + 1 : 2 * at + 2;
    }
    heap[at] = entry;
  }
}

const isBefore = <Item>(a: Entry<Item>, b: Entry<Item>): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
