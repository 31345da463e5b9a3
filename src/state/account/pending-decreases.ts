// Pending decreases whose acknowledgment lacks the filled quantity. The acknowledgment gives what remains; the new
// total is known only together with a report of the order, which may arrive before the acknowledgment or after it. Must
// never take the fills received so far as all fills: fills in flight would then be lost from the total.
import type { ClientOrderId } from '../../domain/ids.ts';
import type { Qty } from '../../domain/units.ts';

/** Filled and remaining quantity of an order at some moment. */
export interface FilledAndLeft {
  readonly filledQty: Qty;
  readonly leavesQty: Qty;
}

/** The messages received about one order since its decrease was requested. */
interface Decrease {
  /** Remaining quantity by the acknowledgment. */
  readonly acknowledgedLeaves: Qty | null;
  /** The report with the least remaining quantity. */
  readonly report: FilledAndLeft | null;
}

const NO_MESSAGES: Decrease = { acknowledgedLeaves: null, report: null };

/** The pending decreases. */
export class PendingDecreases {
  /** The messages by order. Added with the first message; removed when the order leaves `pending-amend`. */
  readonly #decreases = new Map<ClientOrderId, Decrease>();

  /** Records the acknowledgment. Returns the order's size when a report has already given it. */
  onAcknowledged(id: ClientOrderId, acknowledgedLeaves: Qty): FilledAndLeft | null {
    return this.#sizeOf(id, { ...this.#decreaseOf(id), acknowledgedLeaves });
  }

  /** Records a report. Returns the order's size when the acknowledgment has already arrived. */
  onReport(id: ClientOrderId, { filledQty, leavesQty }: FilledAndLeft): FilledAndLeft | null {
    const decrease = this.#decreaseOf(id);
    if (decrease.report !== null && decrease.report.leavesQty <= leavesQty) return null;
    return this.#sizeOf(id, { ...decrease, report: { filledQty, leavesQty } });
  }

  /** Forgets an order that no longer has a pending decrease. */
  forgetOrder(id: ClientOrderId): void {
    this.#decreases.delete(id);
  }

  #decreaseOf(id: ClientOrderId): Decrease {
    return this.#decreases.get(id) ?? NO_MESSAGES;
  }

  /**
   * Returns the report's size when the report leaves no more than the acknowledgment does: such a report is later than
   * the decrease.
   */
  #sizeOf(id: ClientOrderId, decrease: Decrease): FilledAndLeft | null {
    this.#decreases.set(id, decrease);
    const { acknowledgedLeaves, report } = decrease;
    return acknowledgedLeaves !== null && report !== null && report.leavesQty <= acknowledgedLeaves ? report : null;
  }
}
