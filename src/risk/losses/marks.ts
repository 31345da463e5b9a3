// Values positions at the prices at which they could be sold now: longs at the bid, shorts at the ask. Must never let a
// value jump because a book is gone: its last bid and ask still count.
import type { MarketIndex } from '../../domain/ids.ts';
import { type Position, valueOf } from '../../domain/position.ts';
import { type Money, type Price, addMoney, money } from '../../domain/units.ts';
import type { Holdings } from '../../state/account/equity.ts';
import type { StrategyLedger, StrategyLedgers } from '../../state/strategies/strategy-ledgers.ts';

type MarkedState = Holdings & { readonly strategyLedgers: StrategyLedgers };

/** The last trusted touch of each market. */
export class Marks {
  readonly #state: MarkedState;
  readonly #bids: (Price | undefined)[] = [];
  readonly #asks: (Price | undefined)[] = [];

  constructor(state: MarkedState) {
    this.#state = state;
  }

  /** A position that was never priced counts at its cost. */
  equity(): Money {
    const { portfolio } = this.#state;
    let total = portfolio.cash;
    for (const [market, position] of portfolio.positions())
      if (position.qty !== 0) total = addMoney(total, this.#valueOf(market, position));
    return total;
  }

  /** Profit of a strategy if it sold everything it holds. */
  profitOf(book: StrategyLedger): Money {
    let total = book.earned;
    for (const [market, position] of book.positions())
      if (position.qty !== 0) total = money(total + this.#valueOf(market, position) - position.cost);
    return total;
  }

  /** The strategy ledgers count, too: their positions may offset each other in the account. */
  isFullyPriced(): boolean {
    const { portfolio, strategyLedgers } = this.#state;
    return [portfolio, ...strategyLedgers.all().values()].every((book) => this.#arePriced(book.positions()));
  }

  #arePriced(positions: ReadonlyMap<MarketIndex, Position>): boolean {
    for (const [market, { qty }] of positions) if (qty !== 0 && this.#mark(market, qty) === null) return false;
    return true;
  }

  #valueOf(market: MarketIndex, { qty, cost }: Position): Money {
    const mark = this.#mark(market, qty);
    return mark === null ? cost : valueOf(qty, mark);
  }

  #mark(market: MarketIndex, qty: number): Price | null {
    const settled = this.#state.markets.get(market)?.settlementValue;
    if (settled !== null && settled !== undefined) return settled;
    this.#updateMark(market);
    const bid = this.#bids[market];
    const ask = this.#asks[market];
    // A missing bid or ask keeps its last price, but bid and ask never cross.
    if (qty > 0) return bid === undefined ? null : (Math.min(bid, ask ?? bid) as Price);
    return ask === undefined ? null : (Math.max(ask, bid ?? ask) as Price);
  }

  #updateMark(market: MarketIndex): void {
    const { books } = this.#state;
    if (!books.isLive(market)) return;
    this.#bids[market] = books.bestBid(market) ?? this.#bids[market];
    this.#asks[market] = books.bestAsk(market) ?? this.#asks[market];
  }

  dropMarket(market: MarketIndex): void {
    this.#bids[market] = undefined;
    this.#asks[market] = undefined;
  }
}
