// Our orders at the simulated venue, and the used client order ids. Like a real venue, the store forgets the oldest
// finished orders. Must never grow without bound.
import type { ClientOrderId, VenueOrderId } from '../../../domain/ids.ts';
import { LatestItems } from '../../../base/latest-items.ts';
import type { VenueOrder } from './venue-records.ts';

/** Number of finished orders that are remembered: the latest. */
const FINISHED_MAX = 20_000;
/** Number of used client order ids that are remembered at least: the latest. */
const CLIENT_IDS_MAX = 200_000;
/** A list is compacted when its empty places outnumber its orders by more than this. */
const EMPTY_MAX = 64;

/** Selects the orders of a list: those that rest, or all that are remembered. */
export type OrderSelection = 'working' | 'any';

export class OrderStore {
  readonly #working = new Map<VenueOrderId, VenueOrder>();
  readonly #finished = new Map<VenueOrderId, VenueOrder>();
  /** The finished orders in a ring: the next one replaces the oldest. */
  readonly #ended: VenueOrder[] = [];
  #nextEnded = 0;
  readonly #usedClientIds = new LatestItems<ClientOrderId>(CLIENT_IDS_MAX);
  readonly #lists: Readonly<Record<OrderSelection, OrderList>> = { working: new OrderList(), any: new OrderList() };
  #count = 0;

  nextSequence(): number {
    return (this.#count += 1);
  }

  isClientIdUsed(clientOrderId: ClientOrderId): boolean {
    return this.#usedClientIds.has(clientOrderId);
  }

  useClientId(clientOrderId: ClientOrderId): void {
    this.#usedClientIds.push(clientOrderId);
  }

  workingOrder(id: VenueOrderId): VenueOrder | undefined {
    return this.#working.get(id);
  }

  findOrder(id: VenueOrderId): VenueOrder | undefined {
    return this.#working.get(id) ?? this.#finished.get(id);
  }

  /**
   * Orders, the latest first; with `after`, only earlier orders. Empty when `after` is no longer remembered. No order may
   * be added or removed during the iteration.
   */
  latestFirst(listed: OrderSelection, after: VenueOrderId | null = null): Iterable<VenueOrder> {
    if (after === null) return this.#lists[listed].latestFirst(null);
    const order = this.findOrder(after);
    return order === undefined ? [] : this.#lists[listed].latestFirst(order);
  }

  addResting(order: VenueOrder): void {
    this.#lists.any.addOrder(order);
    this.#lists.working.addOrder(order);
    this.#working.set(order.venueOrderId, order);
    const { resting } = order.market;
    // An amended order joins the end of its queue.
    resting.delete(order.venueOrderId);
    resting.set(order.venueOrderId, order);
  }

  addFinished(order: VenueOrder): void {
    this.#lists.any.addOrder(order);
    this.#lists.working.removeOrder(order);
    this.#working.delete(order.venueOrderId);
    order.market.resting.delete(order.venueOrderId);
    if (this.#finished.has(order.venueOrderId)) return;
    this.#finished.set(order.venueOrderId, order);
    const dropped = this.#ended[this.#nextEnded];
    this.#ended[this.#nextEnded] = order;
    this.#nextEnded = (this.#nextEnded + 1) % FINISHED_MAX;
    if (dropped === undefined) return;
    this.#finished.delete(dropped.venueOrderId);
    this.#lists.any.removeOrder(dropped);
  }
}

class OrderList {
  /** Orders by arrival; `null` for an order that was removed. */
  #places: (VenueOrder | null)[] = [];
  #sequences: number[] = [];
  #count = 0;

  /** Adds an order at the end. An order that already has a place keeps it. */
  addOrder(order: VenueOrder): void {
    if (order.sequence <= (this.#sequences.at(-1) ?? 0)) return;
    this.#places.push(order);
    this.#sequences.push(order.sequence);
    this.#count += 1;
  }

  removeOrder(order: VenueOrder): void {
    const place = this.#placeOf(order);
    if (this.#places[place] !== order) return;
    this.#places[place] = null;
    this.#count -= 1;
    if (this.#places.length > 2 * this.#count + EMPTY_MAX) this.#compact();
  }

  #compact(): void {
    const listed = this.#places.filter((order) => order !== null);
    this.#places = listed;
    this.#sequences = listed.map(({ sequence }) => sequence);
  }

  *latestFirst(before: VenueOrder | null): Generator<VenueOrder> {
    const end = before === null ? this.#places.length : this.#placeOf(before);
    for (let place = end - 1; place >= 0; place--) {
      const order = this.#places[place] ?? null;
      if (order !== null) yield order;
    }
  }

  #placeOf({ sequence }: VenueOrder): number {
    let [low, high] = [0, this.#sequences.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#sequences[middle] ?? 0) < sequence) low = middle + 1;
      else high = middle;
    }
    return high;
  }
}
