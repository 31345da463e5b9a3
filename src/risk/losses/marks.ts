// Values positions at the prices at which they could be sold now: longs at the bid, shorts at the ask. Must never let a
// value jump because a book is gone: its last bid and ask still count.
import { assert } from '../../base/assert.ts';
import { grownCopy } from '../../base/typed-columns.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Position, valueOf } from '../../domain/position.ts';
import { type Money, NO_MONEY, type Price, addMoney, money } from '../../domain/units.ts';
import type { Holdings } from '../../state/account/equity.ts';
import type { StrategyLedger, StrategyLedgers } from '../../state/strategies/strategy-ledgers.ts';

type MarkedState = Holdings & { readonly strategyLedgers: StrategyLedgers };

/** Every this many sums, the sum of the changed values is compared with the sum of all. */
const AUDIT_EVERY = 1000;

/** The last trusted touch of each market, and the values of the account's positions at it. */
export class Marks {
  readonly #state: MarkedState;
  readonly #bids: (Price | undefined)[] = [];
  readonly #asks: (Price | undefined)[] = [];
  /** Value of each position when it was last added up, and the sum of these values. */
  readonly #values: Money[] = [];
  #total: Money = NO_MONEY;
  /** 1 for a market with a position. */
  #isHeld = new Uint8Array(64);
  /** Markets whose value may have changed since it was added up. */
  readonly #changed = new Set<MarketIndex>();
  #sums = 0;
  /** Revision of the settlement values that are added up: a value may become known without any other change. */
  #settlementRevision = 0;

  constructor(state: MarkedState) {
    this.#state = state;
    state.portfolio.changedMarkets.addConsumer(this.#changed);
  }

  /** Learns that the touch or the trust of a market's book has changed. Called at every change of a touch. */
  onMarketChange(market: MarketIndex): void {
    if (this.#isHeld[market] === 1) this.#changed.add(market);
  }

  /** A position that was never priced counts at its cost. */
  equity(): Money {
    const { portfolio, markets } = this.#state;
    if (this.#sums === 0 || markets.settlementRevision !== this.#settlementRevision)
      for (const market of portfolio.positions().keys()) this.#changed.add(market);
    this.#settlementRevision = markets.settlementRevision;
    for (const market of this.#changed) this.#updateValue(market);
    this.#changed.clear();
    this.#sums += 1;
    if (this.#sums % AUDIT_EVERY === 0)
      assert(this.#total === this.#sumOfAll(), 'the value of all positions must be the sum of their values');
    return addMoney(portfolio.cash, this.#total);
  }

  #updateValue(market: MarketIndex): void {
    const position = this.#state.portfolio.position(market);
    const value = position.qty === 0 ? NO_MONEY : this.#valueOf(market, position);
    this.#total = money(this.#total + value - (this.#values[market] ?? 0));
    this.#values[market] = value;
    if (market >= this.#isHeld.length) this.#isHeld = grownCopy(this.#isHeld, new Uint8Array(2 * market));
    this.#isHeld[market] = position.qty === 0 ? 0 : 1;
  }

  #sumOfAll(): Money {
    let total = NO_MONEY;
    for (const [market, position] of this.#state.portfolio.positions())
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
    this.#changed.add(market);
  }
}
