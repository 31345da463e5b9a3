// Decreases whose acknowledgment gives the remaining quantity, but not the filled one. A report of the order, earlier
// or later, gives the new total. Must never take the fills received so far as all fills.
import type { ClientOrderId } from '../../domain/ids.ts';
import type { Qty } from '../../domain/units.ts';

/** Filled and remaining quantity of an order at some moment. */
export interface FilledAndLeft {
  readonly filledQty: Qty;
  readonly leavesQty: Qty;
}

interface Decrease {
  readonly acknowledgedLeaves: Qty | null;
  /** The report with the least remaining quantity. */
  readonly report: FilledAndLeft | null;
}

const NO_MESSAGES: Decrease = { acknowledgedLeaves: null, report: null };

/** Decreases that wait for the order's new total. */
export class PendingDecreases {
  /** The messages by order. Added with the first message; removed when the order leaves `pending-amend`. */
  readonly #decreases = new Map<ClientOrderId, Decrease>();

  /** Records the acknowledgment. Returns the order's size if a report has given it. */
  onAcknowledged(id: ClientOrderId, acknowledgedLeaves: Qty): FilledAndLeft | null {
    return this.#sizeOf(id, { ...this.#decreaseOf(id), acknowledgedLeaves });
  }

  /** Records a report. Returns the order's size if the acknowledgment has arrived. */
  onReport(id: ClientOrderId, { filledQty, leavesQty }: FilledAndLeft): FilledAndLeft | null {
    const decrease = this.#decreaseOf(id);
    if (decrease.report !== null && decrease.report.leavesQty <= leavesQty) return null;
    return this.#sizeOf(id, { ...decrease, report: { filledQty, leavesQty } });
  }

  forgetOrder(id: ClientOrderId): void {
    this.#decreases.delete(id);
  }

  #decreaseOf(id: ClientOrderId): Decrease {
    return this.#decreases.get(id) ?? NO_MESSAGES;
  }

  /**
   * Returns the report's size if the report leaves no more than the acknowledgment: it is then later than the decrease.
   */
  #sizeOf(id: ClientOrderId, decrease: Decrease): FilledAndLeft | null {
    this.#decreases.set(id, decrease);
    const { acknowledgedLeaves, report } = decrease;
    return acknowledgedLeaves !== null && report !== null && report.leavesQty <= acknowledgedLeaves ? report : null;
  }
}
