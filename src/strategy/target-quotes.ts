// Turns “this is what I want resting” into the fewest orders and cancels that make it so.
// Must never have two quotes of one strategy resting on one side at once: a replacement waits for its cancel.
import type { CancelIntent, PlaceIntent, QuoteIntent, QuoteLevel } from '../domain/intent.ts';
import { type Order, type Side, leavesQty } from '../domain/order.ts';

/** What to do about one side: leave it, cancel what rests, or place. */
export interface QuotePlan {
  readonly cancels: readonly CancelIntent[];
  readonly places: readonly PlaceIntent[];
}

/**
 * Plans both sides of a quote.
 * @param open the strategy's unfinished orders in the quote's market.
 */
export function planQuote(quote: QuoteIntent, open: readonly Order[]): QuotePlan {
  const cancels: CancelIntent[] = [];
  const places: PlaceIntent[] = [];
  for (const side of ['buy', 'sell'] as const) planSide(quote, { side, open }, { cancels, places });
  return { cancels, places };
}

interface Plan {
  readonly cancels: CancelIntent[];
  readonly places: PlaceIntent[];
}

interface Resting {
  readonly side: Side;
  /** The strategy's unfinished orders, of both sides. */
  readonly open: readonly Order[];
}

function planSide(quote: QuoteIntent, { side, open }: Resting, plan: Plan): void {
  const wanted = side === 'buy' ? quote.bid : quote.ask;
  const reason = quote.reason ?? '';
  let isInPlace = false;
  let isBusy = false;
  for (const order of open) {
    if (order.side !== side) continue;
    const isKept = !isInPlace && wanted !== null && isNear(order, wanted, quote);
    if (isKept) isInPlace = true;
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

function isNear(order: Order, wanted: QuoteLevel, quote: QuoteIntent): boolean {
  if (order.state === 'pending-cancel') return false;
  const priceGap = Math.abs(order.price - wanted.price);
  const qtyGap = Math.abs(leavesQty(order) - wanted.qty);
  return priceGap <= (quote.priceTolerance ?? 0) && qtyGap <= (quote.qtyTolerance ?? 0);
}
