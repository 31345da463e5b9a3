// The read-only view of the state that strategies, risk and reports look through. It allocates nothing on the hot path:
// one book view a market, made when first asked for, always showing the present.
import { must } from '../domain/assert.ts';
import type { BookSide } from '../domain/event.ts';
import type { BudgetKind } from '../domain/command.ts';
import type { FeeSchedule } from '../domain/fees.ts';
import type { EventTicker, MarketIndex, StrategyName, Ticker } from '../domain/ids.ts';
import type { EventGroup, Market } from '../domain/market.ts';
import { type Order, leavesQty } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import type { Micros, Money, Price, Qty } from '../domain/units.ts';
import { BookView } from './book-view.ts';
import { availableCash, equity } from './equity.ts';
import type { State } from './state.ts';
import type { TickerFacts } from './ticker-facts.ts';
import { type BudgetRoom, type Capital, NO_SOURCES, type ViewSources } from './view-sources.ts';

const NO_ORDERS: readonly Order[] = [];

/** Whose view it is. */
export interface ViewOwner {
  readonly strategy: StrategyName;
  readonly markets: readonly MarketIndex[];
  readonly sources?: ViewSources;
}

/** What a strategy may see. */
export class StrategyView {
  readonly #state: State;
  readonly #books: BookView[];
  readonly #sources: ViewSources;
  /** Own orders of a market, as of a revision of them. */
  readonly #orders: ({ readonly revision: number; readonly orders: readonly Order[] } | undefined)[] = [];
  readonly strategy: StrategyName;
  /** The strategy's markets, in the order they joined. */
  readonly markets: readonly MarketIndex[];

  /** @internal The framework makes it. */
  constructor(state: State, books: BookView[], own: ViewOwner) {
    this.#state = state;
    this.#books = books;
    this.strategy = own.strategy;
    this.markets = own.markets;
    this.#sources = own.sources ?? NO_SOURCES;
  }

  /** The time of the event being handled. */
  get now(): Micros {
    return this.#state.now;
  }

  /**
   * A market's definition.
   * @throws {AssertionFault} when the number names none.
   */
  market(market: MarketIndex): Market {
    return must(this.#state.markets.get(market), `market ${market}`);
  }

  /** A market by its name at the venue; `undefined` when not known. */
  find(name: string): Market | undefined {
    return this.#state.markets.byTicker(name as Ticker);
  }

  /** The event group of a market, when the venue has described it. */
  group(eventTicker: EventTicker): EventGroup | undefined {
    return this.#state.markets.group(eventTicker);
  }

  /** The known markets of an event group, in the venue's order. */
  groupMarkets(eventTicker: EventTicker): readonly Market[] {
    return this.#state.markets.membersOf(eventTicker);
  }

  /** A market's book, always as it is now. */
  book(market: MarketIndex): BookView {
    return (this.#books[market] ??= new BookView(this.#state, market));
  }

  /**
   * The best price of a side at which somebody else has a quantity: what is there beyond the account's own orders, all
   * strategies'. `null` when there is none. An order in flight counts as if it rested: a book may show it before it is
   * accepted.
   */
  othersBest(market: MarketIndex, side: BookSide): Price | null {
    const book = this.book(market);
    const orders = this.#state.orders.openIn(market);
    let at = book.best(side);
    while (at !== null && ownQtyAt(orders, side, at) >= book.qtyAt(side, at)) at = book.behind(side, at);
    return at;
  }

  /** What the venue told last of a market's trading as a whole; `null` while it has told nothing. */
  ticker(market: MarketIndex): TickerFacts | null {
    return this.#state.tickerBoard.of(market);
  }

  /** Halfway between others' best prices, in ten-thousandths of a dollar; a ratio. `null` unless others stand on both sides. */
  othersMid(market: MarketIndex): number | null {
    const bid = this.othersBest(market, 'bid');
    const ask = this.othersBest(market, 'ask');
    return bid === null || ask === null ? null : (bid + ask) / 2;
  }

  /** What the whole account holds in a market. */
  position(market: MarketIndex): Position {
    return this.#state.portfolio.position(market);
  }

  /**
   * What this strategy holds in a market: by the fills of its own orders, as if it were alone. What strategies hold
   * against one another nets in the account and not here. After a restart it is what `position` still bears out.
   */
  own(market: MarketIndex): Position {
    return this.#state.strategyBooks.of(this.strategy).position(market);
  }

  /** What this strategy may lose, and could: reckoned when asked for. */
  get capital(): Capital {
    return this.#sources.capital(this.strategy);
  }

  /** What may be sent now for orders (`trade`), or asked (`read`), in the venue's units; what cancels alone may use is not in it. */
  budget(kind: BudgetKind): BudgetRoom {
    return this.#sources.budget(kind);
  }

  /**
   * How a fill of a market is charged now, a waiver among it; until the venue has told, and where it tells what we do not
   * know, as the dearest is. For `modelFee`, and whatever else asks for a schedule.
   */
  fees(market: MarketIndex): FeeSchedule {
    return this.#sources.fees(market);
  }

  /** This strategy's unfinished orders in a market, oldest first: the same list until one begins, ends, or changes. */
  orders(market: MarketIndex): readonly Order[] {
    const { orders } = this.#state;
    if (orders.openIn(market).length === 0) return NO_ORDERS;
    const revision = orders.revisionOf(market);
    const known = this.#orders[market];
    if (known?.revision === revision) return known.orders;
    return this.#gather(market, revision);
  }

  /** Apart from its caller, in which a closure would cost something even where none is made. */
  #gather(market: MarketIndex, revision: number): readonly Order[] {
    const orders = this.#state.orders.openIn(market).filter((order) => order.strategy === this.strategy);
    this.#orders[market] = { revision, orders };
    return orders;
  }

  /**
   * What stands before a resting order of ours, in hundredths of a contract: what the venue said last where it tells, or
   * what was at the price when the order came, less what has traded there since; never more than is there now. Where
   * the feed shows our own orders, the order itself may be in it. `null` while the order does not rest, or its book is
   * not known.
   */
  queueAhead(order: Order): Qty | null {
    return this.#state.queue.of(order)?.aheadQty ?? null;
  }

  /** Cash that no order has pledged. */
  get available(): Money {
    return availableCash(this.#state);
  }

  /** Cash and positions, positions at their mid price. */
  get equity(): Money {
    return equity(this.#state);
  }
}

/** What own orders may have resting at a price. */
function ownQtyAt(orders: readonly Order[], side: BookSide, price: Price): number {
  const orderSide = side === 'bid' ? 'buy' : 'sell';
  let own = 0;
  for (const order of orders)
    if (order.side === orderSide && order.price === price && order.state !== 'queued') own += leavesQty(order);
  return own;
}
