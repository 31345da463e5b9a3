// The latest quote of each strategy in each market, from which orders are placed again. Must never keep a quote of a
// market that was forgotten: its index is used again.
import type { MarketIndex } from '../../domain/ids.ts';
import type { QuoteIntent } from '../../domain/intent.ts';

/** A strategy, by its number in the session. */
type Owner = { readonly index: number };

/** The quotes, by strategy and market. Added when quoted; removed when all orders there are canceled. */
export class StandingQuotes {
  readonly #byOwner: Map<MarketIndex, QuoteIntent>[] = [];

  quoteOf({ index }: Owner, market: MarketIndex): QuoteIntent | undefined {
    return this.#byOwner[index]?.get(market);
  }

  setQuote({ index }: Owner, quote: QuoteIntent): void {
    while (this.#byOwner.length <= index) this.#byOwner.push(new Map());
    this.#byOwner[index]?.set(quote.market, quote);
  }

  /** Drops the quotes of a strategy, in one market or everywhere. */
  dropQuotes({ index }: Owner, market?: MarketIndex): void {
    if (market === undefined) this.#byOwner[index]?.clear();
    else this.#byOwner[index]?.delete(market);
  }

  dropQuotesIn(market: MarketIndex): void {
    for (const quotes of this.#byOwner) quotes.delete(market);
  }

  dropAll(): void {
    for (const quotes of this.#byOwner) quotes.clear();
  }
}
