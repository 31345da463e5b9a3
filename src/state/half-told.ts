// Orders that were made smaller, of which the venue's answer tells what remains and not what had traded by then: the new
// total is known only together with a report of the order, which may come before the answer or after it.
// Must never take what we have been told of as all that has traded: fills on their way would then count for nothing.
import type { ClientOrderId } from '../domain/ids.ts';
import type { Qty } from '../domain/units.ts';

/** What an order had traded at some moment, and what of it remained then. */
export interface Sized {
  readonly filledQty: Qty;
  readonly leavesQty: Qty;
}

/** What is known of one order since it was asked to be smaller. */
interface Known {
  /** What its answer left. */
  readonly left: Qty | null;
  /** The report with the least remaining. */
  readonly heard: Sized | null;
}

const NOTHING: Known = { left: null, heard: null };

/** The orders of which half is told. */
export class HalfTold {
  readonly #known = new Map<ClientOrderId, Known>();

  /** The answer has come. Gives the size that settles the order, where a report has told it already. */
  answered(id: ClientOrderId, left: Qty): Sized | null {
    return this.#settle(id, { ...this.#knownOf(id), left });
  }

  /** A report has come. Gives the size that settles the order, where its answer had been waiting for it. */
  reported(id: ClientOrderId, { filledQty, leavesQty }: Sized): Sized | null {
    const known = this.#knownOf(id);
    if (known.heard !== null && known.heard.leavesQty <= leavesQty) return null;
    return this.#settle(id, { ...known, heard: { filledQty, leavesQty } });
  }

  /** The order is not being made smaller any more. */
  forget(id: ClientOrderId): void {
    this.#known.delete(id);
  }

  #knownOf(id: ClientOrderId): Known {
    return this.#known.get(id) ?? NOTHING;
  }

  /** No more can remain after the change than its answer left: a report that says so is of after it, and its total holds. */
  #settle(id: ClientOrderId, known: Known): Sized | null {
    this.#known.set(id, known);
    const { left, heard } = known;
    return left !== null && heard !== null && heard.leavesQty <= left ? heard : null;
  }
}
