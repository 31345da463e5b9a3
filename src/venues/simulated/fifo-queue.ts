// A first-in first-out queue whose `shift` takes constant time. Must never keep a reference to a removed item.

/** Items are moved to the front of the array only after this many removals. */
const MOVED_AFTER = 64;

export class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get first(): Item | undefined {
    return this.#items[this.#head];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head >= MOVED_AFTER && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
