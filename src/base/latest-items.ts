// Remembers the latest items of an endless sequence in two generations, because a set from which single items are
// deleted is slow. Must never forget one of the latest `max` items.

/** The latest items: `max` of them at least, and twice as many at most. */
export class LatestItems<Item extends string> {
  readonly #max: number;
  #young = new Set<Item>();
  #old: ReadonlySet<Item> = new Set();

  /** @param max At least 1. */
  constructor(max: number) {
    this.#max = max;
  }

  has(item: Item): boolean {
    return this.#young.has(item) || this.#old.has(item);
  }

  /** Adds an item. An item that is known counts as one of the latest again. */
  push(item: Item): void {
    this.#young.add(item);
    if (this.#young.size < this.#max) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}
