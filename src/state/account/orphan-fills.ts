// Fills of an order that we do not know yet: a list may show a trade before the order's answer arrives.
import { assert } from '../../base/assert.ts';
import type { FillReport } from '../../domain/event.ts';
import type { MarketIndex, VenueOrderId } from '../../domain/ids.ts';

const ORDERS_MAX = 1000;

/**
 * Fills that wait for their order; the portfolio has counted them. Added when the fill arrives; removed when its order
 * is known, its market is evicted, or `ORDERS_MAX` is exceeded.
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

  evictMarkets(markets: ReadonlySet<MarketIndex>): void {
    for (const [order, fills] of this.#byOrder)
      if (fills.some((fill) => markets.has(fill.market))) this.#byOrder.delete(order);
  }

  get size(): number {
    return this.#byOrder.size;
  }

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
