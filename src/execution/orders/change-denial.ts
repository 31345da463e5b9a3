// Denies a cancel or decrease that is invalid: of another strategy's order, of an order that has ended or is being
// canceled, or with a wrong quantity. Must never deny the first cancel of an order that may rest.
import type { Denial } from '../../domain/denial.ts';
import type { StrategyName } from '../../domain/ids.ts';
import { type Order, isFinished, leavesQty } from '../../domain/orders/order.ts';
import type { ChangeIntent } from './intent-tracker.ts';

/** The denial of a requested change, or `null`. Orders of other strategies count as nonexistent. */
export function changeDenial(
  order: Order | undefined,
  intent: ChangeIntent,
  { strategy, qtyStep }: { readonly strategy: StrategyName; readonly qtyStep: number },
): Denial | null {
  const { clientOrderId: id } = intent;
  if (order?.strategy !== strategy) return { code: 'order-not-open', order: id, state: null };
  // An order whose cancel is in flight needs no other change.
  const isEnding = isFinished(order.state) || order.state === 'pending-cancel';
  if (isEnding) return { code: 'order-not-open', order: id, state: order.state };
  if (intent.type === 'cancel') return null;
  const left = intent.leavesQty;
  const openQty = leavesQty(order);
  const isValid = Number.isSafeInteger(left) && left >= 0 && left < openQty && left % qtyStep === 0;
  return isValid ? null : { code: 'decrease-invalid', leavesQty: left, openQty, qtyStep };
}
