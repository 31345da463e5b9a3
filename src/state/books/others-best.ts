// The best price of others in a book: the book shows our own orders too, so they are taken out. Must never take out more
// than our orders may have resting at a price.
import type { BookSide } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Order, countedLeaves } from '../../domain/orders/order.ts';
import type { Price } from '../../domain/units.ts';
import type { State } from '../state.ts';

/** The best price whose level holds more than the account's own orders; `null` when there is none. */
export function othersBest({ books, orders }: State, market: MarketIndex, side: BookSide): Price | null {
  const own = orders.openIn(market);
  let at = side === 'bid' ? books.bestBid(market) : books.bestAsk(market);
  while (at !== null && ownQtyAt(own, side, at) >= books.qtyAt(market, side, at)) at = books.behind(market, side, at);
  return at;
}

/** Quantity that our own orders may have resting at a price. */
function ownQtyAt(orders: readonly Order[], side: BookSide, price: Price): number {
  const orderSide = side === 'bid' ? 'buy' : 'sell';
  let own = 0;
  for (const order of orders)
    if (order.side === orderSide && mayRestAt(order, price) && order.state !== 'queued') own += countedLeaves(order);
  return own;
}

/** Until an amend is answered, its order may rest at the old price or the new one. */
const mayRestAt = (order: Order, price: Price): boolean => order.price === price || order.amend?.price === price;
