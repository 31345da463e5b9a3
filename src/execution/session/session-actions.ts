// The calls of a session to other parts of the engine. Types only.
import type { ClientOrderId } from '../../domain/ids.ts';

export interface SessionActions {
  cancelOrder(id: ClientOrderId): void;
  markUnknown(id: ClientOrderId, why: string): void;
  /** Ends an order that was proved never to have arrived. */
  dropOrder(id: ClientOrderId, why: string): void;
  /** Sends an order once more under its own id. Returns false when nothing was queued. */
  resendOrder(id: ClientOrderId): boolean;
  haltAccount(reason: string): void;
}
