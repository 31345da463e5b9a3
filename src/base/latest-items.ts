// A set of the latest items: once it is full, each new item drops the oldest. Must never look for the oldest item at
// the front of a `Set`: deleted entries make that slow.

/** The latest `max` items. */
export class LatestItems<Item extends string | object> {
  readonly #max: number;
  readonly #items = new Set<Item>();
  /** A ring: the next item replaces the oldest. */
  readonly #ring: Item[] = [];
  #next = 0;

  constructor(max: number) {
    this.#max = max;
  }

  has(item: Item): boolean {
    return this.#items.has(item);
  }

  /** Adds an item, unless it is present. Returns the dropped item, if any. */
  push(item: Item): Item | undefined {
    if (this.#items.has(item)) return undefined;
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) this.#items.delete(oldest);
    this.#items.add(item);
    this.#ring[this.#next] = item;
    this.#next = (this.#next + 1) % this.#max;
    return oldest;
  }

  get size(): number {
    return this.#items.size;
  }
}
