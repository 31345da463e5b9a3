// Why an order may not be withdrawn or made smaller as a strategy asks: it is not the strategy's, has ended, or the size
// makes no sense. Pure. Must never stand in the way of a withdrawal of what may rest.
import type { Denial } from '../domain/denial.ts';
import type { StrategyName } from '../domain/ids.ts';
import { type Order, isFinished, leavesQty } from '../domain/order.ts';
import type { ChangeIntent } from './intent-book.ts';

/** The objection; `null` when it may be asked for. An order of somebody else's is none. */
export function changeFault(
  order: Order | undefined,
  intent: ChangeIntent,
  { strategy, qtyStep }: { readonly strategy: StrategyName; readonly qtyStep: number },
): Denial | null {
  const { clientOrderId: id } = intent;
  if (order?.strategy !== strategy) return { code: 'order-not-open', order: id, state: null };
  // One whose withdrawal is on its way goes without another word.
  const isGoing = isFinished(order.state) || order.state === 'pending-cancel';
  if (isGoing) return { code: 'order-not-open', order: id, state: order.state };
  if (intent.type === 'cancel') return null;
  const left = intent.leavesQty;
  const openQty = leavesQty(order);
  const isSound = Number.isSafeInteger(left) && left >= 0 && left < openQty && left % qtyStep === 0;
  return isSound ? null : { code: 'decrease-invalid', leavesQty: left, openQty, qtyStep };
}
