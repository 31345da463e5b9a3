// A set of the latest items, bounded in number: once it is full, each new item drops the oldest. Must never search for
// the oldest from the front of a set: such a search passes over all the deleted entries there.

/** The latest `max` items. */
export class LatestItems<Item extends string | object> {
  readonly #max: number;
  readonly #items = new Set<Item>();
  /** The items in a ring: the next one replaces the oldest. */
  readonly #ring: Item[] = [];
  #next = 0;

  constructor(max: number) {
    this.#max = max;
  }

  has(item: Item): boolean {
    return this.#items.has(item);
  }

  /** Adds an item, unless it is present. Returns the item dropped for it, if any. */
  push(item: Item): Item | undefined {
    if (this.#items.has(item)) return undefined;
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) this.#items.delete(oldest);
    this.#items.add(item);
    this.#ring[this.#next] = item;
    this.#next = (this.#next + 1) % this.#max;
    return oldest;
  }

  /** Number of items. */
  get size(): number {
    return this.#items.size;
  }
}
