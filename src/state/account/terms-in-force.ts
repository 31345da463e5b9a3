// Remembers the time of the latest change of an order's price and size. Reports of an order overtake each other: a list may
// lag, and the feed's message may come after the answer. Must never take an old report for a new one.
import type { OrderReport } from '../../domain/event.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Micros } from '../../domain/units.ts';

/** The time of a change of terms. */
export interface TermsTime {
  /** By our clock: when we learned the new terms. For a list or a lookup, when it was requested. */
  readonly at: Micros;
  /** By the venue's clock; `null` when the venue gave no time. */
  readonly exchangeAt: Micros | null;
}

/** The latest change of the terms of each order. */
export class TermsInForce {
  /** Added when the terms of an order change; removed when the order is forgotten. */
  readonly #since = new Map<ClientOrderId, TermsTime>();

  recordChange(id: ClientOrderId, { at, exchangeAt }: TermsTime): void {
    const before = this.#since.get(id)?.exchangeAt ?? null;
    this.#since.set(id, { at, exchangeAt: laterOf(before, exchangeAt) });
  }

  forgetOrder(id: ClientOrderId): void {
    this.#since.delete(id);
  }

  /**
   * True when a report shows the order as it was before a fill, or before a change of its terms, that we know of.
   * @param askedAt Time of the request for a list or a lookup; `null` for the feed.
   */
  isOutdated(order: Order, report: OrderReport, askedAt: Micros | null): boolean {
    if (report.filledQty < order.filledQty) return true;
    const since = this.#since.get(order.clientOrderId);
    if (since === undefined) return false;
    if (since.exchangeAt !== null && report.updatedAt !== null) return report.updatedAt < since.exchangeAt;
    return askedAt !== null && askedAt <= since.at;
  }

  /** True when the terms have changed at the venue after a time by its clock. */
  haveChangedAfter(id: ClientOrderId, exchangeAt: Micros | null): boolean {
    const since = this.#since.get(id)?.exchangeAt ?? null;
    return since !== null && exchangeAt !== null && exchangeAt < since;
  }
}

const laterOf = (a: Micros | null, b: Micros | null): Micros | null => {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
};
