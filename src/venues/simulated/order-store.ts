// Our orders at the simulated venue, by id and by name. What is over is remembered for a while, as venues do, and then
// answers as if it had never been. Must never grow without bound, nor let a name be used twice while it is remembered.
import type { ClientOrderId, VenueOrderId } from '../../domain/ids.ts';
import type { OrderRecord } from './records.ts';

/** Orders that are over, and names that were used, which are remembered. */
const FINISHED_MAX = 20_000;
const NAMES_MAX = 200_000;

export class OrderStore {
  readonly #working = new Map<VenueOrderId, OrderRecord>();
  readonly #finished = new Map<VenueOrderId, OrderRecord>();
  readonly #names = new Set<ClientOrderId>();
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

  /** What rests, the oldest first. */
  allWorking(): readonly OrderRecord[] {
    return [...this.#working.values()];
  }

  /** All that is remembered, the oldest first. */
  all(): readonly OrderRecord[] {
    return [...this.#finished.values(), ...this.#working.values()].sort((a, b) => a.sequence - b.sequence);
  }

  rest(order: OrderRecord): void {
    this.#working.set(order.venueOrderId, order);
    order.market.resting.set(order.venueOrderId, order);
  }

  finish(order: OrderRecord): void {
    this.#working.delete(order.venueOrderId);
    order.market.resting.delete(order.venueOrderId);
    this.#finished.set(order.venueOrderId, order);
    if (this.#finished.size > FINISHED_MAX) dropFirst(this.#finished);
  }
}

function dropFirst<Key>(kept: { keys(): IterableIterator<Key>; delete(key: Key): boolean }): void {
  for (const first of kept.keys()) return void kept.delete(first);
}
