// Rules about an order's own terms: the venue accepts them, they are sound, and the size is allowed.
import type { Denial } from '../../domain/denial.ts';
import { countedPrice, crosses } from '../../domain/orders/order.ts';
import { floorExpiry } from '../../domain/orders/order-terms.ts';
import { closingQty, openingPrice } from '../../domain/position.ts';
import { cellOf } from '../../domain/price-grid.ts';
import { type Qty, addMoney, addQty, notional, price as priceOf } from '../../domain/units.ts';
import type { Proposal } from './proposal.ts';
import type { Rule } from './rule.ts';

export const qtyValid: Rule = ({ qty }, { venue: { qtyStep } }) =>
  Number.isSafeInteger(qty) && qty > 0 && qty % qtyStep === 0 ? null : { code: 'order-qty-invalid', qty, qtyStep };

export const priceOnGrid: Rule = ({ price }, { market }) =>
  cellOf(market.grid, price) >= 0 ? null : { code: 'price-off-grid', price };

/** The narrower of our price band and the venue's. */
export const priceInBand: Rule = ({ price }, { limits, venue }) => {
  const priceMin = priceOf(Math.max(limits.priceMin, venue.priceMin));
  const priceMax = priceOf(Math.min(limits.priceMax, venue.priceMax));
  return price >= priceMin && price <= priceMax ? null : { code: 'price-outside-band', price, priceMin, priceMax };
};

const notOffered = (feature: string): Denial => ({ code: 'not-offered', feature });

export const venueOffers: Rule = ({ postOnly, reduceOnly, timeInForce }, { venue }) => {
  if (postOnly && !venue.canPostOnly) return notOffered('post-only orders');
  if (reduceOnly && !venue.canReduceOnly) return notOffered('reduce-only orders');
  // A post-only order rests or is refused, and these two never rest.
  if (postOnly && (timeInForce === 'ioc' || timeInForce === 'fok'))
    return notOffered(`post-only orders ${timeInForce}`);
  return venue.timeInForce.includes(timeInForce) ? null : notOffered(`orders ${timeInForce}`);
};

/**
 * Denies a reduce-only order where the account has no position to reduce. The venue, too, compares it with the
 * account's position, whichever strategy holds it.
 */
export const reducesPosition: Rule = ({ reduceOnly, side, market }, { state }) => {
  if (!reduceOnly) return null;
  const position = state.portfolio.position(market).qty;
  const isReducing = side === 'buy' ? position < 0 : position > 0;
  return isReducing ? null : { code: 'nothing-to-reduce', side, position };
};

export const expiry: Rule = ({ expiresAt, timeInForce }, { state, venue }) => {
  if (timeInForce !== 'gtd') return expiresAt === null ? null : { code: 'expiry-invalid', reason: 'only with gtd' };
  if (expiresAt === null) return { code: 'expiry-invalid', reason: 'gtd needs expiresAt' };
  if (expiresAt <= state.now) return { code: 'expiry-invalid', reason: 'it is in the past' };
  const { expiryStep = 1 } = venue;
  if (floorExpiry(expiresAt, expiryStep) > state.now) return null;
  const step = `${expiryStep / 1e6} s`;
  return { code: 'expiry-invalid', reason: `it is in the past, once rounded down to the venue's step of ${step}` };
};

/** An amended order counts in total, with what is filled: no order ever trades more than its limit. */
const totalQty = ({ qty, amended }: Proposal): Qty => (amended === undefined ? qty : addQty(qty, amended.filledQty));

export const orderQty: Rule = (proposal, { limits: { orderQtyMax } }) => {
  const qty = totalQty(proposal);
  return qty <= orderQtyMax ? null : { code: 'order-qty-above-limit', qty, orderQtyMax };
};

/** The whole order counts as opening, at its own price, with its fee; of an amended order, what has filled, too. */
export const orderCost: Rule = (proposal, { fee, fees, limits: { orderCostMax } }) => {
  const { market, side, price, amended } = proposal;
  const qty = totalQty(proposal);
  const wholeFee = amended === undefined ? fee : fees.highestFee(market, proposal, qty);
  const cost = addMoney(notional(openingPrice(side, price), qty), wholeFee);
  return cost <= orderCostMax ? null : { code: 'order-cost-above-limit', cost, orderCostMax };
};

export const selfCross: Rule = (proposal, { state }) => {
  for (const order of state.orders.openIn(proposal.market)) {
    if (!crosses(proposal, order)) continue;
    const { price } = proposal;
    return { code: 'self-cross', price, restingPrice: countedPrice(order), restingOrder: order.clientOrderId };
  }
  return null;
};

/** An operator's order may only close a position. */
export const closesPosition: Rule = (proposal, { state }) => {
  const position = state.portfolio.position(proposal.market).qty;
  const isClosing = closingQty(position, proposal) === proposal.qty;
  return isClosing ? null : { code: 'not-closing', qty: proposal.qty, position };
};
