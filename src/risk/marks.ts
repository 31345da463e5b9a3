// What the account is worth if it had to be sold now: longs at the bid, shorts at the ask.
// Must never let worth jump because a book went away: what it last bid then still counts.
import type { MarketIndex } from '../domain/ids.ts';
import { type Position, valueOf } from '../domain/position.ts';
import { type Money, type Price, addMoney, money } from '../domain/units.ts';
import type { Holdings } from '../state/equity.ts';
import type { StrategyBook, StrategyBooks } from '../state/strategy-books.ts';

type Held = Holdings & { readonly strategyBooks: StrategyBooks };

/** The last believed touch of each market. */
export class Marks {
  readonly #held: Held;
  readonly #bids: (Price | undefined)[] = [];
  readonly #asks: (Price | undefined)[] = [];

  constructor(held: Held) {
    this.#held = held;
  }

  /** Cash and all positions at what they could be sold for; what was never priced counts at its cost. */
  equity(): Money {
    const { portfolio } = this.#held;
    let total = portfolio.cash;
    for (const [market, position] of portfolio.positions())
      if (position.qty !== 0) total = addMoney(total, this.#worth(market, position));
    return total;
  }

  /** What a strategy has earned, and would if all that it holds were sold. */
  profitOf(book: StrategyBook): Money {
    let total = book.earned;
    for (const [market, position] of book.positions())
      if (position.qty !== 0) total = money(total + this.#worth(market, position) - position.cost);
    return total;
  }

  /** Whether every position has been priced by a book: the account's, and strategies' that net to nothing in it. */
  isComplete(): boolean {
    const { portfolio, strategyBooks } = this.#held;
    return [portfolio, ...strategyBooks.all().values()].every((book) => this.#arePriced(book.positions()));
  }

  #arePriced(positions: ReadonlyMap<MarketIndex, Position>): boolean {
    for (const [market, { qty }] of positions) if (qty !== 0 && this.#mark(market, qty) === null) return false;
    return true;
  }

  #worth(market: MarketIndex, { qty, cost }: Position): Money {
    const mark = this.#mark(market, qty);
    return mark === null ? cost : valueOf(qty, mark);
  }

  #mark(market: MarketIndex, qty: number): Price | null {
    const settled = this.#held.markets.get(market)?.settlementValue;
    if (settled !== null && settled !== undefined) return settled;
    this.#look(market);
    const bid = this.#bids[market];
    const ask = this.#asks[market];
    // A side that is gone counts as it was, but never beyond the other one, which moves on without it.
    if (qty > 0) return bid === undefined ? null : (Math.min(bid, ask ?? bid) as Price);
    return ask === undefined ? null : (Math.max(ask, bid ?? ask) as Price);
  }

  #look(market: MarketIndex): void {
    const { books } = this.#held;
    if (!books.isLive(market)) return;
    this.#bids[market] = books.bestBid(market) ?? this.#bids[market];
    this.#asks[market] = books.bestAsk(market) ?? this.#asks[market];
  }

  /** Forgets a market: its number may soon be another's. */
  forget(market: MarketIndex): void {
    this.#bids[market] = undefined;
    this.#asks[market] = undefined;
  }
}
