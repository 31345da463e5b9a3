// The latest quote of each strategy in each market, from which orders are placed again. Must never keep a quote of a
// market that was forgotten: its index is used again.
import type { MarketIndex } from '../../domain/ids.ts';
import type { QuoteIntent } from '../../domain/intent.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Qty } from '../../domain/units.ts';

/** A strategy, by its number in the session. */
type Owner = { readonly index: number };

/** The quotes, by strategy and market. Added when quoted; removed when all orders there are canceled. */
export class StandingQuotes {
  readonly #byOwner: Map<MarketIndex, QuoteIntent>[] = [];
  readonly #onDrop: (market?: MarketIndex) => void;

  /** @param onDrop Called when quotes were dropped, in one market or everywhere: strategies may quote again. */
  constructor(onDrop: (market?: MarketIndex) => void) {
    this.#onDrop = onDrop;
  }

  quoteOf({ index }: Owner, market: MarketIndex): QuoteIntent | undefined {
    return this.#byOwner[index]?.get(market);
  }

  setQuote({ index }: Owner, quote: QuoteIntent): void {
    while (this.#byOwner.length <= index) this.#byOwner.push(new Map());
    this.#byOwner[index]?.set(quote.market, quote);
  }

  /**
   * Updates a stored quote to match the cancel of an order, or its decrease to `left`. Otherwise the order would be placed
   * again as it was.
   */
  adjustQuote(owner: Owner, { market, side, price }: Pick<Order, 'market' | 'side' | 'price'>, left: Qty): void {
    const quote = this.quoteOf(owner, market);
    if (!quote) return;
    const level = left === 0 ? null : { price, qty: left };
    const sides = side === 'buy' ? { bid: level } : { ask: level };
    this.setQuote(owner, { ...quote, ...sides });
  }

  /** Drops the quotes of a strategy, in one market or everywhere. */
  dropQuotes({ index }: Owner, market?: MarketIndex): void {
    if (market === undefined) this.#byOwner[index]?.clear();
    else this.#byOwner[index]?.delete(market);
    this.#onDrop(market);
  }

  dropQuotesIn(market: MarketIndex): void {
    for (const quotes of this.#byOwner) quotes.delete(market);
    this.#onDrop(market);
  }

  dropAll(): void {
    for (const quotes of this.#byOwner) quotes.clear();
    this.#onDrop();
  }
}
