// Denials: our own refusals of an order or of a change to one. Each has a stable code and the compared figures. A
// denied order is never sent.
import { centsText, contractsText, distanceText, dollarsText, givenPriceText, givenQtyText } from './amounts.ts';
import type { HaltScope, HaltedBy } from './operator-order.ts';
import type { ClientOrderId, EventTicker } from './ids.ts';
import type { OrderState, Side } from './orders/order.ts';
import { type Money, type Price, type Qty, qty } from './units.ts';

/** Scope of a limit: the whole account, or one strategy. The compared figures have the same scope. */
export type LimitHolder = 'account' | 'strategy';

/**
 * Every reason for which an intent is refused before anything is sent. Codes are part of the public surface and never
 * renamed.
 */
export type Denial =
  | { readonly code: 'order-qty-invalid'; readonly qty: number; readonly qtyStep: number }
  | { readonly code: 'order-qty-above-limit'; readonly qty: Qty; readonly orderQtyMax: Qty }
  | { readonly code: 'order-cost-above-limit'; readonly cost: Money; readonly orderCostMax: Money }
  | {
      readonly code: 'position-above-limit';
      readonly of: LimitHolder;
      readonly position: Qty;
      readonly positionQtyMax: Qty;
    }
  | {
      readonly code: 'market-cost-above-limit';
      readonly of: LimitHolder;
      readonly cost: Money;
      readonly marketCostMax: Money;
    }
  | {
      readonly code: 'group-cost-above-limit';
      readonly of: LimitHolder;
      readonly cost: Money;
      readonly groupCostMax: Money;
      readonly eventTicker: EventTicker;
    }
  | {
      readonly code: 'account-cost-above-limit';
      readonly of: LimitHolder;
      readonly cost: Money;
      readonly accountCostMax: Money;
    }
  | { readonly code: 'strategy-capital'; readonly cost: Money; readonly left: Money; readonly allotted: Money }
  | { readonly code: 'cash-short'; readonly needed: Money; readonly available: Money }
  | { readonly code: 'price-off-grid'; readonly price: number }
  | { readonly code: 'price-outside-band'; readonly price: Price; readonly priceMin: Price; readonly priceMax: Price }
  | {
      readonly code: 'price-too-far';
      readonly price: Price;
      readonly reference: Price;
      readonly priceDistanceMax: number;
    }
  | { readonly code: 'no-reference' }
  | { readonly code: 'not-offered'; readonly feature: string }
  /** The account holds nothing that this reduce-only order could reduce. A strategy's own position does not matter. */
  | { readonly code: 'nothing-to-reduce'; readonly side: Side; readonly position: Qty }
  | { readonly code: 'book-not-live'; readonly trust: string }
  | { readonly code: 'book-stale'; readonly ageMs: number; readonly bookAgeMsMax: number }
  | {
      readonly code: 'book-jumped';
      readonly jump: number;
      readonly touchJumpMax: number;
      /** Time for which the book stays distrusted, in milliseconds. */
      readonly forMs: number;
    }
  | { readonly code: 'spread-too-wide'; readonly spread: number; readonly spreadMax: number }
  | { readonly code: 'market-not-open'; readonly status: string }
  | { readonly code: 'market-unknown'; readonly market: number }
  /**
   * An order in the market has been unknown for too long. No new order in the market is sent until the venue reports
   * the unknown order.
   */
  | {
      readonly code: 'market-unresolved';
      readonly order: ClientOrderId;
      readonly forMs: number;
      readonly unknownMsMax: number;
    }
  | { readonly code: 'market-closing'; readonly closesInMs: number; readonly closeGuardMs: number }
  | { readonly code: 'self-cross'; readonly price: Price; readonly restingPrice: Price; readonly restingOrder: string }
  | {
      readonly code: 'orders-above-limit';
      readonly of: LimitHolder;
      readonly orders: number;
      readonly workingOrdersMax: number;
    }
  | {
      readonly code: 'order-rate-above-limit';
      readonly of: LimitHolder;
      readonly orders: number;
      readonly ordersPerSecondMax: number;
    }
  | {
      readonly code: 'message-rate-above-limit';
      readonly of: LimitHolder;
      readonly messages: number;
      readonly messagesPerMinuteMax: number;
    }
  | {
      readonly code: 'duplicate-order';
      readonly orderId: ClientOrderId;
      readonly ageMs: number;
      readonly duplicateWindowMs: number;
    }
  | { readonly code: 'not-closing'; readonly qty: Qty; readonly position: Qty }
  | { readonly code: 'expiry-invalid'; readonly reason: string }
  /**
   * A strategy may cancel or decrease only its own unfinished orders. `state` is `null` when it has no order of this
   * id.
   */
  | { readonly code: 'order-not-open'; readonly order: ClientOrderId; readonly state: OrderState | null }
  | { readonly code: 'decrease-invalid'; readonly leavesQty: number; readonly openQty: Qty; readonly qtyStep: number }
  | { readonly code: 'halted'; readonly scope: HaltScope['type']; readonly by: HaltedBy; readonly reason: string }
  | { readonly code: 'not-ready'; readonly reason: string }
  | { readonly code: 'stopping' };

/** Code of a denial, such as `position-above-limit`: stable, for programs to compare. */
export type DenialCode = Denial['code'];

/**
 * The text of a denial: the measured figure first, then the figure it was compared with.
 * @example
 * import { contracts, describeDenial } from 'presage-trading';
 *
 * const text = describeDenial({ code: 'order-qty-above-limit', qty: contracts(20), orderQtyMax: contracts(10) });
 * text; // 'order qty 20 is above orderQtyMax 10'
 */
export function describeDenial(denial: Denial): string {
  switch (denial.code) {
    case 'order-qty-invalid':
      return `order qty ${givenQtyText(denial.qty)} is not a positive multiple of ${contractsText(qty(denial.qtyStep))} contracts`;
    case 'order-qty-above-limit':
      return `order qty ${contractsText(denial.qty)} is above orderQtyMax ${contractsText(denial.orderQtyMax)}`;
    case 'order-cost-above-limit':
      return `order cost ${dollarsText(denial.cost)} is above orderCostMax ${dollarsText(denial.orderCostMax)}`;
    case 'position-above-limit':
      return `${ofStrategy(denial.of)}position could reach ${contractsText(denial.position)}, above positionQtyMax ${contractsText(denial.positionQtyMax)}`;
    case 'market-cost-above-limit':
      return `${ofStrategy(denial.of)}cost in the market could reach ${dollarsText(denial.cost)}, above marketCostMax ${dollarsText(denial.marketCostMax)}`;
    case 'account-cost-above-limit':
      return `the ${denial.of} could lose ${dollarsText(denial.cost)}, above accountCostMax ${dollarsText(denial.accountCostMax)}`;
    case 'group-cost-above-limit':
      return `${ofStrategy(denial.of)}event group ${denial.eventTicker} could lose ${dollarsText(denial.cost)}, above groupCostMax ${dollarsText(denial.groupCostMax)}`;
    case 'strategy-capital':
      return `the strategy could lose ${dollarsText(denial.cost)}, above the ${dollarsText(denial.left)} left of its capital ${dollarsText(denial.allotted)}`;
    case 'cash-short':
      return `needs ${dollarsText(denial.needed)} of cash, ${dollarsText(denial.available)} is available`;
    case 'price-off-grid':
      return `price ${givenPriceText(denial.price)} is not on the market's grid`;
    case 'price-outside-band':
      return `price ${centsText(denial.price)} is outside ${centsText(denial.priceMin)} to ${centsText(denial.priceMax)}`;
    case 'price-too-far':
      return `price ${centsText(denial.price)} is worse than ${centsText(denial.reference)} by more than priceDistanceMax ${distanceText(denial.priceDistanceMax)}`;
    case 'no-reference':
      return 'the book does not have two sides and there was no recent trade: only a post-only order may be placed';
    case 'nothing-to-reduce':
      return `the account holds ${contractsText(denial.position)}: a reduce-only ${denial.side} reduces nothing`;
    case 'not-offered':
      return `the venue does not take ${denial.feature}`;
    case 'book-not-live':
      return `the book is ${denial.trust}, not live`;
    case 'book-stale':
      return `the book was last confirmed ${denial.ageMs} ms ago, bookAgeMsMax is ${denial.bookAgeMsMax}`;
    case 'book-jumped':
      return `the mid jumped by ${distanceText(denial.jump)} without a trade, touchJumpMax is ${distanceText(denial.touchJumpMax)}: distrusted for ${denial.forMs} ms more`;
    case 'spread-too-wide':
      return `the spread is ${distanceText(denial.spread)}, spreadMax is ${distanceText(denial.spreadMax)}`;
    case 'market-not-open':
      return `the market is ${denial.status}, not active`;
    case 'market-unknown':
      return `market number ${denial.market} is not known`;
    case 'market-unresolved':
      return `order ${denial.order} has been unknown for ${denial.forMs} ms, at most ${denial.unknownMsMax}: no new order in its market until the venue reports it`;
    case 'self-cross':
      return `price ${centsText(denial.price)} would cross our own order ${denial.restingOrder} at ${centsText(denial.restingPrice)}`;
    case 'orders-above-limit':
      return `${denial.orders} orders of the ${denial.of} would work at once, workingOrdersMax is ${denial.workingOrdersMax}`;
    case 'order-rate-above-limit':
      return `${denial.orders} orders of the ${denial.of} within a second, ordersPerSecondMax is ${denial.ordersPerSecondMax}`;
    case 'message-rate-above-limit':
      return `${denial.messages} orders and cancels of the ${denial.of} within a minute, messagesPerMinuteMax is ${denial.messagesPerMinuteMax}`;
    case 'duplicate-order':
      return `order ${denial.orderId} had the same terms ${denial.ageMs} ms ago, duplicateWindowMs is ${denial.duplicateWindowMs}`;
    case 'not-closing':
      return `qty ${contractsText(denial.qty)} is more than closes the position of ${contractsText(denial.position)}`;
    case 'expiry-invalid':
      return `expiry is wrong: ${denial.reason}`;
    case 'market-closing':
    case 'order-not-open':
    case 'decrease-invalid':
    case 'halted':
    case 'not-ready':
    case 'stopping':
      return describeRefusal(denial);
  }
}

type Refusal = Extract<
  Denial,
  { code: 'market-closing' | 'order-not-open' | 'decrease-invalid' | 'halted' | 'not-ready' | 'stopping' }
>;

function describeRefusal(denial: Refusal): string {
  switch (denial.code) {
    case 'market-closing':
      // The venue may still list a market past its close as open.
      return denial.closesInMs < 0
        ? `the market's close was ${-denial.closesInMs} ms ago, closeGuardMs is ${denial.closeGuardMs}`
        : `the market closes in ${denial.closesInMs} ms, closeGuardMs is ${denial.closeGuardMs}`;
    case 'order-not-open':
      return `order ${denial.order} is ${denial.state ?? 'not an order of this strategy'}`;
    case 'decrease-invalid':
      return `qty ${givenQtyText(denial.leavesQty)} is not a multiple of ${contractsText(qty(denial.qtyStep))} contracts below the ${contractsText(denial.openQty)} that are left`;
    case 'halted':
      return `${denial.scope === 'account' ? 'the account' : `the ${denial.scope}`} is halted by ${denial.by}: ${denial.reason}`;
    case 'not-ready':
      return `not ready to trade: ${denial.reason}`;
    case 'stopping':
      return 'the session is stopping';
  }
}

const ofStrategy = (of: LimitHolder): string => (of === 'strategy' ? "the strategy's own " : '');
