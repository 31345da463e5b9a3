// The terms with which a proposal counts against the limits. Must never count an amended order twice, nor its better
// terms only.
import { type Order, type Side, countedLeaves, countedPrice } from '../../domain/orders/order.ts';
import type { CollateralTerms } from '../../domain/position.ts';
import type { Price, Qty } from '../../domain/units.ts';
import { collateralTermsOf } from '../../state/account/reserved-collateral.ts';

/** A proposed order, or new terms of a resting one. */
export interface CountedProposal {
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  /** The resting order that gets these terms, if any. */
  readonly amended?: Order;
}

/** The worse price and the larger quantity of a proposal and the order that it amends. */
export function worstTerms({ side, price, qty, amended }: CountedProposal): CollateralTerms {
  if (amended === undefined) return { side, price, leavesQty: qty };
  const leaves = countedLeaves(amended);
  return {
    side,
    price: countedPrice({ side, price: countedPrice(amended), amend: { price, qty } }),
    leavesQty: leaves > qty ? leaves : qty,
  };
}

/** The collateral terms of a market's orders with the proposal among them. */
export const collateralTermsWith = (orders: readonly Order[], proposal: CountedProposal): CollateralTerms[] => [
  ...orders.filter((order) => order !== proposal.amended).map(collateralTermsOf),
  worstTerms(proposal),
];
