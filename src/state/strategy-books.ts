// What each strategy holds of what the account holds: from the fills of its own orders and from settlements, as if it
// were alone. Nobody's is the rest: what the account opened with, and what was traded by hand.
// Must never book a fill that the portfolio has not, nor keep a market that it has forgotten.
import { assert } from '../domain/assert.ts';
import type { FillReport } from '../domain/event.ts';
import type { MarketIndex, StrategyName, Ticker } from '../domain/ids.ts';
import type { KeptBook } from '../domain/operator.ts';
import { FLAT, type Position, afterSettlement, afterTrade, closingQty, valueOf } from '../domain/position.ts';
import {
  type Money,
  NO_MONEY,
  type Price,
  type Qty,
  addMoney,
  money,
  mulDivFloor,
  subtractMoney,
  subtractQty,
} from '../domain/units.ts';
import { Moved } from './moved.ts';
import { OPERATOR, isForeign } from './orders.ts';

type Terms = Pick<FillReport, 'market' | 'side' | 'price' | 'qty' | 'fee'>;

/** One strategy's positions. Those of opposite strategies in one market net in the account, and do not here. */
export class StrategyBook {
  readonly #positions = new Map<MarketIndex, Position>();
  readonly #moved: Moved;
  #realized: Money = NO_MONEY;
  #fees: Money = NO_MONEY;

  /** @param moved is told of every market in which what it holds changes. */
  constructor(moved = new Moved()) {
    this.#moved = moved;
  }

  position(market: MarketIndex): Position {
    return this.#positions.get(market) ?? FLAT;
  }

  /** Every position ever held, by market, but for those of markets that were forgotten. */
  positions(): ReadonlyMap<MarketIndex, Position> {
    return this.#positions;
  }

  /** Profit of all that was closed or settled, before fees. */
  get realized(): Money {
    return this.#realized;
  }

  /** Fees of all its fills. */
  get fees(): Money {
    return this.#fees;
  }

  /** Profit less fees: what it has earned of what is over. */
  get earned(): Money {
    return subtractMoney(this.#realized, this.#fees);
  }

  /** What it has earned, and would if everything were sold at a price: the sum over strategies is the account's. */
  profitAt(market: MarketIndex, yes: Price): Money {
    const { qty, cost, realized, fees } = this.position(market);
    return money(realized - fees + valueOf(qty, yes) - cost);
  }

  trade(market: MarketIndex, terms: Terms): void {
    this.#move(market, afterTrade(this.position(market), terms));
  }

  settle(market: MarketIndex, settlementValue: Price): void {
    const before = this.position(market);
    if (before.qty !== 0) this.#move(market, afterSettlement(before, settlementValue));
  }

  #move(market: MarketIndex, after: Position): void {
    const before = this.position(market);
    this.#realized = money(this.#realized + after.realized - before.realized);
    this.#fees = money(this.#fees + after.fees - before.fees);
    this.#hold(market, after);
  }

  #hold(market: MarketIndex, position: Position): void {
    this.#positions.set(market, position);
    this.#moved.add(market);
  }

  /** Takes over what was kept of it. */
  restore({ realized, fees, positions }: KeptBook, indexOf: (ticker: Ticker) => MarketIndex): void {
    this.#realized = realized;
    this.#fees = fees;
    for (const { ticker, qty, cost } of positions) this.#hold(indexOf(ticker), { ...FLAT, qty, cost });
  }

  /** Lets go of what it holds in a market, at what that cost. */
  disown(market: MarketIndex): void {
    const { realized, fees } = this.position(market);
    this.#hold(market, { ...FLAT, realized, fees });
  }

  /**
   * Forgets a market that was paid out; what it brought stays in the sums.
   * @throws {AssertionFault} when something is still held there.
   */
  evict(market: MarketIndex): void {
    assert(this.position(market).qty === 0, 'a market in which a strategy holds something was to be forgotten');
    this.#positions.delete(market);
    this.#moved.add(market);
  }
}

const EMPTY = new StrategyBook();

/** The books of all strategies. */
export class StrategyBooks {
  /** The markets in which what any strategy holds changes. */
  readonly moved = new Moved();
  readonly #books = new Map<StrategyName, StrategyBook>();

  /** A strategy's book: of one that never traded an empty one. */
  of(strategy: StrategyName): StrategyBook {
    return this.#books.get(strategy) ?? EMPTY;
  }

  /** The books of all strategies that have traded, in the order in which they first did. */
  all(): ReadonlyMap<StrategyName, StrategyBook> {
    return this.#books;
  }

  /** Books a fill of a strategy's order. The caller has made sure that it is new, and counts. */
  take(strategy: StrategyName, fill: Terms): void {
    if (strategy === OPERATOR) this.#close(fill);
    else if (!isForeign({ strategy })) this.#bookOf(strategy).trade(fill.market, fill);
  }

  /** What the operator closes is of those who hold it, in the order in which they first traded. */
  #close(fill: Terms): void {
    let { qty, fee } = fill;
    for (const book of this.#books.values()) {
      const part = closingQty(book.position(fill.market).qty, { side: fill.side, qty });
      if (part === 0) continue;
      const share = money(mulDivFloor(fee, part, qty));
      book.trade(fill.market, { ...fill, qty: part, fee: share });
      qty = subtractQty(qty, part);
      fee = subtractMoney(fee, share);
    }
  }

  #bookOf(strategy: StrategyName): StrategyBook {
    const known = this.#books.get(strategy);
    if (known) return known;
    const book = new StrategyBook(this.moved);
    this.#books.set(strategy, book);
    return book;
  }

  /** Pays out a market to all who hold something there, also where that nets to nothing. */
  settle(market: MarketIndex, settlementValue: Price): void {
    for (const book of this.#books.values()) book.settle(market, settlementValue);
  }

  /** Takes over what was kept of a strategy. */
  restore(kept: KeptBook, indexOf: (ticker: Ticker) => MarketIndex): void {
    this.#bookOf(kept.strategy).restore(kept, indexOf);
  }

  /** What strategies hold in a market is nobody's from now on. */
  disown(market: MarketIndex): void {
    for (const book of this.#books.values()) if (book.position(market).qty !== 0) book.disown(market);
  }

  /** The markets in which any strategy holds something. */
  markets(): MarketIndex[] {
    const found = new Set<MarketIndex>();
    for (const book of this.#books.values())
      for (const [market, { qty }] of book.positions()) if (qty !== 0) found.add(market);
    return [...found];
  }

  /** What all strategies together hold in a market. */
  heldIn(market: MarketIndex): Qty {
    let sum = 0;
    for (const book of this.#books.values()) sum += book.position(market).qty;
    return sum as Qty;
  }

  /** Whether a strategy holds something in a market, netted by another's or not. */
  isHeld(market: MarketIndex): boolean {
    for (const book of this.#books.values()) if (book.position(market).qty !== 0) return true;
    return false;
  }

  /** What all strategies together have earned of what is over. */
  get earned(): Money {
    let sum = NO_MONEY;
    for (const book of this.#books.values()) sum = addMoney(sum, book.earned);
    return sum;
  }

  /** Forgets markets that were paid out. */
  evict(markets: ReadonlySet<MarketIndex>): void {
    for (const book of this.#books.values()) for (const market of markets) book.evict(market);
  }
}
