// Turns a wanted pair of quotes into the fewest orders, decreases and cancels. Must never have two quotes of one
// strategy resting on one side at once, nor two quotes that cross. So a new order waits for each order that it replaces
// or would cross.
import type { CancelIntent, PlaceIntent, QuoteIntent, QuoteLevel } from '../domain/intent.ts';
import { type Order, type Side, leavesQty } from '../domain/orders/order.ts';
import type { Qty } from '../domain/units.ts';

/** A resting order to decrease. */
export interface DecreasePlan {
  readonly clientOrderId: Order['clientOrderId'];
  /** Quantity that should remain, in hundredths of a contract. */
  readonly leavesQty: Qty;
}

/** The steps for both sides of a quote. A resting order without a step is kept. */
export interface QuotePlan {
  readonly cancels: readonly CancelIntent[];
  readonly decreases: readonly DecreasePlan[];
  readonly places: readonly PlaceIntent[];
}

/** The venue's support for quotes. */
export interface QuoteSupport {
  /** True: the venue can decrease a resting order, and the order keeps its queue position. */
  readonly canDecrease: boolean;
}

const NO_SUPPORT: QuoteSupport = { canDecrease: false };

/**
 * Plans both sides of a quote.
 * @param open the strategy's unfinished orders in the quote's market.
 */
export function planQuote(quote: QuoteIntent, open: readonly Order[], means: QuoteSupport = NO_SUPPORT): QuotePlan {
  const plan: MutablePlan = { cancels: [], decreases: [], places: [] };
  for (const side of ['buy', 'sell'] as const) planSide(quote, { side, open, ...means }, plan);
  // A quote that crosses itself is left for the risk rules to deny.
  return plan.places.length === 0 || isCrossed(quote) ? plan : cancelCrossed(plan, open, quote.reason ?? '');
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

/** Cancels own orders that a new order would cross, and holds the new order back. The quote is planned again later. */
function cancelCrossed(plan: MutablePlan, open: readonly Order[], reason: string): QuotePlan {
  const crossed = open.filter((order) => plan.places.some((place) => crosses(place, order)));
  if (crossed.length === 0) return plan;
  const isCrossedOrder = (id: Order['clientOrderId']): boolean => crossed.some((order) => order.clientOrderId === id);
  const canceledIds = new Set(plan.cancels.map((cancel) => cancel.clientOrderId));
  const extraCancels = crossed
    .filter(({ clientOrderId, state }) => state !== 'pending-cancel' && !canceledIds.has(clientOrderId))
    .map(({ clientOrderId }): CancelIntent => ({ type: 'cancel', clientOrderId, reason }));
  return {
    cancels: [...plan.cancels, ...extraCancels],
    decreases: plan.decreases.filter(({ clientOrderId }) => !isCrossedOrder(clientOrderId)),
    places: plan.places.filter((place) => !crossed.some((order) => crosses(place, order))),
  };
}

const crosses = ({ side, price }: PlaceIntent, order: Order): boolean =>
  side !== order.side && (side === 'buy' ? price >= order.price : price <= order.price);

interface MutablePlan {
  readonly cancels: CancelIntent[];
  readonly decreases: DecreasePlan[];
  readonly places: PlaceIntent[];
}

interface SideInput extends QuoteSupport {
  readonly side: Side;
  readonly open: readonly Order[];
}

function planSide(quote: QuoteIntent, { side, open, canDecrease }: SideInput, plan: MutablePlan): void {
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
    else {
      isBusy = true;
      if (order.state !== 'pending-cancel')
        plan.cancels.push({ type: 'cancel', clientOrderId: order.clientOrderId, reason });
    }
  }
  if (wanted === null || isMet || isBusy) return;
  const { price, qty } = wanted;
  plan.places.push({ type: 'place', market: quote.market, side, price, qty, postOnly: true, reason });
}

/**
 * Compares an order with the wanted level.
 * - `near`: it is close enough.
 * - `larger`: it is at the price, but too large.
 * - `changing`: it is at the price, and its size is being changed. The quote is planned again after the answer.
 * - `none`: anything else.
 */
function fitOf(order: Order, wanted: QuoteLevel, quote: QuoteIntent): 'near' | 'larger' | 'changing' | 'none' {
  if (order.state === 'pending-cancel') return 'none';
  const isAtPrice = Math.abs(order.price - wanted.price) <= (quote.priceTolerance ?? 0);
  // A wanted price that is not a number fits no order.
  if (!isAtPrice) return 'none';
  if (order.state === 'pending-amend') return 'changing';
  const excess = leavesQty(order) - wanted.qty;
  if (Math.abs(excess) <= (quote.qtyTolerance ?? 0)) return 'near';
  return excess > 0 && wanted.qty > 0 && order.state === 'working' ? 'larger' : 'none';
}
