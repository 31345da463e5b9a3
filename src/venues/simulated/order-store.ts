// Our orders at the simulated venue, by id and by name. What is over is remembered for a while, as venues do, and then
// answers as if it had never been. Must never grow without bound, nor let a name be used twice while it is remembered.
import type { ClientOrderId, VenueOrderId } from '../../domain/ids.ts';
import { Latest } from '../../state/latest.ts';
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
  /** Those that are over, as they ended, and the names that were used. */
  readonly #ended = new Latest<OrderRecord>(FINISHED_MAX);
  readonly #names = new Latest<ClientOrderId>(NAMES_MAX);
  readonly #lines: Readonly<Record<Listed, Line>> = { working: new Line(), any: new Line() };
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

  rest(order: OrderRecord): void {
    this.#lines.any.push(order);
    this.#lines.working.push(order);
    this.#working.set(order.venueOrderId, order);
    order.market.resting.set(order.venueOrderId, order);
  }

  finish(order: OrderRecord): void {
    this.#lines.any.push(order);
    this.#lines.working.leave(order);
    this.#working.delete(order.venueOrderId);
    order.market.resting.delete(order.venueOrderId);
    this.#finished.set(order.venueOrderId, order);
    const forgotten = this.#ended.add(order);
    if (forgotten === undefined) return;
    this.#finished.delete(forgotten.venueOrderId);
    this.#lines.any.leave(forgotten);
  }
}

/** Orders as they came: gone through from anywhere without being copied. */
class Line {
  /** Each at its place, and empty places of those that left. */
  #places: (OrderRecord | null)[] = [];
  /** The number of the order whose place each is. */
  #sequences: number[] = [];
  #count = 0;

  /** Takes the last place; whoever has one keeps it. */
  push(order: OrderRecord): void {
    if (order.sequence <= (this.#sequences.at(-1) ?? 0)) return;
    this.#places.push(order);
    this.#sequences.push(order.sequence);
    this.#count += 1;
  }

  /** Gives its place up. */
  leave(order: OrderRecord): void {
    const place = this.#placeOf(order);
    if (this.#places[place] !== order) return;
    this.#places[place] = null;
    this.#count -= 1;
    if (this.#places.length > 2 * this.#count + EMPTY_MAX) this.#closeUp();
  }

  #closeUp(): void {
    const here = this.#places.filter((order) => order !== null);
    this.#places = here;
    this.#sequences = here.map(({ sequence }) => sequence);
  }

  /** The latest first, or those before one that is here. */
  *back(before: OrderRecord | null): Generator<OrderRecord> {
    const end = before === null ? this.#places.length : this.#placeOf(before);
    for (let place = end - 1; place >= 0; place--) {
      const order = this.#places[place] ?? null;
      if (order !== null) yield order;
    }
  }

  #placeOf({ sequence }: OrderRecord): number {
    let [low, high] = [0, this.#sequences.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#sequences[middle] ?? 0) < sequence) low = middle + 1;
      else high = middle;
    }
    return high;
  }
}
