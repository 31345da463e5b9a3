// Fills that name an order we do not know yet: a list may show a trade before the order's own answer arrives.
import { assert } from '../../base/assert.ts';
import type { FillReport } from '../../domain/event.ts';
import type { MarketIndex, VenueOrderId } from '../../domain/ids.ts';

const ORDERS_MAX = 1000;

/**
 * Fills waiting for their order. The portfolio counts them whether they wait or not. Added when the fill arrives;
 * removed when its order is known or its market is evicted. When more than `ORDERS_MAX` orders have waiting fills, the
 * fills of the order that has waited longest are removed.
 */
export class OrphanFills {
  readonly #byOrder = new Map<VenueOrderId, FillReport[]>();

  addFill(fill: FillReport): void {
    const fills = this.#byOrder.get(fill.venueOrderId) ?? [];
    fills.push(fill);
    this.#byOrder.set(fill.venueOrderId, fills);
    if (this.#byOrder.size <= ORDERS_MAX) return;
    for (const oldest of this.#byOrder.keys()) {
      this.#byOrder.delete(oldest);
      assert(this.#byOrder.size <= ORDERS_MAX, 'the waiting fills must stay within their bound');
      return;
    }
  }

  /** Drops the fills of evicted markets. */
  evictMarkets(markets: ReadonlySet<MarketIndex>): void {
    for (const [order, fills] of this.#byOrder)
      if (fills.some((fill) => markets.has(fill.market))) this.#byOrder.delete(order);
  }

  /** Number of orders with waiting fills. */
  get size(): number {
    return this.#byOrder.size;
  }

  /** Removes and returns the fills of an order that is now known. */
  takeFills(order: VenueOrderId): readonly FillReport[] {
    const fills = this.#byOrder.get(order) ?? [];
    this.#byOrder.delete(order);
    assert(
      fills.every(({ venueOrderId }) => venueOrderId === order),
      'only fills of one order may wait together',
    );
    return fills;
  }
}
