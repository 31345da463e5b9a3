// Bounded samples of an endless sequence. The same items always give the same sample.

/**
 * A sample of at most `max` items. As the sequence grows, it holds all items, then half of them, a quarter and so on.
 * An item's place alone decides, in no regular pattern.
 */
export class EvenSample<Item> {
  readonly #max: number;
  #items: { readonly place: number; readonly item: Item }[] = [];
  /** Keeps an item when the mixed bits of its place, masked by this number, are zero. */
  #mask = 0;
  #seen = 0;

  constructor(max: number) {
    this.#max = Math.max(2, max);
  }

  push(item: Item): void {
    const place = this.#seen;
    this.#seen += 1;
    if (!this.#isChosen(place)) return;
    this.#items.push({ place, item });
    while (this.#items.length > this.#max) {
      this.#mask = this.#mask * 2 + 1;
      this.#items = this.#items.filter((kept) => this.#isChosen(kept.place));
    }
  }

  #isChosen(place: number): boolean {
    return (mixed(place) & this.#mask) === 0;
  }

  get pushedCount(): number {
    return this.#seen;
  }

  get items(): readonly Item[] {
    return this.#items.map(({ item }) => item);
  }
}

/** Without mixing, alternating buys and sells could be sampled by side. */
function mixed(place: number): number {
  const first = Math.imul(place ^ (place >>> 16), 0x85eb_ca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2_ae35);
  return second ^ (second >>> 16);
}

/** A sample with a minimum distance in time. The distance doubles when `max` items are held. */
export class SpacedSample<Item extends { readonly at: number }> {
  #max: number;
  #items: Item[] = [];
  #spacing: number;

  /** `spacing`: the initial minimum distance in time. Microseconds. */
  constructor(max: number, spacing: number) {
    this.#max = Math.max(2, max);
    this.#spacing = spacing;
  }

  isSampleDue(at: number): boolean {
    const last = this.#items.at(-1);
    return last === undefined || at - last.at >= this.#spacing;
  }

  push(item: Item): void {
    if (!this.isSampleDue(item.at)) return;
    this.#items.push(item);
    while (this.#items.length >= this.#max) this.#widen();
  }

  lowerMax(max: number): void {
    this.#max = Math.max(2, max);
    while (this.#items.length >= this.#max) this.#widen();
  }

  #widen(): void {
    this.#spacing = Math.max(1, this.#spacing * 2);
    const kept: Item[] = [];
    for (const item of this.#items) {
      const last = kept.at(-1);
      if (last === undefined || item.at - last.at >= this.#spacing) kept.push(item);
    }
    this.#items = kept;
  }

  get items(): readonly Item[] {
    return this.#items;
  }
}
