// What can be had at the touch of a book at once, in whole contracts, and what it comes to after fees.
// Must never offer what a book that is not live shows, nor in a market that does not trade.
import { modelFee } from '../domain/fees.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { isOpen } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import { type Price, type Qty, contracts } from '../domain/units.ts';
import type { StrategyView } from '../state/view.ts';

/** What to take. */
export interface Taking {
  /** `buy` takes from the best ask, `sell` from the best bid. */
  readonly side: Side;
  readonly qtyMax: Qty;
}

/** An order that would trade at once with the best price there is. */
export interface Take {
  readonly market: MarketIndex;
  readonly side: Side;
  readonly price: Price;
  /** Whole contracts, at least one: no more than is there, nor than is wanted. */
  readonly qty: Qty;
  /**
   * What buying a contract costs, or selling one brings, its fee as a taker by `view.fees` included: ten-thousandths of a dollar on the
   * YES scale. A ratio, not a price.
   */
  readonly net: number;
}

const ONE_CONTRACT = contracts(1);

/** What can be taken; `null` where there is nobody, less than a contract, no live book, or no trading. */
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
