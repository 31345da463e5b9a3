// A refusal of our own: a stable code and the figures that were compared. The order never left the house.
import type { HaltScope, HaltedBy } from './operator.ts';
import { formatMoney, formatPrice, formatQty, type Money, type Price, type Qty } from './units.ts';

/** Every reason for which risk refuses an order. Codes are part of the public surface: never renamed. */
export type Denial =
  | { readonly code: 'order-qty-invalid'; readonly qty: number; readonly qtyStep: Qty }
  | { readonly code: 'order-qty-above-limit'; readonly qty: Qty; readonly orderQtyMax: Qty }
  | { readonly code: 'order-cost-above-limit'; readonly cost: Money; readonly orderCostMax: Money }
  | { readonly code: 'position-above-limit'; readonly position: Qty; readonly positionQtyMax: Qty }
  | { readonly code: 'market-cost-above-limit'; readonly cost: Money; readonly marketCostMax: Money }
  | { readonly code: 'account-cost-above-limit'; readonly cost: Money; readonly accountCostMax: Money }
  | { readonly code: 'cash-short'; readonly needed: Money; readonly available: Money }
  | { readonly code: 'price-off-grid'; readonly price: number }
  | { readonly code: 'price-outside-band'; readonly price: Price; readonly priceMin: Price; readonly priceMax: Price }
  | { readonly code: 'book-not-live'; readonly trust: string }
  | { readonly code: 'book-stale'; readonly ageMs: number; readonly bookAgeMsMax: number }
  | { readonly code: 'market-not-open'; readonly status: string }
  | { readonly code: 'market-unknown'; readonly market: number }
  | { readonly code: 'market-closing'; readonly closesInMs: number; readonly closeGuardMs: number }
  | { readonly code: 'self-cross'; readonly price: Price; readonly restingPrice: Price; readonly restingOrder: string }
  | { readonly code: 'orders-above-limit'; readonly orders: number; readonly workingOrdersMax: number }
  | { readonly code: 'expiry-invalid'; readonly reason: string }
  | { readonly code: 'halted'; readonly scope: HaltScope['type']; readonly by: HaltedBy; readonly reason: string }
  | { readonly code: 'not-ready'; readonly reason: string }
  | { readonly code: 'stopping' };

export type DenialCode = Denial['code'];

/** A denial in words, figures first compared and then compared to. */
export function describeDenial(denial: Denial): string {
  switch (denial.code) {
    case 'order-qty-invalid':
      return `order qty ${denial.qty} is not a positive multiple of ${formatQty(denial.qtyStep)} contracts`;
    case 'order-qty-above-limit':
      return `order qty ${formatQty(denial.qty)} is above orderQtyMax ${formatQty(denial.orderQtyMax)}`;
    case 'order-cost-above-limit':
      return `order cost $${formatMoney(denial.cost)} is above orderCostMax $${formatMoney(denial.orderCostMax)}`;
    case 'position-above-limit':
      return `position could reach ${formatQty(denial.position)}, above positionQtyMax ${formatQty(denial.positionQtyMax)}`;
    case 'market-cost-above-limit':
      return `cost in the market could reach $${formatMoney(denial.cost)}, above marketCostMax $${formatMoney(denial.marketCostMax)}`;
    case 'account-cost-above-limit':
      return `cost in all markets could reach $${formatMoney(denial.cost)}, above accountCostMax $${formatMoney(denial.accountCostMax)}`;
    case 'cash-short':
      return `needs $${formatMoney(denial.needed)} of cash, $${formatMoney(denial.available)} is available`;
    case 'price-off-grid':
      return `price ${denial.price} (1e-4 dollars) is not on the market's grid`;
    case 'price-outside-band':
      return `price ${formatPrice(denial.price)} is outside ${formatPrice(denial.priceMin)} to ${formatPrice(denial.priceMax)}`;
    case 'book-not-live':
      return `the book is ${denial.trust}, not live`;
    case 'book-stale':
      return `the feed was last heard ${denial.ageMs} ms ago, bookAgeMsMax is ${denial.bookAgeMsMax}`;
    case 'market-not-open':
      return `the market is ${denial.status}, not active`;
    case 'market-unknown':
      return `market number ${denial.market} is not known`;
    case 'market-closing':
      return `the market closes in ${denial.closesInMs} ms, closeGuardMs is ${denial.closeGuardMs}`;
    case 'self-cross':
      return `price ${formatPrice(denial.price)} would cross our own order ${denial.restingOrder} at ${formatPrice(denial.restingPrice)}`;
    case 'orders-above-limit':
      return `${denial.orders} orders would work at once, workingOrdersMax is ${denial.workingOrdersMax}`;
    case 'expiry-invalid':
      return `expiry is wrong: ${denial.reason}`;
    case 'halted':
      return `${denial.scope === 'account' ? 'the account' : `the ${denial.scope}`} is halted by ${denial.by}: ${denial.reason}`;
    case 'not-ready':
      return `not ready to trade: ${denial.reason}`;
    case 'stopping':
      return 'the session is stopping';
  }
}
