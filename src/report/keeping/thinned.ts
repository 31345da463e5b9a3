// A bounded choice of an endless row of things: all of them while they are few, then half, a quarter, an eighth …; or, of
// things with a time, none nearer to the last than a distance that doubles. The same things give the same choice.

/** Keeps some of what it is given, never more than `max`; which, its place in the row decides, but no rhythm of the row. */
export class Thinned<Item> {
  readonly #max: number;
  #items: { readonly place: number; readonly item: Item }[] = [];
  /** A place whose mixed bits are zero here is kept: each bit more halves the choice. */
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

  /** How many there were. */
  get seen(): number {
    return this.#seen;
  }

  get items(): readonly Item[] {
    return this.#items.map(({ item }) => item);
  }
}

/** The bits of a number, each hanging on all: so that buys and sells in turn are not kept or dropped by their side. */
function mixed(place: number): number {
  const first = Math.imul(place ^ (place >>> 16), 0x85eb_ca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2_ae35);
  return second ^ (second >>> 16);
}

/** Keeps things so far apart in time that there are never more than `max`. */
export class Spaced<Item extends { readonly at: number }> {
  #max: number;
  #items: Item[] = [];
  #spacing: number;

  /** `spacing`: how far apart they are kept at least, in microseconds. */
  constructor(max: number, spacing: number) {
    this.#max = Math.max(2, max);
    this.#spacing = spacing;
  }

  /** Whether something of this time is kept. */
  wants(at: number): boolean {
    const last = this.#items.at(-1);
    return last === undefined || at - last.at >= this.#spacing;
  }

  /** Takes what it wants. */
  push(item: Item): void {
    if (!this.wants(item.at)) return;
    this.#items.push(item);
    if (this.#items.length >= this.#max) this.#widen();
  }

  /** Keeps no more than so many from now on. */
  shrink(max: number): void {
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
