// The latest of many: so many are remembered, and for each one more the oldest is forgotten.
// Must never look for the oldest from the front of a set: it would go past all that has been forgotten there.

/** The latest so many. */
export class Latest<Item extends string | object> {
  readonly #max: number;
  readonly #items = new Set<Item>();
  /** As they came, in a ring: the next one takes the place of the oldest. */
  readonly #ring: Item[] = [];
  #next = 0;

  constructor(max: number) {
    this.#max = max;
  }

  has(item: Item): boolean {
    return this.#items.has(item);
  }

  /** Remembers one, unless it is remembered. Returns the one that is forgotten for it, if any is. */
  add(item: Item): Item | undefined {
    if (this.#items.has(item)) return undefined;
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) this.#items.delete(oldest);
    this.#items.add(item);
    this.#ring[this.#next] = item;
    this.#next = (this.#next + 1) % this.#max;
    return oldest;
  }

  /** How many are remembered. */
  get size(): number {
    return this.#items.size;
  }
}
