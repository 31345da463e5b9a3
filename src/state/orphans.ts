// Fills that named an order we did not know yet: a list may tell of a trade before the order's own answer comes.
import type { FillReport } from '../domain/event.ts';
import type { MarketIndex, VenueOrderId } from '../domain/ids.ts';

const ORDERS_MAX = 1000;

/** Fills waiting for their order; the oldest are dropped when too many wait. Their money is booked all the same. */
export class Orphans {
  readonly #byOrder = new Map<VenueOrderId, FillReport[]>();

  keep(fill: FillReport): void {
    const fills = this.#byOrder.get(fill.venueOrderId) ?? [];
    fills.push(fill);
    this.#byOrder.set(fill.venueOrderId, fills);
    if (this.#byOrder.size <= ORDERS_MAX) return;
    for (const oldest of this.#byOrder.keys()) {
      this.#byOrder.delete(oldest);
      return;
    }
  }

  /** Forgets the fills of markets that are followed no more. */
  evict(markets: ReadonlySet<MarketIndex>): void {
    for (const [order, fills] of this.#byOrder)
      if (fills.some((fill) => markets.has(fill.market))) this.#byOrder.delete(order);
  }

  /** How many orders have fills waiting. */
  get size(): number {
    return this.#byOrder.size;
  }

  /** The fills of an order, which is now known. */
  take(order: VenueOrderId): readonly FillReport[] {
    const fills = this.#byOrder.get(order) ?? [];
    this.#byOrder.delete(order);
    return fills;
  }
}
