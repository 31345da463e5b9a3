// Sends unknown orders once more, each under its own id. Must never send an order that is no longer wanted, nor later than
// its strategy or the config allows.
import { must } from '../../base/assert.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { PlaceIntent } from '../../domain/intent.ts';
import { termsOf } from '../../domain/orders/order-terms.ts';
import type { Micros } from '../../domain/units.ts';
import type { OrderCancels } from './order-cancels.ts';
import type { OrderEntryOptions } from './order-entry-options.ts';
import { latestSend, sendDeadline } from './send-deadline.ts';

export interface ResendsOptions extends Pick<
  OrderEntryOptions,
  'state' | 'planner' | 'risk' | 'readiness' | 'orderDelayMsMax' | 'expiryStep' | 'nextCommandId'
> {
  readonly cancels: OrderCancels;
}

/** Sends orders once more. */
export class Resends {
  readonly #options: ResendsOptions;
  /**
   * Latest times at which strategies want their orders sent. Added with an order whose strategy named one; removed when the
   * order has ended.
   */
  readonly #wantedUntil = new Map<ClientOrderId, Micros>();

  constructor(options: ResendsOptions) {
    this.#options = options;
  }

  onPlaced(id: ClientOrderId, { validUntil }: PlaceIntent): void {
    if (validUntil !== undefined) this.#wantedUntil.set(id, validUntil);
  }

  onOrderEnded(id: ClientOrderId): void {
    this.#wantedUntil.delete(id);
  }

  /**
   * Sends an order once more under the same id, because no list shows it. The venue refuses an id that it has taken:
   * such a refusal proves that the order arrived the first time. Returns false when nothing was queued.
   */
  resendOrder(id: ClientOrderId): boolean {
    const { state, planner, risk, readiness, cancels, orderDelayMsMax, expiryStep, nextCommandId } = this.#options;
    const order = must(state.orders.get(id), `order ${id}`);
    const { now, tickers } = state;
    const validUntil = this.#wantedUntil.get(id);
    if (cancels.isUnwanted(id) || (validUntil !== undefined && now > validUntil)) return false;
    // The order already counts against the limits, so this check is stricter than necessary. It finds a halt set since
    // the first sending.
    if (risk.check(order, readiness()) !== null) return false;
    risk.countOrder(order.strategy);
    return planner.enqueue({
      strategy: order.strategy,
      ...termsOf(order),
      type: 'place',
      lane: 'new',
      id: nextCommandId(),
      clientOrderId: id,
      ticker: tickers.tickerOf(order.market),
      createdAt: now,
      validUntil: sendDeadline(
        { validUntil, expiresAt: order.expiresAt, expiryStep },
        latestSend(now, orderDelayMsMax),
      ),
    });
  }
}
