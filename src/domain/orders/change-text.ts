// The reason of a change of an order, in words. Must never be a part of a decision.
import { centsText, contractsText } from '../amounts.ts';
import { subtractQty } from '../units.ts';
import type { Order, OrderState } from './order.ts';

interface ReasonedChange {
  readonly order: Pick<Order, 'amend' | 'filledQty'>;
  readonly to: OrderState;
  readonly why: string;
}

/** The reason of a change. A requested amend also names the quantity that should remain, and the price. */
export function reasonText({ order: { amend, filledQty }, to, why }: ReasonedChange): string {
  if (to !== 'pending-amend' || amend === null) return why;
  return `${why}: ${contractsText(subtractQty(amend.qty, filledQty))} at ${centsText(amend.price)}`;
}
