// Every rule, in the order in which they are asked: cheapest and most telling first.
// Must never have an exception for a strategy that asks: overrides are the operator's.
import { accountCost, capital, cash, groupCost, marketCost, position } from './cost-rules.ts';
import {
  bookCalm,
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
  closes,
  expiry,
  orderCost,
  orderQty,
  priceInBand,
  priceOnGrid,
  qtyValid,
  reduces,
  selfCross,
  venueOffers,
} from './order-rules.ts';
import { duplicate, messageRate, orderRate, workingOrders } from './pace-rules.ts';
import type { Rule } from './rule.ts';

export type { Rule };

/** What a strategy's order must pass. */
export const RULES: readonly Rule[] = [
  readiness,
  notHalted,
  marketOpen,
  closeGuard,
  bookLive,
  bookFresh,
  bookCalm,
  // From here on the price and the quantity are numbers that can be reckoned with.
  qtyValid,
  priceOnGrid,
  priceInBand,
  venueOffers,
  reduces,
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

/** What an order must pass that closes a position for the operator: in parts, where a whole one is too large. */
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
  closes,
  selfCross,
];
