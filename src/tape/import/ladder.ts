// One side of a book by price: whole cents in one small array, prices between them in a map.

const CENT = 100;
const CENTS = 101;

/** Quantities by price, in ten-thousandths of a dollar from 0 to 10 000. */
export class Ladder {
  readonly #cents = new Float64Array(CENTS);
  readonly #between = new Map<number, number>();

  constructor(levels: Iterable<readonly [number, number]> = []) {
    for (const [price, qty] of levels) this.set(price, qty);
  }

  /** The quantity at a price; 0 where there is none. */
  get(price: number): number {
    return price % CENT === 0 ? (this.#cents[price / CENT] ?? 0) : (this.#between.get(price) ?? 0);
  }

  /** Sets a quantity; 0 leaves no level there. */
  set(price: number, qty: number): void {
    if (price % CENT === 0) this.#cents[price / CENT] = qty;
    else if (qty === 0) this.#between.delete(price);
    else this.#between.set(price, qty);
  }

  /** The highest price at or below one that has a quantity; -1 when there is none. */
  highestFrom(price: number): number {
    let cent = Math.floor(price / CENT);
    while (cent >= 0 && this.#cents[cent] === 0) cent -= 1;
    let best = cent < 0 ? -1 : cent * CENT;
    if (this.#between.size > 0) for (const at of this.#between.keys()) if (at <= price && at > best) best = at;
    return best;
  }

  /** The lowest price at or above one that has a quantity; one above all prices when there is none. */
  lowestFrom(price: number): number {
    let cent = Math.ceil(price / CENT);
    while (cent < CENTS && this.#cents[cent] === 0) cent += 1;
    let best = cent === CENTS ? NO_PRICE : cent * CENT;
    if (this.#between.size > 0) for (const at of this.#between.keys()) if (at >= price && at < best) best = at;
    return best;
  }

  /** The prices that have a quantity. */
  prices(): number[] {
    const whole = [...this.#cents.keys()].filter((cent) => this.#cents[cent] !== 0).map((cent) => cent * CENT);
    return [...whole, ...this.#between.keys()];
  }
}

/** Above all prices. */
export const NO_PRICE = 10_001;
