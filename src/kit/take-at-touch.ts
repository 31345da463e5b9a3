// An order to trade at once at the touch, in whole contracts, with its price after fees. Must never offer an order
// without a live book and an open market.
import { modelFee } from '../domain/fee-schedule.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { isOpen } from '../domain/market.ts';
import type { Side } from '../domain/orders/order.ts';
import { type Price, type Qty, contracts } from '../domain/units.ts';
import type { StrategyView } from '../state/strategy-view.ts';

/** The side and the most contracts to take. */
export interface Taking {
  /** `buy` takes from the best ask, `sell` from the best bid. */
  readonly side: Side;
  /** Most to take, in hundredths of a contract. It is rounded down to whole contracts. */
  readonly qtyMax: Qty;
}

/** An order that would trade at once at the best price. */
export interface Take {
  /** Market of the order. */
  readonly market: MarketIndex;
  /** Side of the order: the `side` of the request. */
  readonly side: Side;
  /** Price at which it would trade: the best price of the opposite side. */
  readonly price: Price;
  /** Whole contracts, at least one. At most the quantity at the touch and `qtyMax`. */
  readonly qty: Qty;
  /**
   * Cost of buying a contract, or proceeds of selling it, after the taker fee. It is a ratio on the YES scale in
   * ten-thousandths of a dollar, not a price.
   */
  readonly net: number;
}

const ONE_CONTRACT = contracts(1);

/**
 * The order that can trade at the touch. `null` without a live book, a price, a whole contract or an open market.
 * @example
 * import { type Intent, type MarketIndex, type StrategyView, contracts, takeAt } from 'presage-trading';
 *
 * // Buys at the ask where it costs less than 60 cents after fees.
 * export function buyCheap(view: StrategyView, market: MarketIndex): Intent[] {
 *   const take = takeAt(view, market, { side: 'buy', qtyMax: contracts(10) });
 *   if (take === null || take.net >= 6000) return [];
 *   return [{ type: 'place', market, side: take.side, price: take.price, qty: take.qty, timeInForce: 'ioc' }];
 * }
 */
export function takeAt(view: StrategyView, market: MarketIndex, { side, qtyMax }: Taking): Take | null {
  const book = view.book(market);
  const price = side === 'buy' ? book.bestAsk : book.bestBid;
  if (price === null || !book.isLive || !isOpen(view.market(market).status)) return null;
  const count = Math.floor(Math.min(qtyMax, side === 'buy' ? book.bestAskQty : book.bestBidQty) / ONE_CONTRACT);
  if (count < 1) return null;
  const qty = contracts(count);
  const fee = modelFee(view.fees(market), { price, qty, liquidity: 'taker' }) / qty;
  return { market, side, price, qty, net: side === 'buy' ? price + fee : price - fee };
}
