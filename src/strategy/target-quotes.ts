// Turns “this is what I want resting” into the fewest orders and cancels that make it so.
// Must never have two quotes of one strategy resting on one side at once, nor two that would trade with each other: a
// replacement waits for what it replaces, and for what is in its way.
import type { CancelIntent, PlaceIntent, QuoteIntent, QuoteLevel } from '../domain/intent.ts';
import { type Order, type Side, leavesQty } from '../domain/order.ts';
import type { Qty } from '../domain/units.ts';

/** An order that should remain, but with less. */
export interface ShrinkPlan {
  readonly clientOrderId: Order['clientOrderId'];
  /** What should remain of it. */
  readonly leavesQty: Qty;
}

/** What to do about both sides: leave what rests, cancel it, make it smaller where it stands, or place. */
export interface QuotePlan {
  readonly cancels: readonly CancelIntent[];
  readonly shrinks: readonly ShrinkPlan[];
  readonly places: readonly PlaceIntent[];
}

/** What the venue can do for a quote. */
export interface QuoteMeans {
  /** Make a resting order smaller without loss of its place in the queue. */
  readonly canShrink: boolean;
}

const PLAIN: QuoteMeans = { canShrink: false };

/**
 * Plans both sides of a quote.
 * @param open the strategy's unfinished orders in the quote's market.
 */
export function planQuote(quote: QuoteIntent, open: readonly Order[], means: QuoteMeans = PLAIN): QuotePlan {
  const plan: Plan = { cancels: [], shrinks: [], places: [] };
  for (const side of ['buy', 'sell'] as const) planSide(quote, { side, open, ...means }, plan);
  // One that is crossed itself is for the rules to deny.
  return plan.places.length === 0 || isCrossed(quote) ? plan : clearWay(plan, open, quote.reason ?? '');
}

const isCrossed = ({ bid, ask }: QuoteIntent): boolean => bid !== null && ask !== null && bid.price >= ask.price;

/**
 * What would trade with an order of the other side waits until that is gone: it is replaced as well, and if only because
 * it stands in the way. Once it has gone the quote is planned anew.
 */
function clearWay(plan: Plan, open: readonly Order[], reason: string): QuotePlan {
  const inWay = open.filter((order) => plan.places.some((place) => crosses(place, order)));
  if (inWay.length === 0) return plan;
  const isInWay = (id: Order['clientOrderId']): boolean => inWay.some((order) => order.clientOrderId === id);
  const going = new Set(plan.cancels.map((cancel) => cancel.clientOrderId));
  const more = inWay
    .filter(({ clientOrderId, state }) => state !== 'pending-cancel' && !going.has(clientOrderId))
    .map(({ clientOrderId }): CancelIntent => ({ type: 'cancel', clientOrderId, reason }));
  return {
    cancels: [...plan.cancels, ...more],
    shrinks: plan.shrinks.filter(({ clientOrderId }) => !isInWay(clientOrderId)),
    places: plan.places.filter((place) => !inWay.some((order) => crosses(place, order))),
  };
}

const crosses = ({ side, price }: PlaceIntent, order: Order): boolean =>
  side !== order.side && (side === 'buy' ? price >= order.price : price <= order.price);

interface Plan {
  readonly cancels: CancelIntent[];
  readonly shrinks: ShrinkPlan[];
  readonly places: PlaceIntent[];
}

interface Resting extends QuoteMeans {
  readonly side: Side;
  /** The strategy's unfinished orders, of both sides. */
  readonly open: readonly Order[];
}

function planSide(quote: QuoteIntent, { side, open, canShrink }: Resting, plan: Plan): void {
  const wanted = side === 'buy' ? quote.bid : quote.ask;
  const reason = quote.reason ?? '';
  let isInPlace = false;
  let isBusy = false;
  for (const order of open) {
    if (order.side !== side) continue;
    const fit = isInPlace || wanted === null ? 'none' : fitOf(order, wanted, quote);
    if (wanted !== null && fit === 'larger' && canShrink) {
      isInPlace = true;
      plan.shrinks.push({ clientOrderId: order.clientOrderId, leavesQty: wanted.qty });
    } else if (fit === 'near' || fit === 'changing') isInPlace = true;
    else {
      isBusy = true;
      if (order.state !== 'pending-cancel')
        plan.cancels.push({ type: 'cancel', clientOrderId: order.clientOrderId, reason });
    }
  }
  if (wanted === null || isInPlace || isBusy) return;
  const { price, qty } = wanted;
  plan.places.push({ type: 'place', market: quote.market, side, price, qty, postOnly: true, reason });
}

/**
 * How an order fits what is wanted: near enough, at the price but larger, or not. `changing`: at the price, and its size
 * is being changed; what is wanted of it by then is seen to when the answer is here.
 */
function fitOf(order: Order, wanted: QuoteLevel, quote: QuoteIntent): 'near' | 'larger' | 'changing' | 'none' {
  if (order.state === 'pending-cancel') return 'none';
  const isAtPrice = Math.abs(order.price - wanted.price) <= (quote.priceTolerance ?? 0);
  // Nor is anything at a price that is not a number.
  if (!isAtPrice) return 'none';
  if (order.state === 'pending-amend') return 'changing';
  const over = leavesQty(order) - wanted.qty;
  if (Math.abs(over) <= (quote.qtyTolerance ?? 0)) return 'near';
  return over > 0 && wanted.qty > 0 && order.state === 'working' ? 'larger' : 'none';
}
