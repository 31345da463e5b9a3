// Turns a wanted pair of quotes into the fewest orders, amends, decreases and cancels. Must never have two quotes of one
// strategy resting on one side at once, nor two quotes that cross. So a new order waits for each order that it replaces
// or would cross, and an amend for each order that it would cross.
import type { CancelIntent, PlaceIntent, QuoteIntent, QuoteLevel } from '../domain/intent.ts';
import { type Order, type Side, crosses, leavesQty } from '../domain/orders/order.ts';
import type { Price, Qty } from '../domain/units.ts';

/** A resting order to decrease. */
export interface DecreasePlan {
  readonly clientOrderId: Order['clientOrderId'];
  /** Quantity that should remain, in hundredths of a contract. */
  readonly leavesQty: Qty;
}

/** A resting order that moves to another price or grows. */
export interface AmendPlan {
  readonly order: Order;
  readonly price: Price;
  /** Quantity that should remain, in hundredths of a contract. */
  readonly leavesQty: Qty;
}

/** The steps for both sides of a quote. A resting order without a step is kept. */
export interface QuotePlan {
  readonly cancels: readonly CancelIntent[];
  readonly decreases: readonly DecreasePlan[];
  readonly amends: readonly AmendPlan[];
  readonly places: readonly PlaceIntent[];
}

/** The venue's support for quotes. */
export interface QuoteSupport {
  /** True: the venue can decrease a resting order, and the order keeps its queue position. */
  readonly canDecrease: boolean;
  /** True: a quote moves by one amend of its order, in place of a cancel and a new order. */
  readonly canAmend: boolean;
}

const NO_SUPPORT: QuoteSupport = { canDecrease: false, canAmend: false };

/**
 * Plans both sides of a quote.
 * @param open the strategy's unfinished orders in the quote's market.
 */
export function planQuote(quote: QuoteIntent, open: readonly Order[], means: QuoteSupport = NO_SUPPORT): QuotePlan {
  const plan: MutablePlan = { cancels: [], decreases: [], amends: [], places: [] };
  for (const side of ['buy', 'sell'] as const) planSide(quote, { side, open, ...means }, plan);
  // A quote that crosses itself is left for the risk rules to deny.
  if ((plan.places.length === 0 && plan.amends.length === 0) || isCrossed(quote)) return plan;
  return cancelCrossed(plan, open, quote.reason ?? '');
}

/** True when an order of each wanted side is near enough, and there is no other: there is nothing to plan. */
export function isQuoteMet(quote: QuoteIntent, open: readonly Order[]): boolean {
  const { bid, ask } = quote;
  let isBidMet = bid === null;
  let isAskMet = ask === null;
  for (const order of open) {
    const isBid = order.side === 'buy';
    const wanted = isBid ? bid : ask;
    if (wanted === null || (isBid ? isBidMet : isAskMet) || fitOf(order, wanted, quote) !== 'near') return false;
    if (isBid) isBidMet = true;
    else isAskMet = true;
  }
  return isBidMet && isAskMet;
}

const isCrossed = ({ bid, ask }: QuoteIntent): boolean => bid !== null && ask !== null && bid.price >= ask.price;

/**
 * Holds back each new order and amend that would cross an own order. The quote is planned again later. The crossed
 * order is canceled, unless an amend moves it out of the way.
 */
function cancelCrossed(plan: MutablePlan, open: readonly Order[], reason: string): QuotePlan {
  const arriving = [...plan.places, ...plan.amends.map(({ order: { side }, price }): Arriving => ({ side, price }))];
  const crossed = open.filter((order) => arriving.some((each) => crosses(each, order)));
  if (crossed.length === 0) return plan;
  const isHeldBack = (each: Arriving): boolean => crossed.some((order) => crosses(each, order));
  const amends = plan.amends.filter(({ order: { side }, price }) => !isHeldBack({ side, price }));
  const isCrossedOrder = (id: Order['clientOrderId']): boolean => crossed.some((order) => order.clientOrderId === id);
  const canceledIds = new Set(plan.cancels.map((cancel) => cancel.clientOrderId));
  const extraCancels = crossed
    .filter(({ clientOrderId, state }) => state !== 'pending-cancel' && !canceledIds.has(clientOrderId))
    .filter((order) => order.amend === null && !amends.some((amend) => amend.order === order))
    .map(({ clientOrderId }): CancelIntent => ({ type: 'cancel', clientOrderId, reason }));
  return {
    cancels: [...plan.cancels, ...extraCancels],
    decreases: plan.decreases.filter(({ clientOrderId }) => !isCrossedOrder(clientOrderId)),
    amends,
    places: plan.places.filter((place) => !isHeldBack(place)),
  };
}

type Arriving = Pick<PlaceIntent, 'side' | 'price'>;

interface MutablePlan {
  readonly cancels: CancelIntent[];
  readonly decreases: DecreasePlan[];
  readonly amends: AmendPlan[];
  readonly places: PlaceIntent[];
}

interface SideInput extends QuoteSupport {
  readonly side: Side;
  readonly open: readonly Order[];
}

function planSide(quote: QuoteIntent, { side, open, canDecrease, canAmend }: SideInput, plan: MutablePlan): void {
  const wanted = side === 'buy' ? quote.bid : quote.ask;
  const reason = quote.reason ?? '';
  let isMet = false;
  let isBusy = false;
  for (const order of open) {
    if (order.side !== side) continue;
    const fit = isMet || wanted === null ? 'none' : fitOf(order, wanted, quote);
    if (wanted !== null && fit === 'larger' && canDecrease) {
      isMet = true;
      plan.decreases.push({ clientOrderId: order.clientOrderId, leavesQty: wanted.qty });
    } else if (fit === 'near' || fit === 'changing') isMet = true;
    else if (wanted !== null && canAmend && isChanging(order)) isBusy = true;
    else if (wanted !== null && canAmend && isMovable(order, open)) {
      isMet = true;
      plan.amends.push({ order, price: wanted.price, leavesQty: wanted.qty });
    } else {
      isBusy = true;
      if (order.state !== 'pending-cancel')
        plan.cancels.push({ type: 'cancel', clientOrderId: order.clientOrderId, reason });
    }
  }
  if (wanted === null || isMet || isBusy) return;
  const { price, qty } = wanted;
  plan.places.push({ type: 'place', market: quote.market, side, price, qty, postOnly: true, reason });
}

/** True while a change of the order is unanswered: its next change has to wait. */
const isChanging = ({ state, amend }: Order): boolean => state === 'pending-amend' || amend !== null;

/** True for a resting quote that is the only order of its side: an amend may move it. */
const isMovable = (order: Order, open: readonly Order[]): boolean =>
  order.state === 'working' &&
  order.postOnly &&
  !order.reduceOnly &&
  order.timeInForce === 'gtc' &&
  !open.some((other) => other !== order && other.side === order.side);

/**
 * Compares an order with the wanted level.
 * - `near`: it is close enough.
 * - `larger`: it is at the price, but too large.
 * - `changing`: it is at the price, and its size is being changed. The quote is planned again after the answer.
 * - `none`: anything else.
 */
function fitOf(order: Order, wanted: QuoteLevel, quote: QuoteIntent): 'near' | 'larger' | 'changing' | 'none' {
  if (order.state === 'pending-cancel') return 'none';
  if (order.amend !== null) return isAmendNear(order, wanted, quote) ? 'changing' : 'none';
  const isAtPrice = Math.abs(order.price - wanted.price) <= (quote.priceTolerance ?? 0);
  // A wanted price that is not a number fits no order.
  if (!isAtPrice) return 'none';
  if (order.state === 'pending-amend') return 'changing';
  const excess = leavesQty(order) - wanted.qty;
  if (Math.abs(excess) <= (quote.qtyTolerance ?? 0)) return 'near';
  return excess > 0 && wanted.qty > 0 && order.state === 'working' ? 'larger' : 'none';
}

/** True when an unanswered amend asks for nearly the wanted level. */
function isAmendNear({ amend, filledQty }: Order, wanted: QuoteLevel, quote: QuoteIntent): boolean {
  if (amend === null || Math.abs(amend.price - wanted.price) > (quote.priceTolerance ?? 0)) return false;
  return Math.abs(amend.qty - filledQty - wanted.qty) <= (quote.qtyTolerance ?? 0);
}
