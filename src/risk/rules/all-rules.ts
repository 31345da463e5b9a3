// Every rule, in the sequence of its application. Must never have an exception for a strategy: only the operator
// overrides limits.
import { accountCost, capital, cash, groupCost, marketCost, position } from './cost-rules.ts';
import {
  bookNotJumped,
  bookFresh,
  bookLive,
  closeGuard,
  collar,
  marketOpen,
  notHalted,
  readiness,
  spread,
} from './market-rules.ts';
import {
  closesPosition,
  expiry,
  orderCost,
  orderQty,
  priceInBand,
  priceOnGrid,
  qtyValid,
  reducesPosition,
  selfCross,
  venueOffers,
} from './order-rules.ts';
import { duplicate, messageRate, orderRate, workingOrders } from './rate-rules.ts';
import type { Rule } from './rule.ts';

export type { Rule };

/** The rules of a strategy's order. */
export const RULES: readonly Rule[] = [
  readiness,
  notHalted,
  marketOpen,
  closeGuard,
  bookLive,
  bookFresh,
  bookNotJumped,
  // Later rules may rely on a valid quantity and price.
  qtyValid,
  priceOnGrid,
  priceInBand,
  venueOffers,
  reducesPosition,
  expiry,
  spread,
  collar,
  orderQty,
  orderCost,
  workingOrders,
  orderRate,
  messageRate,
  duplicate,
  selfCross,
  position,
  marketCost,
  groupCost,
  accountCost,
  capital,
  cash,
];

/** The rules of an order with which the operator closes a position. */
export const FLATTEN_RULES: readonly Rule[] = [
  marketOpen,
  bookLive,
  bookFresh,
  qtyValid,
  priceOnGrid,
  priceInBand,
  venueOffers,
  collar,
  orderQty,
  orderCost,
  closesPosition,
  selfCross,
];
