// A binary heap of items by due time, then by insertion, so that ties are deterministic. Outdated items are dropped at
// the top of the heap, or when it is pruned. Must never read a clock.

interface Entry<Item, Time> {
  readonly at: Time;
  readonly order: number;
  readonly item: Item;
}

const PRUNE_ABOVE_MIN = 1024;

/** Items by due time, in any unit. An item is outdated when it no longer applies. */
export class DueQueue<Item, Time extends number> {
  readonly #isLive: (item: Item, at: Time) => boolean;
  #heap: Entry<Item, Time>[] = [];
  #set = 0;
  #pruneAbove = PRUNE_ABOVE_MIN;

  /** @param isLive returns true when an item due at a time still applies. */
  constructor(isLive: (item: Item, at: Time) => boolean) {
    this.#isLive = isLive;
  }

  /** Number of items, outdated ones included. */
  get size(): number {
    return this.#heap.length;
  }

  /** All items by due time, outdated ones included. */
  entries(): readonly { readonly at: Time; readonly item: Item }[] {
    return this.#heap.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  schedule(at: Time, item: Item): void {
    this.#push({ at, order: this.#set++, item });
    if (this.#heap.length > this.#pruneAbove) this.#prune();
  }

  /** Due time of the next item that still applies; `null` when there is none. */
  nextAt(): Time | null {
    let top = this.#heap[0];
    while (top !== undefined && !this.#isLive(top.item, top.at)) {
      this.#pop();
      top = this.#heap[0];
    }
    return top?.at ?? null;
  }

  /** Removes and returns the next item that is due and still applies; `null` when there is none. */
  popDue(now: Time): Item | null {
    const at = this.nextAt();
    if (at === null || at > now) return null;
    return this.#pop()?.item ?? null;
  }

  /** Drops outdated items, and sets the size at which the heap is pruned again. */
  #prune(): void {
    const live = this.#heap.filter((entry) => this.#isLive(entry.item, entry.at));
    this.#heap = [];
    for (const entry of live) this.#push(entry);
    this.#pruneAbove = Math.max(PRUNE_ABOVE_MIN, 2 * live.length);
  }

  #push(entry: Entry<Item, Time>): void {
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

  #pop(): Entry<Item, Time> | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && last !== top) this.#sink(last);
    return top;
  }

  #sink(entry: Entry<Item, Time>): void {
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

const isBefore = <Item, Time>(a: Entry<Item, Time>, b: Entry<Item, Time>): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);
