// Our orders at the simulated venue, by id and by name. What is over is remembered for a while, as venues do, and then
// answers as if it had never been. Must never grow without bound, nor let a name be used twice while it is remembered.
import type { ClientOrderId, VenueOrderId } from '../../domain/ids.ts';
import type { OrderRecord } from './records.ts';

/** Orders that are over, and names that were used, which are remembered. */
const FINISHED_MAX = 20_000;
const NAMES_MAX = 200_000;
/** Of the places in a line so many may be empty, and as many again as are not. */
const EMPTY_MAX = 64;

/** Which orders are listed: those that rest, or all that is remembered. */
export type Listed = 'working' | 'any';

export class OrderStore {
  readonly #working = new Map<VenueOrderId, OrderRecord>();
  readonly #finished = new Map<VenueOrderId, OrderRecord>();
  readonly #names = new Set<ClientOrderId>();
  readonly #lines: Readonly<Record<Listed, Line>> = {
    working: new Line((order) => this.working(order.venueOrderId) === order),
    any: new Line((order) => this.find(order.venueOrderId) === order),
  };
  #count = 0;

  /** The number of the next order. */
  next(): number {
    return (this.#count += 1);
  }

  isTaken(name: ClientOrderId): boolean {
    return this.#names.has(name);
  }

  /** A name is used up: whoever sends it again is told that it is in. */
  burn(name: ClientOrderId): void {
    this.#names.add(name);
    if (this.#names.size > NAMES_MAX) dropFirst(this.#names);
  }

  working(id: VenueOrderId): OrderRecord | undefined {
    return this.#working.get(id);
  }

  find(id: VenueOrderId): OrderRecord | undefined {
    return this.#working.get(id) ?? this.#finished.get(id);
  }

  /**
   * Orders, the latest first; where one is named, those that came before it. Borrowed: nothing may change while they are
   * gone through. None where the one that is named is not listed any more: what it named was among the last.
   */
  back(listed: Listed, after: VenueOrderId | null = null): Iterable<OrderRecord> {
    if (after === null) return this.#lines[listed].back(null);
    const order = listed === 'working' ? this.working(after) : this.find(after);
    return order === undefined ? [] : this.#lines[listed].back(order);
  }

  /** Takes an order's place among all others, unless it has one. */
  #enter(order: OrderRecord): void {
    if (this.find(order.venueOrderId) !== order) this.#lines.any.push(order, this.#working.size + this.#finished.size);
  }

  rest(order: OrderRecord): void {
    this.#enter(order);
    if (this.working(order.venueOrderId) !== order) this.#lines.working.push(order, this.#working.size);
    this.#working.set(order.venueOrderId, order);
    order.market.resting.set(order.venueOrderId, order);
  }

  finish(order: OrderRecord): void {
    this.#enter(order);
    this.#working.delete(order.venueOrderId);
    order.market.resting.delete(order.venueOrderId);
    this.#finished.set(order.venueOrderId, order);
    if (this.#finished.size > FINISHED_MAX) dropFirst(this.#finished);
  }
}

/** Orders as they came, and places of those that are gone: gone through from anywhere without being copied. */
class Line {
  #orders: OrderRecord[] = [];
  readonly #isHere: (order: OrderRecord) => boolean;

  constructor(isHere: (order: OrderRecord) => boolean) {
    this.#isHere = isHere;
  }

  /** @param count how many are here without it. */
  push(order: OrderRecord, count: number): void {
    if (this.#orders.length > 2 * count + EMPTY_MAX) this.#orders = this.#orders.filter(this.#isHere);
    this.#orders.push(order);
  }

  /** The latest first, or those before one that is here. */
  *back(before: OrderRecord | null): Generator<OrderRecord> {
    const end = before === null ? this.#orders.length : this.#placeOf(before);
    for (let place = end - 1; place >= 0; place--) {
      const order = this.#orders[place];
      if (order !== undefined && this.#isHere(order)) yield order;
    }
  }

  #placeOf(order: OrderRecord): number {
    let [low, high] = [0, this.#orders.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#orders[middle]?.sequence ?? 0) < order.sequence) low = middle + 1;
      else high = middle;
    }
    return high;
  }
}

function dropFirst<Key>(kept: { keys(): IterableIterator<Key>; delete(key: Key): boolean }): void {
  for (const first of kept.keys()) return void kept.delete(first);
}
